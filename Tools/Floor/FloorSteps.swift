import CSodium
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request, and the steps of the journeys.
///
/// A step runs on its connection's loop: it opens the token, makes the next one, the digests, signatures and seals, and
/// hands its rows to the writer. The answer is ready then, and is sent when the rows are durable.
struct StepRequest {
    let handler: FloorHandler
    let form: Form
    /// Milliseconds since 1970.
    let now: Int64

    private var loop: FloorLoop { handler.loop }
    private var keys: FloorKeys { loop.keys }

    /// The code of every flow, as the bench's servers have it.
    private static let code = Array("24681357".utf8)
    /// The application of the development tenant whose users have passwords.
    private static let passwordApp = Array("11112222-bbbb-3333-cccc-4444dddd5555".utf8)
    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute

    func take(_ path: String) {
        do {
            switch path {
            case "/contoso/signup/v1.0/start": try startSignUp()
            case "/contoso/signup/v1.0/challenge": try challenge(.signUp)
            case "/contoso/signup/v1.0/continue": try submitSignUpCode()
            case "/contoso/oauth2/v2.0/initiate": try startSignIn()
            case "/contoso/oauth2/v2.0/challenge": try challenge(.signIn)
            case "/contoso/oauth2/v2.0/token": try issueTokens()
            case "/empty": handler.reply(.ok, [0x7B, 0x7D], isEmptyHandler: true)
            case _: handler.reply(.notFound, [0x7B, 0x7D])
            }
        } catch {
            handler.reply(.internalServerError, Array("{}".utf8))
        }
    }

    // MARK: Sign-up

    private func startSignUp() throws {
        guard let client = form["client_id"], let name = form["username"] else { return refuse("invalid_request") }
        let mark = keys.digest([Array("name".utf8), name])
        loop.store.ask(.nameIsFree(name: name, mark: mark), on: loop) { answer in
            guard case .nothing = answer else { return refuse("user_already_exists") }
            let state = FlowState(.signUp, flow: loop.random.uuid(at: now), client: client, name: name, at: now)
            guard let password = form["password"] else { return answerNext(state) }
            hash(password) { hash in
                var state = state
                state.passwordHash = hash
                answerNext(state)
            }
        }
    }

