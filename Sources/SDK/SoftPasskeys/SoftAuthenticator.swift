import Crypto
package import NativeAuth
import NativeAuthCore
import PortableFoundation

/// An authenticator in software with keys of P-256 (ES256): for tests, and for a terminal, which has no authenticator.
///
/// Its passkeys are discoverable, and it sends no attestation (format `none`). Nothing protects the private keys: do
/// not use it for accounts of value.
package final class SoftAuthenticator: PasskeyAuthenticator {
    /// What the authenticator remembers. It contains private keys: a file with it needs the mode 0600.
    package struct State: Hashable, Sendable, Codable {
        /// The passkeys, the oldest first. A relying party has one for each user handle.
        package var credentials: [SoftCredential]

        package init(credentials: [SoftCredential] = []) {
            self.credentials = credentials
        }
    }

    private struct Contents: Sendable {
        var state: State
        var behaviour: SoftBehaviour
    }

    private let contents: Locked<Contents>
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameter random: So many random bytes, for the identifiers of passkeys. Keys come from the system.
    package init(
        state: State = State(), behaviour: SoftBehaviour = SoftBehaviour(),
        random: @escaping @Sendable (Int) -> [UInt8] = { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    ) {
        contents = Locked(Contents(state: state, behaviour: behaviour))
        self.random = random
    }

    /// What the authenticator remembers now. A tool stores it after each call.
    package var state: State {
        get { contents.withLock { $0.state } }
        set { contents.withLock { $0.state = newValue } }
    }

    /// How the authenticator answers from now on.
    package var behaviour: SoftBehaviour {
        get { contents.withLock { $0.behaviour } }
        set { contents.withLock { $0.behaviour = newValue } }
    }

    /// Makes a passkey. As on a device, it replaces one of the same relying party and user handle.
    ///
    /// - Throws: ``NativeAuth/PasskeyError/alreadyRegistered`` for an excluded passkey,
    ///   ``NativeAuth/PasskeyError/unsupported`` without ES256 among the algorithms, or what
    ///   ``SoftBehaviour/whenAsked`` says.
    package func create(_ options: PasskeyCreation) async throws(PasskeyError) -> PasskeyRegistration {
        try await create(options, style: .modal)
    }

    /// The same in a style. In ``NativeAuth/PasskeyCreationStyle/conditional`` the user is not asked: the answer says that the user is neither
    /// present nor verified, as that of Apple's systems does.
    package func create(
        _ options: PasskeyCreation, style: PasskeyCreationStyle
    ) async throws(PasskeyError) -> PasskeyRegistration {
        try Self.checkCancellation()
        return try contents.withLock { contents in
            Result { () throws(PasskeyError) in try create(options, style, &contents) }
        }.get()
    }

    /// Signs with the passkey that the user chooses. The style has no effect: nothing is shown.
    ///
    /// - Throws: ``NativeAuth/PasskeyError/noPasskeyHere`` without an allowed passkey, or what
    ///   ``SoftBehaviour/whenAsked`` says.
    package func get(_ options: PasskeyRequest, style: PasskeyStyle) async throws(PasskeyError) -> PasskeyAssertion {
        try Self.checkCancellation()
        return try contents.withLock { contents in
            Result { () throws(PasskeyError) in try get(options, &contents) }
        }.get()
    }

    private static func checkCancellation() throws(PasskeyError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func create(
        _ options: PasskeyCreation, _ style: PasskeyCreationStyle, _ contents: inout Contents
    ) throws(PasskeyError) -> PasskeyRegistration {
        var behaviour = contents.behaviour
        switch style {
        case .modal: break
        case .conditional: (behaviour.isUserPresent, behaviour.isUserVerified) = (false, false)
        }
        let own = contents.state.credentials.filter { $0.relyingPartyID == options.relyingPartyID }
        guard let algorithm = options.algorithms.first(where: SoftAnswer.algorithms.contains) else {
            throw .unsupported
        }
        try behaviour.whenAsked.check()
        guard !own.contains(where: { options.excludedCredentials.contains($0.id) }) else { throw .alreadyRegistered }
        let key = P256.Signing.PrivateKey()
        let credential = SoftCredential(
            id: Data(random(32)), relyingPartyID: options.relyingPartyID, userHandle: options.userHandle,
            username: options.username, displayName: options.displayName, privateKey: key.rawRepresentation)
        contents.state.credentials.removeAll {
            $0.relyingPartyID == options.relyingPartyID && $0.userHandle == options.userHandle
        }
        contents.state.credentials.append(credential)
        let answer = SoftAnswer(
            behaviour: behaviour, relyingPartyID: options.relyingPartyID, challenge: options.challenge)
        return answer.registration(of: credential, key: key.publicKey, algorithm: algorithm)
    }

    private func get(_ options: PasskeyRequest, _ contents: inout Contents) throws(PasskeyError) -> PasskeyAssertion {
        let behaviour = contents.behaviour
        let chosen = contents.state.credentials.lastIndex { credential in
            credential.relyingPartyID == options.relyingPartyID
                && (options.allowedCredentials.isEmpty || options.allowedCredentials.contains(credential.id))
                && (behaviour.chosenUsername.map { $0 == credential.username } ?? true)
        }
        guard let chosen else { throw .noPasskeyHere }
        try behaviour.whenAsked.check()
        switch behaviour.counter {
        case .fixed(let count): contents.state.credentials[chosen].signatureCount = count
        case .increasing: contents.state.credentials[chosen].signatureCount &+= 1
        }
        let answer = SoftAnswer(
            behaviour: behaviour, relyingPartyID: options.relyingPartyID, challenge: options.challenge)
        return try answer.assertion(of: contents.state.credentials[chosen])
    }
}

extension SoftBehaviour.Answer {
    fileprivate func check() throws(PasskeyError) {
        switch self {
        case .agree: return
        case .cancel: throw .cancelled
        case .fail(let error): throw error
        }
    }
}
