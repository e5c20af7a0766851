import ArgumentParser
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// `native-auth key master`: manages the key that seals everything.
struct MasterKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master", abstract: "List or rotate master keys, or remove the old one.",
        discussion: """
            Servers keep running meanwhile, on SQLite too. In order: rotate, which lets the old and the new key open the database; \
            restart every server with the new key, one after the other; remove-old, which takes the old key away. Stop at any \
            moment: until remove-old both keys work, and each command may be repeated.
            """,
        subcommands: [List.self, Rotate.self, RemoveOld.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line for each data key: its number, since when it seals, which master keys open it.")

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open { opened in
                let rows = try await opened.store.dataKeys()
                for generation in Set(rows.map(\.generation)).sorted() {
                    let own = rows.filter { $0.generation == generation }
                    let since =
                        own[0].activeFrom.timeIntervalSince1970 == 0
                        ? "the beginning" : own[0].activeFrom.formatted(.iso8601)
                    let keys = own.map(\.masterKeyID.hexadecimal).joined(separator: ", ")
                    say("data key \(generation)  since \(since)  master key \(keys)")
                }
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a new master key open the database too, and seal with a new data key.",
            discussion: """
                --master-key-file is the key in use. The new one is a file that you make, as with head -c 32 /dev/urandom, \
                readable by its owner alone.
                """)

        @OptionGroup var place: DatabaseLocation
        @Option(name: .customLong("new-master-key-file"), help: "File with the new master key, 32 random bytes.")
        var newMasterKeyFile: String

        func run() async throws {
            try await place.open { opened in
                let new = try MasterKey.file(newMasterKeyFile).load(in: ".")
                let rotation = try await DataKeys.rotate(
                    in: opened.store, from: opened.masterKey, to: new, randomness: SystemRandomness(), now: opened.now)
                say("data key \(rotation.generation)  \(rotation.wasBegun ? "was made before" : "made")")
                // Wait until all servers know the key, so that none gets a value that it cannot open.
                while opened.clock.now < rotation.activeFrom {
                    let seconds = rotation.activeFrom.timeIntervalSince(opened.clock.now)
                    try await Task.sleep(for: .milliseconds(Int64(seconds * 1000) + 1))
                }
                try await opened.vault.dataKeys.reload(now: opened.clock.now)
                let (count, unreadable) = try await DataKeys.reseal(in: opened.store, with: opened.vault)
                say("sealed anew  \(count - unreadable) signing keys")
                if unreadable > 0 { say("unreadable   \(unreadable) signing keys, left as they are") }
                say(
                    """
                    Both master keys open the database now. Restart every server with the new one, then run native-auth \
                    key master remove-old with it.
                    """)
            }
        }
    }

    struct RemoveOld: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-old", abstract: "Take all other master keys away from the database.",
            discussion: """
                --master-key-file is the key that stays: the new one, or the old one to undo a rotation. A server that \
                still runs with another one keeps running until its next start. Backups open under the master key of their time.
                """)

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open { opened in
                let gone = try await DataKeys.removeOld(
                    in: opened.store, keeping: opened.masterKey, randomness: SystemRandomness(), now: opened.now)
                say(
                    gone.isEmpty
                        ? "There is no other master key." : "removed  master key \(gone.joined(separator: ", "))")
            }
        }
    }
}
