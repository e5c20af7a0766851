import ArgumentParser
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// `native-auth key`: manages the keys that sign tokens, and the master key.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "List, rotate or revoke the keys that sign tokens; rotate the master key.",
        discussion: """
            A server rotates its signing keys automatically every 90 days. These commands rotate them earlier, or in an \
            emergency. Servers may run meanwhile, and know of a change within a minute. --data, --database, \
            --master-key-file and --config are those of serve, and are read from the environment too.
            """,
        subcommands: [List.self, Rotate.self, Revoke.self, MasterKeyCommand.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line for each key: tenant, key id, algorithm, what it does, since or until when.")

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open { keys in
                for tenant in keys.tenants { try await keys.printKeys(of: tenant) }
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish a new key now that signs in a day, or at once with --now.",
            discussion: """
                Resource servers keep the published keys for an hour or a day. A key that signs at once is \
                unknown to them until they fetch again; a key that was published a day before is not. Tokens of the \
                old key stay good either way.
                """)

        @OptionGroup var place: DatabaseLocation
        @Flag(help: "Let the new key sign at once.") var now = false
        @Option(help: "RS256 or ES256 (default: that of the newest key).") var algorithm: String?

        func run() async throws {
            try await place.open { keys in
                let wanted = try algorithm.map { name in
                    guard let wanted = SigningKeyRecord.Algorithm(rawValue: name) else {
                        throw StartFailure.usage(["--algorithm must be one of: RS256, ES256."])
                    }
                    return wanted
                }
                for tenant in keys.tenants {
                    if now {
                        try await keys.ring.rotateNow(for: tenant.id, algorithm: wanted, now: keys.now)
                    } else {
                        try await keys.ring.announceRotation(for: tenant.id, algorithm: wanted, now: keys.now)
                    }
                    try await keys.printKeys(of: tenant)
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a key at once, so that its tokens are refused.",
            discussion: """
                For a key that an attacker may have. If it was the signing key, the next key or a new \
                one replaces it.
                """)

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "The key id, as list prints it.") var kid: String

        func run() async throws {
            try await place.open { keys in
                for tenant in keys.tenants where try await keys.ring.revoke(kid, for: tenant.id, now: keys.now) {
                    return try await keys.printKeys(of: tenant)
                }
                throw StartFailure.usage([
                    "There is no key of that id; native-auth key list prints those that there are."
                ])
            }
        }
    }
}

extension OpenedDatabase {
    /// Prints a line for each key: tenant, key id, algorithm, state, and the time of the state (RFC 3339, UTC).
    fileprivate func printKeys(of tenant: Tenant) async throws {
        for key in try await ring.status(for: tenant.id, now: now) {
            let state =
                switch key.state {
                case .next: "next     from  \(key.activeFrom.formatted(.iso8601))"
                case .signing: "signing  since \(key.activeFrom.formatted(.iso8601))"
                case .retired(let end): "retired  until \(end.formatted(.iso8601))"
                }
            say("\(tenant.subdomain)  \(key.kid)  \(key.algorithm.rawValue)  \(state)")
        }
    }
}
