import Crypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Why a sealed stream could not be written, or does not read as it was written. Each description is the end of a sentence about
/// the file.
package enum SealedStreamError: Error, Equatable, CustomStringConvertible {
    /// It begins in another way.
    case notSealed
    /// Another version of this program has written it in another format.
    case otherFormat
    /// Another master key has sealed it.
    case otherKey
    /// The piece with this number, counted from 1, was altered.
    case altered(piece: Int)
    /// It ends before its end.
    case cut
    /// More follows behind its end.
    case continued
    /// The system could not write or read it; its word.
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

/// The format of a sealed stream: a head, and pieces of up to 64 KiB, each with its length (4 bytes) in front and sealed with
/// AES-256-GCM under a key that is this stream's own. The nonce of a piece is its number, and whether it is the last one; so a
/// piece that was moved, left out or cut off does not open.
private enum SealedFormat {
    static let name = Data("native-auth backup ".utf8)
    static let version = Data("1\n".utf8)
    static let saltLength = 32
    static let headLength = name.count + version.count + 4 + saltLength
    static let pieceLength = 65_536
    static let tagLength = 16

    static func key(_ vault: Vault, salt: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: vault.masterKey, salt: salt, info: Data("backup".utf8), outputByteCount: 32)
    }

    static func nonce(_ number: UInt64, isLast: Bool) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(
            data: Data(count: 3) + withUnsafeBytes(of: number.bigEndian) { Data($0) } + Data([isLast ? 1 : 0]))
    }
}

/// Seals a stream of bytes of any length, without ever holding more than a piece of it.
package struct SealedWriter {
    private let sink: (Data) throws(SealedStreamError) -> Void
    private let key: SymmetricKey
    private let head: Data
    private var waiting = Data()
    private var number: UInt64 = 0

    /// - Parameter sink: Takes what is to be written, in order.
    package init(_ vault: Vault, sink: @escaping (Data) throws(SealedStreamError) -> Void) throws(SealedStreamError) {
        self.sink = sink
        let salt = Data(vault.randomness.bytes(SealedFormat.saltLength))
        head = SealedFormat.name + SealedFormat.version + vault.masterKeyID + salt
        key = SealedFormat.key(vault, salt: salt)
        try sink(head)
    }

    package mutating func write(_ bytes: Data) throws(SealedStreamError) {
        waiting += bytes
        while waiting.count > SealedFormat.pieceLength {
            try seal(Data(waiting.prefix(SealedFormat.pieceLength)), isLast: false)
            waiting = Data(waiting.dropFirst(SealedFormat.pieceLength))
        }
    }

    /// Writes the last piece; nothing may be written afterwards.
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

/// Reads what ``SealedWriter`` wrote, piece by piece; no byte is given out that was not checked.
package struct SealedReader {
    /// Gives the next bytes, as many as asked for but at the end.
    private let source: (Int) throws(SealedStreamError) -> Data
    private let key: SymmetricKey
    private let head: Data
    private var number: UInt64 = 0
    private var piece: [UInt8] = []
    private var position = 0
    private var isLast = false

    package init(_ vault: Vault, source: @escaping (Int) throws(SealedStreamError) -> Data) throws(SealedStreamError) {
        self.source = source
        head = try source(SealedFormat.headLength)
        guard head.starts(with: SealedFormat.name) else { throw .notSealed }
        guard head.count == SealedFormat.headLength else { throw .cut }
        var rest = head.dropFirst(SealedFormat.name.count)
        guard rest.starts(with: SealedFormat.version) else { throw .otherFormat }
        rest = rest.dropFirst(SealedFormat.version.count)
        guard rest.prefix(4) == vault.masterKeyID else { throw .otherKey }
        key = SealedFormat.key(vault, salt: Data(rest.dropFirst(4)))
    }

    /// The next `count` bytes.
    ///
    /// - Throws: ``SealedStreamError/cut`` when there are fewer.
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

    /// Makes sure that everything was read.
    package mutating func expectEnd() throws(SealedStreamError) {
        if !isLast, position == piece.count { try open() }
        guard isLast, position == piece.count, try source(1).isEmpty else { throw .continued }
    }

    private mutating func open() throws(SealedStreamError) {
        // A stream that says what it holds is never read beyond that; so whoever asks for more has been told less.
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
            // The caller says which piece it was.
            return nil
        }
    }
}
