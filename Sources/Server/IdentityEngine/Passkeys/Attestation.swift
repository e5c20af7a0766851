import PortableFoundation

/// An attestation object (WebAuthn Level 3 section 6.5.4).
///
/// The server asks for no attestation and derives no trust from one.
struct Attestation {
    /// In bytes.
    static let sizes = 1...12_288
    /// A compound statement has statements of other formats inside.
    private static let deepestCompound = 6

    let authenticatorData: Data
    private let format: String
    private let statement: CTAPReader.Value

    /// - Throws: ``PasskeyFault/malformedAttestation`` for anything but a map of exactly the three members.
    init(_ bytes: Data) throws(PasskeyFault) {
        guard let object = CTAPReader.value(of: bytes, deepest: Self.deepestCompound),
            case .map(let members) = object, members.count == 3, case .text(let format) = members[.text("fmt")],
            let statement = members[.text("attStmt")], case .bytes(let data) = members[.text("authData")]
        else { throw .malformedAttestation }
        switch statement {
        case .array where format == "compound": break
        case .map where format != "compound" && object.depth <= CTAPReader.deepest: break
        case .integer, .bytes, .text, .array, .map, .boolean, .null: throw .malformedAttestation
        }
        self.authenticatorData = data
        self.format = format
        self.statement = statement
    }

    /// Steps 21 to 24 of WebAuthn section 7.1.
    ///
    /// - Parameters:
    ///   - key: The key of the new credential.
    ///   - clientDataDigest: SHA-256 of the client data, 32 bytes.
    /// - Throws: ``PasskeyFault/unsupportedFormat`` or ``PasskeyFault/wrongStatement``.
    func check(
        key: COSEKey, clientDataDigest: Data, signatures: any PasskeySignatures
    ) throws(PasskeyFault) {
        switch format {
        case "none":
            guard statement == .map([:]) else { throw .wrongStatement }
        case "packed":
            guard case .map(let members) = statement else { throw .wrongStatement }
            // A statement with certificates is signed with another key. It is not checked, and gives no trust.
            guard members[.text("x5c")] == nil else { return }
            guard members.count == 2, members[.text("alg")] == .integer(key.algorithm),
                case .bytes(let signature) = members[.text("sig")],
                signatures.isValid(signature, over: authenticatorData + clientDataDigest, by: key.key)
            else { throw .wrongStatement }
        // Not checked, and no reason to trust.
        case "tpm", "android-key", "apple", "fido-u2f", "compound": break
        // Also "android-safetynet": its service has ended.
        case _: throw .unsupportedFormat
        }
    }
}
