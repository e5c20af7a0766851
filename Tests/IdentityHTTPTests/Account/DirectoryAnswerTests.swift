import HTTPTypes
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

// The `init` has no default, so that a new refusal does not compile until it has a name, and a test fails until it has a row
// wherever it can occur.
extension DirectoryAnswerName {
    /// Nil for refusals that the directory never gives.
    init?(_ refusal: DirectoryRefusal) {
        switch refusal {
        case .invalidToken: self = .invalidToken
        case .insufficientScope, .applicationDisabled: self = .insufficientScope
        case .proofNeeded: self = .proofNeeded
        case .unknownProperty: self = .unknownProperty
        case .readOnlyProperty: self = .readOnlyProperty
        case .invalidValue: self = .invalidValue
        case .nameTaken, .step(.userAlreadyExists): self = .nameTaken
        case .changedMeanwhile: self = .changedMeanwhile
        case .notFound: self = .notFound
        case .lastMethod: self = .lastMethod
        case .step(.unusableToken), .step(.expiredToken), .step(.notAllowedNow): self = .unusableToken
        case .step(.incorrectCode): self = .incorrectCode
        case .step(.expiredCode): self = .expiredCode
        case .step(.tooManyCodes): self = .tooManyCodes
        case .step(.throttled): self = .mailboxThrottled
        case .step(.invalidContact): self = .invalidContact
        case .step(.incorrectPassword): self = .incorrectPassword
        case .step(.unacceptablePassword): self = .unacceptablePassword
        case .step(.passwordNotUsed): self = .passwordNotUsed
        case .step(.methodNotAllowed): self = .methodNotAllowed
        case .step(.locked): self = .locked
        case .step(.blockedContact): self = .blockedContact
        case .step(.passkeyRefused): self = .passkeyRefused
        case .step(.passkeysNotOffered), .step(.identityRefused), .step(.providerUnavailable),
            .step(.providerNotOffered), .step(.mailboxRefuses), .step(.unknownTenant), .step(.unknownClient),
            .step(.nativeAuthDisabled),
            .step(.signUpNotAllowed),
            .step(.invalidUsername), .step(.invalidAttributes), .step(.refusedAttributes), .step(.blockedByHook),
            .step(.enumerationLimited), .step(.invalidScope),
            .step(.scopeNotConsented), .step(.userNotFound), .step(.noPasswordToReset), .step(.passwordChangeRequired),
            .step(.accountDisabled),
            .step(.unknownMethod), .step(.secondFactorNeeded), .step(.unusableCode), .step(.unusableDevice),
            .step(.unusableProof), .step(.ticketNotAllowed),
            .step(.unusableRefreshToken),
            .step(.expiredRefreshToken), .step(.revokedRefreshToken), .anotherOperatorNeeded, .addressAlone,
            .tooManyRequests:
            return nil
        }
    }

    /// The status and, of an error, its code, by hand from docs/protocol.md §18.3.
    var wire: (status: Int, code: DirectoryErrorCode?) {
        switch self {
        case .done: (204, nil)
        case .content, .sessionsEnded: (200, nil)
        case .codeSent, .ownMailboxProven, .appOffered, .passkeyOffered, .providerAsked, .deletionScheduled: (202, nil)
        case .invalidToken, .proofNeeded: (401, .invalidToken)
        case .insufficientScope, .readOnlyProperty, .lastMethod: (403, .denied)
        case .notFound: (404, .notFound)
        case .changedMeanwhile: (412, .preconditionFailed)
        case .unknownProperty, .invalidValue, .nameTaken, .unusableToken, .incorrectCode, .expiredCode, .tooManyCodes,
            .invalidContact, .blockedContact, .incorrectPassword, .unacceptablePassword, .passwordNotUsed,
            .methodNotAllowed, .passkeyRefused, .identityRefused, .providerUnavailable, .providerNotOffered,
            .malformedBody, .foreignOrigin:
            (400, .badRequest)
        case .mailboxThrottled, .locked, .tooManyChanges: (429, .tooManyRequests)
        case .wrongContentType: (415, .badRequest)
        case .bodyTooLarge: (413, .badRequest)
        case .wrongMethod: (405, .badRequest)
        case .uriTooLong: (414, .badRequest)
        case .headersTooLarge: (431, .badRequest)
        case .unavailable: (503, .unavailable)
        }
    }

    /// The word in `details`; of an unacceptable password one of several.
    var detail: String? {
        switch self {
        case .nameTaken: "ObjectConflict"
        case .lastMethod: "LastMethod"
        case .unusableToken: "ContinuationTokenInvalid"
        case .incorrectCode: "invalid_oob_value"
        case .expiredCode: "CodeExpired"
        case .tooManyCodes: "TooManyCodes"
        case .invalidContact: "InvalidContact"
        case .blockedContact: "provider_blocked_by_rep"
        case .incorrectPassword: "InvalidPassword"
        case .unacceptablePassword: "password_too_short"
        case .passwordNotUsed: "PasswordNotUsed"
        case .methodNotAllowed: "MethodNotAllowed"
        case .passkeyRefused: "passkey_invalid"
        case .identityRefused: "id_token_invalid"
        case .providerUnavailable: "provider_unavailable"
        case .providerNotOffered: "invalid_request"
        case .locked: "AccountLocked"
        case .mailboxThrottled: "temporarily_unavailable"
        case .done, .content, .sessionsEnded, .codeSent, .ownMailboxProven, .appOffered, .passkeyOffered,
            .providerAsked, .deletionScheduled, .invalidToken,
            .insufficientScope, .proofNeeded, .unknownProperty, .readOnlyProperty, .invalidValue, .changedMeanwhile,
            .notFound, .malformedBody, .foreignOrigin, .wrongContentType, .bodyTooLarge, .wrongMethod, .uriTooLong,
            .headersTooLarge,
            .tooManyChanges, .unavailable:
            nil
        }
    }
}

