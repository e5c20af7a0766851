import Foundation
import NativeAuthCore
import NativeAuthWire
import Testing

@testable import NativeAuth

private let key = ResumeKey()

/// The sealed bytes of a saved step's JSON, and the reverse.
private func sealed(_ json: Data) throws -> Data { try JSONDecoder().decode(Data.self, from: json) }
private func json(_ sealed: Data) throws -> Data { try JSONEncoder().encode(sealed) }

/// Why `data` cannot be resumed.
private func refusal(
    _ data: Data, as step: AnyStep, by client: NativeAuthClient, key: ResumeKey = key
) -> ResumeError? {
    do {
        _ = try step.resume(data, key, client)
        return nil
    } catch {
        return error as? ResumeError
    }
}

@Suite("Saved steps")
struct ResumeTests {
    @Test("Every kind of step survives a restart: the same request, byte for byte", arguments: PublicStep.all)
    func roundTrip(_ step: PublicStep) async throws {
        // A time that no round number can represent.
        let configure: (inout NativeAuthConfiguration) -> Void = { $0.now = { start + 0.123_456_789 } }
        var (data, fields, sent) = (Data(), Data(), [TransportRequest]())
        var kind: AnyStep?
        try await withClient(step.before + step.success, configure: configure) { client, transport in
            let live = try await step.reach(client)
            (data, fields, kind) = (try live.save(key), live.fields, live)
            await live.submit().isNext()
            sent = Array(transport.requests[step.before.count...])
        }
        let copy = try #require(ResumeKey(data: key.data))
        let any = try #require(kind)
        try await withClient(step.success, configure: configure) { client, transport in
            let resumed = try any.resume(data, copy, client)
            #expect(resumed.fields == fields)
            #expect(transport.requests.isEmpty)
            await resumed.submit().isNext()
            #expect(transport.requests.map(\.body) == sent.map(\.body))
            #expect(transport.requests.map(\.url) == sent.map(\.url))
            #expect(transport.requests.map(\.headers) == sent.map(\.headers))
        }
    }

    @Test(
        "SDK-STATE-1: what is not a saved step of this app is refused, and nothing is sent", arguments: PublicStep.all)
    func foreign(_ step: PublicStep) async throws {
        let index = try #require(PublicStep.all.firstIndex { $0.testDescription == step.testDescription })
        let other = PublicStep.all[(index + 1) % PublicStep.all.count]
        try await withClient(step.before + other.before) { client, transport in
            let live = try await step.reach(client)
            let data = try live.save(key)
            let otherLive = try await other.reach(client)
            let sent = transport.requests.count
            #expect(refusal(data, as: live, by: client) == nil)
            #expect(refusal(data, as: live, by: client, key: ResumeKey()) == .unreadable)
            #expect(refusal(data, as: otherLive, by: client) == .unreadable)
            var configuration = client.api.configuration
            configuration.clientID = "11112222-bbbb-3333-cccc-4444dddd5555"
            #expect(refusal(data, as: live, by: NativeAuthClient(configuration, environment: [:])) == .unreadable)
            configuration.clientID = clientID.uppercased()
            #expect(refusal(data, as: live, by: NativeAuthClient(configuration, environment: [:])) == nil)
            configuration.authority = try Authority(tenantSubdomain: "fabrikam")
            #expect(refusal(data, as: live, by: NativeAuthClient(configuration, environment: [:])) == .unreadable)
            #expect(transport.requests.count == sent)
        }
    }

    @Test func everyBitAndEveryByteCounts() async throws {
        let step = try PublicStep.named("MFACodeRequired")
        try await withClient(step.before) { client, transport in
            let live = try await step.reach(client)
            let whole = try sealed(live.save(key))
            for index in whole.indices {
                for bit in 0..<8 {
                    var broken = whole
                    broken[index] ^= 1 << bit
                    let error = try refusal(json(broken), as: live, by: client)
                    #expect(error == (broken[0] > 1 ? .newerVersion : .unreadable), "byte \(index), bit \(bit)")
                }
                #expect(try refusal(json(whole.prefix(index)), as: live, by: client) == .unreadable)
            }
            #expect(try refusal(json(whole + [0]), as: live, by: client) == .unreadable)
            #expect(try refusal(json(Data([2]) + whole.dropFirst()), as: live, by: client) == .newerVersion)
            #expect(transport.requests.count == step.before.count)
        }
    }

    @Test func theSameStepIsSealedDifferentlyEachTime() async throws {
        try await withClient([.started, .codeSent("T2")]) { client, _ in
            let kept = try await client.signUp(username: "dahlia@example.com").kept()
            let (first, second) = (try kept.saved(with: key), try kept.saved(with: key))
            #expect(first != second)
            #expect(try JSONDecoder().decode(type(of: first), from: JSONEncoder().encode(first)) == first)
        }
    }

    @Test("SDK-STATE-1: a step that was taken cannot be saved", arguments: PublicStep.all)
    func taken(_ step: PublicStep) async throws {
        try await withClient(step.before + [step.refused]) { client, _ in
            let live = try await step.reach(client)
            let (_, again) = try await live.submit().refused()
            #expect(throws: ResumeError.notSaved) { try live.save(key) }
            _ = try again.save(key)
        }
    }

    @Test("SDK-LOG-1: neither a sealed step nor a kept one shows token, address or name", arguments: PublicStep.all)
    func nothingSecretShows(_ step: PublicStep) async throws {
        try await withClient(step.before.map(\.withCanary)) { client, _ in
            let live = try await step.reach(client)
            let bytes = try sealed(live.save(key))
            for secret in ["canary", "dahlia", "dana", "Orders.Read", clientID] {
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil)
            }
            for secret in ["canary", "dahlia", "dana", "d***a", "Orders.Read"] {
                #expect(!live.printed.contains(secret), "\(live.printed)")
            }
        }
    }

    @Test("SDK-LOG-1: a key prints nothing of itself")
    func keys() {
        #expect(key.data.count == 32 && ResumeKey(data: key.data) == key && ResumeKey() != key)
        for count in [0, 31, 33] { #expect(ResumeKey(data: Data(count: count)) == nil) }
        let canary = ResumeKey(data: Data(repeating: 0x41, count: 32))
        var text = "\(String(describing: canary)) \(String(reflecting: canary))"
        dump(canary, to: &text)
        #expect(!text.contains("AAAA") && !text.contains("65") && !text.contains("41"))
    }

    @Test("SDK-LOG-1: what steps show prints neither address nor name")
    func infos() throws {
        let code = SentCode(
            sentTo: "canary@example.com", channel: "email", length: 8, resendInterval: 60, sentAt: start)
        let method = AuthMethod(
            try JSONDecoder().decode(
                IntrospectReply.Method.self,
                from: Data(
                    #"""
                    {"id":"M1","challenge_type":"oob","challenge_channel":"email","login_hint":"canary@example.com"}
                    """#.utf8)))
        let values: [Any] = [code, method, MethodCode(code: code, methods: [method])]
        for value in values {
            var text = "\(value) \(String(reflecting: value)) \(Mirror(reflecting: value).children.map(\.value))"
            dump(value, to: &text)
            #expect(!text.contains("canary"), "\(text)")
        }
        #expect(code.resendAllowedAt == start + 60)
    }
}
