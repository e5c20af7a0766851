import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation

// The expected answers of the server, given the content of the database and the knowledge of the people. They are
// checked where the request arrives, so that every request is checked: the first, the repeated, and the late one.

/// A request as the server will parse it.
struct Asked: Sendable {
    var endpoint: V1Endpoint?
    var form = FormFields()
    /// The content of its continuation token; nil when there is none, or it does not open.
    var envelope: FlowEnvelope?
    var operations = FlowOperations()
    /// Endpoint and body: equal for repeated requests.
    var key = Data()

    subscript(_ name: String) -> String? {
        do {
            return try form.single(name)
        } catch {
            return nil
        }
    }
}

/// The database's data about a request's flow, account or family.
struct View: Sendable {
    struct Row: Sendable {
        var revision: Int
        var isEnded: Bool
        var attempts: Int
        /// When the code expires; nil when there is none.
        var codeEnd: Date?
        var codesSent: Int
    }

    var row: Row?
    var account: UserAccount?
    var family: RefreshFamily?
    var taken: Set<LoginIdentifier.Key> = []
}

enum Expectation: Hashable, Sendable {
    case accepted
    /// With the reason.
    case refused(String)
    case either
}

extension World {
    /// Passes a request to the server and checks the answer.
    func deliver(_ request: TransportRequest) async -> TransportResponse {
        do {
            let asked = read(request)
            let view = try await view(asked)
            let expected = expectation(asked, view)
            let possible = notePossible(asked, view)
            let response = try await server.send(request)
            readOutbox()
            let served = Served(response)
            try await judge(served, asked, view, expected, isDisturbed: stores.endFault())
            if served.isProgress { noteAccepted(served, asked, possible) }
            return response
        } catch {
            demand(false, "simulation", "a request could not be judged: \(error)")
            return TransportResponse(status: 500, body: Data())
        }
    }

    private func read(_ request: TransportRequest) -> Asked {
        var asked = Asked()
        let path = request.url.path.split(separator: "/").dropFirst().joined(separator: "/")
        asked.endpoint = V1Endpoint(rawValue: path)
        asked.key = Data(path.utf8) + request.body
        do {
            asked.form = try FormFields(decoding: request.body)
        } catch {
            return asked
        }
        guard let endpoint = asked.endpoint else { return asked }
        asked.operations = Self.operations(endpoint, grant: asked["grant_type"])
        asked.envelope = asked["continuation_token"].flatMap { open($0, client: asked["client_id"]) }
        return asked
    }

    func open(_ token: String, client: String?) -> FlowEnvelope? {
        guard let client = client.flatMap({ ClientID($0) }) else { return nil }
        do {
            return try tokens.open(
                ContinuationToken(token), for: FlowOperations(rawValue: .max), tenant: tenant, client: client,
                now: .distantPast)
        } catch {
            return nil
        }
    }

    private nonisolated static func operations(_ endpoint: V1Endpoint, grant: String?) -> FlowOperations {
        switch (endpoint, grant) {
        case (.signUpChallenge, _): .challengeSignUp
        case (.signUpContinue, "oob"): .submitSignUpCode
        case (.signUpContinue, "password"): .submitSignUpPassword
        case (.signUpContinue, "attributes"): .submitSignUpAttributes
        case (.signInChallenge, _): .challengeSignIn
        case (.signInIntrospect, _): .introspectMethods
        case (.token, "password"): .submitSignInPassword
        case (.token, "oob"): [.submitSignInCode, .submitSecondFactor]
        case (.token, "mfa_oob"): .submitSecondFactor
        case (.token, "continuation_token"): .redeem
        case (.resetPasswordChallenge, _): .challengeReset
        case (.resetPasswordContinue, _): .submitResetCode
        case (.resetPasswordSubmit, _): .submitNewPassword
        case (.resetPasswordPollCompletion, _): .pollReset
        case (.registerIntrospect, _): .introspectRegistration
        case (.registerChallenge, _): .challengeContact
        case (.registerContinue, "oob"): .submitContactCode
        case (.registerContinue, "continuation_token"): .confirmContact
        case (_, _): []
        }
    }

