import HTTPTypes
package import Hummingbird
import HummingbirdCore
package import IdentityEngine
package import Logging
import Metrics
import NIOCore
import PortableFoundation

/// The operator's listener: `/metrics`, and the health checks of the public listener. On loopback it answers only requests
/// for loopback names (`SEC-NET-1`).
package enum OperationsServer {
    /// - Parameters:
    ///   - facts: Labels of the metric `native_auth_info`, whose value is 1.
    ///   - port: The port; 0 takes any free port.
    package static func application(
        _ metrics: PrometheusMetrics, facts: [(String, String)], readiness: Readiness, clock: any WallClock,
        host: String = "127.0.0.1", port: Int,
        logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        metrics.makeMeter(label: "native_auth_info", dimensions: facts).set(1 as Int64)
        let router = Router()
        if HostAndPort.isLoopback(host.contains(":") ? "[\(host)]" : host) { router.add(middleware: LoopbackNames()) }
        router.get("/metrics") { _, _ in
            ProcessMetrics.sample(into: metrics)
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text())))
        }
        router.get("/livez") { _, _ in "ok\n" }
        router.get("/readyz") { _, _ in
            await readiness.isReady(now: clock.now)
                ? EditedResponse(status: .ok, response: "ok\n")
                : EditedResponse(status: .serviceUnavailable, response: "not ready\n")
        }
        return Application(
            router: router, server: .http1(configuration: .init(idleTimeout: .seconds(15))),
            configuration: .init(
                address: .hostname(host, port: port), serverName: nil,
                // A caller that fills this listener leaves descriptors for that of apps.
                availableConnectionsDelegate: MaximumAvailableConnections(100)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) }, logger: logger)
    }
}

/// Answers 421 to a host name that is not a name of loopback: a page of another site can make its own name point here.
private struct LoopbackNames<Context: RequestContext>: RouterMiddleware {
    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let hosts = [request.head.authority ?? ""] + (request.uri.host.map { [$0] } ?? [])
        guard hosts.allSatisfy({ HostAndPort.isLoopback($0) }) else { return Response(status: .misdirectedRequest) }
        return try await next(request, context)
    }
}

/// The system's figures about this process; none where the system does not publish them as files, as on macOS.
private enum ProcessMetrics {
    static func sample(into metrics: PrometheusMetrics) {
        if let pages = words(of: "/proc/self/statm").dropFirst().first.flatMap({ Int64($0) }) {
            metrics.makeMeter(label: "process_resident_memory_bytes", dimensions: []).set(pages * 4096)
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            metrics.makeMeter(label: "process_open_fds", dimensions: []).set(Int64(open.count))
        }
    }

    private static func words(of file: String) -> [Substring] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
        return text.split(separator: " ")
    }
}