    /// Sends a code, for a sign-up or a sign-in; or asks for the password of one who has one.
    private func challenge(_ place: FlowState.Place) throws {
        guard let client = form["client_id"], let token = form["continuation_token"],
            var state = FlowState(token, of: client, at: place, keys)
        else { return refuse("invalid_grant") }
        let isSignUp = place == .signUp
        state.place = isSignUp ? .signUpChallenged : .signInChallenged
        if !isSignUp, client == Self.passwordApp {
            let next = try state.token(keys, &loop.random)
            return handler.reply(.ok, json(#"{"challenge_type":"password","continuation_token":""#, next, "\"}"))
        }
        let code = Self.code
        let digest = codeDigest(state, code)
        let target = keys.digest([Array("target".utf8), state.name])
        let end = now + 10 * Self.minute
        let mail = Mail(id: loop.random.uuid(at: now), recipient: state.name, code: code, isSignUp: isSignUp)
        var rows = StepRows()
        rows.run(
            .insertFlow, .bytes(FloorLoop.tenant), .bytes(state.flow), .integer(0), .bytes(digest), .bytes(target),
            .integer(0), .integer(now), .integer(end), .integer(1), .integer(0), .integer(0),
            .integer(state.startedAt + Self.hour))
        let lane = keys.digest([Array("lane".utf8), Array(state.name.drop { $0 != 0x40 })]).prefix(8)
        // Leased from the beginning: this process sends it, and another one only if this one has not after a minute.
        rows.run(
            .insertMail, .bytes(FloorLoop.tenant), .bytes(mail.id), .bytes(state.flow), .optional(state.user),
            .bytes(Array(lane)), .bytes(try sealed(mail)), .integer(now + Self.minute), .integer(now), .integer(end))
        record("otp.sent", of: state, user: [], in: &rows)
        state.codeDigest = digest
        let next = try state.token(keys, &loop.random)
        var reply: [UInt8] = []
        reply.reserveCapacity(640)
        reply.append(
            #"{"binding_method":"prompt","challenge_channel":"email","challenge_target_label":""#)
        reply.append(contentsOf: Self.label(of: state.name))
        reply.append(#"","challenge_type":"oob","code_length":8,"continuation_token":""#)
        reply.append(contentsOf: next)
        reply.append(#"","interval":0}"#)
        write(rows, then: reply, mail)
    }

    private func submitSignUpCode() throws {
        guard let client = form["client_id"], let token = form["continuation_token"], let code = form["oob"],
            var state = FlowState(token, of: client, at: .signUpChallenged, keys)
        else { return refuse("invalid_grant") }
        state.place = .proven
        state.user = loop.random.uuid()
        state.authenticatedAt = now
        var rows = StepRows()
        rows.run(
            .heldName, .bytes(FloorLoop.tenant), .bytes(keys.digest([Array("name".utf8), state.name])))
        rows.run(
            .advanceFlow, .integer(0), .bytes(FloorLoop.tenant), .bytes(state.flow), .integer(0),
            .bytes(codeDigest(state, code)))
        record("otp.verified", of: state, user: [], in: &rows)
        let position = loop.random.bytes(8).reduce(Int64(0)) { ($0 << 8 | Int64($1)) & .max }
        rows.run(
            .insertUser, .bytes(FloorLoop.tenant), .bytes(state.user), .bytes(Text.uuid(parsing: client) ?? []),
            state.passwordHash.isEmpty ? .null : .text(state.passwordHash), .integer(now), .integer(now),
            .integer(position))
        rows.run(
            .insertIdentifier, .bytes(FloorLoop.tenant), .bytes(state.name), .text(state.name), .bytes(state.user),
            .integer(now))
        record("signup.completed", of: state, user: state.user, in: &rows)
        (state.codeDigest, state.passwordHash) = ([], [])
        let reply = json(#"{"continuation_token":""#, try state.token(keys, &loop.random), "\"}")
        try keep(reply, of: state, token: token, content: code, in: &rows)
        write(rows, then: reply)
    }

    // MARK: Sign-in

    private func startSignIn() throws {
        guard let client = form["client_id"], let name = form["username"] else { return refuse("invalid_request") }
        loop.store.ask(.account(name: name), on: loop) { answer in
            guard case .account(let id, _, _, _) = answer else { return refuse("user_not_found") }
            var state = FlowState(.signIn, flow: loop.random.uuid(at: now), client: client, name: name, at: now)
            state.user = id
            answerNext(state)
        }
    }

    private func issueTokens() throws {
        guard let client = form["client_id"], let grant = form["grant_type"] else { return refuse("invalid_request") }
        if let token = form["refresh_token"] { return try refresh(token, client) }
        guard let token = form["continuation_token"],
            let state = FlowState(
                token, of: client, at: grant.first == UInt8(ascii: "c") ? .proven : .signInChallenged, keys)
        else { return refuse("invalid_grant") }
        loop.store.ask(.accountOfID(state.user), on: loop) { answer in
            guard case .account(_, let version, let hash, _) = answer else { return refuse("invalid_grant") }
            guard let password = form["password"] else {
                return signIn(state, token: token, version: version, code: form["oob"], method: "otp")
            }
            verify(password, hash) { isRight in
                guard isRight else { return refuse("invalid_grant") }
                signIn(state, token: token, version: version, code: nil, method: "pwd")
            }
        }
    }

    /// - Parameter code: For a sign-in with a code; nil for one with a password, or after a sign-up.
    private func signIn(_ state: FlowState, token: [UInt8], version: Int64, code: [UInt8]?, method: StaticString) {
        attempt {
            let session = loop.random.uuid(at: now)
            let isAfterSignUp = state.place == .proven
            let authenticatedAt = isAfterSignUp ? state.authenticatedAt : now
            var methods: [UInt8] = []
            methods.append("[\"")
            methods.append(method)
            methods.append("\"]")
            let refreshToken = newRefreshToken(of: session)
            let reply = try tokens(
                of: state.user, client: state.client, session: session, methods: methods,
                authenticatedAt: authenticatedAt, refreshToken: refreshToken)
            var rows = StepRows()
            rows.run(
                .sameCredentials, .bytes(FloorLoop.tenant), .bytes(state.user), .integer(version))
            if isAfterSignUp {
                rows.run(
                    .advanceFlow, .integer(1), .bytes(FloorLoop.tenant), .bytes(state.flow), .integer(1), .null)
            } else if let code {
                rows.run(
                    .advanceFlow, .integer(1), .bytes(FloorLoop.tenant), .bytes(state.flow), .integer(0),
                    .bytes(codeDigest(state, code)))
                record("otp.verified", of: state, user: state.user, in: &rows)
            } else {
                rows.run(
                    .insertFlow, .bytes(FloorLoop.tenant), .bytes(state.flow), .integer(1), .null, .null, .null, .null,
                    .null, .integer(0), .integer(0), .integer(1), .integer(state.startedAt + Self.hour))
            }
            rows.run(
                .insertFamily, .bytes(FloorLoop.tenant), .bytes(session),
                .bytes(Text.uuid(parsing: state.client) ?? []), .bytes(state.user),
                .word(#"["openid","offline_access"]"#), .text(methods), .integer(authenticatedAt), .integer(now),
                .integer(now + 24 * Self.hour), .bytes(FloorKeys.fingerprint([refreshToken])), .word("127.0.0.0/24"))
            record("signin.succeeded", of: state, user: state.user, detail: method, in: &rows)
            record("token.issued", of: state, user: state.user, in: &rows)
            try keep(reply, of: state, token: token, content: code ?? [], in: &rows)
            write(rows, then: reply)
        }
    }

    private func refresh(_ token: [UInt8], _ client: [UInt8]) throws {
        guard let bytes = Text.bytes(ofBase64URL: token), bytes.count == 65 else { return refuse("invalid_grant") }
        let session = Array(bytes[1..<17])
        loop.store.ask(.family(session), on: loop) { answer in
            let digest = FloorKeys.fingerprint([token])
            guard case .family(let family) = answer, family.tokenDigest == digest, now < family.expiresAt else {
                return refuse("invalid_grant")
            }
            attempt {
                let successor = newRefreshToken(of: session)
                let reply = try tokens(
                    of: family.user, client: client, session: session, methods: family.methods,
                    authenticatedAt: family.authenticatedAt, refreshToken: successor)
                var rows = StepRows()
                rows.run(
                    .rotateFamily, .word(#"["openid","offline_access"]"#), .integer(family.expiresAt),
                    .bytes(FloorKeys.fingerprint([successor])), .bytes(digest), .integer(now),
                    .bytes(
                        try FloorKeys.seal(
                            answer: reply, underSecret: token, nonce: loop.random.bytes(12), context: digest)),
                    .word("127.0.0.0/24"), .bytes(FloorLoop.tenant), .bytes(session), .bytes(digest))
                record("token.refreshed", client: client, flow: [], user: family.user, in: &rows)
                write(rows, then: reply)
            }
        }
    }

    // MARK: Parts

    /// Version (1 byte), session (16), and 48 random bytes.
    private func newRefreshToken(of session: [UInt8]) -> [UInt8] {
        Text.base64URL([1] + session + loop.random.bytes(48))
    }

    /// The answer with two signed tokens.
    private func tokens(
        of user: [UInt8], client: [UInt8], session: [UInt8], methods: [UInt8], authenticatedAt: Int64,
        refreshToken: [UInt8]
    ) throws -> [UInt8] {
        let lifetime: Int64 = 4_500
        let userText = Text.uuid(user)
        let id = Text.uuid(loop.random.uuid())
        let subject = Text.base64URL(keys.digest([client, userText]))
        func claims(isIDToken: Bool) -> [UInt8] {
            var json: [UInt8] = []
            json.reserveCapacity(768)
            json.append(#"{"amr":"#)
            json.append(contentsOf: methods)
            json.append(#","aud":""#)
            json.append(contentsOf: client)
            json.append(#"","auth_time":"#)
            json.append(decimal: authenticatedAt / 1_000)
            if !isIDToken {
                json.append(#","azp":""#)
                json.append(contentsOf: client)
                json.append(#"","cred_ver":0"#)
            }
            json.append(#","exp":"#)
            json.append(decimal: now / 1_000 + lifetime)
            json.append(#","iat":"#)
            json.append(decimal: now / 1_000)
            json.append(#","iss":""#)
            json.append(contentsOf: loop.issuer)
            if !isIDToken {
                json.append(#"","jti":""#)
                json.append(contentsOf: id)
            }
            json.append(#"","nbf":"#)
            json.append(decimal: now / 1_000)
            if !isIDToken {
                json.append(#","oid":""#)
                json.append(contentsOf: userText)
                json.append(#"","scp":"openid offline_access""#)
            }
            json.append(#","sid":""#)
            json.append(contentsOf: Text.uuid(session))
            json.append(#"","sub":""#)
            json.append(contentsOf: subject)
            json.append(#"","tid":""#)
            json.append(contentsOf: FloorLoop.tenantText)
            json.append(#"","uti":""#)
            json.append(contentsOf: id)
            json.append(#"","ver":"2.0"}"#)
            return json
        }
        var reply: [UInt8] = []
        reply.reserveCapacity(3_072)
        reply.append(#"{"access_token":""#)
        reply.append(contentsOf: try keys.signer.token(claims(isIDToken: false), isIDToken: false))
        reply.append(#"","client_info":""#)
        reply.append(
            contentsOf: Text.base64URL(
                json(#"{"uid":""#, userText, #"","utid":""#, FloorLoop.tenantText, "\"}")))
        reply.append(#"","expires_in":"#)
        reply.append(decimal: lifetime)
        reply.append(#","ext_expires_in":"#)
        reply.append(decimal: lifetime)
        reply.append(#","id_token":""#)
        reply.append(contentsOf: try keys.signer.token(claims(isIDToken: true), isIDToken: true))
        reply.append(#"","refresh_token":""#)
        reply.append(contentsOf: refreshToken)
        reply.append(#"","scope":"openid offline_access","token_type":"Bearer"}"#)
        return reply
    }

    /// The digest of a code, bound to flow, client and name.
    private func codeDigest(_ state: FlowState, _ code: [UInt8]) -> [UInt8] {
        keys.digest([state.client, state.flow, state.name, code])
    }

    /// The mail's row holds what another process would need to send it.
    private func sealed(_ mail: Mail) throws -> [UInt8] {
        var content = mail.recipient + mail.code + Array("signUp en Contoso 10".utf8)
        // As long as a server's.
        content.append(contentsOf: repeatElement(0, count: max(0, 190 - content.count)))
        return try FloorKeys.seal(content, with: keys.mails, nonce: loop.random.bytes(12), context: mail.id)
    }

    /// Adds a line of audit.
    private func record(
        _ kind: StaticString, of state: FlowState, user: [UInt8], detail: StaticString? = nil, in rows: inout StepRows
    ) {
        record(kind, client: state.client, flow: state.flow, user: user, detail: detail, in: &rows)
    }

    private func record(
        _ kind: StaticString, client: [UInt8], flow: [UInt8], user: [UInt8], detail: StaticString? = nil,
        in rows: inout StepRows
    ) {
        rows.run(
            .insertAudit, .bytes(FloorLoop.tenant), .word(kind), .integer(now),
            .bytes(Text.uuid(parsing: client) ?? []), .optional(flow), .optional(user),
            detail.map { .word($0) } ?? .null, .bytes(handler.source), .word("development"))
    }

    /// Adds the sealed answer for a repeated request.
    private func keep(
        _ reply: [UInt8], of state: FlowState, token: [UInt8], content: [UInt8], in rows: inout StepRows
    ) throws {
        let digest = FloorKeys.fingerprint([token, content])
        rows.run(
            .insertReplay, .bytes(FloorLoop.tenant), .bytes(state.flow), .bytes(digest),
            .bytes(
                try FloorKeys.seal(answer: reply, underSecret: token, nonce: loop.random.bytes(12), context: digest)),
            .integer(now + Self.minute))
    }

    /// Answers when the rows are durable; the mail, too, is sent only then.
    private func write(_ rows: StepRows, then reply: [UInt8], _ mail: Mail? = nil) {
        let handler = NIOLoopBound(handler, eventLoop: loop.eventLoop)
        loop.store.write(
            WriteJob(rows: rows, loop: loop.number) { isDurable in
                let handler = handler.value
                guard isDurable else {
                    return handler.reply(.badRequest, Array(#"{"error":"invalid_grant"}"#.utf8))
                }
                if let mail { handler.loop.mails?.send(mail) }
                handler.reply(.ok, reply)
            })
    }

    private func answerNext(_ state: FlowState) {
        attempt {
            handler.reply(.ok, json(#"{"continuation_token":""#, try state.token(keys, &loop.random), "\"}"))
        }
    }

    private func attempt(_ work: () throws -> Void) {
        do {
            try work()
        } catch {
            handler.reply(.internalServerError, Array("{}".utf8))
        }
    }

    private func refuse(_ error: StaticString) {
        var word: [UInt8] = []
        word.append(error)
        handler.reply(.badRequest, json(#"{"error":""#, word, "\"}"))
    }

    private func json(
        _ start: StaticString, _ value: [UInt8], _ middle: StaticString, _ other: [UInt8] = [],
        _ end: StaticString = ""
    ) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(value.count + other.count + 64)
        json.append(start)
        json.append(contentsOf: value)
        json.append(middle)
        json.append(contentsOf: other)
        json.append(end)
        return json
    }

    /// `alice@mail.example` as `a***e@m***.example`, about as long as the server's label.
    private static func label(of name: [UInt8]) -> [UInt8] {
        Array(name.prefix(1)) + Array("***".utf8) + Array(name.drop { $0 != 0x40 }.prefix(3)) + Array("***le.com".utf8)
    }

    // MARK: Passwords

    /// Hashes on a thread of the pool, and goes on on the loop.
    private func hash(_ password: [UInt8], _ then: @escaping (_ hash: [UInt8]) -> Void) {
        let then = NIOLoopBound(then, eventLoop: loop.eventLoop)
        loop.hashing.runIfActive(eventLoop: loop.eventLoop) { Argon2id.hash(password) }
            .whenComplete { result in
                if case .success(let hash) = result { then.value(hash) }
            }
    }

    private func verify(_ password: [UInt8], _ hash: [UInt8], _ then: @escaping (_ isRight: Bool) -> Void) {
        let then = NIOLoopBound(then, eventLoop: loop.eventLoop)
        loop.hashing.runIfActive(eventLoop: loop.eventLoop) { Argon2id.verify(password, hash) }
            .whenComplete { result in
                if case .success(let isRight) = result { then.value(isRight) }
            }
    }
}

/// The server's hash of passwords: Argon2id of libsodium, 19 MiB and two passes.
enum Argon2id {
    static func hash(_ password: [UInt8]) -> [UInt8] {
        let password = password.map { CChar(bitPattern: $0) }
        var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let status = crypto_pwhash_str_alg(
            &text, password, UInt64(password.count), 2, 19_456 * 1_024, crypto_pwhash_alg_argon2id13())
        precondition(status == 0, "no memory for a hash")
        return text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    static func verify(_ password: [UInt8], _ hash: [UInt8]) -> Bool {
        let password = password.map { CChar(bitPattern: $0) }
        return crypto_pwhash_str_verify(
            hash.map { CChar(bitPattern: $0) } + [0], password, UInt64(password.count)) == 0
    }
}
