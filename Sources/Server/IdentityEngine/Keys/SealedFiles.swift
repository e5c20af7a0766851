import Crypto
package import PortableFoundation

/// Why a sealed stream could not be written, or cannot be read. Each description is the end of a sentence about the
/// file.
package enum SealedStreamError: Error, Equatable, CustomStringConvertible {
    /// The stream does not begin with the header of a sealed stream.
    case notSealed
    /// Another version of this program wrote the stream in another format.
    case otherFormat
    /// The stream was sealed with another master key.
    case otherKey
    /// The piece with this number, counted from 1, was changed.
    case altered(piece: Int)
    /// The stream is truncated.
    case cut
    /// Bytes follow after the end of the stream.
    case continued
    /// The system could not write or read the stream; the value is the system's message.
    case system(String)

    package var description: String {
        switch self {
        case .notSealed: "is no backup of this program"
        case .otherFormat: "has a format that this version does not know"
        case .otherKey: "was made under another master key"
        case .altered(let piece): "was altered in its piece \(piece)"
        case .cut: "was cut: its end is missing"
        case .continued: "has something behind its end"
        case .system(let word): "cannot be written or read: \(word)"
        }
    }
}

/// The contents of a sealed stream. A stream of one kind does not open as another.
package enum SealedFileKind: String, Hashable, Sendable {
    case backup
    /// All users of a tenant, for an import.
    case users

    /// The beginning of a stream of this kind.
    package var name: Data { Data("native-auth \(rawValue) ".utf8) }
}

/// The format of a sealed stream: a header, then pieces of up to 64 KiB. Each piece has its length (4 bytes) in front
/// and is sealed with AES-256-GCM under a key of this stream only. The nonce of a piece is its number and whether it is
/// the last, so a piece that was moved, removed or truncated does not open.
private enum SealedFormat {
    static let version = Data("1\n".utf8)
    static let saltLength = 32
    /// The length of a header behind its name.
    static let restLength = version.count + 4 + saltLength
    static let pieceLength = 65_536
    static let tagLength = 16

    static func key(_ vault: Vault, _ kind: SealedFileKind, salt: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: vault.masterKey, salt: salt, info: Data(kind.rawValue.utf8), outputByteCount: 32)
    }

    static func nonce(_ number: UInt64, isLast: Bool) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(
            data: Data(count: 3) + withUnsafeBytes(of: number.bigEndian) { Data($0) } + Data([isLast ? 1 : 0]))
    }
}

/// Seals a stream of any length, with at most one piece in memory.
package struct SealedWriter {
    private let sink: (Data) throws(SealedStreamError) -> Void
    private let key: SymmetricKey
    private let head: Data
    private var waiting = Data()
    private var number: UInt64 = 0

    /// - Parameter sink: Receives the bytes to write, in order.
    package init(
        _ vault: Vault, _ kind: SealedFileKind = .backup,
        sink: @escaping (Data) throws(SealedStreamError) -> Void
    ) throws(SealedStreamError) {
        self.sink = sink
        let salt = Data(vault.randomness.bytes(SealedFormat.saltLength))
        head = kind.name + SealedFormat.version + vault.masterKeyID + salt
        key = SealedFormat.key(vault, kind, salt: salt)
        try sink(head)
    }

    package mutating func write(_ bytes: Data) throws(SealedStreamError) {
        waiting += bytes
        while waiting.count > SealedFormat.pieceLength {
            try seal(Data(waiting.prefix(SealedFormat.pieceLength)), isLast: false)
            waiting = Data(waiting.dropFirst(SealedFormat.pieceLength))
        }
    }

    /// Writes the last piece; do not write anything afterwards.
    package mutating func finish() throws(SealedStreamError) {
        try seal(waiting, isLast: true)
        waiting = Data()
    }

    private mutating func seal(_ piece: Data, isLast: Bool) throws(SealedStreamError) {
        let sealed: Data
        do {
            let box = try AES.GCM.seal(
                piece, using: key, nonce: SealedFormat.nonce(number, isLast: isLast), authenticating: head)
            sealed = box.ciphertext + box.tag
        } catch {
            throw .system("the cipher failed")
        }
        number += 1
        try sink(withUnsafeBytes(of: UInt32(sealed.count).bigEndian) { Data($0) } + sealed)
    }
}

/// Reads a stream of ``SealedWriter`` piece by piece, and returns only verified bytes.
package struct SealedReader {
    /// Returns the next bytes: the requested number, or fewer at the end.
    private let source: (Int) throws(SealedStreamError) -> Data
    private let key: SymmetricKey
    private let head: Data
    private var number: UInt64 = 0
    private var piece: [UInt8] = []
    private var position = 0
    private var isLast = false

    package init(
        _ vault: Vault, _ kind: SealedFileKind = .backup,
        source: @escaping (Int) throws(SealedStreamError) -> Data
    ) throws(SealedStreamError) {
        self.source = source
        let length = kind.name.count + SealedFormat.restLength
        head = try source(length)
        guard head.starts(with: kind.name) else { throw .notSealed }
        guard head.count == length else { throw .cut }
        var rest = head.dropFirst(kind.name.count)
        guard rest.starts(with: SealedFormat.version) else { throw .otherFormat }
        rest = rest.dropFirst(SealedFormat.version.count)
        guard rest.prefix(4) == vault.masterKeyID else { throw .otherKey }
        key = SealedFormat.key(vault, kind, salt: Data(rest.dropFirst(4)))
    }

    /// The next `count` bytes.
    ///
    /// - Throws: ``SealedStreamError/cut`` when the stream has fewer.
    package mutating func read(_ count: Int) throws(SealedStreamError) -> [UInt8] {
        if position + count <= piece.count {
            defer { position += count }
            return Array(piece[position..<position + count])
        }
        var bytes: [UInt8] = []
        while bytes.count < count {
            if position == piece.count { try open() }
            let part = piece[position..<min(piece.count, position + count - bytes.count)]
            bytes += part
            position += part.count
        }
        return bytes
    }

    /// Checks that the whole stream was read.
    package mutating func expectEnd() throws(SealedStreamError) {
        if !isLast, position == piece.count { try open() }
        guard isLast, position == piece.count, try source(1).isEmpty else { throw .continued }
    }

    private mutating func open() throws(SealedStreamError) {
        // The content tells its own length, so a read beyond the last piece means that the stream is truncated.
        guard !isLast else { throw .cut }
        let prefix = try source(4)
        guard prefix.count == 4 else { throw .cut }
        let length = prefix.reduce(0) { $0 << 8 | Int($1) }
        guard (SealedFormat.tagLength...SealedFormat.pieceLength + SealedFormat.tagLength).contains(length) else {
            throw .altered(piece: Int(number) + 1)
        }
        let sealed = try source(length)
        guard sealed.count == length else { throw .cut }
        if let opened = opened(sealed, isLast: false) {
            piece = opened
        } else if let opened = opened(sealed, isLast: true) {
            (piece, isLast) = (opened, true)
        } else {
            throw .altered(piece: Int(number) + 1)
        }
        number += 1
        position = 0
    }

    private func opened(_ sealed: Data, isLast: Bool) -> [UInt8]? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: SealedFormat.nonce(number, isLast: isLast), ciphertext: sealed.dropLast(SealedFormat.tagLength),
                tag: sealed.suffix(SealedFormat.tagLength))
            return Array(try AES.GCM.open(box, using: key, authenticating: head))
        } catch {
            // The caller adds the number of the piece.
            return nil
        }
    }
}
