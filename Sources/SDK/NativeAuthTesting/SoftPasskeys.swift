public import NativeAuth
public import PortableFoundation
import SoftPasskeys

/// A device in software, for tests of an app: it makes passkeys and signs with them without a screen.
///
/// ```swift
/// let passkeys = SoftPasskeys()
/// passkeys.whenAsked = .cancel      // the user closes the sheet from now on
/// ```
///
/// Its keys are of P-256 (ES256), it finds its passkeys without a username, and it sends no attestation. All copies of a value
/// are the same device. Each ``init()`` makes a new device without passkeys.
public struct SoftPasskeys: PasskeyAuthenticator {
    private let authenticator = SoftAuthenticator()

    /// Makes a device without passkeys.
    public init() {}

    /// Makes a passkey. As on a device, it replaces one of the same relying party and account.
    ///
    /// - Throws: ``NativeAuth/PasskeyError/alreadyRegistered`` for an excluded passkey,
    ///   ``NativeAuth/PasskeyError/unsupported`` without ES256 among the algorithms, or what ``whenAsked`` says.
    public func create(_ options: PasskeyCreation) async throws(PasskeyError) -> PasskeyRegistration {
        try await authenticator.create(options)
    }

    /// Makes a passkey in a style. Silently, in ``NativeAuth/PasskeyCreationStyle/conditional``, it reports a user who is neither present
    /// nor verified; ``whenAsked`` says whether the password manager makes one.
    public func create(
        _ options: PasskeyCreation, style: PasskeyCreationStyle
    ) async throws(PasskeyError) -> PasskeyRegistration {
        try await authenticator.create(options, style: style)
    }

    /// Signs with the passkey that ``chosenUsername`` says. The style has no effect.
    ///
    /// - Throws: ``NativeAuth/PasskeyError/noPasskeyHere`` without an allowed passkey, or what ``whenAsked`` says.
    public func get(_ options: PasskeyRequest, style: PasskeyStyle) async throws(PasskeyError) -> PasskeyAssertion {
        try await authenticator.get(options, style: style)
    }

    /// The identifiers of the device's passkeys, the oldest first.
    public var credentialIDs: [Data] { authenticator.state.credentials.map(\.id) }

    /// Removes all passkeys, as a user does in the settings of the device. The server still has them.
    public func removeAll() {
        authenticator.state = SoftAuthenticator.State()
    }
}

// MARK: - The user

extension SoftPasskeys {
    /// The answer of the user to each question.
    public enum Answer: Hashable, Sendable {
        /// Agrees.
        case agree
        /// Closes the sheet: ``NativeAuth/PasskeyError/cancelled``.
        case cancel
        /// The system fails with this error.
        case fail(PasskeyError)
    }

    /// What the user does when asked. By default the user agrees.
    public var whenAsked: Answer {
        get {
            switch authenticator.behaviour.whenAsked {
            case .agree: .agree
            case .cancel: .cancel
            case .fail(let error): .fail(error)
            }
        }
        nonmutating set {
            switch newValue {
            case .agree: authenticator.behaviour.whenAsked = .agree
            case .cancel: authenticator.behaviour.whenAsked = .cancel
            case .fail(let error): authenticator.behaviour.whenAsked = .fail(error)
            }
        }
    }

    /// The user signs in with the passkey of this username; nil, the default, is the newest passkey.
    public var chosenUsername: String? {
        get { authenticator.behaviour.chosenUsername }
        nonmutating set { authenticator.behaviour.chosenUsername = newValue }
    }
}

// MARK: - The device

extension SoftPasskeys {
    /// How signatures are counted.
    public enum Counter: Hashable, Sendable {
        /// Always this number. Synchronised passkeys send 0.
        case fixed(UInt32)
        /// One more with each signature, from 1.
        case increasing
    }

    /// The origin that the device reports; nil, the default, is `https://` and the relying party's host name.
    public var origin: String? {
        get { authenticator.behaviour.origin }
        nonmutating set { authenticator.behaviour.origin = newValue }
    }

