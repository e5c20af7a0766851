import Hummingbird
import IdentityEngine
import IdentityHooks
import Logging
import NIOCore
import NativeAuthCore
import PortableFoundation
import Synchronization
import Testing

/// A receiver on this machine with one path for each way to answer.
enum Receiver {
    /// Runs `body` with the base URL of a receiver that counts its requests.
    static func run(_ body: @escaping @Sendable (_ url: String, _ log: RequestLog) async throws -> Void) async throws {
        let log = RequestLog()
        let router = Router()
        router.post("/{what}") { request, context in
            let what = context.parameters.get("what") ?? ""
            let buffer = try await request.body.collect(upTo: 1 << 20)
            log.note(what, request.headers[.authorization], Data(buffer.readableBytesView))
            return try await answer(what)
        }
        router.get("/secret") { _, _ in
            log.note("secret", nil, Data())
            return Response(status: .ok)
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "receiver", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let bound = try #require(await iterator.next())
            defer { group.cancelAll() }
            try await body("http://127.0.0.1:\(bound)", log)
        }
    }

    static let claims = reply(
        #"{"@odata.type":"microsoft.graph.tokenIssuanceStart.provideClaimsForToken","claims":{"tier":"gold","roles":["a","b"]}}"#
    )

    static func reply(_ actions: String) -> String {
        #"{"data":{"@odata.type":"microsoft.graph.onTokenIssuanceStartResponseData","actions":[\#(actions)]}}"#
    }

    private static func answer(_ what: String) async throws -> Response {
        switch what {
        case "claims": return json(claims)
        case "slow":
            try await Task.sleep(for: .seconds(3))
            return json(claims)
        case "big":
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody { writer in
                    for _ in 0..<160 { try await writer.write(ByteBuffer(repeating: 0x20, count: 65_536)) }
                    try await writer.finish(nil)
                })
        case "announced": return json(claims + String(repeating: " ", count: 70_000))
        case "redirect":
            return Response(status: .found, headers: [.location: "/secret"])
        case "html":
            return Response(
                status: .ok, headers: [.contentType: "text/html"], body: .init(byteBuffer: ByteBuffer(string: claims)))
        case "error": return json("{}", .internalServerError)
        case "busy": return json("{}", .tooManyRequests)
        case "gone": return json("{}", .notFound)
        case "empty": return json("")
        case "text": return json("gold")
        case "two": return json(reply(#"{"@odata.type":"a"},{"@odata.type":"b"}"#))
        case "none": return json(reply(""))
        case "other": return json(reply(#"{"@odata.type":"microsoft.graph.OtpSend.continueWithDefaultBehavior"}"#))
        case _: return json("{}", .badRequest)
        }
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

/// What a receiver was sent.
final class RequestLog: Sendable {
    struct Entry: Sendable {
        var path: String
        var authorization: String?
        var body: Data
    }

    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }

    func note(_ path: String, _ authorization: String?, _ body: Data) {
        state.withLock { $0.append(Entry(path: path, authorization: authorization, body: body)) }
    }

    func count(_ path: String) -> Int { entries.count { $0.path == path } }
}

extension HookCall {
    static func fixture(
        _ url: String, event: Hook.Event = .tokenIssuanceStart, timeout: Int = 1_000, retries: Int = 0,
        now: Date = Date()
    ) -> HookCall {
        HookCall(
            hook: Hook(
                id: UUID(), displayName: "Test", event: event, url: url, audience: .fixture(0xAA), timeout: timeout,
                retries: retries),
            tenant: TenantID(.fixture(1)), domain: "harbour.example.com", client: ClientID(.fixture(2)),
            clientName: "Harbour app", correlationID: .fixture(3), source: "192.0.2.7", language: .danish, now: now)
    }
}

extension User {
    static let fixture = User(
        id: UserID(.fixture(4)), tenant: TenantID(.fixture(1)), email: "dana@example.com", alias: nil,
        hasPassword: false, attributes: ["displayName": "Dana", "city": "Ribe"],
        createdAt: Date(timeIntervalSince1970: 1_800_000_000))
}

extension UUID {
    static func fixture(_ byte: UInt8) -> UUID {
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, byte))
    }
}

struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

/// Signs nothing: tokens are tested in `IdentityTokensTests`.
struct PlainIssuer: TokenIssuer {
    let signed = SignCount()

    final class SignCount: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
    }

    struct Unsupported: Error {}

    func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens {
        throw .unavailable(Unsupported())
    }

    func verify(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken {
        throw .malformed
    }

    func sign(_ subject: DaemonTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        signed.count.add(1, ordering: .relaxed)
        return Secret("\(subject.daemon)|\(subject.audience)|\(subject.issuer)|\(subject.lifetime)")
    }

    func sign(_ subject: LogoutTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        Secret(subject.tokenID.uuidString)
    }

    func verifyDaemon(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedDaemonToken {
        throw .malformed
    }

    func verifyHint(
        _ idToken: Secret<String>, for tenant: TenantID, issuer: String
    ) async throws(TokenVerificationError) -> IDTokenHint {
        throw .malformed
    }

    func claimedTenant(of accessToken: Secret<String>) -> TenantID? { nil }

    func claimedApplication(of accessToken: Secret<String>) -> (client: ClientID, tenant: TenantID)? { nil }
    func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data { Data() }
    func verify(
        _ assertion: Secret<String>, signedByOneOf keys: [DaemonKey]
    ) throws(AssertionFault) -> VerifiedAssertion {
        throw .malformed
    }

    func verifyProof(_ proof: String) throws(ProofFault) -> VerifiedProof {
        throw .malformed
    }
}

/// Counts the steps that wait.
final class CountingLoad: NodeLoad {
    private let state = Mutex((now: 0, most: 0))
    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }

    func note(isWaiting: Bool) {
        state.withLock { state in
            state.now += isWaiting ? 1 : -1
            state.most = max(state.most, state.now)
        }
    }
}

func hookReceiver(
    _ issuer: PlainIssuer = PlainIssuer(), allowsHTTP: Bool = true, load: (any NodeLoad)? = nil,
    mayDial: @escaping @Sendable ([UInt8]) -> Bool = { _ in true },
    onCall: (@Sendable (HTTPHookReceiver.RecordedCall) -> Void)? = nil
) -> HTTPHookReceiver {
    HTTPHookReceiver(
        http: OutgoingHTTP(allowsHTTP: allowsHTTP, mayDial: mayDial),
        tokens: HookTokens(issuer: issuer, baseURL: "https://id.example.com", randomness: SystemRandomness()),
        randomness: SystemRandomness(), load: load,
        logger: Logger(label: "hooks", factory: { _ in SwiftLogNoOpLogHandler() }),
        onCall: onCall)
}
