import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import Logging
import NativeAuthCore
import Synchronization

@testable import IdentityMail

// MARK: - Time and chance

/// A clock that stands still until it is moved.
final class ManualClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_760_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

/// The system's generator.
struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }
}

/// Always gives the same byte; useful for the bounds of a jitter, not for ids.
struct ConstantRandomness: Randomness {
    var byte: UInt8

    func bytes(_ count: Int) -> [UInt8] {
        Array(repeating: byte, count: count)
    }
}

// MARK: - Values

extension MailContent {
    static func fixture(
        purpose: Purpose = .signUp, recipient: String = "ada@example.com", code: String? = "12345678",
        minutesValid: Int = 10, language: MailLanguage = .english, organisation: String = "Contoso",
        sentAt: Date = Date(timeIntervalSince1970: 1_760_000_000)
    ) -> MailContent {
        MailContent(
            purpose: purpose, recipient: recipient, code: code, minutesValid: minutesValid, language: language,
            organisation: organisation, sentAt: sentAt)
    }
}

extension MailContent {
    static func notice(
        _ purpose: Purpose, _ language: MailLanguage, organisation: String = "Contoso", days: Int = 0
    ) -> MailContent {
        .fixture(
            purpose: purpose, recipient: "user-typed@example.com", code: nil, minutesValid: days * 1_440,
            language: language,
            organisation: organisation)
    }
}

extension TenantID {
    static let contoso = TenantID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
}

func address(_ text: String) throws -> MailAddress {
    try MailAddress(text)
}

/// A small, complete message with an unchanged `body`.
func message(
    body: String = "Hello\r\n", to recipient: String = "ada@example.com"
) throws -> RenderedMail {
    try RenderedMail(
        sender: address("no-reply@contoso.example"), recipient: address(recipient),
        message: Array("Subject: Test\r\n\r\n\(body)".utf8))
}

/// A raw message, split and decoded: only as much MIME as the tests need, and none of it the code under test.
struct ParsedMail {
    /// Unfolded, names in lower case.
    var headers: [(name: String, value: String)] = []
    /// The decoded parts by content type.
    var parts: [String: String] = [:]

    init(_ raw: [UInt8]) throws {
        let text = String(decoding: raw, as: UTF8.self)
        let halves = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        for line in halves[0].replacingOccurrences(of: "\r\n ", with: " ").components(separatedBy: "\r\n") {
            let field = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers.append((field[0].lowercased(), field[1].trimmingCharacters(in: .whitespaces)))
        }
        guard let type = self["content-type"], let boundary = type.split(separator: "\"").dropFirst().first else {
            return
        }
        for part in halves[1].components(separatedBy: "--\(boundary)").dropFirst().dropLast() {
            let sides = part.components(separatedBy: "\r\n\r\n")
            let name = sides[0].contains("text/html") ? "html" : "plain"
            parts[name] = Self.decodedQuotedPrintable(sides.dropFirst().joined(separator: "\r\n\r\n"))
        }
    }

    subscript(name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// Encoded words of the form `=?UTF-8?B?…?=` decoded; blanks between two are dropped.
    func decoded(_ name: String) -> String? {
        self[name]?.components(separatedBy: " ").reduce(into: ("", false)) { result, word in
            if word.hasPrefix("=?UTF-8?B?"), let data = Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) {
                result.0 += (result.1 || result.0.isEmpty ? "" : " ") + String(decoding: data, as: UTF8.self)
                result.1 = true
            } else {
                result.0 += (result.0.isEmpty ? "" : " ") + word
                result.1 = false
            }
        }.0
    }

