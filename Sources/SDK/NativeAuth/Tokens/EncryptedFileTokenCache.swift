import Crypto
import NativeAuthCore
public import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps sessions in one file, sealed with AES-256-GCM (`SDK-STO-2`). Several processes may use the file at the same
/// time (`SDK-STO-4`).
///
/// The folder has the mode 0700 and the file 0600, and both belong to the effective user; anything else is refused. New
/// content replaces the old content atomically, and is on the disk before a call returns. Damaged content is moved
/// aside, next to the file, and never overwritten (`SDK-STO-3`); the app can remove such files.
///
/// A call may wait a few milliseconds for the write of another process.
public struct EncryptedFileTokenCache: TokenCache, CustomStringConvertible, CustomReflectable {
    private let folder: String
    private let key: Secret<SymmetricKey>

    private static let fileName = "tokens"
    private static let lockName = "tokens.lock"
    private static let temporaryName = "tokens.new"
    private static let renewalLockName = "tokens.renewal"

    /// A cache in `folder`. The first call creates the folder if its parent exists.
    ///
    /// - Parameters:
    ///   - folder: A folder that only this cache uses.
    ///   - key: 256 random bits, 32 bytes. Keep them where other users and backups do not reach, such as a keyring.
    /// - Throws: ``TokenCacheError/invalidKey``, or ``TokenCacheError/wrongKind(_:)`` when `folder` is not a file URL.
    public init(folder: URL, key: Data) throws(TokenCacheError) {
        guard key.count == 32 else { throw .invalidKey }
        guard folder.isFileURL else { throw .wrongKind(folder.absoluteString) }
        var path = folder.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.folder = path
        self.key = Secret(SymmetricKey(data: key))
    }

    public var description: String { "EncryptedFileTokenCache(\(folder))" }
    public var customMirror: Mirror { Mirror(self, children: ["folder": folder]) }

    /// - Throws: Every case of ``TokenCacheError`` that is about files.
    public func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        let directory = try openFolder()
        let lock = try directory.open(Self.lockName, O_RDWR | O_CREAT)
        try lock.lock()
        defer { lock.unlock() }

        var content = TokenFile()
        if let file = try directory.openIfThere(Self.fileName, O_RDONLY) {
            guard let found = TokenFile(sealed: try file.read(atMost: TokenFile.maximumSize + 1), key: key.reveal())
            else {
                let place = "\(Self.fileName).aside-\(UUID().text)"
                try directory.rename(Self.fileName, to: place)
                throw .setAside("\(folder)/\(place)")
            }
            content = found
        }
        let before = content.applications[application] ?? [:]
        var items = before
        let result = body(&items)
        guard items != before else { return result }
        content.applications[application] = items.isEmpty ? nil : items

        // The lock is held, so a file left behind by a killed process is no longer in use.
        try directory.removeIfThere(Self.temporaryName)
        do throws(TokenCacheError) {
            try directory.open(Self.temporaryName, O_WRONLY | O_CREAT | O_EXCL)
                .writeDurably(try content.sealed(key: key.reveal()))
            try directory.rename(Self.temporaryName, to: Self.fileName)
        } catch {
            try directory.removeIfThere(Self.temporaryName)
            throw error
        }
        return result
    }

    /// Also waits for refreshes of other accounts. The lock ends with the process that holds it, so a killed process
    /// leaves none behind.
    public func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        let lock = await lockRenewals()
        defer { lock?.unlock() }
        return await renewal()
    }

    private func lockRenewals() async -> File? {
        let end = ContinuousClock.now + Turns.patience
        do {
            let lock = try openFolder().open(Self.renewalLockName, O_RDWR | O_CREAT)
            // The system reports the release of a lock only to a blocked thread, so poll instead.
            while try !lock.tryLock() {
                guard ContinuousClock.now < end else { return nil }
                try await Task.sleep(for: .milliseconds(5))
            }
            return lock
        } catch {
            // The next reader of the cache reports the fault of the folder.
            return nil
        }
    }

    private func openFolder() throws(TokenCacheError) -> Folder {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system("mkdir", code: errno) }
        return try Folder(path: folder)
    }
}

// MARK: - Content

/// The content of the file, by application and by item.
struct TokenFile: Hashable, Sendable, Codable {
    static let maximumSize = 16_777_216
    /// The type and format version of the file; sealed with it as associated data.
    private static let header = Data("native-auth tokens 1\n".utf8)

    var applications: [String: [String: Data]] = [:]

    init() {}

