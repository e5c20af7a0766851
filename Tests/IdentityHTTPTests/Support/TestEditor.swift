import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation

/// The tenants in memory, with one rule of the tenant file: an application has a name.
final class TestEditor: TenantEditor, ClientStore {
    private let state: Locked<(directory: TenantDirectory, version: Int)>

    init(directory: TenantDirectory) { state = Locked((directory, 7)) }

    var directory: TenantDirectory { state.withLock { $0.directory } }
    var version: Int { state.withLock { $0.version } }

    /// How often another change comes first.
    let rivals = Locked(0)

    func refresh() async throws(EngineError) {}

    func tenant(named name: String) async throws(StoreError) -> Tenant? { try await directory.tenant(named: name) }
    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        try await directory.client(id, in: tenant)
    }
    func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
        try await directory.entry(of: tenant)
    }
    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        try await directory.daemon(id, in: tenant)
    }
    func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
        try await directory.hasPages(ofOrigin: origin)
    }
    func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
        try await directory.tenant(ofPasskeysAt: host)
    }

    func edit(
        _ tenant: TenantID, over version: Int, as actor: Operator, now: Date,
        _ edit: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws(EngineError) -> Result<Void, TenantEditFault> {
        var entries = directory.entries
        let hasRival = rivals.withLock { rivals in
            guard rivals > 0 else { return false }
            rivals -= 1
            return true
        }
        guard version == self.version, !hasRival else { return .failure(.changedMeanwhile) }
        guard let index = entries.firstIndex(where: { $0.tenant.id == tenant }) else { return .failure(.notFound) }
        do throws(TenantEditFault) {
            try edit(&entries[index])
            entries[index].resolveUserFlows()
        } catch {
            return .failure(error)
        }
        guard !entries[index].applications.contains(where: { $0.displayName.isEmpty }) else {
            return .failure(.invalid(["An application needs a name.", "Really."]))
        }
        let new = entries
        state.withLock { $0 = (TenantDirectory(new), version + 1) }
        return .success(())
    }
}

/// Runs `body` with a desk at a server whose tenants the desk changes.
func withEditedDesk(
    _ directory: TenantDirectory = .development,
    _ body: (OperatorTests.Desk, TestEditor) async throws -> Void
) async throws {
    let editor = TestEditor(directory: directory)
    let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in ports.clients = editor }
    try await body(try await OperatorTests.Desk(server, editor: editor), editor)
}
