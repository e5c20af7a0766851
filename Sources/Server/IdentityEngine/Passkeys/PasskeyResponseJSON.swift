import NativeAuthCore
import PortableFoundation

/// The members that both kinds of responses have.
struct PasskeyResponseJSON {
    /// In bytes.
    private static let longest = 16_384
    private static let mostTransports = 8
    /// In bytes.
    private static let transportSizes = 1...16

    let credentialID: Data
    private let response: [String: JSONValue]

    init(_ json: String) throws(PasskeyFault) {
        guard json.utf8.count <= Self.longest else { throw .wrongSize }
        guard let value = StrictJSON.value(of: json.utf8) else { throw .malformedJSON }
        guard case .object(let members) = value, members["type"]?.string == "public-key",
            let id = members["id"]?.string, let rawID = members["rawId"]?.string,
            case .object(let response) = members["response"]
        else { throw .malformedResponse }
        guard id.utf8.elementsEqual(rawID.utf8) else { throw .differentIDs }
        guard let credentialID = Base64URL.decode(id) else { throw .malformedResponse }
        guard AttestedCredential.idSizes.contains(credentialID.count) else { throw .wrongCredentialID }
        self.credentialID = credentialID
        self.response = response
    }

    /// The bytes of a member in canonical base64url without padding.
    func bytes(_ name: String, _ sizes: ClosedRange<Int>) throws(PasskeyFault) -> Data {
        guard let bytes = try optionalBytes(name, sizes) else { throw .malformedResponse }
        return bytes
    }

    /// Nil if the member is absent or null.
    func optionalBytes(_ name: String, _ sizes: ClosedRange<Int>) throws(PasskeyFault) -> Data? {
        guard let value = response[name], value != .null else { return nil }
        guard let bytes = value.string.flatMap(Base64URL.decode) else { throw .malformedResponse }
        guard sizes.contains(bytes.count) else { throw .wrongSize }
        return bytes
    }

    /// Empty if the member is absent or null.
    func transports() throws(PasskeyFault) -> [String] {
        guard let value = response["transports"], value != .null else { return [] }
        guard case .array(let values) = value else { throw .malformedResponse }
        guard values.count <= Self.mostTransports else { throw .wrongSize }
        var transports: [String] = []
        for value in values {
            guard let name = value.string else { throw .malformedResponse }
            guard Self.transportSizes.contains(name.utf8.count) else { throw .wrongSize }
            guard name.utf8.allSatisfy(Self.isOfTransport) else { throw .malformedResponse }
            transports.append(name)
        }
        return transports
    }

    private static func isOfTransport(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case _: false
        }
    }
}