extension DirectoryOperation {
    /// A body of the right form; nil for operations without one.
    fileprivate var sampleBody: String? {
        switch self {
        case .changeProfile: #"{"city":"Ribe"}"#
        case .changePassword: #"{"newPassword":"\#(WireClient.newPassword)"}"#
        case .renameMethod, .renameApp, .renamePhone, .renamePasskey: #"{"displayName":"Home"}"#
        case .addApp, .addPasskey: "{}"
        case .addIdentity: #"{"provider":"apple"}"#
        case .addMethod, .changeEmail: #"{"emailAddress":"erik@new.example"}"#
        case .addPhone: #"{"phoneNumber":"+15555550199"}"#
        case .confirmMethod, .confirmEmail, .confirmApp, .confirmPhone, .confirmPasskey, .confirmIdentity:
            #"{"continuationToken":"none","code":"12345678"}"#
        case .undoEmailChange: #"{"tenant":"contoso","code":"123456789012345678901234"}"#
        case .readProfile, .deleteAccount, .endAllSessions, .endAllSessionsBeta, .listMethods, .listEmailMethods,
            .listPasswordMethods, .listAppMethods, .listPhoneMethods, .readRecoveryCodes, .makeRecoveryCodes,
            .removeMethod, .removeApp, .removePhone, .removePasskey, .listPasskeys, .listSessions, .endSession,
            .endOtherSessions, .listDevices, .forgetDevice, .keepAccount, .export:
            nil
        }
    }

    /// How pages call it: method and path.
    fileprivate var title: String { "\(method.rawValue) /\(path)" }
}

/// A row of the table operation × answer, with the way to get the answer.
struct DirectoryRow: Sendable, CustomTestStringConvertible {
    var operation: DirectoryOperation
    var name: DirectoryAnswerName
    var when: String
    var provoke: @Sendable () async throws -> WireAnswer

    var testDescription: String { "\(operation): \(name.rawValue)" }
}

/// The table operation × answer.
enum DirectoryTable {
    static let erik = "erik@example.com"
    static let scope = "openid offline_access User.ReadWrite"

    /// The operations of which a session may make 30 in an hour.
    static let limited: Set<DirectoryOperation> = [
        .changeProfile, .deleteAccount, .changePassword, .removeMethod,
        .renameMethod, .addMethod, .confirmMethod, .removeApp, .renameApp, .addApp, .confirmApp, .removePhone,
        .renamePhone, .addPhone, .confirmPhone, .removePasskey, .renamePasskey, .addPasskey, .confirmPasskey,
        .addIdentity, .confirmIdentity, .changeEmail,
        .confirmEmail, .endSession, .endOtherSessions, .forgetDevice,
        .keepAccount, .makeRecoveryCodes, .export,
    ]

    /// A signed-in user.
    struct Caller: Sendable {
        var server: IdentityTestServer
        var transport: any HTTPTransport
        var token: String?

        func send(
            _ operation: DirectoryOperation, id: String = UUID().uuidString, query: String = "", _ body: String? = nil,
            headers: [String: String] = [:], method: String? = nil
        ) async throws -> WireAnswer {
            let client = WireClient(transport: transport)
            var fields = headers
            if let token { fields["authorization"] = "Bearer \(token)" }
            let body = body ?? operation.sampleBody
            if body != nil, fields["content-type"] == nil { fields["content-type"] = "application/json" }
            return try await client.send(
                client.request(
                    method ?? operation.method.rawValue,
                    "/" + operation.path.replacing("{id}", with: id) + query, headers: fields,
                    body: Data((body ?? "").utf8)))
        }

        /// Begins a change to `address`; returns the continuation token.
        func begin(_ operation: DirectoryOperation, _ address: String) async throws -> String {
            let member = operation == .addPhone ? "phoneNumber" : "emailAddress"
            return try #require(try await send(operation, #"{"\#(member)":"\#(address)"}"#).text("continuationToken"))
        }

