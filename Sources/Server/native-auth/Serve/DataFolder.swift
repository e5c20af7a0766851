import CHost
import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder with all data that must survive a restart: the database and the master key.
struct DataFolder {
    let path: String

    /// Creates the folder, readable only by its owner.
    init(_ path: String) throws(StartFailure) {
        self.path = path
        var facts = chost_file()
        if chost_file_at(path, &facts) == 0 {
            guard facts.mode & S_IFMT == S_IFDIR else { throw .inputOutput("--data \(path) is not a folder.") }
            return
        }
        guard mkdir(path, 0o700) == 0 else {
            throw .inputOutput("The data folder \(path) cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    /// The file of the master key that the server makes (`SEC-SEC-1`).
    var masterKeyFile: String { path + "/master.key" }

    /// Makes the master key, 32 random bytes in a file of mode 0600. Call it only for a database without sealed values.
    ///
    /// The file appears complete or not at all, and never replaces another one: of two processes at the same moment,
    /// one makes it.
    ///
    /// - Returns: The key in the file, and whether this call made it.
    func makeMasterKey() throws(StartFailure) -> (key: SymmetricKey, isNew: Bool) {
        let key = SymmetricKey(size: .bits256)
        let bytes = key.withUnsafeBytes { Array($0) }
        do throws(PrivateFile.Failure) {
            try PrivateFile.make(masterKeyFile, of: bytes)
            return (key, true)
        } catch {
            switch error {
            case .exists: return (try MasterKey.load(masterKeyFile), false)
            case .failed(let reason):
                throw .inputOutput("The master key \(masterKeyFile) cannot be made: \(reason).")
            }
        }
    }

    /// Removes a master key that this process made and that has sealed nothing.
    func removeMasterKey() {
        unlink(masterKeyFile)
    }
}

/// The source of the master key, which seals everything (`SEC-SEC-1`): 32 random bytes, the same for all servers of one
/// database.
enum MasterKey: Sendable {
    /// A file in the data folder, which the server makes for a new database.
    case inDataFolder
    /// A file that the operator made, for example with `head -c 32 /dev/urandom`.
    case file(String)
    /// Given in the environment, base64.
    case given(Secret<Data>)

    /// The key, which must exist.
    func load(in dataFolder: String) throws(StartFailure) -> SymmetricKey {
        switch self {
        case .inDataFolder: try Self.load(DataFolder(dataFolder).masterKeyFile)
        case .file(let path): try Self.load(path)
        case .given(let bytes): SymmetricKey(data: bytes.reveal())
        }
    }

    /// The key in a file that only this user and root can change.
    ///
    /// Kubernetes mounts a secret as a link to a file of root. A link is followed when no other user can turn it.
    fileprivate static func load(_ file: String) throws(StartFailure) -> SymmetricKey {
        for link in PrivateFolders.links(from: file) {
            guard PrivateFolders.exposed(on: PrivateFolders.folder(of: link)) == nil else {
                throw .inputOutput(
                    "The master key \(file) cannot be read: others may turn the link \(SettingsReader.shown(link)).")
            }
        }
        if !PrivateFolders.links(from: file).isEmpty, let folder = PrivateFolders.exposed(onTheWayTo: file) {
            throw .inputOutput(
                "The master key \(file) cannot be read: it is a link, and others may change the folder \(SettingsReader.shown(folder))."
            )
        }
        // Not blocked by a pipe in the place of the file.
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .inputOutput(
                "The master key \(file) cannot be read: \(FileAccess.obstacle(toReading: file) ?? "it is no file").")
        }
        defer { close(descriptor) }
        guard isPrivate(descriptor) else {
            throw .inputOutput(
                """
                The master key \(file) must belong to you and be readable by you alone (chmod 600), or belong to root, be writable \
                by root alone and not be readable by all (chmod 440), as in a secret of Kubernetes or Docker.
                """)
        }
        var bytes = [UInt8](repeating: 0, count: 33)
        let count = read(descriptor, &bytes, bytes.count)
        guard count == 32 else { throw .inputOutput("The master key \(file) is damaged: it must contain 32 bytes.") }
        guard isRandom(bytes.prefix(32)) else {
            throw .inputOutput(
                "The master key \(file) is not random: head -c 32 /dev/urandom makes 32 unpredictable bytes."
            )
        }
        return SymmetricKey(data: bytes.prefix(32))
    }

    /// Whether only this user and root can change the open file, and whether its owner allows only this user and a group to read it.
    ///
    /// A secret of Kubernetes or Docker may be readable by all: it is in memory, on a mount for this container, which has no
    /// other users.
    private static func isPrivate(_ descriptor: Int32) -> Bool {
        var facts = chost_file()
        guard chost_file_of(descriptor, &facts) == 0, facts.mode & S_IFMT == S_IFREG else { return false }
        if facts.owner == geteuid(), facts.mode & 0o077 == 0 { return true }
        return facts.owner == 0 && facts.mode & 0o022 == 0 && (facts.mode & 0o004 == 0 || facts.isSealed != 0)
    }

    /// False for a sample or typed key: few different bytes, a run of numbers, or text. 32 random bytes fail once in
    /// 10¹³ cases.
    static func isRandom(_ bytes: some Sequence<UInt8>) -> Bool {
        Set(bytes).count >= 16 && !SecretStrength.isRun(Array(bytes))
            && !bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
    }
}
