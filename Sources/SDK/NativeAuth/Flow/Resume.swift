import Crypto
import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// A step, sealed for storage on disk: `Codable`, encrypted and authenticated with AES-256-GCM, and usable only with
/// the application and tenant that it was made with.
///
/// ```swift
/// let saved = try kept.saved(with: key)
/// …
/// let step: SignUpCodeRequired = try client.resume(saved, with: key)
/// ```
///
/// It is a credential until the flow is over. The app stores and deletes it; the server ends an unfinished flow after
/// some time, and then the step answers `expired`.
public struct Saved<Step: FlowStep & ~Copyable>: Hashable, Sendable, Codable {
    fileprivate let sealed: Data

    fileprivate init(sealed: Data) {
        self.sealed = sealed
    }

    public init(from decoder: any Decoder) throws {
        sealed = try decoder.singleValueContainer().decode(Data.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(sealed)
    }
}

/// The key that steps are saved with: 256 bits for the keychain, or wherever the app stores secrets. Its description is
/// redacted.
public struct ResumeKey: Sendable, Hashable {
    /// The 32 bytes.
    public var data: Data { secret.reveal() }
    private let secret: Secret<Data>

    /// A new, random key.
    public init() {
        secret = Secret(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// The key with these bytes, from ``data``; nil unless there are 32 bytes.
    public init?(data: Data) {
        guard data.count == 32 else { return nil }
        secret = Secret(data)
    }
}

/// Why a step cannot be saved or resumed.
public enum ResumeError: Error, Hashable, Sendable {
    /// The step was saved with another key, by another application or tenant, as another kind of step, or is damaged.
    case unreadable
    /// A newer version of this library saved the step.
    case newerVersion
    /// The step could not be sealed, or it has been taken and must not be saved any more.
    case notSaved
}

extension FlowStep where Self: ~Copyable {
    /// The step, sealed for storage on disk. The step itself stays usable; the flow accepts whichever of the two is
    /// used first.
    ///
    /// - Throws: ``ResumeError/notSaved``.
    public func saved(with key: ResumeKey) throws(ResumeError) -> Saved<Self> {
        Saved(sealed: try content.sealed(with: key))
    }
}

extension Kept where Step: ~Copyable {
    /// The same as ``FlowStep/saved(with:)``.
    ///
    /// - Throws: ``ResumeError/notSaved``, also when the step has been taken.
    public func saved(with key: ResumeKey) throws(ResumeError) -> Saved<Step> {
        guard let content else { throw .notSaved }
        return Saved(sealed: try content.sealed(with: key))
    }
}

extension NativeAuthClient {
    /// The step that was saved. Sends no request: the next call shows whether the flow is still alive.
    ///
    /// - Throws: ``ResumeError/unreadable`` or ``ResumeError/newerVersion``.
    public func resume<Step: FlowStep & ~Copyable>(
        _ saved: Saved<Step>, with key: ResumeKey
    ) throws(ResumeError) -> Step {
        let content = try StepContent(opening: saved.sealed, with: key, of: self)
        guard let step = Step(content: content, client: self) else { throw .unreadable }
        return step
    }
}

/// The content of a step. Not for apps: see ``FlowStep/saved(with:)``. Its description is empty.
public struct StepContent: Sendable, CustomStringConvertible, CustomReflectable {
    /// The kind of the step.
    enum Kind: String, Codable {
        case signUpCode, signUpPassword, signUpAttributes, signUpCompleted
        case signInCode, signInPassword, mfa, mfaCode, registration, registrationCode, registrationApp
        case resetCode, newPassword, resetCompleted
        case changeEmailCode, addMethodCode, addPhoneCode, ownMailboxCode, authenticatorApp
        case passkeyMailboxCode, newPasskey
        case mailbox, mailboxCode, link
        case identityMailboxCode, newIdentity
    }

    let flow: Flow
    var fields: Fields

    /// The values that are sealed.
    struct Fields: Codable {
        var kind: Kind
        var username: String
        var correlationID: UUID
        var continuationToken: String?
        var scopes: [String]
        var claims: String?
        var code: SentCode?
        var attempts: Int?
        var required: [RequiredAttribute]?
        var methods: [AuthMethod]?
        var expiresIn: Int?
        var isPasswordUnused: Bool?
        var homeAccountID: String?
        var authenticatorKey: AuthenticatorKey?
        var passkeyOptions: String?
        var providerNonce: String?
        var address: String?
    }

    private static let version: UInt8 = 1

    init(_ kind: Kind, _ state: some StepState) {
        flow = state.flow
        fields = Fields(
            kind: kind, username: flow.username, correlationID: flow.correlationID,
            continuationToken: flow.continuationToken?.reveal(), scopes: flow.scopes, claims: flow.claims,
            attempts: flow.attempts, isPasswordUnused: flow.isPasswordUnused,
            homeAccountID: flow.homeAccountID)
        state.fill(&fields)
    }

    /// One version byte, then nonce, ciphertext and tag. The associated data names application and tenant.
    func sealed(with key: ResumeKey) throws(ResumeError) -> Data {
        do {
            let box = try AES.GCM.seal(
                WireJSON.encode(fields), using: SymmetricKey(data: key.data),
                authenticating: Self.owner(flow.client))
            guard let combined = box.combined else { throw ResumeError.notSaved }
            return Data([Self.version]) + combined
        } catch {
            throw .notSaved
        }
    }

    init(opening sealed: Data, with key: ResumeKey, of client: NativeAuthClient) throws(ResumeError) {
        guard let version = sealed.first else { throw .unreadable }
        guard version == Self.version else { throw version > Self.version ? .newerVersion : .unreadable }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
            let data = try AES.GCM.open(
                box, using: SymmetricKey(data: key.data), authenticating: Self.owner(client))
            fields = try WireJSON.decode(from: data)
        } catch {
            throw .unreadable
        }
        var flow = Flow(client: client, username: fields.username, correlationID: fields.correlationID)
        flow.continuationToken = fields.continuationToken.map { Secret($0) }
        flow.scopes = fields.scopes
        flow.claims = fields.claims
        flow.attempts = fields.attempts ?? 0
        flow.isPasswordUnused = fields.isPasswordUnused ?? false
        flow.homeAccountID = fields.homeAccountID
        self.flow = flow
    }

    private static func owner(_ client: NativeAuthClient) -> Data {
        let configuration = client.api.configuration
        return Data("step \(version)\n\(configuration.clientID.lowercased())\n\(configuration.authority)".utf8)
    }

    public var description: String { "StepContent" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
