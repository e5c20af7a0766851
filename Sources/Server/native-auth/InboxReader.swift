import NativeAuth
import NativeAuthCore
import PortableFoundation

/// Reads the inbox of a development server (design record 0014). `native-auth-try` has this file too, by a symbolic link.
struct InboxReader: Sendable {
    /// The needed values of a mail with a code.
    struct Mail: Hashable {
        let to: String
        let code: Secret<String>
        let sentAt: String
    }

    /// An entry of the inbox; a notice has no code.
    private struct Entry: Decodable {
        let to: String
        let code: String?
        let sentAt: String
    }

    /// Why there is no mail.
    enum Failure: Error {
        case cancelled
        /// No server answers.
        case unreachable(baseURL: String)
        /// No mail came in time: the masked address, and the page that was read.
        case missing(label: String, page: String)

        var sentence: String {
            switch self {
            case .cancelled: "Stopped."
            case .unreachable(let baseURL): "No server answers at \(baseURL)."
            case .missing(let label, let page):
                label.hasPrefix("+")
                    ? "No text to \(Terminal.harmless(label)) came to \(page) within 10 seconds. Is the gateway of --sms there?"
                    : "No mail to \(Terminal.harmless(label)) came to \(page) within 10 seconds. Is the mail server of --smtp there?"
            }
        }
    }

    /// How long a mail may take: it goes to a mail server and from there into the inbox.
    private static let patience = Duration.seconds(10)

    let baseURL: String
    private let transport = URLSessionTransport()

    /// The URL of the inbox page.
    var page: String { baseURL + "/dev/inbox" }

    /// The server's inbox; nil when it is not a development server.
    ///
    /// - Throws: ``Failure/unreachable(baseURL:)`` when there is no server.
    static func find(at baseURL: String) async throws(Failure) -> InboxReader? {
        let inbox = InboxReader(baseURL: baseURL)
        return try await inbox.mails(to: "nobody@example.com") == nil ? nil : inbox
    }

    init(baseURL: String) {
        self.baseURL = baseURL
    }

    /// All mails with a code.
    func mails() async throws(Failure) -> Set<Mail> {
        Set(try await mails(to: nil) ?? [])
    }

    /// Waits for a mail with a code that is not one of `known`.
    ///
    /// - Parameters:
    ///   - label: Where it goes, as the server says; stars stand for what it hides.
    ///   - name: Who waits for it. An address that fits `label` is taken for the whole of it.
    func mail(to label: String, of name: String, after known: Set<Mail>) async throws(Failure) -> Mail {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        let address = Self.fits(name, label) ? name : nil
        while clock.now < deadline {
            let mails = try await mails(to: address) ?? []
            if let mail = mails.first(where: { !known.contains($0) && Self.fits($0.to, label) }) { return mail }
            do {
                try await clock.sleep(for: .milliseconds(50))
            } catch {
                throw .cancelled
            }
        }
        throw .missing(label: label, page: page)
    }

    /// Whether `label`, an address with stars for hidden characters, matches `address`.
    static func fits(_ address: String, _ label: String) -> Bool {
        let parts = label.lowercased().split(separator: "*", omittingEmptySubsequences: false)
        var rest = address.lowercased()[...]
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return rest == label.lowercased() }
        guard rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// The mails with a code to `address`, or to all addresses, newest first; nil when the server has no inbox.
    private func mails(to address: String?) async throws(Failure) -> [Mail]? {
        let query = address.map { "?to=\(Self.percentEncoded($0))" } ?? ""
        guard let url = URL(string: "\(baseURL)/dev/inbox.json\(query)") else { return nil }
        let response: TransportResponse
        do {
            response = try await transport.send(
                TransportRequest(method: "GET", url: url, headers: ["accept": "application/json"], body: Data()))
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unreachable(baseURL: baseURL)
        }
        guard response.status == 200 else { return nil }
        do {
            return try JSONDecoder().decode([Entry].self, from: response.body).compactMap { entry in
                entry.code.map { Mail(to: entry.to, code: Secret($0), sentAt: entry.sentAt) }
            }
        } catch {
            // Another service answers at this path: the server has no inbox.
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
