import IdentityHooks
import IdentityTracing
import Logging
import NativeAuthCore
import PortableFoundation

extension SpanExporter {
    /// An exporter that posts to a collector; the operator has named its address, so it may be on this machine and speak plain HTTP.
    convenience init(to url: String, logger: Logger) {
        let http = OutgoingHTTP(allowsHTTP: true, mayDial: { _ in true })
        self.init(
            resource: [
                ("service.name", "native-auth"), ("service.version", ProductVersion.current),
                // The same for all spans of this process, and for no other.
                ("service.instance.id", UUID().text),
            ], logger: logger
        ) { body in
            do throws(OutgoingHTTP.Failure) {
                let answer = try await http.send(
                    OutgoingHTTP.Request(
                        url: url, headers: ["Content-Type: application/json"], body: body, timeout: 2_000))
                // OTLP/HTTP, “Retryable Response Codes”.
                return switch answer.status {
                case 200..<300: .taken
                case 429, 502, 503, 504: .later("status \(answer.status)")
                case let status: .refused("status \(status)")
                }
            } catch {
                return switch error {
                case .unreachable, .timedOut, .forbiddenAddress: .later("\(error)")
                case .tooLarge: .refused("the answer is too large")
                }
            }
        }
    }
}
