import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// Changes the tenants' document for the console and the API: the document in force, changed, written anew, read again by the rules of
/// the file, and applied over the version that it came from.
struct DocumentEditor: TenantEditor {
    let store: any SQLStore
    let tenants: LiveTenants

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
        let document: TenantDocument?
        do {
            document = try await store.tenantDocument()
        } catch {
            throw .store(error)
        }
        guard document?.version ?? 0 == version else { return .failure(.changedMeanwhile) }
        let text: String
        let file: TenantFile
        do {
            var entries = try document?.file().directory.entries ?? tenants.directory.entries
            guard let index = entries.firstIndex(where: { $0.tenant.id == tenant }) else { return .failure(.notFound) }
            try edit(&entries[index])
            text = try TenantText.document(TenantDirectory(entries))
            file = try TenantFile(text, named: "")
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
                text, naming: file.directory.entries.map(\.tenant.id), over: version, by: actor.id, at: now)
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

    /// A sentence about the document without the name and the line of a text that the reader has never seen.
    private static func withoutPlace(_ problem: String) -> String {
        let rest = problem.drop { $0 == ":" || $0.isNumber }.drop { $0 == " " }
        return rest.prefix(1).uppercased() + rest.dropFirst()
    }
}
