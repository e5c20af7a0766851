import CHost
import IdentityEngine
import IdentityStorePostgres
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a database cannot be used, in words for an operator.
struct DatabaseFault {
    var sentence: String
    var remedy: String
}

extension DatabaseAddress {
    /// - Parameter error: What opening, reading or writing the database threw.
    func fault(_ error: any Error, in dataFolder: String) -> DatabaseFault {
        if let path = path(in: dataFolder), let fault = FileAccess.fault(ofDatabase: path) { return fault }
        if let failure = error as? StartFailure {
            return DatabaseFault(
                sentence: failure.sentences.joined(separator: " "),
                remedy: "See --database, --data and --master-key-file.")
        }
        let place =
            switch self {
            case .sqlite: path(in: dataFolder) ?? dataFolder
            case .postgres(let place, _): place.description
            }
        return DatabaseFault(
            sentence: "The database \(place) cannot be read or written: \(Self.reason(error)).",
            remedy: path(in: dataFolder) == nil ? "See the log of PostgreSQL." : "See the disk of \(dataFolder).")
    }

    /// The database's own words, which name no type of this program.
    static func reason(_ error: any Error) -> String {
        switch error {
        case EngineError.store(let cause): reason(cause)
        case EngineError.tokens(TokenIssuerError.unavailable(let cause)): reason(cause)
        case TokenIssuerError.unavailable(let cause): reason(cause)
        case DataKeyError.store(let cause): reason(cause)
        case StoreError.unavailable(let cause): reason(cause)
        case StoreError.corrupt(let table): "a row of \(table) is damaged"
        case let failure as any LoggableFailure: failure.description
        case _: "an unexpected fault of the program"
        }
    }
}

/// What this user may do with a file.
enum FileAccess {
    /// The file of a database, or beside it, that this user cannot write; nil when there is none.
    static func fault(ofDatabase path: String) -> DatabaseFault? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        var facts = chost_file()
        // A file that is not there yet is made in the folder.
        for (name, isFolder) in [(folder, true), (path, false), (path + "-wal", false), (path + "-shm", false)]
        where chost_file_at(name, &facts) == 0 && access(name, isFolder ? W_OK | X_OK : R_OK | W_OK) != 0 {
            let user = userName(geteuid())
            let what = isFolder ? "folder" : "file"
            return DatabaseFault(
                sentence: """
                    The user \(user) cannot write the \(what) \(name), which belongs to \(userName(facts.owner)) \
                    (mode \(String(facts.mode & 0o7777, radix: 8))).
                    """,
                remedy: facts.owner == geteuid()
                    ? "chmod u+rw\(isFolder ? "x" : "") \(name)" : "chown \(user) \(name)")
        }
        return nil
    }

    /// Why a file cannot be read, as the end of a sentence; nil when it can.
    static func obstacle(toReading path: String) -> String? {
        guard access(path, R_OK) != 0 else { return nil }
        switch errno {
        case ENOENT, ENOTDIR: return "there is no such file"
        case EACCES: return "the user \(userName(geteuid())) may not read it"
        case let code: return String(cString: strerror(code))
        }
    }

    /// Whether this user can make files in a folder.
    static func canWrite(_ folder: String) -> Bool { access(folder, W_OK | X_OK) == 0 }

    /// The name of this process's user.
    static var user: String { userName(geteuid()) }

    private static func userName(_ number: uid_t) -> String {
        guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return "\(number)" }
        return String(cString: name)
    }
}
