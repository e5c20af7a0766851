import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Reads the members of a server's passkey options. Each function throws ``PasskeyError/unusableOptions(_:)`` with the
/// path of the member that is missing or malformed: none has a default (`SEC-PK-22`).
struct PasskeyOptionsReader {
    private let members: [String: JSONValue]
    /// The path of this object with a full stop behind it; empty for the outermost one.
    private let prefix: String

    private init(members: [String: JSONValue], prefix: String) {
        self.members = members
        self.prefix = prefix
    }

    /// Reads a JSON object of up to 64 KiB.
    init(json: String) throws(PasskeyError) {
        // The length before the contents: the text is the server's.
        guard json.utf8.count <= 65_536 else { throw .unusableOptions("options") }
        do {
            members = try WireJSON.decode(from: Data(json.utf8))
        } catch {
            throw .unusableOptions("options")
        }
        prefix = ""
    }

    func object(_ name: String) throws(PasskeyError) -> PasskeyOptionsReader {
        guard case .object(let members) = members[name] else { throw unusable(name) }
        return PasskeyOptionsReader(members: members, prefix: "\(prefix)\(name).")
    }

    /// The objects of an array.
    func objects(_ name: String, count: ClosedRange<Int>) throws(PasskeyError) -> [PasskeyOptionsReader] {
        guard case .array(let values) = members[name], count.contains(values.count) else { throw unusable(name) }
        var readers: [PasskeyOptionsReader] = []
        for (index, value) in values.enumerated() {
            guard case .object(let members) = value else { throw unusable("\(name)[\(index)]") }
            readers.append(PasskeyOptionsReader(members: members, prefix: "\(prefix)\(name)[\(index)]."))
        }
        return readers
    }

    /// A text of so many bytes of UTF-8.
    func text(_ name: String, bytes: ClosedRange<Int>) throws(PasskeyError) -> String {
        guard case .string(let text) = members[name], bytes.contains(text.utf8.count) else { throw unusable(name) }
        return text
    }

    /// A host name in lower case. Not an IP address, which has no passkeys.
    func hostName(_ name: String) throws(PasskeyError) -> String {
        let host = try text(name, bytes: 1...253)
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isHost = labels.allSatisfy { label in
            !label.isEmpty && label.first != UInt8(ascii: "-")
                && label.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") }
        }
        guard isHost, labels.last?.allSatisfy(Self.isDigit) == false else { throw unusable(name) }
        return host
    }

    /// So many bytes in canonical base64url.
    func data(_ name: String, bytes: ClosedRange<Int>) throws(PasskeyError) -> Data {
        guard case .string(let text) = members[name], let data = Base64URL.decode(text),
            bytes.contains(data.count)
        else { throw unusable(name) }
        return data
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(PasskeyError) -> Int {
        guard case .integer(let number) = members[name], range.contains(number) else { throw unusable(name) }
        return number
    }

    /// Refuses every value except `value`.
    func require(_ name: String, _ value: JSONValue) throws(PasskeyError) {
        guard members[name] == value else { throw unusable(name) }
    }

    private func unusable(_ name: String) -> PasskeyError { .unusableOptions(prefix + name) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}

// The members that both kinds of options have.
extension PasskeyOptionsReader {
    func challenge() throws(PasskeyError) -> Data { try data("challenge", bytes: 16...128) }

    /// Milliseconds on the wire, seconds here.
    func timeout() throws(PasskeyError) -> TimeInterval {
        TimeInterval(try integer("timeout", in: 1...3_600_000)) / 1_000
    }

    /// The identifiers of a list of `PublicKeyCredentialDescriptorJSON`.
    func credentials(_ name: String) throws(PasskeyError) -> [Data] {
        var identifiers: [Data] = []
        for credential in try objects(name, count: 0...64) {
            try credential.require("type", .string("public-key"))
            identifiers.append(try credential.data("id", bytes: 1...1_023))
        }
        return identifiers
    }

    func algorithms() throws(PasskeyError) -> [Int] {
        var algorithms: [Int] = []
        for parameter in try objects("pubKeyCredParams", count: 1...32) {
            try parameter.require("type", .string("public-key"))
            algorithms.append(try parameter.integer("alg", in: -65_536...65_535))
        }
        return algorithms
    }
}