        func confirm(_ operation: DirectoryOperation, _ token: String, _ code: String) async throws -> WireAnswer {
            try await send(operation, #"{"continuationToken":"\#(token)","code":"\#(code)"}"#)
        }

        var account: AccountCaller {
            get throws { AccountCaller(server: server, token: try #require(token)) }
        }

        func method() async throws -> String {
            let listed = try await send(.listEmailMethods)
            return try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
        }
    }

    private static func make(_ adjust: (inout EngineSettings) -> Void = { _ in }) throws -> IdentityTestServer {
        try FactorDirectory.server {
            $0.hasTextGateway = true
            adjust(&$0)
        }
    }

    /// A user who has signed in with a code a moment ago.
    static func byCode(
        scope: String = scope, _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) async throws -> Caller {
        let server = try make(adjust)
        _ = try await server.signUp(erik)
        let tokens = try await server.signInWithCode(erik, scope: scope)
        return Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
    }

    /// A user who has proven the own mailbox, and can add a method or change the address with one code.
    private static func caller(
        for operation: DirectoryOperation, _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) async throws -> Caller {
        guard operation == .addMethod else { return try await byCode(adjust) }
        let server = try make(adjust)
        let tokens = try await server.passwordClient.token(
            redeeming: server.signUpWithPassword().token, claims: nil, scope: scope)
        return Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
    }

    /// A user who has signed in with the password alone.
    static func byPassword(_ adjust: (inout EngineSettings) -> Void = { _ in }) async throws -> Caller {
        let server = try make(adjust)
        try await server.signUpWithPassword()
        let tokens = try await server.signIn(scope: scope)
        return Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
    }

    /// A user who has signed in with password and second factor.
    private static func byBoth(with client: WireClient? = nil, on server: IdentityTestServer) async throws -> Caller {
        try await server.signUpWithTwoFactors()
        let strong = try await server.signInWithSecondFactor(with: client)
        let tokens = try await (client ?? server.passwordClient).refresh(
            try #require(strong.text("refresh_token")), scope: scope)
        return Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
    }

    static func row(
        _ operation: DirectoryOperation, _ name: DirectoryAnswerName, _ when: String,
        _ provoke: @escaping @Sendable () async throws -> WireAnswer
    ) -> DirectoryRow {
        DirectoryRow(operation: operation, name: name, when: when, provoke: provoke)
    }

    static let rows: [DirectoryRow] =
        successes + profile + password + contacts + apps + phones + passkeys + identities + objects
        + DirectoryOperation.allCases.flatMap(everywhere)

    private static let successes: [DirectoryRow] =
        ([
            (.readProfile, .content, "the user, with `ETag`"), (.changeProfile, .done, "the values are stored"),
            (.listMethods, .content, "all methods"), (.listEmailMethods, .content, "those by e-mail"),
            (.listPasswordMethods, .content, "the password, if there is one"),
            (.listAppMethods, .content, "the authenticator apps"),
            (.listPhoneMethods, .content, "the telephones"), (.addPhone, .codeSent, "a code was texted"),
            (.readRecoveryCodes, .content, "how many recovery codes are left"),
            (.addApp, .appOffered, "the secret for the app, where the session has proven the own mailbox"),
            (.listSessions, .content, "the sessions"), (.listDevices, .content, "the remembered devices"),
            (.export, .content, "the copy"), (.deleteAccount, .done, "the account is deleted, or was before"),
            (.endOtherSessions, .done, "there are no others any more"), (.keepAccount, .done, "the account stays"),
            (.endAllSessions, .sessionsEnded, "all sessions have ended"),
            (.endAllSessionsBeta, .sessionsEnded, "all sessions have ended"),
            (.changeEmail, .codeSent, "a code was mailed"),
        ] as [(DirectoryOperation, DirectoryAnswerName, String)]).map { operation, name, when in
            row(operation, name, when) { try await byCode().send(operation) }
        } + [row(.addMethod, .codeSent, "a code was mailed") { try await caller(for: .addMethod).send(.addMethod) }]

    private static let profile: [DirectoryRow] = [
        row(.readProfile, .unknownProperty, "`$select` names a member that users do not have") {
            try await byCode().send(.readProfile, query: "?$select=shoeSize")
        },
        row(.changeProfile, .unknownProperty, "the user has no such property") {
            try await byCode().send(.changeProfile, #"{"shoeSize":"43"}"#)
        },
        row(.changeProfile, .readOnlyProperty, "the user may not change the property") {
            try await byCode().send(.changeProfile, #"{"mail":"a@b.example"}"#)
        },
        row(.changeProfile, .invalidValue, "the value breaks a rule") {
            try await byCode().send(.changeProfile, #"{"city":43}"#)
        },
        row(.changeProfile, .changedMeanwhile, "`If-Match` names another content") {
            try await byCode().send(.changeProfile, headers: ["if-match": #""other""#])
        },
        row(.changeProfile, .nameTaken, "another account has the alias, or had it in the last 90 days") {
            let server = try Self.aliasServer()
            try await server.signUpWithPassword()
            try await server.signUpWithPassword("erik@example.com", alias: nil)
            let tokens = try await server.signIn("erik@example.com", scope: scope)
            let caller = Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
            return try await caller.send(.changeProfile, #"{"flatusername":"\#(IdentityTestServer.alias)"}"#)
        },
        row(.deleteAccount, .deletionScheduled, "the tenant gives days to change one's mind") {
            let server = try graceServer(days: 14)
            _ = try await server.signUp(erik)
            let tokens = try await server.signInWithCode(erik, scope: scope)
            return try await Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
                .send(.deleteAccount)
        },
    ]

    private static func change(_ current: String?, _ new: String = WireClient.newPassword) -> String {
        (current.map { #"{"currentPassword":"\#($0)","# } ?? "{") + #""newPassword":"\#(new)"}"#
    }

    private static let password: [DirectoryRow] = [
        row(.changePassword, .done, "the password is the new one") {
            try await byPassword().send(.changePassword, change(WireClient.password))
        },
        row(.changePassword, .incorrectPassword, "the current password is wrong, or missing") {
            try await byPassword().send(.changePassword, change("wrong"))
        },
        row(.changePassword, .unacceptablePassword, "the new one breaks a rule; `details` names it") {
            try await byPassword().send(.changePassword, change(WireClient.password, "short"))
        },
        row(.changePassword, .passwordNotUsed, "the user signs in with codes, and the application has no passwords") {
            try await byCode().send(.changePassword)
        },
        row(.changePassword, .locked, "too many wrong passwords") {
            let caller = try await byPassword { $0.limits = TimeLimits() }
            for guess in 0..<10 { _ = try await caller.send(.changePassword, change("guess-\(guess)")) }
            return try await caller.send(.changePassword, change(WireClient.password))
        },
    ]

    private static let contacts: [DirectoryRow] =
        ([
            (.addMethod, .confirmMethod, "erik@new.example"), (.changeEmail, .confirmEmail, "erik@new.example"),
            (.addPhone, .confirmPhone, "+15555550177"),
        ] as [(DirectoryOperation, DirectoryOperation, String)])
        .flatMap { begin, confirm, contact in
            [
                row(
                    begin, .invalidContact,
                    begin == .addPhone
                        ? "it is no number with a country's code" : "it is no address, or the account has it"
                ) {
                    let member = begin == .addPhone ? "phoneNumber" : "emailAddress"
                    return try await caller(for: begin).send(begin, #"{"\#(member)":"nonsense"}"#)
                },
                row(begin, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
                    try await caller(for: begin).send(begin, #"{"continuationToken":"none"}"#)
                },
                row(begin, .tooManyCodes, "the change has sent as many codes as it may") {
                    let caller = try await caller(for: begin)
                    var token = try await caller.begin(begin, contact)
                    var last = try await caller.send(begin, #"{"continuationToken":"\#(token)"}"#)
                    for _ in 0..<10 where last.status == 202 {
                        token = try #require(last.text("continuationToken"))
                        caller.server.clock.advance(by: .seconds(60))
                        last = try await caller.send(begin, #"{"continuationToken":"\#(token)"}"#)
                    }
                    return last
                },
                row(begin, .mailboxThrottled, "the mailbox, or the tenant, gets no more codes now") {
                    let caller = try await caller(for: begin) { $0.limits = TimeLimits() }
                    var last = try await caller.send(begin)
                    for _ in 0..<30 where last.status == 202 { last = try await caller.send(begin) }
                    return last
                },
                row(confirm, .done, "the change is made") {
                    let caller = try await caller(for: begin)
                    let token = try await caller.begin(begin, contact)
                    let code = try await caller.server.mailbox.code(to: contact)
                    return try await caller.confirm(confirm, token, code)
                },
                row(confirm, .ownMailboxProven, "the own mailbox is proven, and the token is for the new one") {
                    let caller = try await byPassword { $0.enrolment = .proven }
                    let token = try await caller.begin(begin, begin == .addPhone ? contact : "dana@new.example")
                    let code = try await caller.server.mailbox.code(to: IdentityTestServer.email)
                    return try await caller.confirm(confirm, token, code)
                },
                row(confirm, .incorrectCode, "the code is wrong") {
                    let caller = try await caller(for: begin)
                    return try await caller.confirm(
                        confirm, try await caller.begin(begin, contact), "00000000")
                },
                row(confirm, .expiredCode, "the code is older than 10 minutes") {
                    let caller = try await caller(for: begin) { $0.codeLifetime = 120 }
                    let token = try await caller.begin(begin, contact)
                    let code = try await caller.server.mailbox.code(to: contact)
                    caller.server.clock.advance(by: .seconds(121))
                    return try await caller.confirm(confirm, token, code)
                },
                row(confirm, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
                    try await caller(for: begin).send(confirm)
                },
                row(confirm, .mailboxThrottled, "too many wrong codes for the mailbox") {
                    let caller = try await caller(for: begin) { settings in
                        var limits = TimeLimits()
                        limits.wrongCodesPerDay = 1
                        limits.guessesOverBudget = 0
                        settings.limits = limits
                    }
                    let token = try await caller.begin(begin, contact)
                    var last = try await caller.confirm(confirm, token, "00000000")
                    for guess in 1..<4 where last.status == 400 {
                        last = try await caller.confirm(confirm, token, "0000000\(guess)")
                    }
                    return last
                },
            ]
        } + [
            row(.addMethod, .passwordNotUsed, "the user has no password, so a method would be no second factor") {
                try await byCode().send(.addMethod)
            },
            row(.confirmEmail, .nameTaken, "another account has the address") {
                let caller = try await byCode()
                _ = try await caller.server.signUp("alex@example.com")
                let token = try await caller.begin(.changeEmail, "alex@example.com")
                return try await caller.confirm(
                    .confirmEmail, token, try await caller.server.mailbox.code(to: "alex@example.com"))
            },
            row(.undoEmailChange, .done, "the account has the old address again; all sessions have ended") {
                let caller = try await changed()
                return try await undo(caller, try await undoCode(caller))
            },
            row(.undoEmailChange, .incorrectCode, "the code is wrong, was used, or is older than 7 days") {
                let caller = try await changed()
                let code = try await undoCode(caller)
                caller.server.clock.advance(by: .seconds(7 * 86_400 + 1))
                return try await undo(caller, code)
            },
            row(.undoEmailChange, .nameTaken, "another account has the address") {
                let caller = try await changed()
                let user = try #require(try await caller.server.storedUsers().first)
                let address = try #require(EmailAddress(erik))
                let code = try await undoCode(caller)
                // What an operator of the database could do; the address is held for its owner.
                _ = try await caller.server.rows("DELETE FROM held_names")
                _ = try await caller.server.signUp(address.address)
                #expect(try await caller.server.storedUsers().map(\.id).contains(user.id))
                return try await undo(caller, code)
            },
        ]

    /// A user who has proven the own mailbox, and a new app.
    private static func byApp() async throws -> (Caller, TestApp) {
        let caller = try await byCode()
        return (caller, try await TestApp.add(to: try caller.account))
    }

    /// The same in a session of mailbox and app.
    private static func byStrong() async throws -> (caller: Caller, app: TestApp) {
        let (caller, app) = try await byApp()
        let tokens = try await app.signIn(withCode: erik, to: caller.server, scope: scope)
        return (
            Caller(server: caller.server, transport: caller.transport, token: tokens.text("access_token")), app
        )
    }

    private static let apps: [DirectoryRow] = [
        row(.addApp, .codeSent, "a code was mailed to the own mailbox, which the session has not proven") {
            try await byPassword { $0.enrolment = .proven }.send(.addApp)
        },
        row(.addApp, .methodNotAllowed, "the tenant offers no apps, or the user has three") {
            let server = try tenantServer { $0.tenant.offersApps = false }
            _ = try await server.signUp(erik)
            let tokens = try await server.signInWithCode(erik, scope: scope)
            return try await Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
                .send(.addApp)
        },
        row(.addApp, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await byCode().send(.addApp, #"{"continuationToken":"none"}"#)
        },
        row(.addApp, .tooManyCodes, "the addition has sent as many codes as it may") {
            let caller = try await byPassword { $0.enrolment = .proven }
            var last = try await caller.send(.addApp)
            for _ in 0..<10 where last.status == 202 {
                let token = try #require(last.text("continuationToken"))
                caller.server.clock.advance(by: .seconds(60))
                last = try await caller.send(.addApp, #"{"continuationToken":"\#(token)"}"#)
            }
            return last
        },
        row(.addApp, .mailboxThrottled, "the mailbox, or the tenant, gets no more codes now") {
            let caller = try await byPassword {
                $0.enrolment = .proven
                $0.limits = TimeLimits()
            }
            var last = try await caller.send(.addApp)
            for _ in 0..<30 where last.status == 202 { last = try await caller.send(.addApp) }
            return last
        },
        row(.confirmApp, .appOffered, "the own mailbox is proven: the secret for the app") {
            let caller = try await byPassword { $0.enrolment = .proven }
            let token = try #require(try await caller.send(.addApp).text("continuationToken"))
            return try await caller.confirm(
                .confirmApp, token, try await caller.server.mailbox.code(to: IdentityTestServer.email))
        },
        row(.confirmApp, .done, "the app is added") {
            let caller = try await byCode()
            let offered = try await caller.send(.addApp)
            let app = try TestApp(offered)
            return try await caller.confirm(
                .confirmApp, try #require(offered.text("continuationToken")), app.code(at: caller.server.clock.now))
        },
        row(.confirmApp, .incorrectCode, "the code is wrong") {
            let caller = try await byCode()
            let token = try #require(try await caller.send(.addApp).text("continuationToken"))
            return try await caller.confirm(.confirmApp, token, "12")
        },
        row(.confirmApp, .expiredCode, "the code to the own mailbox is older than 10 minutes") {
            let caller = try await byPassword {
                $0.enrolment = .proven
                $0.codeLifetime = 120
            }
            let token = try #require(try await caller.send(.addApp).text("continuationToken"))
            let code = try await caller.server.mailbox.code(to: IdentityTestServer.email)
            caller.server.clock.advance(by: .seconds(121))
            return try await caller.confirm(.confirmApp, token, code)
        },
        row(.confirmApp, .unusableToken, "the `continuationToken` is not good any more, or is for another user") {
            try await byCode().send(.confirmApp)
        },
        row(.confirmApp, .mailboxThrottled, "too many wrong codes") {
            let caller = try await byPassword { settings in
                var limits = TimeLimits()
                limits.wrongCodesPerDay = 1
                limits.guessesOverBudget = 0
                settings.limits = limits
                settings.enrolment = .proven
            }
            let token = try #require(try await caller.send(.addApp).text("continuationToken"))
            var last = try await caller.confirm(.confirmApp, token, "00000000")
            for guess in 1..<4 where last.status == 400 {
                last = try await caller.confirm(.confirmApp, token, "0000000\(guess)")
            }
            return last
        },
        row(.renameApp, .done, "the app has the name") {
            let (caller, app) = try await byStrong()
            return try await caller.send(.renameApp, id: try await app.id(of: try caller.account))
        },
        row(.makeRecoveryCodes, .content, "ten new codes") {
            try await byStrong().caller.send(.makeRecoveryCodes)
        },
        row(
            .makeRecoveryCodes, .methodNotAllowed,
            "the tenant offers no recovery codes, or the user has no other method"
        ) { try await byCode().send(.makeRecoveryCodes) },
        row(.makeRecoveryCodes, .changedMeanwhile, "another request made codes at the same moment") {
            let caller = try await byStrong().caller
            // Until they meet, which takes some tries on a busy machine.
            for _ in 0..<500 {
                async let one = caller.send(.makeRecoveryCodes)
                async let other = caller.send(.makeRecoveryCodes)
                let answers = try await [one, other]
                if let refused = answers.first(where: { $0.status != 200 }) { return refused }
            }
            return try await caller.send(.readProfile)
        },
        row(.renameApp, .invalidValue, "the name is longer than 64 characters") {
            let name = String(repeating: "x", count: 65)
            return try await byCode().send(.renameApp, #"{"displayName":"\#(name)"}"#)
        },
        row(.removeApp, .done, "the app is removed") {
            let (caller, app) = try await byApp()
            let id = try await app.id(of: try caller.account)
            let strong = try await app.signIn(withCode: erik, to: caller.server, scope: scope)
            return try await Caller(
                server: caller.server, transport: caller.transport, token: strong.text("access_token")
            ).send(.removeApp, id: id)
        },
        row(.removeApp, .lastMethod, "the user needs a second factor, and it is the last method") {
            let (caller, app) = try await byApp()
            let id = try await app.id(of: try caller.account)
            let user = try #require(try await caller.server.storedUsers().first)
            let event = AuditEvent(.factorRuleChanged, at: caller.server.clock.now, tenant: user.tenant, user: user.id)
            _ = try await caller.server.engine.ports.users.setFactorRule(
                .requiresSecondFactor(true), of: user.id, in: user.tenant, event: event)
            let strong = try await app.signIn(withCode: erik, to: caller.server, scope: scope)
            return try await Caller(
                server: caller.server, transport: caller.transport, token: strong.text("access_token")
            ).send(.removeApp, id: id)
        },
    ]

    /// A user who has added a telephone, in a session of mailbox and telephone, and the id of that method.
    private static func byPhone(_ server: IdentityTestServer? = nil) async throws -> (caller: Caller, id: String) {
        let server = try server ?? make()
        let number = "+15555550177"
        _ = try await server.signUp(erik)
        let first = try await server.signInWithCode(erik, scope: scope)
        let beginner = Caller(server: server, transport: server.transport, token: first.text("access_token"))
        let token = try await beginner.begin(.addPhone, number)
        let added = try await beginner.confirm(.confirmPhone, token, try await server.mailbox.code(to: number))
        #expect(added.status == 204, "\(added)")
        let required = try await server.signInWithCode(erik, claims: WireClient.claims, scope: scope)
        let sent = try await server.secondFactorChallenge(required.token, with: server.client())
        let tokens = try await server.client().token(
            code: server.mailbox.code(to: number), sent.token, grant: "mfa_oob", claims: WireClient.claims, scope: scope
        )
        let caller = Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
        let listed = try await caller.send(.listPhoneMethods)
        return (caller, try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)"))
    }

    private static let phones: [DirectoryRow] = [
        row(.addPhone, .methodNotAllowed, "the tenant sends no text messages, or the user has two telephones") {
            let server = try tenantServer { $0.tenant.texts = nil }
            _ = try await server.signUp(erik)
            let tokens = try await server.signInWithCode(erik, scope: scope)
            return try await Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
                .send(.addPhone)
        },
        row(.addPhone, .blockedContact, "no text can be sent to the number: its country, or the costs") {
            try await byCode().send(.addPhone, #"{"phoneNumber":"+8701234567890"}"#)
        },
        row(.renamePhone, .done, "the telephone has the name") {
            let (caller, id) = try await byPhone()
            return try await caller.send(.renamePhone, id: id)
        },
        row(.renamePhone, .invalidValue, "the name is longer than 64 characters") {
            let name = String(repeating: "x", count: 65)
            return try await byCode().send(.renamePhone, #"{"displayName":"\#(name)"}"#)
        },
        row(.removePhone, .done, "the telephone is removed") {
            let (caller, id) = try await byPhone()
            return try await caller.send(.removePhone, id: id)
        },
        row(.removePhone, .lastMethod, "the user needs a second factor, and it is the last method") {
            let (caller, id) = try await byPhone()
            let user = try #require(try await caller.server.storedUsers().first)
            let event = AuditEvent(.factorRuleChanged, at: caller.server.clock.now, tenant: user.tenant, user: user.id)
            _ = try await caller.server.engine.ports.users.setFactorRule(
                .requiresSecondFactor(true), of: user.id, in: user.tenant, event: event)
            return try await caller.send(.removePhone, id: id)
        },
    ]

    /// A user who has changed the address, with the code that takes it back in the old mailbox.
    private static func changed() async throws -> Caller {
        let caller = try await byCode()
        let token = try await caller.begin(.changeEmail, "erik@new.example")
        let code = try await caller.server.mailbox.code(to: "erik@new.example")
        #expect(try await caller.confirm(.confirmEmail, token, code).status == 204)
        return caller
    }

    private static func undoCode(_ caller: Caller) async throws -> String {
        let mail = try await caller.server.mailbox.mails().first { $0.purpose == .emailChanged }
        return try #require(mail?.code)
    }

    private static func undo(_ caller: Caller, _ code: String) async throws -> WireAnswer {
        try await caller.send(.undoEmailChange, #"{"tenant":"contoso","code":"\#(code)"}"#)
    }

    private static let objects: [DirectoryRow] =
        [
            row(.endSession, .done, "the session has ended") {
                let caller = try await byCode()
                _ = try await caller.server.signInWithCode(erik)
                let sessions = try await caller.send(.listSessions)["value"]?.array ?? []
                let other = sessions.first { $0["isCurrent"] == .boolean(false) }?["id"]?.string
                return try await caller.send(.endSession, id: try #require(other))
            },
            row(.forgetDevice, .done, "the device is forgotten") {
                var entry = try #require(try FactorDirectory.directory().entries.first)
                entry.tenant.rememberedDays = 30
                let directory = TenantDirectory([entry])
                let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
                    ports.clients = directory
                }
                _ = try await server.signUp(erik)
                let tokens = try await server.signInWithCode(erik, scope: scope)
                let caller = Caller(
                    server: server, transport: server.transport, token: tokens.text("access_token"))
                let user = try #require(try await caller.server.storedUsers().first)
                let device = RememberedDevice(
                    id: UUID(), user: user.id, client: Client.accountPageID, mark: Data(repeating: 1, count: 32),
                    level: .mailed, createdAt: caller.server.clock.now,
                    until: caller.server.clock.now.addingTimeInterval(86_400))
                let known = try await caller.server.engine.ports.users.change(
                    user.id, in: user.tenant, [.rememberDevice(device)])
                try #require(known)
                return try await caller.send(.forgetDevice, id: device.id.text)
            },
            row(.renameMethod, .done, "the method has the name") {
                let caller = try await byBoth(on: try make())
                return try await caller.send(.renameMethod, id: try await caller.method())
            },
            row(.renameMethod, .invalidValue, "the name is longer than 64 characters") {
                let caller = try await byBoth(on: try make())
                let name = String(repeating: "x", count: 65)
                return try await caller.send(
                    .renameMethod, id: try await caller.method(), #"{"displayName":"\#(name)"}"#)
            },
            row(.removeMethod, .done, "the method is removed") {
                let caller = try await byBoth(on: try make())
                return try await caller.send(.removeMethod, id: try await caller.method())
            },
            row(.removeMethod, .lastMethod, "the user needs a second factor, and it is the last method") {
                let server = try make()
                let caller = try await byBoth(on: server)
                let id = try await caller.method()
                let user = try #require(try await server.storedUsers().first)
                let event = AuditEvent(.factorRuleChanged, at: server.clock.now, tenant: user.tenant, user: user.id)
                _ = try await server.engine.ports.users.setFactorRule(
                    .requiresSecondFactor(true), of: user.id, in: user.tenant, event: event)
                return try await caller.send(.removeMethod, id: id)
            },
        ]
        + ([
            .endSession, .forgetDevice, .renameMethod, .removeMethod, .renameApp, .removeApp, .renamePhone,
            .removePhone,
        ]
        as [DirectoryOperation]).map {
            operation in
            row(operation, .notFound, "the user has no such object") { try await byCode().send(operation) }
        }

    /// The answers that many operations have.
    private static func everywhere(_ operation: DirectoryOperation) -> [DirectoryRow] {
        @Sendable func bare() throws -> Caller {
            let server = try make()
            return Caller(server: server, transport: server.transport, token: String?.none)
        }
        var rows = [
            row(operation, .wrongMethod, "another method") { try await bare().send(operation, method: "PUT") },
            row(operation, .uriTooLong, "over 8 KiB") {
                try await bare().send(operation, query: "?x=" + String(repeating: "x", count: 9_000))
            },
            row(operation, .headersTooLarge, "over 16 KiB or 100 headers") {
                try await bare().send(operation, headers: ["x-padding": String(repeating: "x", count: 17_000)])
            },
            row(operation, .unavailable, "the database cannot be had now") {
                let isGone = Locked(false)
                let server = try portsServer { ports, _ in ports.clients = SwitchedClients(isGone: isGone) }
                _ = try await server.signUp(erik)
                let tokens = try await server.signInWithCode(erik, scope: scope)
                isGone.withLock { $0 = true }
                return try await Caller(server: server, transport: server.transport, token: tokens.text("access_token"))
                    .send(operation)
            },
        ]
        if !operation.scopes.isEmpty {
            rows += [
                row(operation, .invalidToken, "no token, or one that is not live or not for the directory") {
                    var caller = try await byCode(scope: "openid api://orders/User.ReadWrite")
                    #expect(try await caller.send(operation).status == 401)
                    caller.token = nil
                    return try await caller.send(operation)
                },
                row(operation, .foreignOrigin, "the call is of a page whose origin the application has not registered")
                {
                    try await byCode().send(operation, headers: ["origin": "https://evil.example"])
                },
                row(operation, .insufficientScope, "the token has none of the scopes, or the application is off") {
                    try await byCode(scope: "openid Organization.Read.All").send(operation)
                },
            ]
        }
        if operation.needsProof || operation == .changePassword {
            rows.append(
                row(operation, .proofNeeded, "the sign-in is too old, or lacks the second factor of the account") {
                    let caller = try await byCode()
                    caller.server.clock.advance(by: .seconds(601))
                    return try await caller.send(operation)
                })
        }
        if [.keepAccount, .renameMethod, .renameApp, .renamePhone, .renamePasskey].contains(operation) {
            rows.append(
                row(operation, .proofNeeded, "the sign-in lacks the second factor of the account") {
                    let server = try make()
                    try await server.signUpWithTwoFactors()
                    let tokens = try await server.signIn(scope: scope)
                    return try await Caller(
                        server: server, transport: server.transport, token: tokens.text("access_token")
                    ).send(operation)
                })
        }
        if operation.sampleBody != nil {
            rows += [
                row(operation, .malformedBody, "the body is not one JSON object with these members") {
                    try await byCode().send(operation, "[1")
                },
                row(operation, .wrongContentType, "the body is not `application/json`") {
                    try await byCode().send(operation, headers: ["content-type": "text/plain"])
                },
                row(operation, .bodyTooLarge, "over 64 KiB") {
                    try await byCode().send(operation, #"{"x":"\#(String(repeating: "x", count: 70_000))"}"#)
                },
            ]
        }
        if limited.contains(operation) {
            rows.append(
                row(operation, .tooManyChanges, "the session has made 30 changes in an hour") {
                    var caller = try await byCode()
                    caller.transport = EndpointTable.listener(of: caller.server)
                    for _ in 0..<30 { #expect(try await caller.send(.renameMethod).status == 404) }
                    return try await caller.send(operation)
                })
        }
        return rows
    }

    /// The part of the page docs/develop/endpoints.md about the directory.
    static var page: [String] {
        var lines = [
            "## The directory", "",
            "Every answer of the [directory](../protocol.md#18-the-directory); `DirectoryAnswerTests` provokes each one. The answers that",
            "many operations have come first.", "",
        ]
        let head = ["| HTTP | `code` | `details` | When |", "|---|---|---|---|"]
        func line(_ row: DirectoryRow) -> String {
            let cells = [
                "\(row.name.wire.status)", row.name.wire.code.map { "`\($0.rawValue)`" } ?? "",
                row.name.detail.map { "`\($0)`" } ?? "", row.when,
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let general: [DirectoryAnswerName] = [
            .wrongMethod, .uriTooLong, .headersTooLarge, .unavailable, .invalidToken, .insufficientScope, .proofNeeded,
            .foreignOrigin, .malformedBody, .wrongContentType, .bodyTooLarge, .tooManyChanges,
        ]
        let places = [
            DirectoryAnswerName.invalidToken: "all but `undoEmailChange`",
            .insufficientScope: "all but `undoEmailChange`", .foreignOrigin: "all but `undoEmailChange`",
            .proofNeeded: "*proof*, `changePassword`, `keepAccount`, the names of methods",
            .malformedBody: "those with a body",
            .wrongContentType: "those with a body", .bodyTooLarge: "those with a body",
            .tooManyChanges: "all but reading, `revokeSignInSessions` and `undoEmailChange`",
        ]
        lines += ["| HTTP | `code` | Where | When |", "|---|---|---|---|"]
        for name in general {
            guard let row = rows.first(where: { $0.name == name }) else { continue }
            let code = name.wire.code.map { "`\($0.rawValue)`" } ?? ""
            lines.append("| \(name.wire.status) | \(code) | \(places[name] ?? "everywhere") | \(row.when) |")
        }
        for operation in DirectoryOperation.allCases {
            lines += ["", "### `\(operation.title)`", ""] + head
            lines += DirectoryAnswerName.allCases.flatMap { name in
                general.contains(name) ? [] : rows.filter { $0.operation == operation && $0.name == name }.map(line)
            }
        }
        return lines + [""]
    }
}

extension DirectoryTable {
    private static func aliasServer() throws -> IdentityTestServer {
        try tenantServer { tenant in
            for index in tenant.applications.indices {
                tenant.applications[index].userFlow.attributes = tenant.applications[index].userFlow.attributes.map {
                    var definition = $0
                    definition.userMayChange = true
                    return definition
                }
            }
        }
    }

    private static func graceServer(days: Int) throws -> IdentityTestServer {
        try tenantServer { $0.tenant.deletionGraceDays = days }
    }

    /// The directory of the development tenant, until it is gone.
    private struct SwitchedClients: ClientStore {
        struct Gone: Error {}

        let isGone: Locked<Bool>

        func tenant(named name: String) async throws(StoreError) -> Tenant? {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.tenant(named: name)
        }

        func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.client(id, in: tenant)
        }

        func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.daemon(id, in: tenant)
        }

        func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.entry(of: tenant)
        }

        func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.hasPages(ofOrigin: origin)
        }

        func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
            guard !isGone.withLock({ $0 }) else { throw .unavailable(Gone()) }
            return try await TenantDirectory.development.tenant(ofPasskeysAt: host)
        }
    }

    private static func portsServer(
        _ adjust: (inout Engine.Ports, inout EngineSettings) -> Void
    ) throws -> IdentityTestServer {
        try IdentityTestServer(seed: 1, start: IdentityTestServer.start, adjust: adjust)
    }

    static func tenantServer(_ adjust: (inout TenantDirectory.Entry) -> Void) throws -> IdentityTestServer {
        var contoso = try #require(TenantDirectory.development.entries.first)
        adjust(&contoso)
        let directory = TenantDirectory([contoso])
        return try portsServer { ports, _ in ports.clients = directory }
    }
}

@Suite("Every operation of the directory, every answer") struct DirectoryAnswerTests {
    @Test(
        "docs/protocol.md §18.3: each answer of each operation is given as documented", arguments: DirectoryTable.rows)
    func eachAnswerIsGiven(_ row: DirectoryRow) async throws {
        let answer = try await row.provoke()
        let label = "\(row.testDescription): \(answer)"
        #expect(answer.status == row.name.wire.status, "\(label)")
        #expect(answer.headers["cache-control"] == "no-store", "\(label)")
        try expectDocumented(answer, to: row.operation.method.rawValue, "/\(row.operation.path)")
        guard let code = row.name.wire.code else { return }
        #expect(answer["error"]?["code"] == .string(code.rawValue), "\(label)")
        #expect(answer["error"]?["details"]?.array.first?["code"]?.string == row.name.detail, "\(label)")
        #expect(answer["error"]?["innerError"]?["request-id"] != nil, "\(label)")
        if row.name.wire.status == 429 || row.name.wire.status == 503 {
            #expect((Int(answer.headers["retry-after"] ?? "") ?? 0) > 0, "\(label)")
        }
        let challenge = answer.headers["www-authenticate"]
        #expect((challenge != nil) == (row.name.wire.status == 401), "\(label)")
        #expect(challenge?.contains("claims=") ?? false == (row.name == .proofNeeded), "\(label)")
    }

    @Test("The table has a row for every answer that can come up at an operation, and for no other")
    func theTableIsComplete() {
        let rows = Set(DirectoryTable.rows.map(\.testDescription))
        let untested = DirectoryAnswerName.allCases.flatMap { name in
            name.operations.map { "\($0): \(name.rawValue)" }.filter { !rows.contains($0) }
        }
        #expect(untested.isEmpty, "\(untested)")
        for row in DirectoryTable.rows {
            #expect(row.name.operations.contains(row.operation), "\(row.testDescription)")
        }
        print("directory table: \(DirectoryTable.rows.count) rows, \(untested.count) untested")
    }

    @Test("The names are those of the answers that the table says they are")
    func theNamesAreRight() throws {
        for refusal in [
            DirectoryRefusal.invalidToken, .insufficientScope, .proofNeeded(secondFactor: true), .unknownProperty("x"),
            .readOnlyProperty("x"), .invalidValue("x"), .nameTaken("x"), .changedMeanwhile, .notFound, .lastMethod,
            .step(.unusableToken), .step(.incorrectCode), .step(.expiredCode), .step(.tooManyCodes),
            .step(.invalidContact), .step(.incorrectPassword), .step(.passwordNotUsed),
        ] {
            let name = try #require(DirectoryAnswerName(refusal))
            let failure = DirectoryFailure(refusal)
            #expect(failure.status.code == name.wire.status && failure.code == name.wire.code, "\(refusal)")
            #expect(failure.detail == name.detail, "\(refusal)")
        }
    }
}
