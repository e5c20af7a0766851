import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The answers to the operations that link an account at a provider.
extension DirectoryTable {
    /// A user of codes or of a password who has signed in a moment ago, and the provider Apple.
    struct Linking: Sendable {
        var caller: Caller
        var server: ProviderServer
        var token = ""
        var nonce = ""

        init(byPassword: Bool = false, adjust: (inout EngineSettings) -> Void = { _ in }) async throws {
            server = try ProviderServer(.emailOneTimePasscode, settings: adjust)
            server.apple.person.email = nil
            let tokens: WireAnswer
            if byPassword {
                try await server.server.signUpWithPassword()
                tokens = try await server.server.signIn(scope: scope)
            } else {
                _ = try await server.server.signUp(erik)
                tokens = try await server.server.signInWithCode(erik, scope: scope)
            }
            caller = Caller(
                server: server.server, transport: server.server.transport, token: tokens.text("access_token"))
        }

        /// The same, after the answer with the nonce.
        static func asked() async throws -> Linking {
            var linking = try await Linking()
            try linking.take(try await linking.caller.send(.addIdentity))
            return linking
        }

        mutating func take(_ answer: WireAnswer) throws {
            token = try #require(answer.text("continuationToken"), "\(answer)")
            nonce = answer.text("nonce") ?? ""
        }

        func confirm(_ idToken: String? = nil) async throws -> WireAnswer {
            let idToken = try idToken ?? server.apple.idToken(nonce: nonce)
            return try await caller.send(
                .confirmIdentity, #"{"continuationToken":"\#(token)","idToken":"\#(idToken)"}"#)
        }
    }

    static let identities: [DirectoryRow] = [
        row(.addIdentity, .providerAsked, "the nonce: the session has proven the own mailbox or two factors") {
            try await Linking().caller.send(.addIdentity)
        },
        row(
            .addIdentity, .codeSent,
            "a code was mailed to the own mailbox: the session has proven neither it nor two factors"
        ) {
            try await Linking(byPassword: true).caller.send(.addIdentity)
        },
        row(.addIdentity, .providerNotOffered, "the tenant has no such provider for apps") {
            try await Linking().caller.send(.addIdentity, #"{"provider":"harbour"}"#)
        },
        row(.addIdentity, .methodNotAllowed, "the user has five accounts at providers") {
            let linking = try await Linking()
            try await linking.server.linkAll(to: erik)
            return try await linking.caller.send(.addIdentity)
        },
        row(.addIdentity, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await Linking().caller.send(.addIdentity, #"{"continuationToken":"none"}"#)
        },
        row(.addIdentity, .tooManyCodes, "the addition has sent as many codes as it may") {
            let caller = try await Linking(byPassword: true).caller
            var last = try await caller.send(.addIdentity)
            for _ in 0..<10 where last.status == 202 {
                let token = try #require(last.text("continuationToken"))
                caller.server.clock.advance(by: .seconds(60))
                last = try await caller.send(.addIdentity, #"{"continuationToken":"\#(token)"}"#)
            }
            return last
        },
        row(.addIdentity, .mailboxThrottled, "the mailbox, or the tenant, gets no more codes now") {
            let caller = try await Linking(byPassword: true) { $0.limits = TimeLimits() }.caller
            var last = try await caller.send(.addIdentity)
            for _ in 0..<30 where last.status == 202 { last = try await caller.send(.addIdentity) }
            return last
        },
        row(.confirmIdentity, .providerAsked, "the own mailbox is proven: the nonce for the provider") {
            let caller = try await Linking(byPassword: true).caller
            let sent = try await caller.send(.addIdentity)
            return try await caller.confirm(
                .confirmIdentity, try #require(sent.text("continuationToken")),
                try await caller.server.mailbox.code(to: IdentityTestServer.email))
        },
        row(.confirmIdentity, .done, "the account at the provider is linked") {
            try await Linking.asked().confirm()
        },
        row(.confirmIdentity, .identityRefused, "the provider's token proves nothing; its nonce is spent") {
            try await Linking.asked().confirm("none")
        },
        row(.confirmIdentity, .providerUnavailable, "the provider cannot be reached to check its token") {
            let linking = try await Linking.asked()
            linking.server.apple.isDown = true
            return try await linking.confirm()
        },
        row(.confirmIdentity, .nameTaken, "the account at the provider is linked to another user") {
            let linking = try await Linking.asked()
            linking.server.apple.person.email = "dana@example.com"
            _ = try await linking.server.signIn()
            return try await linking.confirm()
        },
        row(.confirmIdentity, .methodNotAllowed, "the user has five accounts at providers by now") {
            let linking = try await Linking.asked()
            try await linking.server.linkAll(to: erik)
            return try await linking.confirm()
        },
        row(.confirmIdentity, .incorrectCode, "the code is wrong") {
            let caller = try await Linking(byPassword: true).caller
            let sent = try await caller.send(.addIdentity)
            return try await caller.confirm(.confirmIdentity, try #require(sent.text("continuationToken")), "12")
        },
        row(.confirmIdentity, .expiredCode, "the code to the own mailbox is older than 10 minutes") {
            let caller = try await Linking(byPassword: true) { $0.codeLifetime = 120 }.caller
            let sent = try await caller.send(.addIdentity)
            let code = try await caller.server.mailbox.code(to: IdentityTestServer.email)
            caller.server.clock.advance(by: .seconds(121))
            return try await caller.confirm(.confirmIdentity, try #require(sent.text("continuationToken")), code)
        },
        row(.confirmIdentity, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await Linking().caller.send(.confirmIdentity)
        },
        row(.confirmIdentity, .mailboxThrottled, "too many wrong codes, or five methods were added in a day") {
            let caller = try await Linking(byPassword: true) { settings in
                var limits = TimeLimits()
                limits.wrongCodesPerDay = 1
                limits.guessesOverBudget = 0
                settings.limits = limits
            }.caller
            let token = try #require(try await caller.send(.addIdentity).text("continuationToken"))
            var last = try await caller.confirm(.confirmIdentity, token, "00000000")
            for guess in 1..<4 where last.status == 400 {
                last = try await caller.confirm(.confirmIdentity, token, "0000000\(guess)")
            }
            return last
        },
    ]
}
