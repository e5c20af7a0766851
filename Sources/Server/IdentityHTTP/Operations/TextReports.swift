import Hummingbird
package import IdentityEngine
import Logging
import Metrics
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What the gateway for texts reports of those it took (`SEC-SMS-12`). A report changes no flow: it only tells whether texts
/// arrive.
package struct TextReports: Sendable {
    /// The path of the reports of one text.
    package static func path(of text: OutgoingText) -> String { path(text.tenant, text.id) }

    static let template = "/sms/reports/{tenant}/{text}"

    private static func path(_ tenant: TenantID, _ text: UUID) -> String { "/sms/reports/\(tenant)/\(text.text)" }

    private let store: any TextReportStore
    private let gateway: TextGatewayAddress
    private let baseURL: String

    package init(store: any TextReportStore, gateway: TextGatewayAddress, baseURL: String) {
        self.store = store
        self.gateway = gateway
        self.baseURL = baseURL
    }

    /// Notes a report. A repeated one changes nothing.
    func answer(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        guard let tenant = context.parameters.get("tenant").flatMap({ UUID(uuidString: $0) }).map({ TenantID($0) }),
            let text = context.parameters.get("text").flatMap({ UUID(uuidString: $0) })
        else { throw RequestFault.unknownPath }
        let form = try await IdentityRoutes.form(of: request)
        guard let signature = request.headers[IdentityHeader.textSignature],
            gateway.signed(baseURL + Self.path(tenant, text), form.pairs, as: signature)
        else {
            Counter(label: "native_auth_text_reports", dimensions: [("outcome", "refused")]).increment()
            return Response(status: .forbidden)
        }
        let status = form.pairs.first { $0.name == "MessageStatus" }?.value ?? ""
        let report: TextReport? =
            switch status {
            case "delivered", "read": .delivered
            case "failed", "undelivered": .failed
            case _: nil
            }
        if let report { try await store.note(report, of: text, in: tenant) }
        Counter(
            label: "native_auth_text_reports", dimensions: [("outcome", report?.rawValue ?? "under-way")]
        ).increment()
        return Response(status: .noContent)
    }
}
