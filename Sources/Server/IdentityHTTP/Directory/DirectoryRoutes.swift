import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

extension DirectoryOperation {
    var httpMethod: HTTPRequest.Method { Self.httpMethod(method) }

    static func httpMethod(_ method: Method) -> HTTPRequest.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .patch: .patch
        case .delete: .delete
        }
    }

    /// Whether the operation is limited per session: it adds a line to the audit trail, or reads much.
    var isLimited: Bool {
        switch self {
        case .readProfile, .listMethods, .listEmailMethods, .listPasswordMethods, .listAppMethods, .listPhoneMethods,
            .listPasskeys, .readRecoveryCodes, .listSessions, .listDevices, .undoEmailChange:
            false
        // Ends the session that asks, too, so that it is not repeated; the last defence of an owner.
        case .endAllSessions, .endAllSessionsBeta: false
        case .changeProfile, .deleteAccount, .changePassword, .removeMethod, .renameMethod, .addMethod, .confirmMethod,
            .changeEmail, .confirmEmail, .removeApp, .renameApp, .addApp, .confirmApp, .removePhone, .renamePhone,
            .addPhone, .confirmPhone, .removePasskey, .renamePasskey, .addPasskey, .confirmPasskey,
            .addIdentity, .confirmIdentity, .makeRecoveryCodes, .endSession, .endOtherSessions, .forgetDevice,
            .keepAccount,
            .export:
            true
        }
    }
}

// The directory API: what a signed-in user does with the own account (docs/protocol.md §18).
extension IdentityRoutes {
    /// A request for `path`: the access token, the proof that the operation needs, then the operation.
    func directory(
        _ path: String, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        let operation = DirectoryOperation.allCases.first { $0.path == path && $0.httpMethod == request.method }
        guard let operation else { throw RequestFault.unknownPath }
        if operation == .undoEmailChange { return try await undoEmailChange(request, context) }
        let token = Self.token(of: request)
        return try await answeringOrigin(of: request, context, token: token) {
            guard let token else { throw DirectoryFailure(.invalidToken) }
            return try await directory(operation, token, request, context)
        }
    }

    /// The same, once the request's origin is known.
    private func directory(
        _ operation: DirectoryOperation, _ token: PresentedToken, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        let now = context.trace.at
        let caller: DirectoryCaller
        switch try await engine.directoryCaller(token, anyOf: operation.scopes, now: now) {
        case .accepted(let found): caller = found
        case .refused(let refusal):
            // A repeated deletion whose first answer was lost (REL-IDEM).
            if operation == .deleteAccount, refusal == .invalidToken,
                let due = try await engine.deletion(askedWith: token, anyOf: operation.scopes, now: now)
            {
                return try deletion(due, context)
            }
            throw DirectoryFailure(refusal, of: operation)
        }
        let isAdding = [.addMethod, .addApp, .addPhone, .addPasskey, .addIdentity].contains(operation)
        if operation.needsProof, let refusal = caller.lackOfProof(adding: isAdding, now: now) {
            throw DirectoryFailure(refusal)
        }
        if operation == .keepAccount, let refusal = caller.lackOfFactor { throw DirectoryFailure(refusal) }
        if operation.isLimited { try context.admit(.profileChange, of: caller.limitKey) }
        return try await answer(operation, caller, request, context)
    }

