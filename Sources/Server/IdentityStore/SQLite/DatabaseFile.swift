#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Why a database file could not be opened. Nothing was changed in it. Each description is one sentence that names the
/// path.
package enum SQLiteStoreOpenError: Error, Equatable, CustomStringConvertible {
    /// The file or its folder cannot be created, read or written; `reason` is the message of the operating system or
    /// SQLite.
    case unreadable(path: String, reason: String)
    /// The file is not a database of this program: it is text, or another program's database.
    case notADatabase(path: String)
    /// A newer version of this program has written the file; an older version would lose what that version added
    /// (`REL-TX-5`).
    case newerSchema(path: String)
    /// An older version of this program has written the file, and the caller must not change it.
    case olderSchema(path: String)
    /// Another process, or another store of this process, uses the file (`REL-HA-6`).
    case lockedByAnotherProcess(path: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "The database \(path) cannot be opened: \(reason)."
        case .notADatabase(let path): "The file \(path) is not a database of this program."
        case .newerSchema(let path): "The database \(path) was written by a newer version of this program."
        case .olderSchema(let path):
            "The database \(path) was written by an older version of this program; start the server once with this one."
        case .lockedByAnotherProcess(let path): "The database \(path) is in use by another process."
        }
    }
}

/// The right to use a database file: an advisory lock on `<path>.lock`, which the system releases when the process ends
/// for any reason.
final class DatabaseFile: Sendable {
    private let lock: Int32

    /// Creates the folder (0700) and the file (0600) if they are missing, takes the lock, and checks that the file is
    /// empty or an SQLite database.
    ///
    /// The lock is taken first: closing any descriptor of a database file releases SQLite's locks on it in the same
    /// process, so a file in use must not be opened and closed here.
    init(path: String) throws(SQLiteStoreOpenError) {
        try Self.makeFolder(of: path)
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        do throws(SQLiteStoreOpenError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? .lockedByAnotherProcess(path: path) : Self.unreadable(path)
            }
            try Self.inspect(path)
        } catch {
            close(descriptor)
            throw error
        }
        lock = descriptor
    }

    deinit {
        close(lock)
    }

    /// Releases the lock, for a store that was closed but is still referenced. Repeated calls are harmless.
    func release() {
        flock(lock, LOCK_UN)
    }

    /// `path` without symbolic links, so that all names of a file lead to the same lock; unchanged when there is no
    /// file yet.
    static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func inspect(_ path: String) throws(SQLiteStoreOpenError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: 16)
        let count = read(file, &header, header.count)
        guard count >= 0 else { throw unreadable(path) }
        guard count == 0 || header == Array("SQLite format 3\0".utf8) else { throw .notADatabase(path: path) }
        // SQLite gives the files beside it the same mode (`SEC-SEC-2`).
        guard fchmod(file, 0o600) == 0 else { throw unreadable(path) }
    }

    private static func makeFolder(of path: String) throws(SQLiteStoreOpenError) {
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            end = path.index(after: slash)
            guard mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
                throw unreadable(path)
            }
        }
    }

    private static func unreadable(_ path: String, _ code: Int32 = errno) -> SQLiteStoreOpenError {
        .unreadable(path: path, reason: String(cString: strerror(code)))
    }
}
