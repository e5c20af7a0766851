package import NativeAuth
package import PortableFoundation

/// How a ``SoftAuthenticator`` answers. The default is a device that is honest and whose passkeys are not synchronised.
package struct SoftBehaviour: Hashable, Sendable {
    /// The answer of the user.
    package enum Answer: Hashable, Sendable {
        /// Agrees.
        case agree
        /// Closes the sheet: ``NativeAuth/PasskeyError/cancelled``.
        case cancel
        /// The system fails with this error.
        case fail(PasskeyError)
    }

    /// How signatures are counted.
    package enum Counter: Hashable, Sendable {
        /// Always this number; synchronised passkeys send 0.
        case fixed(UInt32)
        /// One more with each signature; the registration has 0.
        case increasing
    }

    /// A false statement of an answer, for tests of a server.
    package enum Lie: Hashable, Sendable, CaseIterable {
        /// The digest of another relying party's identifier.
        case wrongRelyingParty
        /// The client data have the type of the other operation.
        case wrongType
        /// The client data have a challenge that the server did not send.
        case wrongChallenge
        /// The client data say that a page of another origin embeds the page.
        case crossOrigin
        /// The client data name the origin of an embedding page.
        case topOrigin
        /// The signature is one of the passkey's key, over other bytes. A registration has no signature.
        case badSignature
        /// The handle of an account that does not exist. A registration has no handle.
        case foreignUserHandle
        /// No handle. A registration has none anyway.
        case noUserHandle
    }

    package var whenAsked = Answer.agree
    /// The origin in the client data; nil is `https://` and the identifier of the relying party.
    package var origin: String?
    package var isUserPresent = true
    package var isUserVerified = true
    package var isBackupEligible = false
    package var isBackedUp = false
    package var counter = Counter.fixed(0)
    /// The AAGUID, in new passkeys.
    package var model = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    /// The transports of new passkeys.
    package var transports = ["internal"]
    /// The user chooses a passkey of this username; nil is the newest passkey.
    package var chosenUsername: String?
    package var lies: Set<Lie> = []
    /// The handle that assertions have, such as that of another account; nil is the passkey's own.
    package var claimedUserHandle: Data?

    package init() {}
}
