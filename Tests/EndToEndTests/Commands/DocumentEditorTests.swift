import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@testable import native_auth

/// Changes of the tenants by the console, which are versions of the one document.
@Suite("The editor of the tenants' document") struct DocumentEditorTests {
    private func withEditor(_ body: (DocumentEditor, SQLiteStore) async throws -> Void) async throws {
        let store = try SQLiteStore.inMemory()
        let tenants = try LiveTenants(try ServeSettings(options: [:], environment: [:]), nil)
        try await body(DocumentEditor(store: store, tenants: tenants), store)
    }

    private var contoso: TenantID { TenantDirectory.development.entries[0].tenant.id }

    private func rename(
        _ editor: DocumentEditor, to name: String, over version: Int
    ) async throws -> TenantEditFault? {
        try await editor.edit(
            contoso, over: version, as: Operator(user: UserID(UUID()), source: nil), now: Date()
        ) { $0.applications[0].displayName = name }.fault
    }

    @Test("SEC-ADM-4: a change of a user flow takes no second factor away from an application that requires one")
    func flowsTakeNoFactorAway() async throws {
        try await withEditor { editor, _ in
            let flow = SharedUserFlow(id: UUID(), displayName: "Members", method: .emailPassword)
            let actor = Operator(user: UserID(UUID()), source: nil)
            let given = try await editor.edit(contoso, over: 0, as: actor, now: Date()) { entry in
                // Text messages, apps or passkeys would be the second factor that a flow without passwords may require.
                entry.tenant.texts = nil
                entry.tenant.offersApps = false
                entry.tenant.passkeys = nil
                entry.userFlows.append(flow)
                entry.applications[0].flowSource = .shared(flow.id)
                entry.applications[0].userFlow.requiresSecondFactor = true
            }
            #expect(given.fault == nil && editor.version == 1)
            let application = editor.tenants.directory.entries[0].applications[0]
            #expect(application.userFlow.method == .emailPassword && application.userFlow.requiresSecondFactor)
            let weaker = try await editor.edit(contoso, over: 1, as: actor, now: Date()) { entry in
                entry.userFlows[0].method = .emailOneTimePasscode
            }
            guard case .invalid(let problems)? = weaker.fault else {
                Issue.record("\(weaker)")
                return
            }
            #expect(problems.first?.contains("requiresSecondFactor") == true && editor.version == 1)
        }
    }

