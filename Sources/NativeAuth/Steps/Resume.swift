import Crypto
import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A step, sealed so that it may lie on disk: `Codable`, encrypted and authenticated with AES-256-GCM, good for the application
/// and tenant that it was made with only.
///
/// ```swift
/// let saved = try kept.saved(with: key)
/// …
/// let step: SignUpCodeRequired = try client.resume(saved, with: key)
/// ```
///
/// What it holds is a credential until the flow is over. It is the app's to keep and to throw away; the server ends a flow
/// that nobody goes on with, after which the step answers `expired`.
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

/// The key that steps are saved with: 256 bits that belong into the keychain, or wherever the app keeps secrets. Prints redacted.
public struct ResumeKey: Sendable, Hashable {
    /// The 32 bytes.
    public var data: Data { secret.reveal() }
    private let secret: Secret<Data>

    /// A new, random key.
    public init() {
        secret = Secret(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// The key that ``data`` came from; nil unless there are 32 bytes.
    public init?(data: Data) {
        guard data.count == 32 else { return nil }
        secret = Secret(data)
    }
}

/// Why a step cannot be saved or resumed.
public enum ResumeError: Error, Hashable, Sendable {
    /// It was saved with another key, by another application or tenant, as another kind of step, or is damaged.
    case unreadable
    /// It was saved by a newer version of this library.
    case newerVersion
    /// It could not be sealed, or the step has been taken and must not be saved any more.
    case notSaved
}

extension FlowStep where Self: ~Copyable {
    /// The step, sealed so that it may lie on disk. The step itself stays usable; whichever is used first, counts.
    ///
    /// - Throws: ``ResumeError/notSaved``.
    public func saved(with key: ResumeKey) throws(ResumeError) -> Saved<Self> {
        Saved(sealed: try content.sealed(with: key))
    }
}

extension Kept where Step: ~Copyable {
    /// As ``FlowStep/saved(with:)``.
    ///
    /// - Throws: ``ResumeError/notSaved``, also when the step has been taken.
    public func saved(with key: ResumeKey) throws(ResumeError) -> Saved<Step> {
        guard let content else { throw .notSaved }
        return Saved(sealed: try content.sealed(with: key))
    }
}

extension NativeAuthClient {
    /// The step that was saved. Asks no server: whether the flow is still alive shows with the next call.
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

/// What a step is made of. Not for apps: see ``FlowStep/saved(with:)``. Prints nothing.
public struct StepContent: Sendable, CustomStringConvertible, CustomReflectable {
    /// Which kind of step it is.
    enum Kind: String, Codable {
        case signUpCode, signUpPassword, signUpAttributes, signUpCompleted
        case signInCode, signInPassword, mfa, mfaCode, registration, registrationCode
        case resetCode, newPassword, resetCompleted
    }

    let flow: Flow
    var fields: Fields

    /// What is sealed.
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
    }

    private static let version: UInt8 = 1

    init(_ kind: Kind, _ flow: Flow, _ fill: (inout Fields) -> Void = { _ in }) {
        self.flow = flow
        fields = Fields(
            kind: kind, username: flow.username, correlationID: flow.correlationID,
            continuationToken: flow.continuationToken?.reveal(), scopes: flow.scopes, claims: flow.claims)
        fill(&fields)
    }

    /// The flow, if it is of the kind that is asked for.
    func flow(_ kind: Kind) -> Flow? {
        fields.kind == kind ? flow : nil
    }

    /// One byte for the version, then nonce, ciphertext and tag. Whose it is stands in the associated data.
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
        self.flow = flow
    }

    private static func owner(_ client: NativeAuthClient) -> Data {
        let configuration = client.api.configuration
        return Data("step \(version)\n\(configuration.clientID.lowercased())\n\(configuration.authority)".utf8)
    }

    public var description: String { "StepContent" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
