import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Stores of what users allowed applications")
struct ConsentStoreTests {
    private let ada = fixtureUser("ada")

    private func event(_ kind: AuditEvent.Kind, of user: NewUser) -> AuditEvent {
        AuditEvent(kind, at: noon, tenant: contoso, client: app, user: user.id)
    }

    private func consent(_ scopes: [String], of user: NewUser, at date: Date = noon) -> Consent {
        Consent(user: user.id, client: app, scopes: scopes, givenAt: date)
    }

    @Test(
        "OIDC-26: scopes add up for a user and an application, and others see nothing of it",
        arguments: StoreUnderTest.available)
    func scopesAddUp(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let kim = fixtureUser("kim")
            for user in [ada, kim] { try await store.perform(.createUser(user)) }
            let given = event(.consentGiven, of: ada)
            try await store.give(consent(["profile", "openid"], of: ada), in: contoso, recording: given)
            try await store.give(consent(["openid", "email"], of: ada, at: noon + 5), in: contoso, recording: given)
            #expect(
                try await store.consents(of: ada.id, in: contoso) == [
                    consent(["email", "openid", "profile"], of: ada, at: noon + 5)
                ])
            #expect(try await store.consents(of: kim.id, in: contoso) == [])
            #expect(try await store.consents(of: ada.id, in: TenantID(UUID())) == [])
        }
    }

    @Test(
        "OIDC-26: a consent that is withdrawn ends the application's tokens of this user, once",
        arguments: StoreUnderTest.available)
    func withdrawal(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let kim = fixtureUser("kim")
            for user in [ada, kim] { try await store.perform(.createUser(user)) }
            let (own, foreign) = (fixtureFamily(of: ada), fixtureFamily(of: kim))
            for family in [own, foreign] { try await store.perform(.openRefreshFamily(family)) }
            let withdrawn = event(.consentWithdrawn, of: ada)
            // Without a consent nothing ends.
            #expect(
                try await !store.withdrawConsent(
                    of: ada.id, to: own.client, in: contoso, at: noon + 1, recording: withdrawn))
            #expect(try await store.refreshFamily(own.id, in: contoso)?.revokedAt == nil)
            let consent = Consent(user: ada.id, client: own.client, scopes: ["openid"], givenAt: noon)
            try await store.give(consent, in: contoso, recording: event(.consentGiven, of: ada))
            let ended = try await race(8) { _ in
                try await store.withdrawConsent(
                    of: ada.id, to: own.client, in: contoso, at: noon + 1, recording: withdrawn)
            }
            #expect(ended.count { $0 } == 1)
            #expect(try await store.refreshFamily(own.id, in: contoso)?.revokedAt == noon + 1)
            #expect(try await store.refreshFamily(foreign.id, in: contoso)?.revokedAt == nil)
            #expect(try await store.consents(of: ada.id, in: contoso) == [])
        }
    }
}