    private func answer(
        _ operation: DirectoryOperation, _ caller: DirectoryCaller, _ request: Request,
        _ context: IdentityRequestContext
    ) async throws -> Response {
        let (now, source) = (context.trace.at, context.source?.forEngine)
        let language = caller.language(orElse: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]))
        switch operation {
        case .readProfile:
            let profile = engine.profile(of: caller)
            let user = try DirectoryCodec.user(
                profile, select: Self.query("select", of: request), baseURL: engine.settings.baseURL)
            return try json(user, context, version: profile.version)
        case .changeProfile: return try await changeProfile(of: caller, request, context)
        case .deleteAccount:
            let due = try Self.accepted(
                try await engine.deleteAccount(of: caller, language: language, from: source, now: now))
            return try deletion(due, context)
        case .keepAccount:
            try Self.accepted(try await engine.keepAccount(of: caller, from: source, now: now))
            return done(context)
        case .changePassword: return try await changePassword(of: caller, request, context)
        case .addMethod:
            return try await beginChange(of: caller, request, context) {
                ("emailAddress", $0.emailAddress)
            } as: {
                .addContact($0, .method)
            }
        case .changeEmail:
            return try await beginChange(of: caller, request, context) {
                ("emailAddress", $0.emailAddress)
            } as: {
                .addContact($0, .email)
            }
        case .addPhone:
            return try await beginChange(of: caller, request, context) {
                ("phoneNumber", $0.phoneNumber)
            } as: {
                .addPhone($0)
            }
        case .addApp:
            let asked: Directory.BeginMethod = try await Self.body(of: request)
            let command =
                asked.continuationToken.map { Command.step(ContinuationToken($0), .challengeAccount(caller.user)) }
                ?? .account(caller, .addApp)
            return try reply(to: try await take(command, caller, request, context), context)
        case .addPasskey:
            let asked: Directory.BeginPasskey = try await Self.body(of: request)
            let isUpgrade = asked.isUpgrade == true
            if isUpgrade, let refusal = caller.lackOfUpgrade(now: now) { throw DirectoryFailure(refusal) }
            let command =
                asked.continuationToken.map { Command.step(ContinuationToken($0), .challengeAccount(caller.user)) }
                ?? .account(caller, .addPasskey(isUpgrade: isUpgrade))
            return try reply(to: try await take(command, caller, request, context), context)
        case .confirmPasskey:
            let asked: Directory.ConfirmPasskey = try await Self.body(of: request)
            return try reply(
                to: try await take(try Self.command(asked, caller.user), caller, request, context), context)
        case .addIdentity:
            let asked: Directory.BeginIdentity = try await Self.body(of: request)
            return try reply(to: try await take(try Self.command(asked, caller), caller, request, context), context)
        case .confirmIdentity:
            let asked: Directory.ConfirmIdentity = try await Self.body(of: request)
            return try await confirm(asked, of: caller, request, context)
        case .confirmMethod, .confirmEmail, .confirmApp, .confirmPhone:
            let asked: Directory.ConfirmContact = try await Self.body(of: request)
            let command = Command.step(
                ContinuationToken(asked.continuationToken), .submitAccountCode(Secret(asked.code), caller.user))
            return try reply(to: try await take(command, caller, request, context), context)
        case .readRecoveryCodes:
            return try json(DirectoryCodec.recoveryCodes(of: caller.account, in: caller.tenant), context)
        case .makeRecoveryCodes:
            let codes = try Self.accepted(
                try await engine.makeRecoveryCodes(of: caller, language: language, from: source, now: now))
            let body = Directory.RecoveryCodes(
                remaining: codes.count, createdDateTime: now.ISO8601Format(), renewal: RecoveryRenewal.none.rawValue,
                codes: codes.map { $0.shown.reveal() })
            return try json(body, context)
        case .removeMethod, .removeApp, .removePhone, .removePasskey:
            try Self.accepted(
                try await engine.removeMethod(
                    try Self.id(context), of: caller, language: language, from: source, now: now))
            return done(context)
        case .renameMethod, .renameApp, .renamePhone, .renamePasskey:
            let asked: Directory.RenameMethod = try await Self.body(of: request)
            try Self.accepted(
                try await engine.renameMethod(
                    try Self.id(context), to: asked.displayName, of: caller, from: source, now: now))
            return done(context)
        case .listMethods:
            return try json(Directory.List(methods(of: caller, at: now)), context)
        case .listEmailMethods:
            return try json(Directory.List(methods(of: caller, [.email], at: now)), context)
        case .listPasswordMethods:
            return try json(Directory.List(methods(of: caller, [.password], at: now)), context)
        case .listAppMethods:
            return try json(Directory.List(methods(of: caller, [.app], at: now)), context)
        case .listPhoneMethods:
            return try json(Directory.List(methods(of: caller, [.phone], at: now)), context)
        case .listPasskeys:
            return try json(Directory.List(methods(of: caller, [.passkey], at: now)), context)
        case .listSessions:
            let sessions = try await engine.sessions(of: caller, now: now)
            return try json(Directory.List(sessions.map(DirectoryCodec.session)), context)
        case .endSession:
            try Self.accepted(
                try await engine.end(.one(try Self.id(context)), of: caller, from: source, now: now))
            return done(context)
        case .endOtherSessions:
            try Self.accepted(try await engine.end(.others, of: caller, from: source, now: now))
            return done(context)
        case .listDevices:
            let devices = try await engine.rememberedDevices(of: caller, now: now)
            return try json(Directory.List(devices.map(DirectoryCodec.device)), context)
        case .forgetDevice:
            try Self.accepted(
                try await engine.forgetDevice(try Self.id(context), of: caller, from: source, now: now))
            return done(context)
        case .endAllSessions, .endAllSessionsBeta:
            try Self.accepted(try await engine.end(.all, of: caller, from: source, now: now))
            return try json(["value": JSONValue.boolean(true)], context)
        case .export: return try await export(of: caller, context)
        case .undoEmailChange: throw RequestFault.unknownPath
        }
    }

    /// The step of a confirmation: the code of the own mailbox, or the authenticator's answer.
    private static func command(_ asked: Directory.ConfirmPasskey, _ user: UserID) throws -> Command {
        let token = ContinuationToken(asked.continuationToken)
        if let name = asked.displayName, !StrongMethod.isName(name) {
            throw DirectoryFailure(.invalidValue("displayName"))
        }
        switch (asked.code, asked.publicKeyCredential) {
        case (let code?, nil): return .step(token, .submitAccountCode(Secret(code), user))
        case (nil, let answer?):
            let text = String(decoding: try WireJSON.encode(answer), as: UTF8.self)
            return .step(token, .createPasskey(text, name: asked.displayName, user))
        case (nil, nil): throw RequestFault.missing(parameter: "publicKeyCredential")
        case (_?, _?):
            throw DirectoryFailure(bothOf: "code", "publicKeyCredential")
        }
    }

    private static func command(_ asked: Directory.BeginIdentity, _ caller: DirectoryCaller) throws -> Command {
        switch (asked.provider, asked.continuationToken) {
        case (let provider?, nil): return .account(caller, .addIdentity(provider, isWeb: false))
        case (nil, let token?): return .step(ContinuationToken(token), .challengeAccount(caller.user))
        case (nil, nil): throw RequestFault.missing(parameter: "provider")
        case (_?, _?): throw DirectoryFailure(bothOf: "provider", "continuationToken")
        }
    }

    /// The code of the own mailbox, or the provider's token.
    private func confirm(
        _ asked: Directory.ConfirmIdentity, of caller: DirectoryCaller, _ request: Request,
        _ context: IdentityRequestContext
    ) async throws -> Response {
        let token = ContinuationToken(asked.continuationToken)
        let command: Command
        switch (asked.code, asked.idToken) {
        case (let code?, nil): command = .step(token, .submitAccountCode(Secret(code), caller.user))
        case (nil, let idToken?):
            var presented = PresentedIdentity(token: Secret(idToken))
            presented.code = asked.authorizationCode.map { Secret($0) }
            command = .step(token, .linkIdentity(presented, caller.user))
        case (nil, nil): throw RequestFault.missing(parameter: "idToken")
        case (_?, _?): throw DirectoryFailure(bothOf: "code", "idToken")
        }
        let outcome = try await take(command, caller, request, context)
        if asked.idToken != nil, case .refused(.userAlreadyExists) = outcome.verdict {
            throw DirectoryFailure(.nameTaken("identities"))
        }
        return try reply(to: outcome, context)
    }

    private func changeProfile(
        of caller: DirectoryCaller, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        guard MediaType.isJSON(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        let changes = try DirectoryCodec.changes(try await RequestGuard.body(of: request))
        switch try await engine.updateProfile(
            of: caller, changes, ifVersion: Self.version(of: request), from: context.source?.forEngine,
            now: context.trace.at)
        {
        case .accepted(let profile):
            return DirectoryCodec.response(.noContent, body: nil, version: profile.version, trace: context.trace)
        case .refused(let refusal): throw DirectoryFailure(refusal, of: changes)
        }
    }

    private func changePassword(
        of caller: DirectoryCaller, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        let asked: Directory.ChangePassword = try await Self.body(of: request)
        let command = AccountCommand.changePassword(
            current: asked.currentPassword.map { Secret($0) }, new: Secret(asked.newPassword),
            keepsOtherSessions: asked.keepOtherSessions ?? false)
        // A first password needs the proof that a new method does. The current one is a proof, but not a second factor.
        let lack = asked.currentPassword == nil ? caller.lackOfProof(now: context.trace.at) : caller.lackOfFactor
        if let lack { throw DirectoryFailure(lack) }
        return try reply(to: try await take(.account(caller, command), caller, request, context), context)
    }

    private func beginChange(
        of caller: DirectoryCaller, _ request: Request, _ context: IdentityRequestContext,
        _ contact: (Directory.NewContact) -> (member: String, value: String?),
        as account: (String) -> AccountCommand
    ) async throws -> Response {
        let asked: Directory.NewContact = try await Self.body(of: request)
        let (member, value) = contact(asked)
        let command: Command
        switch (value, asked.continuationToken) {
        case (let value?, nil): command = .account(caller, account(value))
        case (nil, let token?): command = .step(ContinuationToken(token), .challengeAccount(caller.user))
        case (nil, nil): throw RequestFault.missing(parameter: member)
        case (_?, _?):
            throw DirectoryFailure(bothOf: member, "continuationToken")
        }
        return try reply(to: try await take(command, caller, request, context), context)
    }

    private func methods(
        of caller: DirectoryCaller, _ kinds: [DirectoryCodec.MethodKind] = DirectoryCodec.MethodKind.allCases,
        at now: Date
    ) -> [Directory.Method] {
        DirectoryCodec.methods(of: caller.account, kinds, signingIn: (caller.tenant, now))
    }

    func export(of caller: DirectoryCaller, _ context: IdentityRequestContext) async throws -> Response {
        let now = context.trace.at
        let sessions = try await engine.sessions(of: caller, now: now)
        let activity = try await engine.activity(of: caller.user, in: caller.tenant.id)
        let undos = try await engine.emailUndos(of: caller.user, in: caller.tenant.id, now: now)
        return try json(
            DirectoryCodec.export(
                engine.profile(of: caller),
                methods: methods(of: caller, at: now),
                sessions: sessions, devices: try await engine.rememberedDevices(of: caller, now: now),
                earlier: undos,
                groups: try await engine.groups(of: caller.user, in: caller.tenant.id),
                consents: try await engine.consents(of: caller.user, in: caller.tenant.id), activity: activity), context
        )
    }

    private func deletion(_ due: Date?, _ context: IdentityRequestContext) throws -> Response {
        guard let due else { return done(context) }
        return try json(Directory.Deletion(deletionDueDateTime: due.ISO8601Format()), context, .accepted)
    }

    /// Takes back a change of address: the code is the only proof, so guesses count against the source.
    private func undoEmailChange(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let asked: Directory.UndoEmailChange = try await Self.body(of: request)
        if let limits = context.policy.limits, let source = context.source {
            try limits.admitGuess(at: .code, from: source, now: context.trace.at)
        }
        let answer = try await engine.undoEmailChange(
            Secret(asked.code), inTenant: asked.tenant,
            language: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]), from: context.source?.forEngine,
            now: context.trace.at)
        if case .refused(.step(.incorrectCode)) = answer, let limits = context.policy.limits,
            let source = context.source
        {
            limits.record(wrong: .code, from: source, now: context.trace.at)
        }
        try Self.accepted(answer)
        return done(context)
    }

    /// Passes a command to the engine, within the limits of guesses and of load.
    private func take(
        _ command: Command, _ caller: DirectoryCaller, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Outcome {
        do {
            try context.checkGuesses(before: command)
        } catch {
            throw DirectoryFailure(error)
        }
        var asking = self.caller(tenant: caller.tenantName, client: caller.application, request, context)
        asking.language = caller.language(orElse: asking.language)
        let outcome = try await context.admitted(command) { try await engine.handle(command, in: asking) }
        // A repeated answer was counted the first time (REL-IDEM).
        if outcome.trace.id == context.trace.id { context.countGuess(command, outcome.verdict) }
        return outcome
    }

    private func reply(to outcome: Outcome, _ context: IdentityRequestContext) throws -> Response {
        switch outcome.verdict {
        case .refused(let refusal): throw DirectoryFailure(.step(refusal))
        case .accepted(let interaction):
            guard let token = outcome.token?.secret.reveal() else { return done(context) }
            var sent = Directory.CodeSent(
                continuationToken: token, codeLength: nil, targetLabel: nil, resendAfter: nil)
            if case .proveAddress(let delivery) = interaction {
                sent.codeLength = delivery.codeLength
                sent.targetLabel = delivery.maskedTarget
                sent.channel = delivery.channel?.rawValue
                sent.resendAfter = delivery.resendInterval
            }
            if case .enrolApp(let offer) = interaction {
                sent.codeLength = AppSecret.digits
                sent.secretKey = offer.secret.reveal()
                sent.keyUri = offer.address.reveal()
            }
            if case .createPasskey(let offer) = interaction { sent.publicKey = offer.json }
            if case .useProvider(let offer) = interaction {
                (sent.nonce, sent.nonceExpiresIn) = (offer.nonce, offer.expiresIn)
            }
            return try json(sent, context, .accepted)
        }
    }

    private func done(_ context: IdentityRequestContext) -> Response {
        DirectoryCodec.response(.noContent, body: nil, version: nil, trace: context.trace)
    }

    private func json(
        _ body: some Encodable, _ context: IdentityRequestContext, _ status: HTTPResponse.Status = .ok,
        version: String? = nil
    ) throws -> Response {
        DirectoryCodec.response(status, body: try WireJSON.encode(body), version: version, trace: context.trace)
    }

    private static func body<Body: Decodable>(of request: Request) async throws -> Body {
        guard MediaType.isJSON(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        let bytes = try await RequestGuard.body(of: request)
        do {
            return try WireJSON.decode(from: Data(bytes.readableBytesView))
        } catch let error as DecodingError {
            throw fault(of: error)
        } catch {
            throw RequestFault.unreadableAttributes
        }
    }

    /// Names the member that is missing or has a wrong type. The names are those of the server; values are not repeated.
    private static func fault(of error: DecodingError) -> RequestFault {
        switch error {
        case .keyNotFound(let key, _): return .missing(parameter: key.stringValue)
        case .valueNotFound(_, let context):
            return context.codingPath.last.map { .missing(parameter: $0.stringValue) } ?? .unreadableAttributes
        case .typeMismatch(_, let context):
            return context.codingPath.last.map { .invalid(parameter: $0.stringValue) } ?? .unreadableAttributes
        case .dataCorrupted: return .unreadableAttributes
        @unknown default: return .unreadableAttributes
        }
    }

    /// The id in the path; text that is no UUID names nothing.
    private static func id(_ context: IdentityRequestContext) throws -> UUID {
        guard let id = UUID(uuidString: try context.parameters.require("id")) else { throw DirectoryFailure(.notFound) }
        return id
    }

    @discardableResult
    private static func accepted<Value>(_ answer: DirectoryAnswer<Value>) throws(DirectoryFailure) -> Value {
        switch answer {
        case .accepted(let value): return value
        case .refused(let refusal): throw DirectoryFailure(refusal)
        }
    }

    /// The version in `If-Match`; nil for no header and for `*` (RFC 9110 section 13.1.1). A list has no version, so it
    /// never matches.
    static func version(of request: Request) -> String? {
        guard let tag = request.headers[.ifMatch], tag != "*" else { return nil }
        let bare = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return bare.count >= 2 && bare.first == "\"" && bare.last == "\"" ? String(bare.dropFirst().dropLast()) : ""
    }

    /// A query option, with or without `$`.
    static func query(_ name: String, of request: Request) -> String? {
        let parameters = request.uri.queryParameters
        return (parameters["$\(name)"] ?? parameters["\(name)"]).map { String($0) }
    }
}
