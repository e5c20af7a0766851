import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Turns lines of the audit trail into the objects of the vendor's two lists. Pure.
///
/// A line has no address, no name and no IP address, so neither has an object; the source is a keyed pseudonym.
struct AuditCodec {
    typealias Object = [String: JSONValue]

    /// Milliseconds, as the database has them.
    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    let tenant: Tenant
    /// The names of the tenant's applications and daemons.
    let names: [ClientID: String]
    let daemons: Set<ClientID>
    /// The id of the line with a number. All tenants share the numbers, so they would tell how much others do.
    let id: (Int) -> String

    func object(_ line: RecordedEvent, in list: AuditList) -> Object {
        switch list {
        case .signIns: signIn(line)
        case .directoryAudits: audit(line)
        }
    }

    private func signIn(_ line: RecordedEvent) -> Object {
        let event = line.event
        return shared(line, AuditList.signIns).merging([
            "userId": text(event.user?.description),
            "userPrincipalName": text(event.user.map { "\($0)@\(tenant.domain)" }),
            "appId": text(event.client?.description), "appDisplayName": text(event.client.flatMap { names[$0] }),
            "isInteractive": .boolean(event.kind != .daemonSignedIn && event.kind != .daemonRefused),
            "status": .object([
                "errorCode": .integer(event.kind.signInResult ?? 0),
                "failureReason": text(event.kind.result == "failure" ? event.kind.rawValue : nil),
                "additionalDetails": text(event.detail),
            ]),
        ]) { $1 }
    }

    private func audit(_ line: RecordedEvent) -> Object {
        let event = line.event
        let app: JSONValue? = event.client.map {
            .object(["appId": .string($0.description), "displayName": text(names[$0])])
        }
        // The application acts for its user; a daemon, or a command, for the operator. The detail says so of changes, also
        // when the tenant has the daemon no more.
        let isOperators =
            event.client.map(daemons.contains) ?? false || event.detail?.hasSuffix("operator") == true
            || event.kind == .daemonSignedIn || event.kind == .daemonRefused
        let command: JSONValue? =
            isOperators && app == nil ? .object(["appId": .null, "displayName": .string("native-auth")]) : nil
        let user: JSONValue? = isOperators ? nil : event.user.map { .object(["id": .string($0.description)]) }
        return shared(line, AuditList.directoryAudits).merging([
            "activityDisplayName": .string(event.kind.rawValue), "category": .string(event.kind.category),
            "loggedByService": .string("native-auth"), "result": .string(event.kind.result),
            "resultReason": text(event.detail),
            "initiatedBy": .object(["user": user ?? .null, "app": app ?? command ?? .null]),
            "targetResources": .array(
                event.user.map { [.object(["id": .string($0.description), "type": .string("User")])] } ?? []),
        ]) { $1 }
    }

    private func shared(_ line: RecordedEvent, _ list: AuditList) -> Object {
        [
            // The style cuts off what is below a millisecond, and a whole number of them may lie just below itself.
            "id": .string(id(line.seq)), list.time: .string((line.event.at + 0.000_4).formatted(Self.time)),
            "nativeAuthFlow": text(line.event.flow?.uuidString.lowercased()),
            "nativeAuthSource": text(line.event.source?.hexadecimal),
            "nativeAuthPosition": line.position.map { .integer($0) } ?? .null,
        ]
    }

    private func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}
