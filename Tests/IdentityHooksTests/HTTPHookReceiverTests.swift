import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityHooks

/// Calls over real HTTP, with every fault of a receiver.
@Suite("Calling a receiver", .timeLimit(.minutes(1)))
struct HTTPHookReceiverTests {
    @Test("A receiver gets one POST with the vendor's payload and our token, and its claims are read")
    func payload() async throws {
        try await Receiver.run { url, log in
            let claims = try await hookReceiver().claims(for: .fixture, asking: .fixture("\(url)/claims"))
            #expect(claims == ["tier": .one("gold"), "roles": .texts(["a", "b"])])
            let entry = try #require(log.entries.first)
            #expect(
                entry.authorization
                    == "Bearer 99045fe1-7639-4a75-9d4a-577b6ca3810f|\(UUID.fixture(0xAA).text)|https://id.example.com|600"
            )
            let body = try #require(try JSONSerialization.jsonObject(with: entry.body) as? [String: Any])
            #expect(body["type"] as? String == "microsoft.graph.authenticationEvent.tokenIssuanceStart")
            let data = try #require(body["data"] as? [String: Any])
            #expect(data["@odata.type"] as? String == "microsoft.graph.onTokenIssuanceStartCalloutData")
            let context = try #require(data["authenticationContext"] as? [String: Any])
            #expect(context["correlationId"] as? String == UUID.fixture(3).text)
            #expect(context["protocol"] as? String == "OAUTH2.0" && context["requestType"] == nil)
            #expect((context["client"] as? [String: String]) == ["ip": "192.0.2.7", "locale": "da", "market": "da"])
            let user = try #require(context["user"] as? [String: String])
            #expect(user["mail"] == "dana@example.com" && user["displayName"] == "Dana" && user["surname"] == nil)
            #expect(user["userPrincipalName"] == "\(UUID.fixture(4).text)@harbour.example.com")
            #expect(data["userSignUpInfo"] == nil && data["otpContext"] == nil)
        }
    }

    @Test("A sign-up's payload has its attributes with their types, and its names as identities")
    func signUpPayload() async throws {
        let signUp = CollectedAttributes(
            email: "dana@example.com",
            attributes: ["city": "Ribe", "extension_size": 44, "extension_news": true, "flatusername": "dana"])
        let call = HookCall.fixture("https://a.example", event: .attributeCollectionSubmit)
        let text = try String(decoding: JSONEncoder.sorted.encode(HookPayload.signUp(signUp, call)), as: UTF8.self)
        for part in [
            #""type":"microsoft.graph.authenticationEvent.attributeCollectionSubmit""#,
            #""@odata.type":"microsoft.graph.onAttributeCollectionSubmitCalloutData""#,
            #""city":{"@odata.type":"microsoft.graph.stringDirectoryAttributeValue","attributeType":"builtIn","value":"Ribe"}"#,
            #""extension_size":{"@odata.type":"microsoft.graph.int64DirectoryAttributeValue","attributeType":"directorySchemaExtension","value":44}"#,
            #""extension_news":{"@odata.type":"microsoft.graph.booleanDirectoryAttributeValue","attributeType":"directorySchemaExtension","value":true}"#,
            #"{"issuer":"harbour.example.com","issuerAssignedId":"dana@example.com","signInType":"email"}"#,
            #"{"issuer":"harbour.example.com","issuerAssignedId":"dana","signInType":"userName"}"#,
        ] {
            #expect(text.contains(part), "\(part) \(text)")
        }
        #expect(!text.contains(#""flatusername""#))
    }

    @Test(
        "SEC-HOOK-4: each fault of a receiver has its name, and a retry where that can help",
        arguments: [
            ("slow", HookFailure.timedOut, 2), ("big", .tooLarge, 1), ("announced", .tooLarge, 1),
            ("redirect", .status(302), 1), ("html", .contentType, 1), ("error", .status(500), 2),
            ("busy", .status(429), 2), ("gone", .status(404), 1), ("empty", .empty, 1), ("text", .body, 1),
            ("two", .numberOfActions, 1), ("none", .numberOfActions, 1), ("other", .unknownAction, 1),
        ] as [(String, HookFailure, Int)])
    func faults(path: String, failure: HookFailure, attempts: Int) async throws {
        try await Receiver.run { url, log in
            let start = ContinuousClock.now
            await #expect(throws: failure) {
                try await hookReceiver().claims(
                    for: .fixture, asking: .fixture("\(url)/\(path)", timeout: 300, retries: 1))
            }
            #expect(log.count(path) == attempts && log.count("secret") == 0)
            #expect(ContinuousClock.now - start < .seconds(2))
        }
    }

    @Test("Nothing listens, or the name does not exist: the receiver is unreachable")
    func unreachable() async throws {
        for url in ["http://127.0.0.1:1/", "https://does-not-exist.invalid/", "ftp://127.0.0.1/", "no address"] {
            await #expect(throws: HookFailure.unreachable, "\(url)") {
                // A name server may take seconds to say that there is no such name.
                try await hookReceiver().claims(for: .fixture, asking: .fixture(url, timeout: 30_000))
            }
        }
    }

    @Test(
        "SEC-NET-13: an address that is not public is not dialled, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]",
            "0.0.0.0", "169.254.169.254", "10.1.2.3",
        ])
    func forbiddenAddresses(host: String) async throws {
        try await Receiver.run { url, log in
            let port = url.split(separator: ":").last ?? ""
            let receiver = hookReceiver(mayDial: DialledAddress.isPublic)
            await #expect(throws: HookFailure.forbiddenAddress) {
                try await receiver.claims(for: .fixture, asking: .fixture("http://\(host):\(port)/claims"))
            }
            #expect(log.entries.isEmpty)
        }
    }

    @Test("SEC-NET-13: production calls https only")
    func httpsOnly() async throws {
        try await Receiver.run { url, log in
            await #expect(throws: HookFailure.unreachable) {
                try await hookReceiver(allowsHTTP: false).claims(for: .fixture, asking: .fixture("\(url)/claims"))
            }
            #expect(log.entries.isEmpty)
        }
    }

    @Test("SEC-HOOK-4: after five failures a receiver rests, and another tenant's hook with the same id does not")
    func resting() async throws {
        try await Receiver.run { url, log in
            let receiver = hookReceiver()
            let call = HookCall.fixture("\(url)/error")
            for _ in 0..<5 {
                await #expect(throws: HookFailure.status(500)) {
                    try await receiver.claims(for: .fixture, asking: call)
                }
            }
            await #expect(throws: HookFailure.resting) { try await receiver.claims(for: .fixture, asking: call) }
            #expect(log.count("error") == 5)
            var other = call
            other.tenant = TenantID(.fixture(0xBB))
            other.hook.url = "\(url)/claims"
            let claims = try await receiver.claims(for: .fixture, asking: other)
            #expect(claims.count == 2)
        }
    }

    @Test("SEC-HOOK-4: a receiver that refuses what users gave is not down", arguments: ["gone", "text", "none"])
    func refusing(path: String) async throws {
        try await Receiver.run { url, log in
            let receiver = hookReceiver()
            let call = HookCall.fixture("\(url)/\(path)")
            for _ in 0..<8 {
                await #expect(throws: HookFailure.self) { try await receiver.claims(for: .fixture, asking: call) }
            }
            #expect(log.count(path) == 8)
        }
    }

    @Test("SEC-HOOK-4: a step that waits is noted, also when the call fails; the delivery of a code is no step")
    func waiting() async throws {
        try await Receiver.run { url, _ in
            let load = CountingLoad()
            let receiver = hookReceiver(load: load)
            await #expect(throws: HookFailure.status(404)) {
                try await receiver.claims(for: .fixture, asking: .fixture("\(url)/gone"))
            }
            #expect(load.most == 1 && load.now == 0)
            await #expect(throws: HookFailure.status(404)) {
                try await receiver.deliver(
                    CodeToDeliver(recipient: "a@example.com", code: Secret("12345678"), purpose: .signIn),
                    asking: .fixture("\(url)/gone", event: .otpSend))
            }
            #expect(load.most == 1 && load.now == 0)
        }
    }

    @Test("SEC-HOOK-4: a rest lasts ten seconds, then one call tries the receiver")
    func breaker() throws {
        let breaker = HookBreaker()
        let key = HookBreaker.Key(tenant: TenantID(.fixture(1)), hook: .fixture(2))
        let start = ContinuousClock.now
        func call(_ seconds: Int, fails: Bool) throws {
            try breaker.begin(key, now: start + .seconds(seconds))
            breaker.end(key, failed: fails, now: start + .seconds(seconds))
        }
        for second in [0, 11, 12, 13, 14] { try call(second, fails: true) }
        try call(15, fails: true)
        #expect(throws: HookFailure.resting, "the fifth failure within ten seconds") { try call(24, fails: false) }
        try breaker.begin(key, now: start + .seconds(25))
        #expect(throws: HookFailure.resting, "one call at a time") { try call(25, fails: false) }
        breaker.end(key, failed: true, now: start + .seconds(26))
        #expect(throws: HookFailure.resting) { try call(35, fails: false) }
        try call(36, fails: false)
        for _ in 0..<4 { try call(37, fails: true) }
        try call(38, fails: false)
        for _ in 0..<4 { try call(39, fails: true) }
        for _ in 0..<HookBreaker.room { try breaker.begin(key, now: start + .seconds(40)) }
        #expect(throws: HookFailure.busy) { try breaker.begin(key, now: start + .seconds(40)) }
    }

    @Test("SEC-HOOK-4: slow receivers hold up neither each other nor a quick one, and only so many calls wait for one")
    func slowReceivers() async throws {
        try await Receiver.run { url, log in
            let receiver = hookReceiver()
            let slow = HookCall.fixture("\(url)/slow", timeout: 1_500)
            let quick = HookCall.fixture("\(url)/claims")
            let start = ContinuousClock.now
            let busy = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do throws(HookFailure) {
                            _ = try await receiver.claims(for: .fixture, asking: slow)
                            return false
                        } catch {
                            return error == .busy
                        }
                    }
                }
                for _ in 0..<20 {
                    let began = ContinuousClock.now
                    _ = try await receiver.claims(for: .fixture, asking: quick)
                    #expect(ContinuousClock.now - began < .seconds(1))
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(busy == 100 - HookBreaker.room)
            #expect(ContinuousClock.now - start < .seconds(4))
        }
    }

    @Test("A token is used for a minute, for one tenant and one audience")
    func tokens() async throws {
        try await Receiver.run { url, _ in
            let issuer = PlainIssuer()
            let receiver = hookReceiver(issuer)
            var call = HookCall.fixture("\(url)/claims")
            for _ in 0..<3 { _ = try await receiver.claims(for: .fixture, asking: call) }
            #expect(issuer.signed.value == 1)
            call.hook.audience = .fixture(0xBB)
            _ = try await receiver.claims(for: .fixture, asking: call)
            call.now += 61
            _ = try await receiver.claims(for: .fixture, asking: call)
            #expect(issuer.signed.value == 3)
        }
    }
}

extension JSONEncoder {
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
