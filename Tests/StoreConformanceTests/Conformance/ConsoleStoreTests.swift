import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("Operators, their sessions, and what the console counts")
struct ConsoleStoreTests {
    private struct NoRandomness: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    }

    private func event(_ kind: AuditEvent.Kind, _ user: UserID? = nil) -> AuditEvent {
        AuditEvent(kind, at: noon, tenant: OperatorTenant.id, user: user)
    }

    /// Creates users of the operators' tenant.
    private func users(_ count: Int, in store: any SQLStore) async throws -> [UserID] {
        var users: [UserID] = []
        for number in 0..<count {
            let id = UserID(UUID())
            let email = try #require(EmailAddress("operator\(number)@example.com"))
            let new = NewUser(
                id: id, tenant: OperatorTenant.id, client: OperatorTenant.console.id, identifiers: [email.identifier],
                passwordHash: nil, attributes: ["displayName": .string("Operator \(number)")], createdAt: noon,
                emailProof: .byCode)
            try await store.change(id, in: OperatorTenant.id) { _ in ([.createUser(new)], ()) }
            users.append(id)
        }
        return users
    }

    private func invite(
        _ role: OperatorRole, _ name: String, by inviter: UserID? = nil, in store: any SQLStore
    ) async throws {
        let isAdded = try await store.addInvitation(
            OperatorInvitation(digest: digest(name), role: role, until: noon + 1_800, inviter: inviter),
            recording: event(.operatorInvited))
        #expect(isAdded)
    }

    private func makeOperators(_ roles: [OperatorRole], in store: any SQLStore) async throws -> [UserID] {
        let users = try await users(roles.count, in: store)
        for (index, role) in roles.enumerated() {
            try await invite(role, "invitation \(index)", in: store)
            let accepted = try await store.acceptInvitation(
                digest("invitation \(index)"), for: users[index], now: noon,
                recording: event(.operatorAdded, users[index]))
            #expect(accepted == role)
        }
        return users
    }

    @Test(
        "SEC-ADM-1: of 50 uses of an invitation at the same moment one makes an operator",
        arguments: StoreUnderTest.available)
    func oneUseOfAnInvitation(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let users = try await users(50, in: store)
            try await invite(.owner, "bootstrap", in: store)
            let roles = try await race(50) { number in
                try await store.acceptInvitation(
                    digest("bootstrap"), for: users[number], now: noon + 60,
                    recording: event(.operatorAdded, users[number]))
            }
            #expect(roles.compactMap(\.self) == [.owner])
            #expect(try await store.operators().count == 1)
            #expect(try await store.tryInvitation(digest("bootstrap"), now: noon, most: 5) == nil)
            let trail = try await rows("SELECT kind, detail FROM audit ORDER BY seq", in: store)
            #expect(trail == [["operator.invited", nil], ["operator.added", "owner"]])
        }
    }

    @Test("An invitation ends after its time, and is then removed", arguments: StoreUnderTest.available)
    func anInvitationEnds(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let user = try await users(1, in: store)[0]
            try await invite(.admin, "late", in: store)
            #expect(try await store.tryInvitation(digest("late"), now: noon + 1_799, most: 5) == .admin)
            #expect(try await store.tryInvitation(digest("late"), now: noon + 1_800, most: 5) == nil)
            let accepted = try await store.acceptInvitation(
                digest("late"), for: user, now: noon + 1_800, recording: event(.operatorAdded, user))
            #expect(accepted == nil)
            #expect(try await store.removeExpired(now: noon + 1_800) == 1)
            #expect(try await store.operators().isEmpty)
        }
    }

    @Test(
        "An invitation has five attempts, and ends with the role of the owner who made it",
        arguments: StoreUnderTest.available)
    func invitationsOfAnOwner(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let users = try await makeOperators([.owner, .owner, .admin], in: store)
            try await invite(.auditor, "tried", in: store)
            let attempts = try await race(12) { _ in
                try await store.tryInvitation(digest("tried"), now: noon, most: 5)
            }
            #expect(attempts.compactMap(\.self).count == 5)
            try await invite(.owner, "removed", by: users[0], in: store)
            try await invite(.owner, "demoted", by: users[1], in: store)
            #expect(try await store.invitations(now: noon).count == 3)
            let isAdded = try await store.addInvitation(
                OperatorInvitation(digest: digest("admin"), role: .owner, until: noon + 60, inviter: users[2]),
                recording: event(.operatorInvited))
            #expect(!isAdded, "only owners invite")
            for (user, role) in [(users[0], nil), (users[1], OperatorRole.support)] {
                let change = OperatorChange(user, role: role, at: noon, event: event(.operatorChanged, user))
                try await store.changeOperators { _ in (change, ()) }
            }
            #expect(try await store.invitations(now: noon).map(\.digest) == [digest("tried")])
            try await store.removeInvitation(digest("tried"), recording: event(.invitationWithdrawn))
            #expect(try await store.invitations(now: noon).isEmpty)
        }
    }

    @Test("When all owners are removed at the same moment, one stays", arguments: StoreUnderTest.available)
    func theLastOwnerStays(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let users = try await makeOperators([OperatorRole](repeating: .owner, count: 8), in: store)
            let removed = try await race(8) { number in
                try await store.changeOperators { roles in
                    let isLast = !roles.contains { $0.key != users[number] && $0.value == .owner }
                    guard !isLast, roles[users[number]] != nil else { return (nil, false) }
                    return (
                        OperatorChange(
                            users[number], role: nil, at: noon, event: event(.operatorRemoved, users[number])), true
                    )
                }
            }
            #expect(removed.filter(\.self).count == 7)
            #expect(try await store.operators().map(\.role) == [.owner])
        }
    }

    @Test(
        "Operators are listed with address, name and last request; a role changes", arguments: StoreUnderTest.available)
    func theList(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let users = try await makeOperators([.owner, .support], in: store)
            try await store.openSession(
                OperatorSession(
                    digest: digest("cookie"), user: users[1], credentialVersion: 3, provenAt: noon, seenAt: noon))
            try await store.touchSession(digest("cookie"), at: noon + 61)
            let change = OperatorChange(
                users[1], role: .auditor, at: noon + 62, event: event(.operatorChanged, users[1]))
            try await store.changeOperators { _ in (change, ()) }
            let all = try await store.operators()
            let other = try #require(all.first { $0.user == users[1] })
            #expect(all.count == 2 && other.role == .auditor && other.email == "operator1@example.com")
            #expect(
                other.name == "Operator 1" && other.since.timeIntervalSince(noon).magnitude < 0.001
                    && other.seenAt.map { ($0.timeIntervalSince(noon) - 61).magnitude < 0.001 } == true)
            #expect(try await store.operatorRole(of: users[0]) == .owner)
            #expect(try await store.operatorRole(of: UserID(UUID())) == nil)
            #expect(try await store.userCounts().isEmpty, "operators are no users of a tenant")
        }
    }

    @Test(
        "A session is read, closed, and ends with its operator or without requests", arguments: StoreUnderTest.available
    )
    func sessions(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let user = try await makeOperators([.owner, .admin], in: store)[1]
            let session = OperatorSession(
                digest: digest("one"), user: user, credentialVersion: 3, provenAt: noon, seenAt: noon)
            try await store.openSession(session)
            #expect(try await store.operatorSession(digest("one")) == session)
            #expect(try await store.operatorSession(digest("other")) == nil)
            try await store.closeSession(digest("one"))
            #expect(try await store.operatorSession(digest("one")) == nil)
            try await store.openSession(session)
            #expect(try await store.removeExpired(now: noon + 900) == 0)
            #expect(try await store.removeExpired(now: noon + 901) == 1)
            try await store.openSession(session)
            let removal = OperatorChange(user, role: nil, at: noon, event: event(.operatorRemoved, user))
            try await store.changeOperators { _ in (removal, ()) }
            #expect(try await store.operatorSession(digest("one")) == nil)
        }
    }

    @Test(
        "Counts add up by minute and hour, in parallel, and old ones are removed", arguments: StoreUnderTest.available)
    func counts(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let start = Date(timeIntervalSince1970: (noon.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600)
            _ = try await race(20) { number in
                try await store.addActivity(
                    [
                        ActivityCount(start: start + 30, activity: .codesSent, number: 2),
                        ActivityCount(start: start + 90, activity: .steps(within: number % 2), number: 1),
                    ], to: contoso)
            }
            let hour = try await store.activity(of: contoso, in: .hour, now: start + 120)
            #expect(
                Set(hour) == [
                    ActivityCount(start: start, activity: .codesSent, number: 40),
                    ActivityCount(start: start + 60, activity: .steps(within: 0), number: 10),
                    ActivityCount(start: start + 60, activity: .steps(within: 1), number: 10),
                ])
            let day = try await store.activity(of: contoso, in: .day, now: start + 120)
            #expect(day.allSatisfy { $0.start == start } && day.map(\.number).reduce(0, +) == 60)
            #expect(try await store.activity(of: TenantID(UUID()), in: .day, now: start + 120).isEmpty)
            #expect(try await store.removeExpired(now: start + 2 * 3_600 + 61) == 3)
            #expect(try await store.activity(of: contoso, in: .month, now: start + 86_400).count == 3)
            #expect(try await store.removeExpired(now: start + 35 * 86_400 + 1) == 3)
        }
    }

    @Test("The sealer counts each line of the audit trail once", arguments: StoreUnderTest.available)
    func linesAreCountedOnce(_ sut: StoreUnderTest) async throws {
        try await sut.withSQLStore { store in
            let kinds: [AuditEvent.Kind] = [
                .signUpCompleted, .signInSucceeded, .signInSucceeded, .signInFailed, .codeSent, .tokenIssued,
            ]
            for kind in kinds {
                try await store.record(AuditEvent(kind, at: noon, tenant: contoso))
            }
            let chain = AuditChain(
                vault: Vault(
                    masterKey: SymmetricKey(data: Data(repeating: 1, count: 32)), randomness: NoRandomness()))
            _ = try await race(8) { _ in try await chain.seal(in: store) }
            let counts = try await store.activity(of: contoso, in: .hour, now: noon + 60)
            #expect(
                Dictionary(uniqueKeysWithValues: counts.map { ($0.activity, $0.number) }) == [
                    .signUps: 1, .signIns: 2, .failures: 1, .codesSent: 1,
                ])
            _ = try await chain.seal(in: store)
            #expect(try await store.activity(of: contoso, in: .hour, now: noon + 60) == counts)
        }
    }
}

extension StoreUnderTest {
    /// The same with everything that the database offers.
    func withSQLStore(_ body: (any SQLStore) async throws -> Void) async throws {
        try await withStore { store in try await body(try #require(store as? any SQLStore)) }
    }
}