    @Test(
        "SEC-ADM-6: changes of another tenant overtake no form, changes of the same one do; each is in its tenant's trail"
    )
    func tenantsDoNotDisturbEachOther() async throws {
        try await withEditor { editor, store in
            let actor = Operator(user: UserID(UUID()), source: nil)
            #expect(try await rename(editor, to: "A", over: 0) == nil)
            let text = try TenantText.document(
                TenantDirectory(
                    editor.tenants.directory.entries + [
                        .init(
                            tenant: Tenant(
                                id: TenantID(UUID()), subdomain: "harbour", domain: "harbour.example.com",
                                displayName: "Harbour"),
                            applications: [
                                Client(
                                    id: ClientID(UUID()), displayName: "Boats",
                                    userFlow: UserFlow(method: .emailOneTimePasscode))
                            ])
                    ]))
            let both = try #require(
                try await store.apply(
                    text, naming: try TenantFile(text, named: "t").directory.entries.map(\.tenant.id), over: 1,
                    at: Date())
            )
            try editor.tenants.take(both)
            let harbour = try #require(editor.tenants.directory.entries.last).tenant.id
            let seen = editor.version
            for number in 0..<3 {
                let edited = try await editor.edit(harbour, over: editor.version, as: actor, now: Date()) {
                    $0.applications[0].displayName = "Boats \(number)"
                }
                #expect(edited.fault == nil)
            }
            #expect(try await rename(editor, to: "B", over: seen) == nil, "only another tenant has changed")
            #expect(try await rename(editor, to: "C", over: seen) == .changedMeanwhile)
            #expect(editor.tenants.directory.entries.first?.applications.first?.displayName == "B")
            #expect(editor.tenants.directory.entries.last?.applications.first?.displayName == "Boats 2")
            for (tenant, count) in [(harbour, 4), (contoso, 3)] {
                let page = try await store.auditPage(AuditQuery([.configChanged]), in: tenant)
                #expect(page.events.count == count, "\(page.events.count)")
            }
        }
    }

    @Test("A change is the next version, in force at once, with all else as it was, and in the trail with the operator")
    func aChangeIsAVersion() async throws {
        try await withEditor { editor, store in
            let before = editor.tenants.directory.entries[0]
            let user = UserID(UUID())
            let result = try await editor.edit(
                contoso, over: 0, as: Operator(user: user, source: nil), now: Date()
            ) { $0.applications[0].displayName = "Boats" }
            #expect(result.fault == nil)
            #expect(editor.version == 1)
            var expected = before
            expected.applications[0].displayName = "Boats"
            #expect(editor.tenants.directory.entries == [expected])
            // No document can have the secret of the development tenant's daemon, nor its provider; the profile keeps both.
            expected.daemons[0].secrets = []
            expected.tenant.providers = []
            let document = try #require(try await store.tenantDocument())
            #expect(try document.file().directory.entries == [expected])
            let lines = try await store.auditEvents(of: contoso, after: 0, limit: 10)
            #expect(lines.map(\.event.kind) == [.configChanged] && lines.first?.event.client == ClientID(user.uuid))
        }
    }

    @Test("A change over another version is refused, whichever door the other one came through")
    func conflicts() async throws {
        try await withEditor { editor, store in
            #expect(try await rename(editor, to: "One", over: 0) == nil)
            #expect(try await rename(editor, to: "Two", over: 0) == .changedMeanwhile)
            // By native-auth tenant apply.
            var entries = editor.tenants.directory.entries
            entries[0].applications[0].displayName = "Three"
            let text = try TenantText.document(TenantDirectory(entries))
            #expect(try await store.apply(text, naming: [contoso], over: 1, at: Date())?.version == 2)
            #expect(try await rename(editor, to: "Four", over: 1) == .changedMeanwhile)
            #expect(try await rename(editor, to: "Five", over: 2) == nil)
            #expect(editor.version == 3 && editor.tenants.directory.entries[0].applications[0].displayName == "Five")
        }
    }

    @Test("Of changes at the same moment over one version, one comes into force")
    func parallelChanges() async throws {
        try await withEditor { editor, _ in
            let results = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await rename(editor, to: "App \(number)", over: 0) == nil
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.filter(\.self).count == 1 && editor.version == 1)
        }
    }

    @Test("What the rules of the tenant file refuse changes nothing, and is said without a place in a text")
    func rules() async throws {
        try await withEditor { editor, store in
            let result = try await editor.edit(contoso, over: 0, as: .command, now: Date()) { entry in
                entry.applications[0].scopes = ["*"]
                entry.applications[0].displayName = ""
                entry.applications[1].id = entry.applications[0].id
            }
            guard case .failure(.invalid(let problems)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(
                !problems.isEmpty && problems.allSatisfy { $0.first?.isNumber == false && $0.first != ":" },
                "\(problems)")
            #expect(try await store.tenantDocument() == nil && editor.version == 0)
            let unknown = try await editor.edit(TenantID(UUID()), over: 0, as: .command, now: Date()) { _ in }
            #expect(unknown.fault == .notFound)
        }
    }

    @Test("An older document that is read late does not come back into force")
    func lateReaders() async throws {
        try await withEditor { editor, store in
            #expect(try await rename(editor, to: "One", over: 0) == nil)
            let first = try #require(try await store.tenantDocument())
            #expect(try await rename(editor, to: "Two", over: 1) == nil)
            try editor.tenants.take(first)
            #expect(editor.version == 2 && editor.tenants.directory.entries[0].applications[0].displayName == "Two")
        }
    }
}

extension Result<Void, TenantEditFault> {
    fileprivate var fault: TenantEditFault? {
        switch self {
        case .success: nil
        case .failure(let fault): fault
        }
    }
}
