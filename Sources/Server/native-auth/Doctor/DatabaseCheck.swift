import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// Opens the database as the commands do, beside a running server, and reads what a start needs.
struct DatabaseCheck {
    let settings: ServeSettings

    /// - Returns: The tenants in force; nil when a start would have none.
    func check(_ notes: Notebook) async -> TenantDirectory? {
        do {
            if let path = settings.database.path(in: settings.dataFolder), !FileManager.default.fileExists(atPath: path)
            {
                notes.problem(
                    "database", "There is none at \(path).",
                    "native-auth init makes it, or the first start of the server.")
                return nil
            }
            if let path = settings.database.path(in: settings.dataFolder),
                let fault = FileAccess.fault(ofDatabase: path)
            {
                // What is open now may work until the next start.
                notes.problem("database", fault.sentence, fault.remedy)
                return nil
            }
            let store = try await settings.database.open(in: settings.dataFolder, isShared: true)
            defer { Task { try await store.close() } }
            return try await check(store, notes)
        } catch DataKeyError.otherMasterKey {
            notes.problem("master key", DataKeyError.otherMasterKey.description, "See --master-key-file.")
        } catch {
            let fault = settings.database.fault(error, in: settings.dataFolder)
            notes.problem("database", fault.sentence, fault.remedy)
        }
        return nil
    }

    private func check(_ store: any SQLStore, _ notes: Notebook) async throws -> TenantDirectory? {
        let begin = ContinuousClock.now
        _ = try await store.epoch()
        let time = begin.duration(to: .now)
        notes.ok("database", "answers in \(Int(time / .milliseconds(1))) ms")
        let now = SystemClock().now
        if let clock = store.clock?.now {
            let seconds = Int(clock.timeIntervalSince(now).rounded())
            if abs(seconds) > 5 {
                notes.problem(
                    "its clock", "It is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's.",
                    "Set both by the network; the server follows the database's.")
            }
        }
        guard try await !store.isUnsealed() else {
            notes.problem("database", "No server has used it yet.", "native-auth init or the first start prepares it.")
            return nil
        }
        let key = try settings.masterKey.load(in: settings.dataFolder)
        _ = try await DataKeys.open(
            in: store, masterKey: key, randomness: SystemRandomness(), now: store.clock?.now ?? now)
        notes.ok("master key", "opens the database")

        let document = try await store.tenantDocument()
        let directory: TenantDirectory
        do {
            directory = try document?.file().directory ?? settings.directory
        } catch {
            notes.problem(
                "tenants", error.problems.joined(separator: " "),
                "native-auth tenant apply puts another document in force.")
            return nil
        }
        guard document != nil || settings.hasTenantFile || settings.profile == .development else {
            notes.problem("tenants", "There is none.", "native-auth tenant apply puts a document in force.")
            return nil
        }
        notes.ok("tenants", directory.summary)
        return directory
    }
}
