import Foundation
import NativeAuthCore
import NativeAuthWire
import Testing

@testable import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What errors mean and what to change") struct RemedyTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The numbers that the vendor's reference names, for both versions of its API.
    private static let documented = [
        50011, 50034, 50053, 50055, 50056, 50057, 50072, 50074, 50076, 50079, 50089, 50126, 50142, 50147, 50149, 50173,
        50181, 50184, 50196, 53003, 54005, 55000, 55102, 55103, 55106, 55112, 55200, 65001, 70000, 70001, 70003, 70008,
        70011, 90002, 90014, 90023, 90055, 90100, 90101, 120002, 399246, 400002, 500222, 501481, 501491, 501811, 550022,
        550024, 552003, 700011, 700082, 700084, 701014, 900144, 900561, 901001, 901007, 1_002_027, 1_003_037, 9_002_313,
    ]

    @Test("The catalogue has every number of the wire, of our server's answers and of the notes")
    func everyNumberIsThere() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/develop/endpoints.md"), encoding: .utf8)
        let sent = page.matches(of: /\| (\d{5,7}) \|/).compactMap { Int($0.output.1) }
        #expect(Set(sent).count > 25)
        for number in AADSTSCode.allCases.map(\.rawValue) + sent + Self.documented {
            #expect(ErrorRemedy(number: number)?.number == number, "\(number)")
        }
        #expect(ErrorRemedy(number: 1) == nil)
    }

    @Test("The catalogue has every word that clients know, and every condition")
    func everyWordIsThere() {
        let words: [WireSuberror] = [
            .attributeValidationFailed, .introspectRequired, .invalidOOBValue, .mfaRequired, .nativeAuthAPIDisabled,
            .providerBlockedByAdmin, .providerBlockedByReputation, .registrationRequired,
        ]
        for word in Set(words).union(WireSuberror.passwordRefusals) {
            #expect(ErrorRemedy(word: word.rawValue)?.name == word.rawValue)
        }
        for condition in ClientCondition.allCases {
            #expect(ErrorRemedy.all.contains(ErrorRemedy(condition)))
        }
    }

    @Test("Every entry is there once, and its texts are one sentence each")
    func theCatalogueIsInOrder() {
        let numbers = ErrorRemedy.all.compactMap(\.number)
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == numbers.count)
        let words = ErrorRemedy.all.filter { $0.number == nil }.map(\.name)
        #expect(Set(words).count == words.count)
        for entry in ErrorRemedy.all {
            for text in [entry.cause, entry.remedy] {
                #expect(
                    text.hasSuffix(".") && text.count <= 140 && !text.contains(/\. [A-Z]/), "\(entry.name): \(text)")
                #expect(text.first?.isUppercase == true && !text.contains(/[|<>]/), "\(entry.name): \(text)")
            }
        }
    }

    /// A server's error, and the entry for it.
    struct Saying: CustomTestStringConvertible, Sendable {
        var codes: [Int] = []
        var error = "invalid_grant"
        var suberror: String?
        var name: String?
        var testDescription: String { "\(error) \(suberror ?? "") \(codes)" }
    }

    @Test(
        "The second word goes before the number, except about codes, and the first word comes last",
        arguments: [
            Saying(codes: [399_246], suberror: "password_banned", name: "password_banned"),
            Saying(codes: [90_023], suberror: "attribute_validation_failed", name: "attribute_validation_failed"),
            Saying(
                codes: [70_001], error: "invalid_client", suberror: "nativeauthapi_disabled",
                name: "nativeauthapi_disabled"),
            Saying(codes: [50_184], suberror: "invalid_oob_value", name: "OneTimePasscodeExpired"),
            Saying(codes: [4711], suberror: "invalid_oob_value", name: "invalid_oob_value"),
            Saying(codes: [4711, 50_034], name: "UserAccountNotFound"),
            Saying(codes: [50_126], suberror: "no_such_word", name: "InvalidUserNameOrPassword"),
            Saying(error: "unauthorized_client", name: "unauthorized_client"),
            Saying(codes: [4711], error: "no_such_word"),
        ])
    func whatAServerSays(_ saying: Saying) {
        let details = ErrorDetails(
            correlationID: UUID(), errorCodes: saying.codes, error: saying.error, suberror: saying.suberror)
        #expect(ErrorRemedy(for: details)?.name == saying.name)
    }

    /// An error of this library, and the entry for it.
    struct Noticed: CustomTestStringConvertible, Sendable {
        var error: NativeAuthError
        var condition: ClientCondition?
        var testDescription: String { condition?.rawValue ?? "none" }

        init(_ error: NativeAuthError, _ condition: ClientCondition?) {
            self.error = error
            self.condition = condition
        }

        init(_ underlying: any Error, _ condition: ClientCondition) {
            self.init(.network(.init(correlationID: UUID()), underlying: underlying), condition)
        }
    }

    private static func details(_ message: String? = nil) -> ErrorDetails {
        .init(correlationID: UUID(), message: message)
    }

    @Test(
        "What has no number has an entry by what this library noticed",
        arguments: [
            Noticed(URLError(.cannotFindHost), .hostNotFound),
            Noticed(URLError(.cannotConnectToHost), .connectionRefused),
            Noticed(URLError(.serverCertificateUntrusted), .certificateUntrusted),
            Noticed(URLError(.notConnectedToInternet), .offline),
            Noticed(URLError(.badURL), .connectionFailed),
            Noticed(TransportError.connectTimedOut, .connectionTooSlow),
            Noticed(TransportError.insecureURL, .urlInsecure),
            Noticed(CancellationError(), .connectionFailed),
            Noticed(.unexpectedReply(details(V1Client.unexpectedReply)), .answerUnreadable),
            Noticed(.unexpectedReply(details("The server redirects; that is not followed.")), .answerRedirects),
            Noticed(.browserRequired(details("Client is missing mfa_required capability")), .capabilityMissing),
            Noticed(.browserRequired(details("Client is missing oob challenge type")), .challengeTypeMissing),
            Noticed(.browserRequired(details()), .browserRequired),
            Noticed(.invalidConfiguration(details(ConfigurationProblem.emulator.message)), .emulatorInvalid),
            Noticed(.indeterminate(details()), .answerLost),
            Noticed(.stateAlreadyUsed(details()), .stepAlreadyUsed),
            Noticed(.incorrectCode(details("The code is empty.")), nil),
            Noticed(.cancelled(details()), nil),
        ])
    func whatThisLibraryNotices(_ noticed: Noticed) {
        #expect(noticed.error.condition == noticed.condition)
        #expect(ErrorRemedy(for: noticed.error) == noticed.condition.map { ErrorRemedy($0) })
    }

    @Test("In debug builds an error has its remedy, and its description ends with it; in release builds it has none")
    func errorsHaveTheirRemedy() {
        let unknown = NativeAuthError.userNotFound(.init(correlationID: UUID(), errorCodes: [50_034]))
        let refused = NativeAuthError.network(Self.details(), underlying: URLError(.cannotConnectToHost))
        for (error, remedy) in [
            (unknown, ErrorRemedy(number: 50_034)?.remedy), (refused, ErrorRemedy(.connectionRefused).remedy),
        ] {
            #if DEBUG
                #expect(error.reporting.remedy == remedy)
                #expect(error.reporting.description.hasSuffix(remedy ?? "nothing"))
            #else
                #expect(error.reporting.remedy == nil)
                #expect(remedy != nil && error.reporting.description.hasSuffix("."))
            #endif
        }
        #expect(Self.details().remedy == nil)
    }

    // MARK: The page

    private static var page: String {
        var lines = [
            "# Error numbers", "", "What the numbers and words of the server mean, and what to change.", "",
            "## Overview", "",
            "``ErrorDetails/errorCodes`` holds the numbers of the server, which its messages write as `AADSTS` and the number. The",
            "table is that of ``ErrorRemedy``: in debug builds ``ErrorDetails/remedy`` is the entry for an error, and an error that",
            "is printed ends with it. In release builds it is nil. `native-auth doctor` checks the configuration of an app by the same",
            "table, and says what to change.", "",
            "The numbers are for reading. The vendor may change them; let the app decide by the cases of errors, not by numbers.",
            "",
            "`RemedyTests` compares this page with the table; with `NATIVE_AUTH_WRITE_DOCS=1` it writes the page.",
        ]
        for chapter in ErrorRemedy.chapters {
            let hasNumbers = chapter.remedies.contains { $0.number != nil }
            lines += ["", "### \(chapter.title)", ""]
            lines +=
                hasNumbers
                ? ["| Number | Name | Cause | What to change |", "|---|---|---|---|"]
                : ["| Name | Cause | What to change |", "|---|---|---|"]
            lines += chapter.remedies.map { entry in
                let number = hasNumbers ? [entry.number.map { "\($0)" } ?? ""] : []
                return "| " + (number + ["`\(entry.name)`", entry.cause, entry.remedy]).joined(separator: " | ") + " |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("The page ErrorNumbers.md is this table")
    func thePageIsTheTable() throws {
        let file = Self.root.appending(path: "Sources/SDK/NativeAuth/NativeAuth.docc/ErrorNumbers.md")
        let page = Data(Self.page.utf8)
        if ProcessInfo.processInfo.environment["NATIVE_AUTH_WRITE_DOCS"] != nil { try page.write(to: file) }
        #expect(try Data(contentsOf: file) == page, "run the tests once with NATIVE_AUTH_WRITE_DOCS=1")
    }
}
