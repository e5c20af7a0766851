import IdentityEngine
import Logging
import NativeAuthCore
import PortableFoundation

/// The unknown attribute names that apps sent most recently, for the home page: each once per application, at most 20.
final class UnknownAttributeList: Sendable {
    struct Entry: Hashable, Sendable {
        var name: String
        var application: String
        var lastSeen: Date
    }

    private static let longest = 20
    private let newestFirst = Locked<[Entry]>([])

    var entries: [Entry] { newestFirst.withLock { $0 } }

    func note(_ unknown: UnknownAttributes, at time: Date) {
        let application = unknown.application.displayName
        newestFirst.withLock { entries in
            for name in unknown.names.prefix(Self.longest) {
                entries.removeAll { $0.name == name && $0.application == application }
                entries.insert(Entry(name: name, application: application, lastSeen: time), at: 0)
            }
            entries.removeLast(max(0, entries.count - Self.longest))
        }
    }
}

extension UnknownAttributes {
    /// The largest number of names in a log line or a hint.
    private static let told = 5

    /// The log metadata: the application, the number of names, and the names that look like attribute names. Any other
    /// text could be a value in the wrong place (`SEC-LOG-2`).
    var logMetadata: Logger.Metadata {
        let words = names.lazy.filter(Self.isWord).prefix(Self.told).joined(separator: " ")
        return ["application": "\(application.id)", "count": "\(names.count)", "names": "\(words)"]
    }

    /// The hint for the developer, in ASCII without quotes that a client might have to escape (RFC 6749 section 5.2).
    var hint: String {
        let ignored = names.prefix(Self.told).map { "'\(Self.shown($0))'" }.joined(separator: ", ")
        let known = self.known.prefix(20).joined(separator: ", ")
        return """
            Ignored, as no attribute of this application is called so: \(ignored)\(names.count > Self.told ? ", ..." : ""). Its \
            attributes are \(known)\(self.known.count > 20 ? ", ..." : "").
            """
    }

    private static func isWord(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.allSatisfy(isWordCharacter)
            && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    }

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    private static func shown(_ name: String) -> String {
        String(
            decoding: name.utf8.prefix(64).filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") },
            as: UTF8.self)
    }
}
