import NativeAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the inbox of a development server (design §5).
struct InboxReader: Sendable {
    /// A mail, as far as it matters here. It holds a code in the clear.
    struct Mail: Equatable, Decodable, CustomStringConvertible {
        let code: String
        let sentAt: String

        var description: String { "‹redacted›" }
    }

    /// How long a mail may take: it goes to a mail server and from there into the inbox.
    private static let patience = Duration.seconds(10)

    let baseURL: String
    private let transport = URLSessionTransport()

    /// For a person.
    var page: String { baseURL + "/dev/inbox" }

    /// The server's inbox; nil when it is not a development server.
    ///
    /// - Throws: ``TryEnd/failed(_:)`` when there is no server.
    static func find(at baseURL: String) async throws(TryEnd) -> InboxReader? {
        let inbox = InboxReader(baseURL: baseURL)
        return try await inbox.mails(to: "nobody@example.com") == nil ? nil : inbox
    }

    init(baseURL: String) {
        self.baseURL = baseURL
    }

    /// The newest mail to `address`, if there is one.
    func newest(to address: String) async throws(TryEnd) -> Mail? {
        try await mails(to: address)?.first
    }

    /// Waits for a mail to `address` that is not `known`.
    func mail(to address: String, after known: Mail?) async throws(TryEnd) -> Mail {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while clock.now < deadline {
            if let mail = try await newest(to: address), mail != known { return mail }
            do {
                try await clock.sleep(for: .milliseconds(50))
            } catch {
                throw .endOfInput
            }
        }
        throw .failed(
            "No mail to \(address) came to \(page) within 10 seconds. Is the mail server of --smtp there?")
    }

    /// The mails to `address`, newest first; nil when the server has no inbox.
    private func mails(to address: String) async throws(TryEnd) -> [Mail]? {
        guard let url = URL(string: "\(baseURL)/dev/inbox.json?to=\(Self.percentEncoded(address))") else { return nil }
        let response: TransportResponse
        do {
            response = try await transport.send(
                TransportRequest(method: "GET", url: url, headers: ["accept": "application/json"], body: Data()))
        } catch is CancellationError {
            throw .endOfInput
        } catch {
            throw .failed(TryWords.unreachable(baseURL))
        }
        guard response.status == 200 else { return nil }
        do {
            return try JSONDecoder().decode([Mail].self, from: response.body)
        } catch {
            // Something else lives at this path: the server has no inbox.
            return nil
        }
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            case _:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
