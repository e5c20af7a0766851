import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The answers to the operations of passkeys.
extension DirectoryTable {
    private static func token(_ answer: WireAnswer) throws -> String {
        try #require(answer.text("continuationToken"), "\(answer)")
    }

    /// The first step of an addition whose session has not proven the own mailbox.
    private static func begun(
        _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) async throws -> (caller: Caller, token: String) {
        let caller = try await byPassword(adjust)
        return (caller, try token(try await caller.send(.addPasskey)))
    }

    private static func answer(_ token: String, _ credential: String, name: String = "Phone") -> String {
        #"{"continuationToken":"\#(token)","publicKeyCredential":\#(credential),"displayName":"\#(name)"}"#
    }

    /// A user with a passkey, whose session has just given it. The mailbox that enrolled it decides for 30 days; they are over.
    private static func withPasskey() async throws -> (caller: Caller, id: String) {
        let caller = try await byCode()
        let passkey = try await TestPasskey.add(to: caller.account)
        caller.server.clock.advance(by: .seconds(30 * 86_400))
        let tokens = try await passkey.signIn(caller.server.client(), scope: scope)
        let strong = Caller(server: caller.server, transport: caller.transport, token: tokens.text("access_token"))
        let listed = try await strong.send(.listPasskeys)
        return (strong, try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)"))
    }

    static let passkeys: [DirectoryRow] = [
        row(.listPasskeys, .content, "the passkeys") { try await withPasskey().caller.send(.listPasskeys) },
        row(.addPasskey, .passkeyOffered, "what an authenticator needs, where the session has proven the own mailbox") {
            try await byCode().send(.addPasskey)
        },
        row(.addPasskey, .codeSent, "a code was mailed to the own mailbox, which the session has not proven") {
            try await byPassword().send(.addPasskey)
        },
        row(.addPasskey, .methodNotAllowed, "the tenant has no passkeys, or the user has ten") {
            let server = try tenantServer { $0.tenant.passkeys = nil }
            _ = try await server.signUp(erik)
            let tokens = try await server.signInWithCode(erik, scope: scope)
            return try await Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
                .send(.addPasskey)
        },
        row(.addPasskey, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await byCode().send(.addPasskey, #"{"continuationToken":"none"}"#)
        },
        row(.addPasskey, .tooManyCodes, "the addition has sent as many codes as it may") {
            let caller = try await byPassword()
            var last = try await caller.send(.addPasskey)
            for _ in 0..<10 where last.status == 202 {
                let token = try token(last)
                caller.server.clock.advance(by: .seconds(60))
                last = try await caller.send(.addPasskey, #"{"continuationToken":"\#(token)"}"#)
            }
            return last
        },
        row(.addPasskey, .mailboxThrottled, "the mailbox, or the tenant, gets no more codes now") {
            let caller = try await byPassword { $0.limits = TimeLimits() }
            var last = try await caller.send(.addPasskey)
            for _ in 0..<30 where last.status == 202 { last = try await caller.send(.addPasskey) }
            return last
        },
        row(.confirmPasskey, .passkeyOffered, "the own mailbox is proven: what an authenticator needs") {
            let (caller, token) = try await begun()
            return try await caller.confirm(
                .confirmPasskey, token, try await caller.server.mailbox.code(to: IdentityTestServer.email))
        },
        row(.confirmPasskey, .done, "the passkey is added") {
            let caller = try await byCode()
            let options = try await caller.send(.addPasskey)
            let made = try await TestPasskey().make(options)
            return try await caller.send(.confirmPasskey, answer(try token(options), made))
        },
        row(.confirmPasskey, .passkeyRefused, "the authenticator's answer proves nothing; its challenge is spent") {
            let caller = try await byCode()
            let options = try await caller.send(.addPasskey)
            return try await caller.send(.confirmPasskey, answer(try token(options), "{}"))
        },
        row(.confirmPasskey, .invalidValue, "`displayName` is not 1 to 64 characters of text") {
            let caller = try await byCode()
            let options = try await caller.send(.addPasskey)
            return try await caller.send(.confirmPasskey, answer(try token(options), "{}", name: ""))
        },
        row(.confirmPasskey, .incorrectCode, "the code is wrong") {
            let (caller, token) = try await begun()
            return try await caller.confirm(.confirmPasskey, token, "12")
        },
        row(.confirmPasskey, .expiredCode, "the code to the own mailbox is older than 10 minutes") {
            let (caller, token) = try await begun { $0.codeLifetime = 120 }
            let code = try await caller.server.mailbox.code(to: IdentityTestServer.email)
            caller.server.clock.advance(by: .seconds(121))
            return try await caller.confirm(.confirmPasskey, token, code)
        },
        row(.confirmPasskey, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await byCode().send(.confirmPasskey)
        },
        row(.confirmPasskey, .mailboxThrottled, "too many wrong codes, or five methods were added in a day") {
            let (caller, token) = try await begun { settings in
                var limits = TimeLimits()
                limits.wrongCodesPerDay = 1
                limits.guessesOverBudget = 0
                settings.limits = limits
            }
            var last = try await caller.confirm(.confirmPasskey, token, "00000000")
            for guess in 1..<4 where last.status == 400 {
                last = try await caller.confirm(.confirmPasskey, token, "0000000\(guess)")
            }
            return last
        },
        row(.renamePasskey, .done, "the passkey has the name") {
            let (caller, id) = try await withPasskey()
            return try await caller.send(.renamePasskey, id: id)
        },
        row(.renamePasskey, .invalidValue, "the name is not 1 to 64 characters of text") {
            let (caller, id) = try await withPasskey()
            return try await caller.send(.renamePasskey, id: id, #"{"displayName":""}"#)
        },
        row(.renamePasskey, .notFound, "the user has no such passkey") {
            try await withPasskey().caller.send(.renamePasskey)
        },
        row(.removePasskey, .done, "the passkey is removed") {
            let (caller, id) = try await withPasskey()
            return try await caller.send(.removePasskey, id: id)
        },
        row(.removePasskey, .notFound, "the user has no such passkey") {
            try await withPasskey().caller.send(.removePasskey)
        },
        row(.removePasskey, .lastMethod, "the user needs a second factor, and has no other method") {
            let (caller, id) = try await withPasskey()
            _ = try await caller.server.rows("UPDATE users SET requires_second_factor = 1")
            return try await caller.send(.removePasskey, id: id)
        },
    ]
}
