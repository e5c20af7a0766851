import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import SoftPasskeys
import Testing

@testable import IdentityHTTP

/// A device of a test, with its passkeys, on the wire itself.
struct TestPasskey {
    let device: SoftAuthenticator

    /// - Parameter id: That of each passkey that the device makes, in place of a random one.
    init(id: Data? = nil) {
        device = id.map { id in SoftAuthenticator(random: { _ in [UInt8](id) }) } ?? SoftAuthenticator()
    }

    static let words = "passkey oob password redirect"
    private static let path = AccountCaller.beta + "/nativeAuth."

    /// What the server asks an authenticator for: the own mailbox comes first where the server asks for that.
    static func options(_ caller: AccountCaller) async throws -> WireAnswer {
        let begun = try await caller.send("POST", path + "addPasskey", "{}")
        guard begun["publicKey"] == nil, let token = begun.text("continuationToken") else { return begun }
        let code = try #require(try await caller.server.mailbox.mails().first?.code)
        return try await caller.send(
            "POST", path + "confirmPasskey", #"{"continuationToken":"\#(token)","code":"\#(code)"}"#)
    }

    func make(_ options: WireAnswer) async throws -> String {
        try await make(try #require(options["publicKey"], "\(options)"))
    }

    func make(_ options: JSON) async throws -> String {
        try await device.create(PasskeyCreation(json: options.encoded)).json
    }

    func confirm(_ answer: String, _ options: WireAnswer, _ caller: AccountCaller) async throws -> WireAnswer {
        let token = try #require(options.text("continuationToken"))
        return try await caller.send(
            "POST", Self.path + "confirmPasskey",
            #"{"continuationToken":"\#(token)","publicKeyCredential":\#(answer),"displayName":"Phone"}"#)
    }

    /// Adds a passkey of this device to the account of the caller.
    @discardableResult
    static func add(to caller: AccountCaller, _ passkey: TestPasskey = TestPasskey()) async throws -> TestPasskey {
        let options = try await options(caller)
        let added = try await passkey.confirm(try await passkey.make(options), options, caller)
        #expect(added.status == 204, "\(added)")
        return passkey
    }

    /// The options of a sign-in without a name, with their token.
    static func begin(_ client: WireClient, capabilities: String? = nil) async throws -> WireAnswer {
        let started = try await client.post(
            .signInInitiate,
            [("challenge_type", words)] + (capabilities.map { [("capabilities", $0)] } ?? []))
        return try await client.signInChallenge(started.token, id: nil, [("challenge_type", "passkey redirect")])
    }

    /// - Parameter challenge: One to sign in place of that of the options.
    func sign(_ options: WireAnswer, challenge: String? = nil) async throws -> String {
        var members = try #require(options["public_key"]?.object, "\(options)")
        if let challenge { members["challenge"] = .string(challenge) }
        return try await device.get(PasskeyRequest(json: JSON.object(members).encoded), style: .modal).json
    }

    static func token(
        _ answer: String, _ options: WireAnswer, _ client: WireClient, grant: String = "passkey",
        claims: String? = nil, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        try await client.post(
            .token,
            [
                ("grant_type", grant), ("continuation_token", try options.token), ("credential", answer),
                ("scope", scope), ("client_info", "1"),
            ] + (claims.map { [("claims", $0)] } ?? []))
    }

    /// Signs in without a name.
    func signIn(
        _ client: WireClient, claims: String? = nil, scope: String = "openid profile offline_access"
    ) async throws -> WireAnswer {
        let options = try await Self.begin(client)
        return try await Self.token(try await sign(options), options, client, claims: claims, scope: scope)
    }
}

extension JSON {
    fileprivate var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    /// As text.
    var encoded: String {
        get throws { String(decoding: try WireJSON.encode(value), as: UTF8.self) }
    }

    private var value: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .boolean(let flag): .boolean(flag)
        case .array(let items): .array(items.map(\.value))
        case .object(let members): .object(members.mapValues(\.value))
        case .null: .null
        }
    }
}
