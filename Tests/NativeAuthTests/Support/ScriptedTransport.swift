import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

/// An answer of the scripted server, and its endpoint. A request to another endpoint is an error.
struct Stub: Sendable {
    var endpoint: V1Endpoint
    var status: Int
    var json: String
    var headers: [String: String] = [:]
    var failure: (any Error)?

    init(_ endpoint: V1Endpoint, _ status: Int, _ json: String, headers: [String: String] = [:]) {
        self.endpoint = endpoint
        self.status = status
        self.json = json
        self.headers = headers
    }

    /// The connection breaks.
    init(_ endpoint: V1Endpoint, failing failure: any Error) {
        self.init(endpoint, 0, "")
        self.failure = failure
    }

    /// The same answer, with a marker in place of its continuation token.
    var withCanary: Stub {
        var stub = self
        stub.json = stub.json.replacing(#/"T\d"/#, with: "\"canary-ct\"")
        return stub
    }
}

/// Answers from a script, in order, and records the requests.
final class ScriptedTransport: HTTPTransport {
    struct Unscripted: Error {}

    private let state: Mutex<(stubs: [Stub], requests: [TransportRequest])>

    init(_ stubs: [Stub]) {
        state = Mutex((stubs, []))
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    var unused: [Stub] { state.withLock { $0.stubs } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let stub = state.withLock { state -> Stub? in
            state.requests.append(request)
            return state.stubs.isEmpty ? nil : state.stubs.removeFirst()
        }
        guard let stub, request.url.path().hasSuffix("/" + stub.endpoint.rawValue) else {
            Issue.record("Not in the script: \(request.url)")
            throw Unscripted()
        }
        if let failure = stub.failure { throw failure }
        return TransportResponse(status: stub.status, headers: stub.headers, body: Data(stub.json.utf8))
    }

    /// The parameters of a request.
    func form(_ index: Int) throws -> [String: String] {
        let form = try FormFields(decoding: requests[index].body)
        return try Dictionary(uniqueKeysWithValues: form.names.map { ($0, try form.single($0) ?? "") })
    }
}

/// The time of all tests, unless they move the clock.
let start = Date(timeIntervalSince1970: 1_785_576_600)
let correlation = UUID(uuidString: "11111111-2222-4333-8444-555555555555") ?? UUID()
let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"

/// Runs `body` with a client whose server follows `script`. An unused answer fails the test.
func withClient(
    _ script: [Stub], configure: (inout NativeAuthConfiguration) -> Void = { _ in },
    _ body: (NativeAuthClient, ScriptedTransport) async throws -> Void
) async throws {
    let transport = ScriptedTransport(script)
    var configuration = NativeAuthConfiguration(
        clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"),
        challengeTypes: [.password, .oneTimePasscode])
    configuration.transport = transport
    configuration.acceptLanguage = "da"
    configuration.now = { start }
    configuration.makeCorrelationID = { correlation }
    configure(&configuration)
    try await body(NativeAuthClient(configuration, environment: [:]), transport)
    #expect(transport.unused.isEmpty, "Answers left over: \(transport.unused.map(\.endpoint))")
}

/// The name of a case, without its values.
func kind(_ error: some Error) -> String {
    String("\(Mirror(reflecting: error).children.first?.label ?? "?")")
}

/// The error that `body` throws.
func error<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Failure {
    do throws(Failure) {
        _ = try await body()
    } catch {
        return error
    }
    Issue.record("No error was thrown.", sourceLocation: sourceLocation)
    throw ScriptedTransport.Unscripted()
}

// MARK: - Answers

extension Stub {
    static let started = Stub(.signUpStart, 200, #"{"continuation_token":"T1"}"#)

    static func codeSent(_ token: String) -> Stub {
        Stub(
            .signUpChallenge, 200,
            """
            {"challenge_type":"oob","continuation_token":"\(token)","challenge_channel":"email",
            "challenge_target_label":"d***a@e***e.com","code_length":8,"interval":300,"binding_method":"prompt"}
            """)
    }

    static func passwordWanted(_ token: String) -> Stub {
        Stub(.signUpChallenge, 200, #"{"challenge_type":"password","continuation_token":"\#(token)"}"#)
    }

    static func created(_ token: String = "T9") -> Stub {
        Stub(.signUpContinue, 200, #"{"continuation_token":"\#(token)"}"#)
    }

    static let credentialRequired = refusal(
        .signUpContinue, "credential_required", codes: [55103], more: #","continuation_token":"T3""#)

    static func attributesRequired(_ token: String, names: [String] = ["city"]) -> Stub {
        let list = names.map { #"{"name":"\#($0)","type":"string","required":true,"options":{"regex":"^.+$"}}"# }
        return refusal(
            .signUpContinue, "attributes_required", codes: [55106],
            more: #","continuation_token":"\#(token)","required_attributes":[\#(list.joined(separator: ","))]"#)
    }

    static func refusal(
        _ endpoint: V1Endpoint, _ error: String, suberror: String? = nil, codes: [Int] = [90023],
        text: String = "Server text", more: String = "", status: Int = 400
    ) -> Stub {
        let suberror = suberror.map { #","suberror":"\#($0)""# } ?? ""
        return Stub(
            endpoint, status,
            #"{"error":"\#(error)"\#(suberror),"error_codes":\#(codes),"error_description":"\#(text)"\#(more)}"#)
    }

    static func tokens(
        access: String? = "AT1", refresh: String? = "RT1", scope: String? = "openid profile offline_access",
        expiresIn: Int = 3600, withClientInfo: Bool = true
    ) -> Stub {
        let claims = #"{"oid":"OID","sub":"SUB","tid":"TID","preferred_username":"dahlia@example.com","age":44}"#
        let idToken = "eyJhbGciOiJub25lIn0.\(Base64URL.encode(claims.utf8)).c2ln"
        var members = ["\"token_type\":\"Bearer\"", "\"expires_in\":\(expiresIn)", "\"id_token\":\"\(idToken)\""]
        if let access { members.append("\"access_token\":\"\(access)\"") }
        if let refresh { members.append("\"refresh_token\":\"\(refresh)\"") }
        if let scope { members.append("\"scope\":\"\(scope)\"") }
        if withClientInfo {
            members.append("\"client_info\":\"\(ClientInfo(uid: "UID", utid: "UTID").encoded)\"")
        }
        return Stub(.token, 200, "{\(members.joined(separator: ","))}")
    }
}

@Suite("Test helpers")
struct HelperTests {
    @Test func anAnswerThatNobodyAskedForFailsTheTest() async {
        await withKnownIssue {
            try await withClient([.started]) { _, _ in }
        }
    }

    @Test func aRequestOutsideTheScriptFailsTheTest() async {
        await withKnownIssue {
            try await withClient([.codeSent("T2")]) { client, _ in
                _ = try await client.startSignUp(username: "dahlia@example.com")
            }
        }
    }
}