    private func view(_ asked: Asked) async throws -> View {
        var view = View()
        if let envelope = asked.envelope {
            let sql = """
                SELECT revision, is_ended, code_attempts, code_expires_at, codes_sent FROM flows
                WHERE tenant = x'\(tenant.uuid.hex)' AND id = x'\(envelope.flow.hex)'
                """
            if let cells = try await store.unsafeSQL(sql).first {
                view.row = View.Row(
                    revision: Int(cells[0] ?? "") ?? 0, isEnded: cells[1] == "1", attempts: Int(cells[2] ?? "") ?? 0,
                    codeEnd: cells[3].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0 / 1000) },
                    codesSent: Int(cells[4] ?? "") ?? 0)
            }
            if let user = envelope.state.account?.user { view.account = try await store.account(user, in: tenant) }
            if case .signUp(let state) = envelope.state, let draft = state.draft {
                let alias = submittedAlias(asked) ?? draft.alias
                let keys = [draft.email.key] + (alias.map { [$0.key] } ?? [])
                view.taken = try await store.taken(keys, marks: [], in: tenant).keys
            }
        } else if let name = asked["username"], let key = EmailAddress(name)?.key ?? Alias(name)?.key {
            view.account = try await store.account(named: key, in: tenant)
            view.taken = view.account == nil ? [] : [key]
        }
        if let token = asked["refresh_token"], let bytes = Base64URL.decode(token), bytes.count == 64,
            let id = UUID(bytes: bytes.prefix(16))
        {
            view.family = try await store.refreshFamily(id, in: tenant)
            if let user = view.family?.user { view.account = try await store.account(user, in: tenant) }
        }
        return view
    }

    func submittedAttributes(_ asked: Asked) -> [String: String] {
        guard let text = asked["attributes"] else { return [:] }
        do {
            var values: [String: String] = [:]
            for member in try AttributesJSON.decode(text) {
                if case .value(.string(let value)) = member.content { values[member.name] = value }
            }
            return values
        } catch {
            return [:]
        }
    }

    private func submittedAlias(_ asked: Asked) -> Alias? {
        submittedAttributes(asked)[AttributeDefinition.aliasName].flatMap { Alias($0) }
    }

    // MARK: Expectations

    private func expectation(_ asked: Asked, _ view: View) -> Expectation {
        guard let endpoint = asked.endpoint else { return .either }
        switch endpoint {
        case .signUpStart:
            return view.account == nil ? .either : .refused("the name is taken")
        case .signInInitiate, .resetPasswordStart:
            guard let account = view.account else { return .refused("there is no such user") }
            if account.disabledAt != nil { return .refused("the account is disabled") }
            return endpoint == .signInInitiate || account.passwordHash != nil ? .accepted : .refused("no password")
        case .token where asked["grant_type"] == "refresh_token":
            return renewal(asked, view)
        case .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            return step(asked, view)
        }
    }

    private func renewal(_ asked: Asked, _ view: View) -> Expectation {
        guard let family = view.family, let account = view.account, let token = asked["refresh_token"] else {
            return .refused("there is no such family")
        }
        if family.revokedAt != nil { return .refused("the family is revoked") }
        if clock.now >= family.expiresAt { return .refused("the family has expired") }
        if account.disabledAt != nil { return .refused("the account is disabled") }
        let digest = Vault.fingerprint([Data(token.utf8)])
        if let previous = family.previous, previous.tokenDigest == digest,
            clock.now.timeIntervalSince(previous.rotatedAt) <= Double(engine.settings.refreshGrace)
        {
            return .accepted
        }
        guard digest == family.tokenDigest else { return .refused("the token was rotated away") }
        // When a second factor is required, a session without one cannot be refreshed.
        let isStrict = asked["client_id"] == devices.last?.clientID
        return isStrict && !family.methods.contains("mfa") ? .either : .accepted
    }

    /// The rules of every step of a flow, and then those of its kind.
    private func step(_ asked: Asked, _ view: View) -> Expectation {
        let now = clock.now
        guard let envelope = asked.envelope, !envelope.state.allowed.isDisjoint(with: asked.operations) else {
            return .refused("the token is not for this step")
        }
        if now >= envelope.expiresAt { return .refused("the token has expired") }
        if let answer = ledger.answers[asked.key], now < answer.until { return .accepted }
        if let until = ledger.unheard[asked.key], now < until { return .either }
        guard
            let row = view.row
                ?? (envelope.revision == 0 ? View.Row(revision: 0, isEnded: false, attempts: 0, codesSent: 0) : nil)
        else { return .refused("the flow is gone") }
        if row.isEnded { return .refused("the flow has ended") }
        if row.revision != envelope.revision { return .refused("the token is spent") }
        if case .account(_, let version) = envelope.state.account {
            guard let account = view.account, account.credentialVersion == version,
                account.disabledAt == nil
            else { return .refused("the credentials have changed") }
        }
        switch asked.operations {
        case .challengeSignUp:
            if case .signUp(let state) = envelope.state, state.isProven { return .accepted }
            return codeRequest(row)
        case .challengeReset: return codeRequest(row)
        case .challengeSignIn:
            if case .signIn(let state) = envelope.state, let draft = state.draft {
                return draft.hasPassword ? .accepted : codeRequest(row)
            }
            return .either
        case .submitSignUpCode:
            let judged = code(asked, row, envelope)
            return judged == .accepted && !view.taken.isEmpty ? .refused("the name is taken") : judged
        case .submitResetCode, [.submitSignInCode, .submitSecondFactor], .submitSecondFactor:
            return code(asked, row, envelope)
        case .submitContactCode:
            let judged = code(asked, row, envelope)
            return judged == .accepted ? .either : judged
        case .submitSignUpPassword:
            guard Words.isAcceptable(asked["password"] ?? "") else { return .refused("the password is weak") }
            return view.taken.isEmpty ? .accepted : .refused("the name is taken")
        case .submitSignUpAttributes:
            let attributes = submittedAttributes(asked)
            guard Words.areAcceptable(attributes) else { return .refused("the attributes are bad") }
            if view.taken.isEmpty { return .accepted }
            // A taken address is reported once all attributes are given.
            let isAliasTaken = submittedAlias(asked).map { view.taken.contains($0.key) } ?? false
            return isAliasTaken ? .refused("the alias is taken") : .either
        case .submitSignInPassword:
            guard let user = envelope.state.account?.user, let person = ledger.people[user.uuid.hex] else {
                return .refused("nobody")
            }
            return asked["password"] == person.password ? .accepted : .refused("the password is wrong")
        case .submitNewPassword:
            let password = asked["new_password"] ?? ""
            guard Words.isAcceptable(password) else { return .refused("the password is weak") }
            let current = envelope.state.account.flatMap { ledger.people[$0.user.uuid.hex]?.password }
            return password == current ? .refused("the password is the current one") : .accepted
        case .pollReset, .introspectRegistration, .redeem:
            return .accepted
        case _:
            return .either
        }
    }

    private func codeRequest(_ row: View.Row) -> Expectation {
        if row.codesSent < engine.settings.codesPerFlow { return .accepted }
        // Within the cool-down the last code is reported again.
        return profile.cooldown > 0 ? .either : .refused("no more codes")
    }

    private func code(_ asked: Asked, _ row: View.Row, _ envelope: FlowEnvelope) -> Expectation {
        if let code = asked["oob"], code.utf8.count == EngineSettings.sharedCodeDigits {
            // A limit of the lane may refuse the right code.
            return sharedCode(code, asked, envelope) == nil ? .refused("no such shared code is open") : .either
        }
        guard let end = row.codeEnd else { return .refused("no code is awaited") }
        if clock.now >= end { return .refused("the code has expired") }
        if row.attempts >= engine.settings.guessesPerCode { return .refused("the code has had its guesses") }
        guard let last = post.issued[envelope.flow]?.last, last.code == asked["oob"],
            EmailAddress(last.recipient)?.key == envelope.state.recipient?.email?.key
        else { return .refused("the code is wrong") }
        return .accepted
    }

    /// The lane in which `code` is open for this flow.
    private func sharedCode(_ code: String, _ asked: Asked, _ envelope: FlowEnvelope) -> Post.Lane? {
        let purpose: MailContent.Purpose? =
            switch (asked.endpoint, envelope.state) {
            case (.resetPasswordContinue, .reset): .passwordReset
            case (.token, .signIn(.awaitingCode)): .signIn
            case (_, _): nil
            }
        guard let purpose, let mailbox = envelope.state.recipient?.email?.key.bytes else { return nil }
        let lane = Post.Lane(purpose: purpose, mailbox: mailbox)
        let isOpen = post.shared[lane]?.contains {
            $0.code == code && clock.now.timeIntervalSince($0.at) < Double(engine.settings.codeLifetime)
        }
        return isOpen == true ? lane : nil
    }

    // MARK: Judgement

    private func judge(
        _ served: Served, _ asked: Asked, _ view: View, _ expected: Expectation, isDisturbed: Bool
    ) async throws {
        let what = "\(asked.endpoint?.rawValue ?? "a document") \(asked["grant_type"] ?? ""): \(served.summary)"
        guard !isDisturbed else {
            demand(!served.isProgress || asked.endpoint == nil, "REL-DB-3", "a failed write was confirmed: \(what)")
            // It may have been written, and the answer stored for a repetition.
            ledger.unheard[asked.key] = clock.now.addingTimeInterval(Double(engine.settings.replayLifetime))
            return
        }
        demand(served.response.status < 500, "REL-TX-1", "the server failed: \(what)")
        let codes = served.body?.errorCodes ?? []
        let isLimited = served.response.status == 429 || codes.contains(50_053)
        demand(!isLimited || profile.hasLimits, "SEC-RATE", "limited where there is no limit: \(what)")
        if let answer = ledger.answers[asked.key], clock.now < answer.until, served.isProgress {
            demand(answer.body == served.response.body, "REL-IDEM", "another answer to the same request: \(what)")
        }
        switch expected {
        case .accepted:
            demand(served.isProgress || isLimited, rule(asked), "a right \(what)")
        case .refused(let reason):
            demand(!served.isProgress, "I4", "\(reason), and yet \(what)")
        case .either:
            break
        }
        guard served.isProgress else { return }
        if asked["grant_type"] == "refresh_token", let token = served.body?.refreshToken, let family = view.family {
            let now = try await store.refreshFamily(family.id, in: tenant)
            demand(
                now?.tokenDigest == Vault.fingerprint([Data(token.utf8)]), "I6",
                "the successor that was told is not the live one")
        }
        if let info = served.body?.clientInfo, let user = asked.envelope?.state.account?.user ?? view.account?.user.id {
            let text = Base64URL.decode(info).map { String(decoding: $0, as: UTF8.self) } ?? ""
            demand(text.contains(user.description), "SEC-CT-1", "tokens of another user: \(what)")
        }
    }

    private func rule(_ asked: Asked) -> String {
        if asked["grant_type"] == "refresh_token" { return "I6" }
        return ledger.answers[asked.key] == nil ? "SDK-STATE-2" : "REL-IDEM"
    }

    // MARK: What may become of it

    /// Notes which user or password may be in the database after this request, whatever answer the client gets.
    private func notePossible(_ asked: Asked, _ view: View) -> Ledger.Possible? {
        guard let envelope = asked.envelope else { return nil }
        if asked.operations == .submitNewPassword, let user = envelope.state.account?.user {
            ledger.possiblePasswords.append((user.uuid.hex, asked["new_password"] ?? ""))
            return nil
        }
        guard case .signUp(let state) = envelope.state, let draft = state.draft else { return nil }
        if asked.operations == .submitSignUpPassword {
            ledger.drafted[envelope.flow, default: []].insert(asked["password"] ?? "")
        }
        var attributes = draft.attributes.mapValues(\.description)
        attributes.merge(submittedAttributes(asked).filter { Words.isKnown($0.key) }) { $1 }
        let alias = attributes.removeValue(forKey: AttributeDefinition.aliasName)
        let possible = Ledger.Possible(
            email: String(decoding: draft.email.key.bytes, as: UTF8.self), alias: alias, attributes: attributes,
            passwords: ledger.drafted[envelope.flow] ?? [])
        ledger.possibleUsers.append(possible)
        return possible
    }

    /// Notes what was accepted: it must not change.
    private func noteAccepted(_ served: Served, _ asked: Asked, _ possible: Ledger.Possible?) {
        let next = served.body?.continuationToken.flatMap { open($0, client: asked["client_id"]) }
        if ledger.answers[asked.key] == nil, let code = asked["oob"], let envelope = asked.envelope,
            let lane = sharedCode(code, asked, envelope)
        {
            // One use spends it for every flow.
            post.shared[lane]?.removeAll { $0.code == code }
        }
        if asked.endpoint == .signUpStart, let next, let password = asked["password"] {
            ledger.drafted[next.flow, default: []].insert(password)
        }
        if case .signUp(.completed(let proven))? = next?.state, let possible {
            ledger.confirmedUsers.append((proven.account.user.uuid.hex, possible))
        }
        if asked.operations == .submitNewPassword, let user = asked.envelope?.state.account?.user {
            ledger.confirmedPasswords.append((user.uuid.hex, asked["new_password"] ?? ""))
        }
        let isCompleted = if case .signUp(.completed)? = next?.state { true } else { false }
        let isKept =
            isCompleted
            || !asked.operations.isDisjoint(with: [
                .submitSignUpCode, .submitSignUpPassword, .submitSignInPassword, .submitSignInCode,
                .submitSecondFactor, .submitContactCode, .confirmContact, .submitResetCode, .submitNewPassword, .redeem,
            ])
        if isKept, ledger.answers[asked.key] == nil {
            ledger.answers[asked.key] = Ledger.RepeatableAnswer(
                body: served.response.body,
                until: clock.now.addingTimeInterval(Double(engine.settings.replayLifetime)))
        }
    }

    /// A fault of a request: its refresh token may be spent without the client's knowledge.
    func disturb(_ request: TransportRequest) {
        let asked = read(request)
        guard let token = asked["refresh_token"] ?? asked["token"], let bytes = Base64URL.decode(token),
            let id = UUID(bytes: bytes.prefix(16))
        else { return }
        ledger.disturbed.insert(id.hex)
    }
}

extension UUID {
    /// 32 hexadecimal digits, as the database prints it.
    var hex: String { uuidString.lowercased().filter { $0 != "-" } }
}