    /// Whether the user touched the device, as it reports; true by default.
    public var isUserPresent: Bool {
        get { authenticator.behaviour.isUserPresent }
        nonmutating set { authenticator.behaviour.isUserPresent = newValue }
    }

    /// Whether the device verified the user, as it reports; true by default.
    public var isUserVerified: Bool {
        get { authenticator.behaviour.isUserVerified }
        nonmutating set { authenticator.behaviour.isUserVerified = newValue }
    }

    /// Whether the passkeys can be synchronised; false by default. A true device never changes it for a passkey.
    public var isBackupEligible: Bool {
        get { authenticator.behaviour.isBackupEligible }
        nonmutating set { authenticator.behaviour.isBackupEligible = newValue }
    }

    /// Whether the passkeys are synchronised now; false by default.
    public var isBackedUp: Bool {
        get { authenticator.behaviour.isBackedUp }
        nonmutating set { authenticator.behaviour.isBackedUp = newValue }
    }

    /// How signatures are counted; always 0 by default.
    public var counter: Counter {
        get {
            switch authenticator.behaviour.counter {
            case .fixed(let count): .fixed(count)
            case .increasing: .increasing
            }
        }
        nonmutating set {
            switch newValue {
            case .fixed(let count): authenticator.behaviour.counter = .fixed(count)
            case .increasing: authenticator.behaviour.counter = .increasing
            }
        }
    }

    /// The model that new passkeys report (AAGUID); all zero by default.
    public var model: UUID {
        get { authenticator.behaviour.model }
        nonmutating set { authenticator.behaviour.model = newValue }
    }

    /// The transports that new passkeys report; `internal` by default.
    public var transports: [String] {
        get { authenticator.behaviour.transports }
        nonmutating set { authenticator.behaviour.transports = newValue }
    }
}

// MARK: - Lies

extension SoftPasskeys {
    /// A false statement in the answers of a device. A server has to refuse each one.
    public enum Lie: Hashable, Sendable, CaseIterable {
        /// The digest of another relying party's identifier.
        case wrongRelyingParty
        /// The type of the other operation: a registration says that it is a sign-in, and the reverse.
        case wrongType
        /// A challenge that the server did not send.
        case wrongChallenge
        /// A page of another origin embeds the page that asked.
        case crossOrigin
        /// The origin of an embedding page.
        case topOrigin
        /// A signature over other bytes. Only a sign-in has a signature.
        case badSignature
        /// The handle of an account that does not exist. Only a sign-in has a handle.
        case foreignUserHandle
        /// No handle. A server refuses it when the user is not known otherwise.
        case noUserHandle
    }

    /// The false statements from now on; none by default.
    public var lies: Set<Lie> {
        get { Set(authenticator.behaviour.lies.map(Lie.init)) }
        nonmutating set { authenticator.behaviour.lies = Set(newValue.map(\.soft)) }
    }

    /// The handle that sign-ins report, such as that of another account; nil, the default, is the passkey's own.
    public var claimedUserHandle: Data? {
        get { authenticator.behaviour.claimedUserHandle }
        nonmutating set { authenticator.behaviour.claimedUserHandle = newValue }
    }
}

extension SoftPasskeys.Lie {
    fileprivate init(_ lie: SoftBehaviour.Lie) {
        self =
            switch lie {
            case .wrongRelyingParty: .wrongRelyingParty
            case .wrongType: .wrongType
            case .wrongChallenge: .wrongChallenge
            case .crossOrigin: .crossOrigin
            case .topOrigin: .topOrigin
            case .badSignature: .badSignature
            case .foreignUserHandle: .foreignUserHandle
            case .noUserHandle: .noUserHandle
            }
    }

    fileprivate var soft: SoftBehaviour.Lie {
        switch self {
        case .wrongRelyingParty: .wrongRelyingParty
        case .wrongType: .wrongType
        case .wrongChallenge: .wrongChallenge
        case .crossOrigin: .crossOrigin
        case .topOrigin: .topOrigin
        case .badSignature: .badSignature
        case .foreignUserHandle: .foreignUserHandle
        case .noUserHandle: .noUserHandle
        }
    }
}
