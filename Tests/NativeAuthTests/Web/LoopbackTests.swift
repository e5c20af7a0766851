import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The receiver of answers on a port of this machine.
@Suite("Loopback", .serialized) struct LoopbackTests {
    static let state = "right-state-0123456789"

    private func request(_ callback: String) throws -> WebAuthenticationRequest {
        WebAuthenticationRequest(
            page: try #require(URL(string: "https://login.example.com/authorize")),
            callback: try #require(URL(string: callback)), session: .shared, state: Secret(Self.state)
        ) { callback in
            var form = FormFields()
            form.append("redirect_uri", callback.absoluteString)
            return form
        }
    }

    /// Runs `body` with the port of a receiver; returns the address that the receiver got.
    private func receiving(
        _ callback: String = "http://127.0.0.1/cb", limits: LoopbackReceiver.Limits = .init(),
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> URL {
        let (pages, page) = AsyncStream.makeStream(of: URL.self)
        let authenticator = LoopbackAuthenticator(limits: limits) { url in
            page.yield(url)
            return true
        }
        let request = try request(callback)
        let answer = Task { try await authenticator.authenticate(request) }
        for await url in pages {
            let query = try FormFields(decoding: (url.query(percentEncoded: true) ?? "").utf8)
            let redirect = try #require(try query.single("redirect_uri").flatMap { URL(string: $0) })
            do {
                try await body(try #require(redirect.port))
            } catch {
                answer.cancel()
                throw error
            }
            break
        }
        return try await answer.value
    }

    private static func get(_ port: Int, path: String = "/cb", host: String? = nil, more: String = "") -> String {
        "GET \(path)?code=C1&state=\(state) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(more)\r\n"
    }

    @Test("the right answer by GET ends the wait, and the page tells nothing (SDK-WEB-4)")
    func aGet() async throws {
        let url = try await receiving { port in
            let reply = await RawClient.send(Self.get(port), to: port)
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n") && reply.contains("You can close this window."))
            for header in ["Cache-Control: no-store", "Referrer-Policy: no-referrer", "default-src 'none'"] {
                #expect(reply.contains(header))
            }
            #expect(!reply.contains("C1") && !reply.contains(Self.state))
        }
        #expect(url.path() == "/cb" && url.query()?.contains("code=C1") == true)
    }

    @Test("the right answer by form POST ends the wait too (SDK-WEB-4)")
    func aPost() async throws {
        let url = try await receiving { port in
            let body = "code=C2&state=\(Self.state)"
            let reply = await RawClient.send(
                "POST /cb HTTP/1.1\r\nhost: 127.0.0.1:\(port)\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", to: port)
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        #expect(url.query()?.contains("code=C2") == true)
    }

    @Test("both addresses of localhost receive, so that no other program does (SDK-WEB-4)")
    func bothAddresses() async throws {
        let url = try await receiving("http://localhost/cb") { port in
            for family in [AF_INET, AF_INET6] where family == AF_INET || RawClient.hasIPv6 {
                #expect(!RawClient.canListen(port, family), "another program could take the port")
            }
            let last: Int32 = RawClient.hasIPv6 ? AF_INET6 : AF_INET
            let reply = await RawClient.send(Self.get(port, host: "localhost:\(port)"), to: port, family: last)
            #expect(reply.hasPrefix("HTTP/1.1 200"))
        }
        #expect(url.host() == "localhost")
    }

    /// Requests that are not the answer, with the status that each gets; an empty status for a closed connection.
    static func corpus(_ port: Int) -> [(request: String, status: String)] {
        let good = get(port)
        let host = "Host: 127.0.0.1:\(port)\r\n"
        let form = "Content-Type: application/x-www-form-urlencoded\r\n"
        var corpus: [(String, String)] = []
        for foreign in [
            "localhost:\(port)", "127.0.0.1", "127.0.0.1:\(port + 1)", "evil.example", "evil.example:\(port)",
            "[::1]:\(port)",
            "127.0.0.1.evil.example:\(port)", "127.0.0.2:\(port)", "x@127.0.0.1:\(port)", "",
        ] {
            corpus.append((get(port, host: foreign), "421"))
        }
        for path in [
            "/", "/cb/", "/CB", "/cb/x", "//cb", "/./cb", "/cb%2f", "/%63b", "/favicon.ico", "/cb;x", "/x/../cb",
        ] {
            corpus.append((get(port, path: path), "404"))
        }
        for method in ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "CONNECT", "X"] {
            corpus.append((good.replacing("GET ", with: "\(method) "), "405"))
        }
        for state in ["", "x", state.uppercased(), state + "x", String(state.dropLast()), "\(state)%00", "%20\(state)"]
        {
            corpus.append(("GET /cb?code=C1&state=\(state) HTTP/1.1\r\n\(host)\r\n", "400"))
        }
        for query in [
            "code=C1", "state=\(state)&state=\(state)&code=1", "code=1&code=2&state=\(state)", "state[]=\(state)", "%",
            "a=%ZZ",
            "x=%FF&state=\(state)", "",
        ] {
            corpus.append(("GET /cb?\(query) HTTP/1.1\r\n\(host)\r\n", "400"))
        }
        for head in [
            "GET /cb?code=1&state=\(state)\r\n\(host)\r\n", "GET http://127.0.0.1/cb HTTP/1.1\r\n\(host)\r\n",
            "\r\n\r\n",
            "GET  /cb HTTP/1.1\r\n\(host)\r\n", "GET /cb?state=\(state) HTTP/2\r\n\(host)\r\n",
            "GET * HTTP/1.1\r\n\(host)\r\n",
            "GET /cb HTTP/1.1\r\n\(host)\(host)\r\n", "GET /cb HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET /cb HTTP/1.1\r\n folded\r\n\r\n",
            "GET /cb HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n",
            "GET /cb HTTP/1.1\r\n\(host)nonsense\r\n\r\n",
            "POST /cb HTTP/1.1\r\n\(host)\(form)Content-Length: x\r\n\r\n",
            "POST /cb HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
            "POST /cb HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", "\u{16}\u{3}\u{1}\r\n\r\n",
        ] {
            corpus.append((head, "400"))
        }
        for media in [
            "", "text/plain", "multipart/form-data", "application/json", "application/x-www-form-urlencodedx",
        ] {
            let body = "code=1&state=\(state)"
            corpus.append(
                (
                    "POST /cb HTTP/1.1\r\n\(host)Content-Type: \(media)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
                    "415"
                ))
        }
        for length in ["16385", "99999999", "99999999999999999999"] {
            corpus.append(("POST /cb HTTP/1.1\r\n\(host)\(form)Content-Length: \(length)\r\n\r\n", "413"))
        }
        for size in [16_500, 40_000, 200_000] {
            corpus.append((get(port, more: "X: \(String(repeating: "a", count: size))\r\n"), "413"))
        }
        for number in 0..<120 { corpus.append(("GET /cb?code=C&state=guess\(number) HTTP/1.1\r\n\(host)\r\n", "400")) }
        return corpus
    }

    @Test("200 requests that are not the answer are refused, and the wait goes on; row 54 (SDK-WEB-4)")
    func theCorpus() async throws {
        let url = try await receiving { port in
            let corpus = Self.corpus(port)
            #expect(corpus.count >= 180)
            for (request, status) in corpus {
                let reply = await RawClient.send(request, to: port)
                #expect(reply.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(60)): \(reply.prefix(30))")
                #expect(!reply.contains("<script") && !reply.contains("guess"))
            }
            _ = await RawClient.send(Self.get(port), to: port)
        }
        #expect(url.query()?.contains("code=C1") == true)
    }

    @Test("slow and silent connections are closed, many at once do not stop the answer (SDK-WEB-4)")
    func slowConnections() async throws {
        var limits = LoopbackReceiver.Limits()
        limits.connectionTime = 300
        _ = try await receiving(limits: limits) { port in
            let slow = (0..<40).map { _ in RawClient.connection(port) }
            RawClient.write("GET /cb?code", to: slow[39])
            // The receiver closes them: the reads end.
            #expect(await RawClient.readToEnd(slow[39]).isEmpty)
            #expect(await RawClient.readToEnd(slow[0]).isEmpty)
            let reply = await RawClient.send(Self.get(port), to: port)
            #expect(reply.hasPrefix("HTTP/1.1 200"))
            for connection in slow { close(connection) }
        }
    }

    @Test("a program that holds more connections than the receiver keeps does not keep the browser out (SDK-WEB-4)")
    func aCrowd() async throws {
        _ = try await receiving { port in
            let crowd = (0..<100).map { _ in RawClient.connection(port) }
            #expect(await RawClient.send(Self.get(port), to: port).hasPrefix("HTTP/1.1 200"))
            for connection in crowd { close(connection) }
        }
    }

    @Test("the wait ends by time, by the task, and when no browser opens (SDK-WEB-8)")
    func theOtherEnds() async throws {
        var limits = LoopbackReceiver.Limits()
        limits.totalTime = 50
        let request = try request("http://127.0.0.1/")
        let late = LoopbackAuthenticator(limits: limits) { _ in true }
        #expect(
            try await error { () throws(WebAuthenticationError) in try await late.authenticate(request) } == .timedOut)
        let none = LoopbackAuthenticator(opening: { _ in false })
        #expect(
            try await error { () throws(WebAuthenticationError) in try await none.authenticate(request) }
                == .couldNotShow("No browser could be opened."))
        let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await LoopbackAuthenticator { _ in
                isOpen.yield()
                return true
            }.authenticate(request)
        }
        for await _ in opened { break }
        task.cancel()
        await #expect(throws: WebAuthenticationError.cancelled) { try await task.value }
    }

    @Test("a port that is taken is an error, and two receivers have two ports (SDK-WEB-4)")
    func twoReceivers() async throws {
        let free = try #require(URL(string: "http://127.0.0.1/cb"))
        let (first, second) = try (
            LoopbackReceiver(for: free, limits: .init()), LoopbackReceiver(for: free, limits: .init())
        )
        #expect(first.port != second.port)
        let taken = try #require(URL(string: "http://127.0.0.1:\(first.port)/cb"))
        #expect(throws: WebAuthenticationError.self) { try LoopbackReceiver(for: taken, limits: .init()) }
    }

    @Test("after 50 sign-ins the process has as many open files as before (SDK-WEB-4)")
    func nothingStaysOpen() async throws {
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
        let before = try count()
        for _ in 0..<50 {
            _ = try await receiving { port in _ = await RawClient.send(Self.get(port), to: port) }
        }
        // The thread of the last one may still be closing.
        for _ in 0..<100 where try count() > before { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try count() <= before)
    }

    @Test("a whole sign-in through a port uses the port in the page and in the redemption")
    func aWholeSignIn() async throws {
        let server = WebServer()
        let authenticator = LoopbackAuthenticator { url in
            let page = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
            func value(_ name: String) -> String { page.first { $0.name == name }?.value ?? "" }
            guard let callback = URL(string: value("redirect_uri")), let port = callback.port else { return false }
            server.shows(
                ShownPage(query: ["nonce": value("nonce"), "redirect_uri": value("redirect_uri")], callback: callback))
            let issuer = WebServer.issuer.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let reply = await RawClient.send(
                "GET /?code=C1&state=\(value("state"))&iss=\(issuer) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n",
                to: port)
            return reply.hasPrefix("HTTP/1.1 200")
        }
        try await withWeb(
            server,
            with: WebSetup(configure: { configuration in
                configuration.webAuthenticator = authenticator
                configuration.redirectURI = nil
            }
            )
        ) { client, server in
            _ = try await client.signInWithBrowser()
            let redirect = try #require(try server.redemptions.first?["redirect_uri"])
            #expect(redirect == server.pages.last?["redirect_uri"])
            #expect(redirect.contains(/^http:\/\/localhost:\d+\/$/))
        }
    }

    @Test("BROWSER comes first, its %s is the address, and nothing goes through a shell")
    func theBrowsersProgram() throws {
        let url = try #require(URL(string: "https://login.example.com/a?b=$(id);c"))
        let address = url.absoluteString
        let commands = BrowserProgram.commands(["BROWSER": "first --new %s:second", "DISPLAY": ":0"], url)
        #expect(commands.prefix(2) == [["first", "--new", address], ["second", address]])
        #if os(Linux)
            #expect(commands.last == ["xdg-open", address])
            #expect(BrowserProgram.commands([:], url).isEmpty)
        #endif
    }
}

