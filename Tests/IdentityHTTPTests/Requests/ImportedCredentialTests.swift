import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Passkeys and accounts at providers that a user brings along from another server.
@Suite("Imports: passkeys and accounts at providers")
struct ImportedCredentialTests {
    private let password = PasswordHash(phc: "$argon2id$none")

    private func bring(
        _ records: [ImportRecord], into server: ProviderServer, leavesOut: Bool = false, verified: Bool = true
    ) async throws -> (outcome: ImportOutcome, judged: [JudgedRecord]) {
        let entry = server.entry
        let (engine, now) = (server.server.engine, server.server.clock.now)
        let settings = ImportSettings(
            client: try #require(entry.applications.first { $0.userFlow.method == .emailPassword }),
            flows: entry.operatorFlows, duplicates: .refuse, assumesVerified: verified,
            leavesOutUnknownProviders: leavesOut, foreignIDs: [], unknownPassword: password)
        let judged = records.enumerated().map {
            engine.judge($1, at: $0 + 1, settings, in: entry.tenant, now: now)
        }
        let query = engine.importQuery(of: judged, in: entry.tenant)
        let before = ImportProgress(begunAt: now)
        let outcome = try await server.server.store.importUsers(
            query, of: Data("file".utf8), after: before, in: entry.tenant.id
        ) { facts in
            engine.decide(judged, after: before, facts, isLast: true, settings, in: entry.tenant, now: now)
        }
        return (try #require(outcome), judged)
    }

    private func record(_ email: String) -> ImportRecord {
        var record = ImportRecord()
        record.email = email
        return record
    }

    @Test("SEC-FED-7, SEC-PK-11: both sign their user in at another server, and belong to one user there")
    func roundTrip() async throws {
        let old = try ProviderServer()
        old.apple.person.email = nil
        _ = try await old.server.signUp("dana@example.com")
        let caller = try await AccountCaller.withCode(old.server, "dana@example.com")
        let passkey = try await TestPasskey.add(to: caller)
        var moved = record("dana@example.com")
        moved.password = .none
        moved.passkeys = try await old.account().strongMethods.compactMap { $0.passkey.map { .init($0) } }
        moved.identities = [.init(subject: old.apple.person.subject, provider: "apple")]
        var other = record("eve@example.com")
        other.passkeys = moved.passkeys
        var third = record("erik@example.com")
        third.identities = [.init(subject: old.apple.person.subject, issuer: old.apple.provider.issuer)]

        let new = try ProviderServer()
        new.apple.person.email = nil
        let (outcome, _) = try await bring([moved, other, third], into: new)
        #expect(outcome.progress.created == 1 && outcome.progress.refused == 2)
        #expect(
            outcome.faults.map { "\($0.line) \($0.fault.member) \($0.fault.reason)" } == [
                "2 passkeys has one that the record in line 1 has",
                "3 identities has one that the record in line 1 has",
            ])
        #expect(try await passkey.signIn(new.client).status == 200)
        let byProvider = try await new.signIn()
        #expect(byProvider.status == 200, "\(byProvider)")
        let account = try await new.account()
        #expect(account.identities.first?.enrolment.strength == .mailbox)
        #expect(account.passwordHash == nil)
        // A later import finds both in the database.
        let again = try await bring([other, third], into: new)
        #expect(again.outcome.progress.refused == 2)
    }

    @Test("SEC-ENR-4, SEC-ID-9: what another person may have added to an address that is not verified does not come in")
    func unverified() async throws {
        let server = try ProviderServer()
        var squatter = record("dana@example.com")
        squatter.identities = [.init(subject: server.apple.person.subject, provider: "apple")]
        let (outcome, judged) = try await bring([squatter], into: server, verified: false)
        #expect(outcome.progress.created == 1 && judged[0].leftOutUnverified)
        #expect(try await server.account().identities.isEmpty)
        #expect(try await server.account().passwordHash == password)
    }

    @Test("A user of a provider has no password here; accounts at providers that the tenant lacks are told")
    func providers() async throws {
        let server = try ProviderServer()
        var user = record("dana@example.com")
        user.identities = [.init(subject: "1", provider: "apple"), .init(subject: "2", provider: "facebook.com")]
        let strict = try await bring([user], into: server)
        #expect(strict.outcome.faults.map(\.fault.reason) == ["names a provider that the tenant does not have"])
        let (outcome, judged) = try await bring([user], into: server, leavesOut: true)
        #expect(outcome.progress.created == 1 && judged[0].leftOutIdentities)
        #expect(try await server.account().identities.count == 1)
        #expect(try await server.account().passwordHash == nil)
    }

    @Test(
        "A damaged passkey or account is a fault of its record",
        arguments: [
            "subject", "twice", "six", "many", "name", "domain", "key", "handle", "id", "model", "transports",
            "handles",
            "date",
        ])
    func faults(_ what: String) async throws {
        let server = try ProviderServer()
        _ = try await server.server.signUp("dana@example.com")
        let caller = try await AccountCaller.withCode(server.server, "dana@example.com")
        try await TestPasskey.add(to: caller)
        let good = try #require(try await server.account().passkeys.first)
        var user = record("erik@example.com")
        var passkey = ImportRecord.Passkey(good)
        passkey.passkey.credentialID = Data(repeating: 7, count: 32)
        var identity = ImportRecord.Identity(subject: "1", provider: "apple")
        switch what {
        case "subject": identity.subject = "with a blank"
        case "twice": user.identities = [identity]
        case "six": user.identities = (2...6).map { .init(subject: "\($0)", provider: "apple") }
        case "many": user.identities = (0..<100_000).map { .init(subject: "\($0)", provider: "facebook") }
        case "name": identity.name = ""
        case "domain": passkey.passkey.relyingPartyID = "other.example"
        case "key": passkey.passkey.publicKey = Data([1, 2, 3])
        case "handle": passkey.passkey.userHandle = Data()
        case "id": passkey.passkey.credentialID = Data([1])
        case "model": passkey.passkey.authenticatorModel = Data()
        case "transports": passkey.passkey.transports = [""]
        case "handles":
            var second = passkey
            second.passkey.credentialID = Data(repeating: 8, count: 32)
            second.passkey.userHandle = Data([1])
            user.passkeys = [second]
        case _: passkey.createdAt = server.server.clock.now + 7 * 86_400
        }
        user.identities.append(identity)
        user.passkeys.append(passkey)
        let (outcome, _) = try await bring([user], into: server)
        #expect(outcome.progress.refused == 1 && outcome.progress.created == 0, "\(what)")
        let fault = try #require(outcome.faults.first?.fault)
        #expect(["identities", "passkeys"].contains { fault.member.hasPrefix($0) }, "\(fault)")
        #expect(try await server.server.storedUsers().count == 1)
    }
}
