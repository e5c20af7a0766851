import NativeAuthCore
import PortableFoundation

/// The client data of a response (WebAuthn Level 3 section 5.8.1): what the browser or the system says of the request.
struct ClientData {
    enum Ceremony: String {
        case registration = "webauthn.create"
        case assertion = "webauthn.get"
    }

    /// In bytes.
    static let sizes = 20...4_096

    // Nil unless it is a text.
    private let type, encodedChallenge, origin: String?
    private let isCrossOrigin: Bool
    private let hasTopOrigin: Bool

    /// - Parameter bytes: The bytes as they were received. A UTF-8 byte order mark before the text is skipped, and
    ///   unknown members are ignored.
    /// - Throws: ``PasskeyFault/malformedClientData``.
    init(_ bytes: Data) throws(PasskeyFault) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes
        guard case .object(let members) = StrictJSON.value(of: text) else { throw .malformedClientData }
        type = members["type"]?.string
        encodedChallenge = members["challenge"]?.string
        origin = members["origin"]?.string
        // Anything but false counts as true.
        isCrossOrigin = members["crossOrigin"].map { $0 != .boolean(false) } ?? false
        hasTopOrigin = members["topOrigin"] != nil
    }

    /// Nil unless it is canonical base64url.
    var challenge: Data? { encodedChallenge.flatMap(Base64URL.decode) }

    /// The challenge in client data; nil if they are not readable.
    static func challenge(in bytes: Data) -> Data? {
        do {
            return try ClientData(bytes).challenge
        } catch {
            // The verification refuses them with this reason.
            return nil
        }
    }

    /// Steps 7 to 11 of WebAuthn section 7.1, which are steps 10 to 14 of section 7.2. Always refuses a response of an
    /// embedded page (`SEC-PK-3`).
    func check(_ ceremony: Ceremony, origins: Set<String>, isChallenge: (Data) -> Bool) throws(PasskeyFault) {
        guard let type, type.utf8.elementsEqual(ceremony.rawValue.utf8) else { throw .wrongType }
        guard let challenge, isChallenge(challenge) else { throw .wrongChallenge }
        // Two texts that Swift takes as equal may differ in their bytes.
        guard let origin, origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else { throw .wrongOrigin }
        guard !isCrossOrigin else { throw .crossOrigin }
        guard !hasTopOrigin else { throw .topOrigin }
    }
}