    static func decodedQuotedPrintable(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.replacingOccurrences(of: "=\r\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Servers

struct SupportError: Error, CustomStringConvertible {
    var description: String
}

func supportFile(_ name: String) throws -> String {
    guard let folder = Bundle.module.resourceURL else { throw SupportError(description: "no resources") }
    return folder.appendingPathComponent("Support").appendingPathComponent(name).path
}

/// A Python program that serves SMTP and reports in lines.
struct ServerProcess: Sendable {
    let port: Int
    fileprivate let lines: AsyncStream<String>

    /// The report of `smtp_sink.py` about a mail.
    struct SunkMail: Decodable {
        var from: String
        var to: [String]
        var content: Data
        var isEncrypted: Bool
        var isAuthenticated: Bool
        var helo: String
        /// The client's port.
        var peer: Int
    }

    /// The report of `smtp_script.py` about a connection.
    struct Session: Decodable {
        var event: String
        var raw: Data
    }

    /// The next line, decoded.
    func next<Report: Decodable>(_ type: Report.Type = Report.self) async throws -> Report {
        for await line in lines { return try JSONDecoder().decode(type, from: Data(line.utf8)) }
        throw SupportError(description: "the mail server ended")
    }

    /// The bytes of the next connection that ends.
    func transcript() async throws -> [UInt8] {
        while true {
            let session = try await next(Session.self)
            if session.event == "ended" { return Array(session.raw) }
        }
    }
}

/// Runs a server of the folder Support while `body` runs.
///
/// - Throws: Also when Python or its package aiosmtpd is missing; that is no reason to skip a test.
func withServer<Result>(
    _ script: String, _ arguments: [String] = [], _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    let process = Process()
    // The distribution's Python is the one that has the distribution's aiosmtpd.
    let isSystemPythonThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    process.executableURL = URL(fileURLWithPath: isSystemPythonThere ? "/usr/bin/python3" : "/usr/bin/env")
    process.arguments = (isSystemPythonThere ? [] : ["python3"]) + ["-u", try supportFile(script)] + arguments
    let output = Pipe()
    process.standardOutput = output
    // A process that outlives the tests must not hold their output open.
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    let buffer = Mutex(Data())
    output.fileHandleForReading.readabilityHandler = { handle in
        let chunk = handle.availableData
        guard !chunk.isEmpty else {
            handle.readabilityHandler = nil
            return continuation.finish()
        }
        buffer.withLock { buffer in
            buffer += chunk
            while let end = buffer.firstIndex(of: 0x0A) {
                continuation.yield(String(decoding: buffer[..<end], as: UTF8.self))
                buffer = Data(buffer[(end + 1)...])
            }
        }
    }
    try process.run()
    // SIGTERM would not do: a child inherits that it is blocked from the thread that launches it.
    defer { kill(process.processIdentifier, SIGKILL) }
    for await line in lines {
        guard line.hasPrefix("PORT "), let port = Int(line.dropFirst(5)) else { break }
        return try await body(ServerProcess(port: port, lines: lines))
    }
    throw SupportError(description: "\(script) did not start; it needs python3 and aiosmtpd (python3-aiosmtpd)")
}

/// Certificates for TLS tests, made once per run.
enum Certificates {
    private static let folder = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mail-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [try supportFile("make-certificates.sh"), folder.path]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SupportError(description: "openssl made no certificates") }
        return folder
    }

    static func path(_ name: String) throws -> String {
        try folder.get().appendingPathComponent(name).path
    }

    /// The arguments of `smtp_sink.py` for a certificate.
    static func arguments(_ security: String, _ name: String = "server") throws -> [String] {
        ["--security", security, "--certificate", try path("\(name).pem"), "--key", try path("\(name).key")]
    }
}

// MARK: - Outbox

/// Accepts the mails that a closure accepts.
final class ScriptedTransport: MailTransport {
    private let taken = Mutex<[RenderedMail]>([])
    private let answer: @Sendable (_ attempt: Int) throws(MailTransportError) -> Void
    private let attempts = Mutex(0)
    private let greetings = Mutex<[MailAddress]>([])

    init(_ answer: @escaping @Sendable (_ attempt: Int) throws(MailTransportError) -> Void = { _ in }) {
        self.answer = answer
    }

    var mails: [RenderedMail] { taken.withLock { $0 } }
    var attemptCount: Int { attempts.withLock { $0 } }
    /// The senders of sessions that ended without a mail.
    var greeters: [MailAddress] { greetings.withLock { $0 } }

    func send(_ message: RenderedMail) async throws(MailTransportError) {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        try answer(attempt)
        taken.withLock { $0.append(message) }
    }

    func greet(from sender: MailAddress) async {
        greetings.withLock { $0.append(sender) }
    }
}

/// A store with an outbox, and the dependencies of a worker.
struct OutboxFixture: Sendable {
    let store: SQLiteStore
    let vault: Vault
    let clock = ManualClock()
    let signal = MailSignal()

    init() throws {
        store = try SQLiteStore.inMemory()
        vault = Vault(masterKey: SymmetricKey(size: .bits256), randomness: SystemRandomness())
    }

    /// Adds a mail to the outbox as a step of a flow does.
    @discardableResult
    func enqueue(
        _ content: MailContent? = nil, lifetime: TimeInterval = 600, id: UUID = UUID(), sealedBy vault: Vault? = nil
    ) async throws -> OutboxMail {
        let flow = UUID()
        let now = clock.now
        let mail = try OutboxMail.sealing(
            content ?? .fixture(sentAt: now), id: id, tenant: .contoso, flow: flow,
            expiresAt: now.addingTimeInterval(lifetime), using: vault ?? self.vault)
        let query = StepQuery(tenant: .contoso, flow: flow, requestDigest: Data(count: 32), now: now)
        try await store.step(query) { _ in
            let row = FlowRow(codesSent: 1, expiresAt: now.addingTimeInterval(3_600))
            return (FlowChange(row: row, effects: [.enqueueMail(mail)]), ())
        }
        return mail
    }

    func worker(
        _ transport: any MailTransport, gateway: (any TextGateway)? = nil, store: (any OutboxStore)? = nil,
        randomness: any Randomness = SystemRandomness(), hooks: OutboxHooks? = nil,
        onDelivered: (@Sendable (DeliveredMail) async -> Void)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws -> OutboxWorker {
        let sender = try MailAddress("no-reply@contoso.example")
        return OutboxWorker(
            store: store ?? self.store, vault: vault, renderer: MailRenderer(), transport: transport,
            gateway: gateway, letterhead: { _ in Letterhead(sender: sender) },
            clock: clock, randomness: randomness, signal: signal, logger: Logger(label: "test"),
            hooks: hooks, onDelivered: onDelivered, sleep: sleep)
    }

    /// The states of all mails and how many of them still have a content.
    func states() async throws -> [String] {
        try await store.unsafeSQL(
            """
            SELECT state || CASE WHEN sealed_content IS NULL THEN ', wiped' ELSE '' END FROM outbox
            ORDER BY created_at, id
            """
        ).compactMap { $0.first ?? nil }
    }
}
