import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// Changes the tenants' document for the console and the API: the document in force, changed, written anew, read again by the rules of
/// the file, and applied over the version that it came from.
struct DocumentEditor: TenantEditor {
    let store: any SQLStore
    let tenants: LiveTenants
    private let queue = EditQueue()

    var version: Int { tenants.version }

    func refresh() async throws(EngineError) {
        do {
            if let document = try await store.tenantDocument(newerThan: tenants.version) { try tenants.take(document) }
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .broken("the document in force does not read")
        }
    }

    func edit(
        _ tenant: TenantID, over version: Int, as actor: Operator, now: Date,
        _ edit: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws(EngineError) -> Result<Void, TenantEditFault> {
        // Reading a document takes a while: one at a time, so that changes leave the other threads to users.
        guard await queue.enter() else { throw .store(.unavailable(EditQueue.IsFull())) }
        let result: Result<Result<Void, TenantEditFault>, EngineError>
        do throws(EngineError) {
            result = .success(try await make(tenant, over: version, as: actor, now: now, edit))
        } catch {
            result = .failure(error)
        }
        await queue.leave()
        return try result.get()
    }

    private func make(
        _ tenant: TenantID, over version: Int, as actor: Operator, now: Date,
        _ edit: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws(EngineError) -> Result<Void, TenantEditFault> {
        let document: TenantDocument?
        let seen: TenantDocument?
        do {
            document = try await store.tenantDocument()
            seen = document?.version == version ? document : try await store.tenantDocument(version: version)
        } catch {
            throw .store(error)
        }
        let text: String
        do {
            var entries = try document?.file().directory.entries ?? tenants.directory.entries
            guard let index = entries.firstIndex(where: { $0.tenant.id == tenant }) else { return .failure(.notFound) }
            // Versions of other tenants are no reason to begin again.
            if document?.version ?? 0 != version {
                let before = try seen?.file().directory.entries.first { $0.tenant.id == tenant }
                guard before == entries[index] else { return .failure(.changedMeanwhile) }
            }
            let before = entries[index]
            try edit(&entries[index])
            try Self.checkShare(of: entries[index], after: before)
            text = try TenantText.document(TenantDirectory(entries))
            // The rules of the file hold for every change.
            _ = try TenantFile(text, named: "")
        } catch let fault as TenantEditFault {
            return .failure(fault)
        } catch let invalid as ServeSettings.Invalid {
            return .failure(.invalid(invalid.problems.map(Self.withoutPlace)))
        } catch {
            throw .broken("the tenants could not be written as a document")
        }
        let applied: TenantDocument?
        do {
            applied = try await store.apply(
                text, naming: [tenant], isWhole: false, over: document?.version ?? 0, by: actor.id, at: now)
        } catch {
            throw .store(error)
        }
        guard let applied else { return .failure(.changedMeanwhile) }
        do {
            try tenants.take(applied)
        } catch {
            throw .broken("an applied document does not read")
        }
        return .success(())
    }

    /// The largest share that a tenant takes by its console and its daemons; its file on the command line can take more.
    private static let largestShare = 256 * 1024

    /// All tenants share one document: none fills it.
    private static func checkShare(
        of entry: TenantDirectory.Entry, after before: TenantDirectory.Entry
    ) throws {
        func size(_ entry: TenantDirectory.Entry) throws -> Int {
            try TenantText.document(TenantDirectory([entry])).utf8.count
        }
        let now = try size(entry)
        guard now > largestShare, try now > size(before) else { return }
        throw TenantEditFault.invalid([
            "A tenant has at most \(largestShare / 1024) KiB of the document; native-auth tenant apply can give it more."
        ])
    }

    /// A sentence about the document without the name and the line of a text that the reader has never seen.
    private static func withoutPlace(_ problem: String) -> String {
        let rest = problem.drop { $0 == ":" || $0.isNumber }.drop { $0 == " " }
        return rest.prefix(1).uppercased() + rest.dropFirst()
    }
}

/// Lets one change in at a time, and few wait.
private actor EditQueue {
    struct IsFull: Error, CustomStringConvertible {
        var description: String { "too many changes of the tenants' document wait" }
    }

    private static let mostWaiting = 32
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Returns: False when too many wait.
    func enter() async -> Bool {
        guard isBusy else {
            isBusy = true
            return true
        }
        guard waiting.count < Self.mostWaiting else { return false }
        await withCheckedContinuation { waiting.append($0) }
        return true
    }

    func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
