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
    ///   - gauges: Reads the values that are asked for at each scrape.
    package static func application(
        _ metrics: PrometheusMetrics, facts: [(String, String)], readiness: Readiness, clock: any WallClock,
        gauges: @escaping @Sendable () async -> [(name: String, value: Double)] = { [] }, host: String = "127.0.0.1",
        port: Int,
        logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        metrics.makeMeter(label: "native_auth_info", dimensions: facts).set(1 as Int64)
        let router = Router()
        if HostAndPort.isLoopback(host.contains(":") ? "[\(host)]" : host) { router.add(middleware: LoopbackNames()) }
        router.get("/metrics") { _, _ in
            let isReady = await readiness.isReady(now: clock.now)
            let values = await gauges() + [("native_auth_ready", isReady ? 1 : 0)] + ProcessMetrics.values()
            for (name, value) in values { metrics.set(name, to: value) }
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

/// The system's figures about this process, by the names of Prometheus' client libraries; none where the system does not publish
/// them as files, as on macOS.
private enum ProcessMetrics {
    static func values() -> [(name: String, value: Double)] {
        var values: [(name: String, value: Double)] = []
        if let pages = text(of: "/proc/self/statm").split(separator: " ").dropFirst().first.flatMap({ Double($0) }) {
            values.append(("process_resident_memory_bytes", pages * 4096))
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            values.append(("process_open_fds", Double(open.count)))
        }
        let limit = text(of: "/proc/self/limits").split(separator: "\n").first { $0.hasPrefix("Max open files") }
        if let most = limit?.split(separator: " ").dropFirst(3).first.flatMap({ Double($0) }) {
            values.append(("process_max_fds", most))
        }
        // proc(5): the name of the program, in parentheses, may have blanks. Times are in hundredths of a second.
        let facts = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard facts.count > 19, let user = Double(facts[11]), let system = Double(facts[12]),
            let start = Double(facts[19])
        else { return values }
        values.append(("process_cpu_seconds_total", (user + system) / 100))
        let boot = text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        if let boot = boot?.split(separator: " ").last.flatMap({ Double($0) }) {
            values.append(("process_start_time_seconds", boot + start / 100))
        }
        return values
    }

    private static func text(of file: String) -> String {
        do {
            return try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            return ""
        }
    }
}
