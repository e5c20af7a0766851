import CHost
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Checks that only their owner can change folders: a user who can write to a folder can replace the database or the
/// key (`SEC-SEC-2`).
enum PrivateFolders {
    /// The first folder on the way to `path`, or `path` itself, that another user of the machine can change; nil when
    /// there is none. Folders that do not exist yet will be created for the owner only.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, other users can add files but not change existing ones: it may
    /// be on the way, but must not be `path`.
    static func exposed(on path: String) -> String? {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        // Check both ways when there are links: a user who can change the folder of a link can point it elsewhere.
        return firstExposed(on: path) ?? firstExposed(on: resolved(path))
    }

    /// The same for a file: on the way to it, and on the way to what it leads to if it is a link.
    static func exposed(onTheWayTo file: String) -> String? {
        exposed(on: folder(of: file))
            ?? realpath(file, nil).flatMap { real in
                defer { free(real) }
                return exposed(on: folder(of: String(cString: real)))
            }
    }

    /// The symbolic links at `path`: itself, what it leads to if that is a link, and so on. At most 40, as in the system.
    static func links(from path: String) -> [String] {
        var found: [String] = []
        var next = path
        // The call fails for what is no link, which ends the chain. A path that cannot be read fails when the file is opened.
        while found.count < 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: next) {
            found.append(next)
            next = target.hasPrefix("/") ? target : folder(of: next) + "/" + target
        }
        return found
    }

    /// The folder that has the last name of `path`.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    private static func firstExposed(on path: String) -> String? {
        let folders = folders(on: path)
        return folders.first { isLinkOfOthers($0) || canOthersChange($0, mayBeSticky: $0 != folders.last) }
    }

    /// `/`, `/var`, `/var/lib` and so on to `path`.
    private static func folders(on path: String) -> [String] {
        path.split(separator: "/").reduce(into: ["/"]) { folders, name in
            folders.append((folders.last == "/" ? "/" : folders[folders.count - 1] + "/") + name)
        }
    }

    /// `path` without symbolic links, as far as it exists.
    private static func resolved(_ path: String) -> String {
        var rest: [Substring] = []
        for folder in folders(on: path).reversed() {
            if let real = realpath(folder, nil) {
                defer { free(real) }
                return String(cString: real) + rest.reversed().map { "/" + $0 }.joined()
            }
            rest.append(folder.split(separator: "/").last ?? "")
        }
        return path
    }

    /// Whether another user than root and this one can turn the link at `path`, which may be in a folder with the sticky bit.
    private static func isLinkOfOthers(_ path: String) -> Bool {
        // What does not exist yet is made by this user; what cannot be looked at cannot be opened either.
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            facts[.type] as? FileAttributeType == .typeSymbolicLink, let owner = facts[.ownerAccountID] as? Int
        else { return false }
        return owner != 0 && owner != Int(geteuid())
    }

    private static func canOthersChange(_ folder: String, mayBeSticky: Bool) -> Bool {
        var facts = chost_file()
        guard chost_file_at(folder, &facts) == 0 else { return false }
        guard facts.owner == 0 || facts.owner == geteuid() else { return true }
        // The folder of a secret of Kubernetes lets all write, on a mount where none can.
        if facts.owner == 0, facts.isSealed != 0 { return false }
        return facts.mode & 0o022 != 0 && !(mayBeSticky && facts.mode & S_ISVTX != 0)
    }
}
