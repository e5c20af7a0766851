import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

/// The answers to a sign-up that is complete with the code.
let signedUp: [Stub] = [.started, .codeSent("T2"), .created()]

/// Runs a sign-up to its end.
func completed(_ client: NativeAuthClient) async throws -> CompletedState {
    let code = try await client.startSignUp(username: "dahlia@example.com")
    guard case .completed(let completed) = try await code.submit(code: "1") else {
        throw ScriptedTransport.Unscripted()
    }
    return completed
}

/// Signs a new user up and in; the script begins with ``signedUp`` and an answer with tokens.
func signIn(_ client: NativeAuthClient) async throws -> Account {
    guard case .completed(let account) = try await completed(client).signIn() else {
        throw ScriptedTransport.Unscripted()
    }
    return account
}

extension Stub {
    /// Tokens of the user `uid`. `claims` are those of the ID token, besides the user's identity.
    static func session(
        _ uid: String, access: String = "AT", refresh: String? = "RT", scope: String = "openid profile offline_access",
        expiresIn: Int = 3600, claims: String = "", headers: [String: String] = [:]
    ) -> Stub {
        let more = claims.isEmpty ? "" : ",\(claims)"
        let idToken = Base64URL.encode(#"{"preferred_username":"\#(uid)@example.com"\#(more)}"#.utf8)
        let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
        return Stub(
            .token, 200,
            #"{"token_type":"Bearer","scope":"\#(scope)","expires_in":\#(expiresIn),"access_token":"\#(access)","#
                + #""id_token":"e30.\#(idToken).","client_info":"\#(ClientInfo(uid: uid, utid: "T").encoded)"\#(refresh)}"#,
            headers: headers)
    }
}

/// The clock of a device, which tests can set, and the clock that only advances.
final class TestClock: Sendable {
    private let state = Mutex((date: start, uptime: 1000.0))
    var date: Date { state.withLock { $0.date } }
    var uptime: Double { state.withLock { $0.uptime } }

    /// Time passes.
    func advance(by seconds: Double) {
        state.withLock {
            $0.date += seconds
            $0.uptime += seconds
        }
    }

    /// Sets the device's clock.
    func set(_ date: Date) { state.withLock { $0.date = date } }

    func drive(_ configuration: inout NativeAuthConfiguration) {
        configuration.now = { self.date }
        configuration.uptime = { self.uptime }
    }
}

/// Answers with the result of a function.
struct AnsweringTransport: HTTPTransport {
    let answer: @Sendable (TransportRequest) async throws -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) {
        self.answer = answer
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await answer(request)
    }
}

/// Holds every request until the test lets it go.
actor RequestGate: HTTPTransport {
    private let inner: any HTTPTransport
    private var isOpen = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private(set) var count = 0

    init(_ inner: any HTTPTransport) { self.inner = inner }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        count += 1
        for arrival in arrivals where arrival.count <= count { arrival.continuation.resume() }
        arrivals.removeAll { $0.count <= count }
        if !isOpen { await withCheckedContinuation { held.append($0) } }
        return try await inner.send(request)
    }

    func open() {
        isOpen = true
        for one in held { one.resume() }
        held = []
    }

    /// Returns once this many requests have arrived.
    func arrival(of requests: Int = 1) async {
        if count < requests { await withCheckedContinuation { arrivals.append((requests, $0)) } }
    }
}

/// The reports of a cache.
final class Reports: Sendable {
    private let errors = Mutex<[TokenCacheError]>([])
    var all: [TokenCacheError] { errors.withLock { $0 } }
    func add(_ error: TokenCacheError) { errors.withLock { $0.append(error) } }
}

/// A folder that is removed after the test; in memory where the system has such a place, so that syncing takes no time.
func withTemporaryFolder(_ body: (URL) async throws -> Void) async throws {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    let base = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = base.appending(path: "native-auth-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record("The folder of a test could not be removed: \(error)")
        }
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try await body(folder)
}
