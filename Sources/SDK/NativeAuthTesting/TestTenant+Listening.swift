public import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NativeAuth
import NativeAuthCore

extension TestTenant {
    /// Makes the tenant reachable for other processes, such as an app under a UI test, while `body` runs: over HTTP on
    /// a free port of this machine.
    ///
    /// ```swift
    /// try await tenant.listening { url in
    ///     app.launchEnvironment["NATIVE_AUTH_EMULATOR"] = url.absoluteString
    ///     app.launch()
    ///     …
    /// }
    /// ```
    ///
    /// Users, mail, clock and faults are those of the tenant; its replies state the time of its clock. Tokens issued
    /// here are not valid in this process, because their issuer differs, and vice versa.
    ///
    /// - Parameter body: Receives the base URL, such as `http://127.0.0.1:49152`.
    /// - Throws: The error of `body`, or ``TestTenantError/cannotListen(_:)``.
    public func listening<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let door = Locked<(any HTTPTransport)?>(nil)
        let listener = Server(
            childChannelSetup: HTTP1Channel { [clock] request, writer, _ in
                guard let transport = door.withLock({ $0 }) else { throw TestTenantError.cannotListen("not yet") }
                let response = try await transport.send(TransportRequest(request))
                try await writer.write(response: response.head(at: clock.now), body: response.buffer)
            },
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) },
            eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup,
            logger: Logger(label: "test-tenant", factory: { _ in SwiftLogNoOpLogHandler() }))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                defer { announcement.finish() }
                try await listener.run()
            }
            for await port in ports {
                let base = "http://127.0.0.1:\(port)"
                guard let url = URL(string: base) else { break }
                let transport = TenantTransport(
                    server: server.transport(at: base), hosts: ["127.0.0.1"], faults: faults, clock: clock,
                    preparation: preparation)
                door.withLock { $0 = transport }
                return try await body(url)
            }
            try await group.waitForAll()
            throw TestTenantError.cannotListen("the listener ended")
        }
    }
}

extension TransportRequest {
    fileprivate init(_ request: Request) async throws {
        let body = try await request.body.collect(upTo: 1 << 20)
        let text = "http://127.0.0.1\(request.head.path ?? "/")"
        guard let url = URL(string: text) else { throw TestTenantError.foreignHost(text) }
        self.init(
            method: request.method.rawValue, url: url,
            headers: Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { $1 },
            body: Data(body.readableBytesView))
    }
}

extension TransportResponse {
    fileprivate func head(at date: Date) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        fields[.date] = format.string(from: date)
        fields[.contentLength] = "\(body.count)"
        // Otherwise the listener would not end before the client closes its connections.
        fields[.connection] = "close"
        return HTTPResponse(status: .init(code: status), headerFields: fields)
    }

    fileprivate var buffer: ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    }
}