extension ShownPage {
    init(query: [String: String], callback: URL) {
        (url, session) = (callback, .shared)
        self.callback = callback
        self.query = query
    }
}

/// A client of raw bytes.
enum RawClient {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    static let hasIPv6: Bool = canListen(0, AF_INET6)

    private static func withAddress<Result>(
        _ port: Int, _ family: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            address.sin6_addr = in6addr_loopback
            let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    static func canListen(_ port: Int, _ family: Int32) -> Bool {
        let number = socket(family, stream, 0)
        defer { close(number) }
        return number >= 0 && withAddress(port, family) { bind(number, $0, $1) == 0 } && listen(number, 1) == 0
    }

    static func connection(_ port: Int, family: Int32 = AF_INET) -> Int32 {
        let number = socket(family, stream, 0)
        _ = withAddress(port, family) { connect(number, $0, $1) }
        return number
    }

    static func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            #if canImport(Darwin)
                let count = bytes[sent...].withUnsafeBytes { Darwin.send(connection, $0.baseAddress, $0.count, 0) }
            #else
                let count = bytes[sent...].withUnsafeBytes { write(connection, $0) }
            #endif
            guard count > 0 else { return }
            sent += count
        }
    }

    #if !canImport(Darwin)
        private static func write(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
            #if canImport(Glibc)
                Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                Musl.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #endif
        }
    #endif

    /// What arrives until the other side closes, read on a thread of its own.
    static func readToEnd(_ connection: Int32) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var received: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while true {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    received += buffer.prefix(count)
                }
                continuation.resume(returning: String(decoding: received, as: UTF8.self))
            }
        }
    }

    static func send(_ text: String, to port: Int, family: Int32 = AF_INET) async -> String {
        let number = connection(port, family: family)
        write(text, to: number)
        let reply = await readToEnd(number)
        close(number)
        return reply
    }
}
