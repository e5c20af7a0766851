import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Stores of devices without a browser")
struct DeviceStoreTests {
    private func device(_ name: String = "device", userCode: String = "user", at date: Date = noon) -> WaitingDevice {
        WaitingDevice(
            tenant: contoso, digest: digest(name), userCode: digest(userCode), client: app, createdAt: date,
            until: date + 900, scopes: ["openid"], contexts: ["c1"], network: "192.0.2.0/24", interval: 5)
    }

    @Test("OIDC-28: a device reads back by either code, in its tenant only", arguments: StoreUnderTest.available)
    func aDeviceReadsBack(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let device = device()
            let addition = try await store.add(device, most: 10)
            #expect(addition == .added)
            #expect(try await store.device(device.digest, in: contoso) == device)
            #expect(try await store.device(ofUserCode: device.userCode, in: contoso) == device)
            #expect(try await store.device(device.userCode, in: contoso) == nil)
            #expect(try await store.device(device.digest, in: TenantID(UUID())) == nil)
            #expect(try await store.device(ofUserCode: device.userCode, in: TenantID(UUID())) == nil)
        }
    }

    @Test(
        "OIDC-28: two devices of a tenant have different user codes, and those that wait have a bound",
        arguments: StoreUnderTest.available)
    func additions(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let first = try await store.add(device(), most: 2)
            #expect(first == .added)
            #expect(try await store.add(device("other"), most: 2) == .userCodeTaken)
            #expect(try await store.add(device("other", userCode: "another"), most: 2) == .added)
            #expect(try await store.add(device("third", userCode: "third"), most: 2) == .full)
            // Those that have ended count no more.
            #expect(try await store.add(device("third", userCode: "third", at: noon + 900), most: 2) == .added)
        }
    }

    @Test(
        "OIDC-28: of 16 polls at one moment one finds the device as it was, and the others see what it wrote",
        arguments: StoreUnderTest.available)
    func aRace(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            try await store.perform(.createUser(user))
            let waiting = device()
            _ = try await store.add(waiting, most: 10)
            let wins = try await race(16) { _ in
                let family = fixtureFamily(of: user)
                return try await store.updateDevice(waiting.digest, in: contoso) { facts in
                    guard var device = facts.device, device.polledAt == nil else { return (nil, [], false) }
                    device.polledAt = noon + 7
                    device.answer = .declined
                    return (device, [.openRefreshFamily(family)], true)
                }
            }
            #expect(wins.count { $0 } == 1)
            #expect(try await rows("SELECT COUNT(*) FROM refresh_families", in: store) == [["1"]])
            let seen = try #require(try await store.device(waiting.digest, in: contoso))
            #expect(seen.polledAt == noon + 7 && seen.answer == .declined && seen.redemption == nil)
            let missing = try await store.updateDevice(digest("missing"), in: contoso) { (nil, [], $0) }
            #expect(missing == DeviceFacts())
        }
    }

    @Test(
        "OIDC-27: of 16 who take a pushed request one gets it; another application and another tenant take nothing",
        arguments: StoreUnderTest.available)
    func pushedRequests(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            func request(_ name: String, until: Date = noon + 60) -> PushedRequest {
                PushedRequest(tenant: contoso, digest: digest(name), client: app, content: Data([7]), until: until)
            }
            #expect(try await store.push(request("one"), most: 2, now: noon))
            #expect(try await store.push(request("two"), most: 2, now: noon))
            #expect(try await !store.push(request("three"), most: 2, now: noon))
            #expect(try await store.push(request("three", until: noon + 120), most: 2, now: noon + 60))
            let other = try #require(ClientID(UUID().uuidString))
            // One application does not fill the room of another.
            var foreign = request("four")
            foreign.client = other
            #expect(try await store.push(foreign, most: 1, now: noon))
            #expect(try await store.takePushedRequest(digest("one"), of: other, in: contoso) == nil)
            #expect(try await store.takePushedRequest(digest("one"), of: app, in: TenantID(UUID())) == nil)
            let taken = try await race(16) { _ in
                try await store.takePushedRequest(digest("one"), of: app, in: contoso)
            }
            #expect(taken.compactMap { $0 } == [request("one")])
            _ = try await store.removeExpired(now: noon + 60)
            #expect(try await rows("SELECT COUNT(*) FROM pushed_requests", in: store) == [["1"]])
        }
    }

    @Test("OIDC-28: devices are removed a quarter of an hour after their end", arguments: StoreUnderTest.available)
    func removal(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await store.add(device(), most: 10)
            _ = try await store.removeExpired(now: noon + 1_799)
            #expect(try await store.device(digest("device"), in: contoso) != nil)
            _ = try await store.removeExpired(now: noon + 1_800)
            #expect(try await store.device(digest("device"), in: contoso) == nil)
        }
    }
}
