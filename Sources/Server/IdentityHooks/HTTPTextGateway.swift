package import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// A gateway that speaks the messages API of the market's leader, as many others do (docs/operate/texts.md).
package struct HTTPTextGateway: TextGateway {
    /// How long an attempt may take, in milliseconds.
    private static let timeout = 10_000

    private let address: TextGatewayAddress
    private let sender: String
    private let http: OutgoingHTTP
    private let reportURL: @Sendable (OutgoingText) -> String

    /// - Parameters:
    ///   - sender: A number, a name of at most 11 characters, or the id of a messaging service, which begins with `MG`.
    ///   - http: Dials the gateway's own host and follows no redirect (`SEC-SMS-13`).
    ///   - reportURL: Where the gateway reports what became of the text.
    package init(
        _ address: TextGatewayAddress, sender: String, http: OutgoingHTTP,
        reportURL: @escaping @Sendable (OutgoingText) -> String
    ) {
        self.address = address
        self.sender = sender
        self.http = http
        self.reportURL = reportURL
    }

    package func send(_ text: OutgoingText) async throws(TextFailure) {
        var form = FormFields()
        form.append("To", text.to.text)
        form.append(sender.hasPrefix("MG") && sender.utf8.count == 34 ? "MessagingServiceSid" : "From", sender)
        form.append("Body", text.body.reveal())
        form.append("ValidityPeriod", "\(max(1, text.validity))")
        form.append("StatusCallback", reportURL(text))
        let credentials = Data("\(address.account):\(address.secret.reveal())".utf8).base64EncodedString()
        let answer: OutgoingHTTP.Answer
        do {
            answer = try await http.send(
                OutgoingHTTP.Request(
                    url: "\(address.base)/2010-04-01/Accounts/\(address.account)/Messages.json",
                    headers: [
                        "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
                        "User-Agent: native-auth", "Authorization: Basic \(credentials)",
                    ], body: Data(form.encoded.utf8), timeout: Self.timeout))
        } catch {
            switch error {
            // It has answered, and so it may have the text: another attempt could send it twice.
            case .tooLarge: throw .rejected(code: 0)
            case .unreachable, .timedOut, .forbiddenAddress: throw .noAnswer(HookFailure(error).word)
            }
        }
        try Self.judge(answer)
    }

    /// What the answer means: only a status says that the gateway has the text, and only its own number why it has not. A page
    /// of another server, which answers 200, too, is no gateway.
    static func judge(_ answer: OutgoingHTTP.Answer) throws(TextFailure) {
        switch answer.status {
        case 200..<300:
            guard isObject(answer.body) else { throw .rejected(code: answer.status) }
            return
        case 408, 429, 500..<600: throw .temporary("status-\(answer.status)")
        // The operator can correct the credentials while the text waits.
        case 401, 403: throw .temporary("status-\(answer.status)")
        case _:
            let code = number(in: answer.body) ?? answer.status
            if code == throttled { throw .temporary("code-\(code)") }
            throw refusedNumbers.contains(code) ? .numberRefused(code: code) : .rejected(code: code)
        }
    }

    /// No number, not permitted, opted out, not mobile, landline, blocked by a filter of the gateway.
    private static let refusedNumbers: Set = [
        21_211, 21_214, 21_217, 21_408, 21_610, 21_612, 21_614, 30_003, 30_004, 30_005, 30_006, 30_450,
    ]
    private static let throttled = 20_429

    private static func isObject(_ body: Data) -> Bool {
        do {
            _ = try JSONDecoder().decode([String: JSONValue].self, from: body)
            return true
        } catch {
            return false
        }
    }

    private static func number(in body: Data) -> Int? {
        struct Failure: Decodable { var code: Int? }
        do {
            return try JSONDecoder().decode(Failure.self, from: body).code
        } catch {
            return nil
        }
    }
}
