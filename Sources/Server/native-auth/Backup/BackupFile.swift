import Crypto
import IdentityEngine
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A backup file. While it is written it has the suffix `.partial`, so that an incomplete file is not taken for a
/// backup.
final class BackupFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens a backup for reading.
    init(reading path: String) throws(StartFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .inputOutput("The backup \(path) cannot be read: \(String(cString: strerror(errno))).")
        }
    }

    /// Begins a backup that only its owner can read.
    init(making path: String) throws(StartFailure) {
        self.path = path
        guard access(path, F_OK) != 0 else {
            throw .usage(["There is a file \(path) already; this command never replaces another file."])
        }
        descriptor = open(path + ".partial", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .inputOutput("The file \(path).partial cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    deinit {
        close(descriptor)
    }

    func writer(_ vault: Vault, _ kind: SealedFileKind = .backup) throws(SealedStreamError) -> SealedWriter {
        try SealedWriter(vault, kind) { bytes throws(SealedStreamError) in try self.append(bytes) }
    }

    func append(_ bytes: Data) throws(SealedStreamError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }

    /// A reader from the beginning of the file.
    func reader(_ vault: Vault) throws(SealedStreamError) -> SealedReader {
        lseek(descriptor, 0, SEEK_SET)
        return try SealedReader(vault) { count throws(SealedStreamError) in try self.bytes(count) }
    }

    /// Makes the backup durable, under its final name.
    func keep() throws(StartFailure) {
        guard fsync(descriptor) == 0, rename(path + ".partial", path) == 0 else {
            throw .inputOutput("The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// Removes the incomplete file.
    func discard() {
        unlink(path + ".partial")
    }

    /// The size in bytes, and SHA-256 in hexadecimal as `sha256sum` prints it.
    func facts() throws(SealedStreamError) -> (size: Int, checksum: String) {
        lseek(descriptor, 0, SEEK_SET)
        var hash = SHA256()
        var size = 0
        while true {
            let bytes = try bytes(1 << 20)
            if bytes.isEmpty { break }
            hash.update(data: bytes)
            size += bytes.count
        }
        return (size, hash.finalize().map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined())
    }

    /// The next bytes: the requested number, or fewer at the end.
    private func bytes(_ count: Int) throws(SealedStreamError) -> Data {
        var bytes = Data(count: count)
        var length = 0
        while length < count {
            let read = bytes.withUnsafeMutableBytes { systemRead(self.descriptor, $0[length...]) }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .system(String(cString: strerror(errno))) }
            if read == 0 { break }
            length += read
        }
        return bytes.prefix(length)
    }
}

private func systemRead(_ descriptor: Int32, _ space: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    let space = UnsafeMutableRawBufferPointer(rebasing: space)
    return read(descriptor, space.baseAddress, space.count)
}
