import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Store: remembered devices", .serialized)
struct RememberedDeviceStoreTests {
    private func device(_ number: Int, of user: NewUser, client: ClientID? = nil, until: Date = noon + 86_400)
        -> RememberedDevice
    {
        RememberedDevice(
            id: UUID(), user: user.id, client: client ?? user.client, mark: digest("device \(number)"),
            level: .twoFactors,
            createdAt: noon + Double(number), until: until, device: SessionDevice(model: "iPhone17,1", system: "26.1"),
            network: "192.0.2.0/24")
    }

    @Test(
        "A device is read as it was written, used, and forgotten alone or with the others",
        arguments: StoreUnderTest.available)
    func roundTrip(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            try await store.perform(.createUser(ada), .createUser(eve))
            let devices = (1...3).map { device($0, of: ada) }
            try await store.perform(
                .rememberDevice(devices[0]), .rememberDevice(devices[1]), .rememberDevice(devices[2]),
                .rememberDevice(device(1, of: eve)))
            #expect(Set(try await store.rememberedDevices(of: ada.id, in: contoso)) == Set(devices))
            #expect(try await store.rememberedDevices(of: ada.id, in: TenantID(UUID())).isEmpty)
            // Another user's id finds nothing.
            try await store.perform(
                .noteDeviceUse(devices[0].id, of: eve.id, at: noon + 9), .forgetDevices(eve.id, devices[1].id))
            #expect(Set(try await store.rememberedDevices(of: ada.id, in: contoso)) == Set(devices))
            try await store.perform(.noteDeviceUse(devices[0].id, of: ada.id, at: noon + 9))
            #expect(
                try await store.rememberedDevices(of: ada.id, in: contoso).first { $0.id == devices[0].id }?.usedAt
                    == noon + 9)
            try await store.perform(.forgetDevices(ada.id, devices[1].id))
            #expect(try await store.rememberedDevices(of: ada.id, in: contoso).count == 2)
            try await store.perform(.forgetDevices(ada.id, nil))
            #expect(try await store.rememberedDevices(of: ada.id, in: contoso).isEmpty)
            #expect(try await store.rememberedDevices(of: eve.id, in: contoso).count == 1)
        }
    }

    @Test(
        "The ten newest are kept, the same device once for an application, and none longer than its time",
        arguments: StoreUnderTest.available)
    func limits(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada")
            try await store.perform(.createUser(ada))
            for number in 1...12 { try await store.perform(.rememberDevice(device(number, of: ada))) }
            let kept = try await store.rememberedDevices(of: ada.id, in: contoso)
            #expect(Set(kept.map(\.mark)) == Set((3...12).map { digest("device \($0)") }))
            var again = device(12, of: ada)
            again.level = .mailed
            try await store.perform(.rememberDevice(again))
            let now = try await store.rememberedDevices(of: ada.id, in: contoso)
            #expect(now.count == 10 && now.first { $0.mark == again.mark } == again)
            // Another mark of the same device, which other applications get, too.
            let other = ClientID(UUID())
            try await store.perform(.rememberDevice(device(11, of: ada, client: other)))
            var renewed = device(14, of: ada)
            renewed.createdAt = noon + 12
            try await store.perform(.rememberDevice(renewed, replacing: [digest("device 11")]))
            let marks = try await store.rememberedDevices(of: ada.id, in: contoso)
            #expect(marks.count { $0.mark == renewed.mark } == 2 && !marks.contains { $0.mark == digest("device 11") })
            try await store.perform(.rememberDevice(device(13, of: ada, until: noon + 100)))
            _ = try await store.removeExpired(now: noon + 99)
            #expect(try await store.rememberedDevices(of: ada.id, in: contoso).count == 10)
            _ = try await store.removeExpired(now: noon + 100)
            #expect(try await store.rememberedDevices(of: ada.id, in: contoso).count == 9)
        }
    }

    @Test(
        "SEC-ENR-6: each change of credentials, methods and sessions ends the devices of its user alone",
        arguments: StoreUnderTest.available)
    func endings(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (ada, eve) = (fixtureUser("ada"), fixtureUser("eve"))
            try await store.perform(.createUser(ada), .createUser(eve), .rememberDevice(device(1, of: eve)))
            let method = StrongMethod(id: UUID(), email: try #require(EmailAddress("a@b.example")), provenAt: noon)
            let hash = PasswordHash(phc: "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA")
            let changes: [Effect] = [
                .changePassword(ada.id, hash, at: noon), .changeCredentials(ada.id, at: noon),
                .revokeRefreshFamilies(ada.id, at: noon), .addStrongMethod(method, to: ada.id),
                .setSuspension([method.id], of: ada.id, noon), .removeStrongMethods([method.id], of: ada.id),
                .removePassword(ada.id, at: noon), .requireSecondFactor(true, of: ada.id),
                .setRecovery(
                    RecoverySet(id: UUID(), madeAt: noon, codes: []), of: ada.id, replacing: nil),
            ]
            for change in changes {
                try await store.perform(.rememberDevice(device(1, of: ada)))
                try await store.perform(change)
                #expect(try await store.rememberedDevices(of: ada.id, in: contoso).isEmpty, "\(change)")
            }
            #expect(try await store.rememberedDevices(of: eve.id, in: contoso).count == 1)
            try await store.perform(.rememberDevice(device(1, of: ada)))
            try await store.perform(.deleteUser(ada.id, mark: digest("ada"), at: noon + 1))
            #expect(try await store.rememberedDevices(of: ada.id, in: contoso).isEmpty)
        }
    }
}
