import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import IdentityTokens
import PortableFoundation

/// `native-auth backup`: makes a sealed copy of all permanent data while servers run.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Make a backup, or check one.",
        discussion: """
            native-auth backup FILE copies users, keys, sessions and the audit trail as they are at one moment, while \
            servers run, and seals them under the master key. Keep the master key in another place: the backup cannot \
            be read without it. --data, --database and --master-key-file are those of serve, and are read from the \
            environment too.
            """,
        subcommands: [Make.self, Verify.self], defaultSubcommand: Make.self)

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a backup (default).")

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "The file to make; it must not exist yet.") var file: String

        func run() async throws {
            try await place.open { opened in
                let file = try BackupFile(making: file)
                do {
                    let contents = try await opened.store.backUp(now: opened.now) { () throws(SealedStreamError) in
                        try file.writer(opened.vault)
                    }
                    try file.keep()
                    contents.printAll(of: try file.facts(), at: file.path)
                } catch {
                    file.discard()
                    throw file.failure(error)
                }
                try await opened.store.recordForAllTenants(
                    .backupMade, at: opened.now, detail: "backup \(Int(opened.now.timeIntervalSince1970))")
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read a backup to its end, and report whether it is intact and what it contains.")

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "The backup.") var file: String

        func run() async throws {
            try await DatabaseLocation.telling {
                let file = try BackupFile(reading: file)
                let contents = try file.verified(try place.vault())
                do {
                    contents.printAll(of: try file.facts(), at: file.path)
                } catch {
                    throw file.failure(error)
                }
            }
        }
    }
}

/// `native-auth restore`: makes a database from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a database from a backup.",
        discussion: """
            Restores into a database that has nothing in it: an SQLite file that is not there yet, or an empty PostgreSQL \
            database, whichever of the two the backup came from. It needs the master key under which the backup was made. \
            Start servers afterwards, not before. Users who were deleted after the backup are in it: --deletions deletes them \
            again.
            """)

    @OptionGroup var place: DatabaseLocation
    @Argument(help: "The backup.") var file: String
    @Flag(help: "Keep refresh tokens: a stolen one that was ended after the backup works again.") var keepSessions =
        false
    @Option(help: "A list by native-auth user deletions: its users are deleted again.") var deletions: String?

    func run() async throws {
        try await DatabaseLocation.telling {
            let file = try BackupFile(reading: file)
            let vault = try place.vault()
            let list = try deletions.map { path throws(StartFailure) in try DeletionList(reading: path) }
            // Read to the end before anything is written.
            let known = try file.verified(vault)
            let settings = try place.settings()
            let folder = try DataFolder(settings.dataFolder).path
            let store = try await settings.database.open(in: folder, upTo: known.schema)
            let now = SystemClock().now
            let contents: BackupContents
            do {
                contents = try await store.restore(
                    now: now, epoch: SystemRandomness().uuid(), keepingSessions: keepSessions
                ) { () throws(SealedStreamError) in try file.reader(vault) }
                // Leaves all data in one file, for an operator who copies it before a server has started.
                try await store.afterRemoval()
            } catch {
                try await store.close()
                throw file.failure(error)
            }
            try await store.close()
            contents.printRestored(keepingSessions: keepSessions)
            if let list { try await deleteAgain(list, settings, in: folder) }
        }
    }

    private func deleteAgain(_ list: DeletionList, _ settings: ServeSettings, in folder: String) async throws {
        do {
            // An older backup may have no table for the marks.
            try await settings.database.open(in: folder).close()
            try await place.open(isAboutTenants: true) { opened in
                let count = try await list.deleteAgain(in: opened)
                try await opened.store.afterRemoval()
                say("deleted   users \(count), of \(list.marks.count) in the list")
            }
        } catch {
            Terminal.complain(
                """
                native-auth: The backup is restored, but the users of the list are not deleted. Start no server; remove the \
                database, and restore again.
                """)
            throw error
        }
    }
}

extension DatabaseLocation {
    /// The vault of the master key, which must exist.
    fileprivate func vault() throws -> Vault {
        let settings = try settings()
        if case .inDataFolder = settings.masterKey {
            let path = settings.dataFolder + "/master.key"
            guard FileManager.default.fileExists(atPath: path) else {
                throw StartFailure.inputOutput(
                    "There is no master key at \(path); a backup opens under the one that it was made with.")
            }
        }
        return Vault(
            masterKey: try settings.masterKey.load(in: settings.dataFolder), randomness: SystemRandomness())
    }
}

extension BackupFile {
    /// The contents of the backup, after reading it to its end.
    fileprivate func verified(_ vault: Vault) throws(StartFailure) -> BackupContents {
        do {
            return try reader(vault).backupContents()
        } catch {
            throw failure(error)
        }
    }

    fileprivate func failure(_ error: any Error) -> StartFailure {
        switch error {
        case let failure as StartFailure: failure
        case let error as SealedStreamError: .inputOutput("The backup \(path) \(error).")
        case StoreError.unavailable(let error as SealedStreamError): .inputOutput("The backup \(path) \(error).")
        case let error as BackupError: .inputOutput(error.description)
        case StoreError.unavailable(let error as BackupError): .inputOutput(error.description)
        case let error as StoreError:
            .inputOutput("The database could not be read or written: \(DatabaseAddress.reason(error)).")
        case _: .inputOutput("The backup \(path) could not be made or read: \(DatabaseAddress.reason(error)).")
        }
    }
}

extension BackupContents {
    fileprivate func printAll(of file: (size: Int, checksum: String), at path: String) {
        say("backup    \(path), \(file.size) bytes, sha256 \(file.checksum)")
        say("made      \(madeAt.formatted(.iso8601)), schema \(schema)")
        say("contains  \(list(rows))")
        say("left out  \(list(leftOut))")
    }

    fileprivate func printRestored(keepingSessions: Bool) {
        var void = leftOut.filter { $0.key != "restores" }
        if !keepingSessions { void[BackupTables.sessions] = count(BackupTables.sessions) }
        say("restored  \(list(rows.filter { void[$0.key] == nil }))")
        say("void      \(list(void))")
        say(
            """
            lost      all that happened after \(madeAt.formatted(.iso8601)): accounts made since are gone, and passwords \
            changed, accounts disabled and keys revoked since are as they were
            """)
    }

    private func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