    /// Nil for anything except the output of ``sealed(key:)`` with the same key. The reason does not matter: the caller
    /// moves the content aside.
    init?(sealed: Data, key: SymmetricKey) {
        guard sealed.count <= Self.maximumSize, sealed.starts(with: Self.header) else { return nil }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.header.count))
            self = try JSONDecoder().decode(Self.self, from: AES.GCM.open(box, using: key, authenticating: Self.header))
        } catch {
            return nil
        }
    }

    func sealed(key: SymmetricKey) throws(TokenCacheError) -> Data {
        do {
            let box = try AES.GCM.seal(JSONEncoder().encode(self), using: key, authenticating: Self.header)
            return Self.header + box.nonce + box.ciphertext + box.tag
        } catch {
            // Text and bytes always encode, and a key of 256 bits always seals.
            throw .system("seal", code: EINVAL)
        }
    }
}

// MARK: - Files

// Names for two functions of the C library that the methods below would hide.
private func openPath(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func readBytes(_ number: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(number, buffer, count)
}

/// An open file or folder, closed with the last reference.
private class Descriptor {
    let number: Int32
    let path: String

    /// Takes ownership of `number`. It must be the last argument to be evaluated: a negative value means that `errno`
    /// has the error.
    init(path: String, _ number: Int32) throws(TokenCacheError) {
        let code = errno
        self.number = number
        self.path = path
        guard number >= 0 else {
            // Systems report a link with either code, depending on whether a folder was requested.
            if code == ELOOP || code == ENOTDIR || code == EMLINK {
                var status = stat()
                let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
                throw isLink ? .symbolicLink(path) : .wrongKind(path)
            }
            throw .system("open", code: code)
        }
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// Throws when other users own the file or may access it.
    func check(kind: mode_t) throws(TokenCacheError) {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .system("fstat", code: errno) }
        guard status.st_mode & S_IFMT == kind else { throw .wrongKind(path) }
        guard status.st_uid == geteuid() else { throw .foreignOwner(path) }
        guard status.st_mode & 0o077 == 0 else { throw .tooOpen(path) }
        // A second name, such as a hard link elsewhere, would be an unprotected path to the content.
        guard kind == S_IFDIR || status.st_nlink <= 1 else { throw .wrongKind(path) }
    }

    func sync() throws(TokenCacheError) {
        guard fsync(number) == 0 else { throw .system("fsync", code: errno) }
    }
}

private final class Folder: Descriptor {
    init(path: String) throws(TokenCacheError) {
        try super.init(path: path, openPath(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        try check(kind: S_IFDIR)
    }

    func open(_ name: String, _ flags: Int32) throws(TokenCacheError) -> File {
        // Non-blocking, so that a pipe in place of the file cannot block the process.
        let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return try File(path: "\(path)/\(name)", openat(number, name, flags, 0o600))
    }

    func openIfThere(_ name: String, _ flags: Int32) throws(TokenCacheError) -> File? {
        do throws(TokenCacheError) {
            return try open(name, flags)
        } catch .system("open", code: ENOENT) {
            return nil
        }
    }

    func rename(_ name: String, to other: String) throws(TokenCacheError) {
        guard renameat(number, name, number, other) == 0 else { throw .system("rename", code: errno) }
        try sync()
    }

    func removeIfThere(_ name: String) throws(TokenCacheError) {
        guard unlinkat(number, name, 0) == 0 || errno == ENOENT else { throw .system("unlink", code: errno) }
    }
}

private final class File: Descriptor {
    override init(path: String, _ number: Int32) throws(TokenCacheError) {
        try super.init(path: path, number)
        try check(kind: S_IFREG)
    }

    func lock() throws(TokenCacheError) {
        while flock(number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("flock", code: errno) }
        }
    }

    /// False when another open file holds the lock.
    func tryLock() throws(TokenCacheError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .system("flock", code: errno) }
        }
        return true
    }

    func unlock() {
        _ = flock(number, LOCK_UN)
    }

    func read(atMost limit: Int) throws(TokenCacheError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while data.count < limit {
            let count = readBytes(number, &buffer, min(buffer.count, limit - data.count))
            if count == 0 { break }
            if count < 0 {
                guard errno == EINTR else { throw .system("read", code: errno) }
            } else {
                data.append(contentsOf: buffer.prefix(count))
            }
        }
        return data
    }

    func writeDurably(_ data: Data) throws(TokenCacheError) {
        // Sets the mode that the process's umask may have changed.
        guard fchmod(number, 0o600) == 0 else { throw .system("fchmod", code: errno) }
        let bytes = Array(data)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw .system("write", code: errno) }
            } else {
                written += count
            }
        }
        try sync()
    }
}
