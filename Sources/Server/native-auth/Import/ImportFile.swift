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

/// A file of users, read in chunks: plain, or sealed as `native-auth export users` writes it.
final class ImportFile {
    static let chunk = 1 << 18

    let path: String
    /// In bytes.
    let size: Int
    /// How many bytes were read.
    private(set) var position = 0
    private let descriptor: Int32
    private var sealed: SealedReader?
    private var isOver = false

    init(_ path: String) throws(StartFailure) {
        self.path = path
        // A pipe or a device has no end to wait for.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        if descriptor >= 0, fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            close(descriptor)
            throw .inputOutput("The file \(path) cannot be read: it is no regular file.")
        }
        let end = descriptor < 0 ? -1 : lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            throw .inputOutput("The file \(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        size = Int(end)
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit {
        close(descriptor)
    }

    /// SHA-256 of the file and of `words`. Reads the whole file.
    func digest(_ words: [String]) throws(StartFailure) -> Data {
        var hash = SHA256()
        for word in words { hash.update(data: Data("\(word.utf8.count) \(word)".utf8)) }
        while true {
            let bytes = try read(Self.chunk * 4)
            if bytes.isEmpty { break }
            hash.update(data: bytes)
        }
        rewind()
        return Data(hash.finalize())
    }

    /// Finds out whether the file is sealed, and opens it then.
    func begin(_ vault: Vault) throws -> Bool {
        let name = SealedFileKind.users.name
        let isSealed = try read(name.count).elementsEqual(name)
        rewind()
        guard isSealed else { return false }
        do {
            sealed = try SealedReader(vault, .users) { count throws(SealedStreamError) in
                do {
                    return Data(try self.read(count))
                } catch {
                    throw .system("the file cannot be read")
                }
            }
        } catch {
            throw StartFailure.inputOutput("The file \(path) \(error.ofUsers).")
        }
        return true
    }

    /// The first bytes of a file that is not sealed.
    func head() throws(StartFailure) -> [UInt8] {
        guard sealed == nil else { return [] }
        let bytes = try read(1 << 14)
        rewind()
        return bytes
    }

    /// The next bytes of the records; none at the end.
    func next() throws(StartFailure) -> [UInt8] {
        guard sealed != nil else { return try read(Self.chunk) }
        guard !isOver else { return [] }
        do throws(SealedStreamError) {
            let length = try sealed?.read(4).reduce(0) { $0 << 8 | Int($1) } ?? 0
            guard length == 0 else { return try sealed?.read(length) ?? [] }
            isOver = true
            try sealed?.expectEnd()
            return []
        } catch {
            throw .inputOutput("The file \(path) \(error.ofUsers).")
        }
    }

    private func rewind() {
        lseek(descriptor, 0, SEEK_SET)
        position = 0
    }

    /// Fewer bytes at the end only.
    private func read(_ count: Int) throws(StartFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let got = bytes.withUnsafeMutableBytes {
                systemRead(descriptor, $0.baseAddress.map { $0 + length }, count - length)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw .inputOutput("The file \(path) cannot be read: \(String(cString: strerror(errno))).")
            }
            if got == 0 { break }
            length += got
        }
        position += length
        return length == count ? bytes : Array(bytes.prefix(length))
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

extension SealedStreamError {
    /// The description, about a file of users.
    var ofUsers: String { self == .notSealed ? "is no export of users" : description }
}
