import Foundation
import IdentityMail
import NativeAuthCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Modified replies of a mail server (`SEC-MAIL-6`): a mail counts as sent only when the server received all of it and
/// then accepted it, and as refused permanently only when the server said so.
struct ReplyTarget: Target {
    static let name = "smtp-replies"
    static let share = (release: 10, debug: 5)

    private let server: ReplyServer
    private let transport: SMTPTransport
    private let mail: RenderedMail
    private let mutator = Mutator(
        [
            "250 ok\r\n", "250-a\r\n250-b\r\n250 c\r\n", "220 mail.example ready\r\n", "354 send the mail\r\n",
            "550 5.1.1 unknown\r\n", "421 bye\r\n",
        ],
        words: [
            "\r\n", "\n", "\r", "\0", "-", " ", "250", "250 ", "250-", "354 ", "220 ", "451 ", "550 ", "552-", "999 ",
            "000 ", "2500 ", "25", "+50 ",
            "250\r\n", "250 ok\r\n250 ok\r\n", "250-SIZE 1\r\n", "250-STARTTLS\r\n", "250-AUTH PLAIN\r\n",
            "250 SMTPUTF8\r\n", "é",
            "250-\r\n", String(repeating: "x", count: 600), String(repeating: "250-x\r\n", count: 30),
        ], bytes: [[0xFF]], long: 70_000)

    init() throws {
        server = try ReplyServer()
        transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
        let text = "From: <a@example.com>\r\nTo: <b@example.com>\r\n\r\n.dots\r\n..\r\n.\r\nend\r\n"
        mail = try RenderedMail(
            sender: MailAddress("a@example.com"), recipient: MailAddress("b@example.com"), message: Array(text.utf8))
    }

    /// The replies to: the connection, EHLO, MAIL, RCPT, DATA, the message, QUIT; a byte 0xFE between them.
    func input(_ chance: inout Chance) -> [UInt8] {
        var replies = [
            "220 hi\r\n", "250-hi\r\n250 SIZE 1000\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", "250 taken\r\n",
            "221 bye\r\n",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<chance.pick([0, 1, 1, 1, 2]) {
            let place = chance.below(replies.count)
            replies[place] = chance.percent(50) ? mutator.input(&chance) : mutator.mutated(replies[place], &chance)
        }
        return Array(replies.joined(separator: [0xFE]))
    }

    func check(_ input: [UInt8]) async throws -> Bool {
        let replies = input.split(separator: 0xFE, omittingEmptySubsequences: false).map(Array.init)
        server.play(replies)
        do throws(MailTransportError) {
            try await transport.send(mail)
        } catch {
            switch error {
            case .temporary: break
            case .permanent(let code), .noMailbox(let code):
                let isSaid = replies.contains { $0.lenientText.contains("\(code)") }
                try demand((500...599).contains(code) && isSaid, "refused with \(code), which the server did not send")
            }
            return false
        }
        // A server that answers before it is asked accepts a message that is still on its way.
        guard replies.prefix(5).allSatisfy({ Self.finalLines(of: $0) <= 1 }) else { return true }
        try demand(server.message == mail.message, "sent, and the server has another message")
        let isTaken = server.lastReply.split(separator: 0x0A).contains { $0.first == 0x32 }
        try demand(isTaken, "sent, and the server did not say yes")
        return true
    }

    /// How many replies the bytes are: lines with a code that is not followed by a hyphen.
    private static func finalLines(of reply: [UInt8]) -> Int {
        reply.split(separator: 0x0A).count { line in
            line.count >= 3 && line.prefix(3).allSatisfy { (0x30...0x39).contains($0) }
                && (line.count == 3 || line[line.startIndex + 3] != 0x2D)
        }
    }
}

/// A mail server that sends scripted replies, regardless of its input.
private final class ReplyServer: Sendable {
    private struct State {
        var replies: [[UInt8]] = []
        var message: [UInt8]?
        var lastReply: [UInt8] = []
    }

    let port: Int
    private let listener: Int32
    private let state = Locked(State())

    init() throws(Finding) {
        #if canImport(Darwin)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (number, isBound) = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let isBound =
                    bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
                return (pointer.pointee.sin_port, isBound)
            }
        }
        guard listener >= 0, isBound else { throw Finding("no port can be had") }
        port = Int(UInt16(bigEndian: number))
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                serve(connection)
                close(connection)
            }
        }
    }

    /// Sets the replies for the next connection.
    func play(_ replies: [[UInt8]]) { state.withLock { $0 = State(replies: replies) } }

    /// The bytes between DATA and the lone dot, with dots undoubled; nil when these did not arrive.
    var message: [UInt8]? { state.withLock { $0.message } }
    /// The reply to it.
    var lastReply: [UInt8] { state.withLock { $0.lastReply } }

    private func serve(_ connection: Int32) {
        // A client that waits for the rest of a reply must not wait long.
        var patience = timeval(tv_sec: 0, tv_usec: 5_000)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // Without a waiting time for the port, because there are too few ports for all connections.
        var rest = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &rest, socklen_t(MemoryLayout<linger>.size))
        var replies = state.withLock { $0.replies }[...]
        func say() -> Bool {
            guard let reply = replies.popFirst() else { return false }
            return send(connection, reply, reply.count, 0) == reply.count
        }
        var heard: [UInt8] = []
        guard say() else { return }
        while let line = readLine(connection, &heard) {
            guard say() else { return }
            guard line.lenientText.uppercased() == "DATA" else { continue }
            var message: [UInt8] = []
            var last = readLine(connection, &heard)
            while let line = last, line != [0x2E] {
                message += (line.first == 0x2E ? Array(line.dropFirst()) : line) + [0x0D, 0x0A]
                last = readLine(connection, &heard)
            }
            guard last != nil else { return }
            state.withLock { [replies] in ($0.message, $0.lastReply) = (message, replies.first ?? []) }
            guard say() else { return }
        }
    }

    private func readLine(_ connection: Int32, _ heard: inout [UInt8]) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let end = heard.firstIndex(of: 0x0A), end > 0, heard[end - 1] == 0x0D {
                let line = Array(heard[..<(end - 1)])
                heard.removeFirst(end + 1)
                return line
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            heard += buffer.prefix(count)
        }
    }
}
