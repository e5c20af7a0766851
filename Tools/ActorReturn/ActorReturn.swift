import Foundation
import NativeAuth

/// Calls the SDK from actors, and stops the process when a call resumes outside its actor. Only an optimised build can
/// show it: Swift 6.3.1 loses the caller's actor when a function only rethrows the error of an actor.
@main
struct ActorReturn {
    static func main() async throws {
        for failing in 0..<9 {
            for status in [0, 400, 503] {
                try await calls(Server(failing: failing, status: status), on: MainActor.shared)
                try await calls(Server(failing: failing, status: status), on: Other())
            }
        }
        print("isolation: every call came back to its actor")
    }

    static func calls(_ server: Server, on here: isolated any Actor) async throws {
        var configuration = NativeAuthConfiguration(
            clientID: "c", authority: try Authority(tenantSubdomain: "contoso"), challengeTypes: [.oneTimePasscode])
        configuration.transport = server
        configuration.sleep = { _ in await Task.yield() }
        let client = NativeAuthClient(configuration)
        do {
            let code = try await client.signUp(username: "dana@example.com")
            here.preconditionIsolated("signUp")
            guard case .next(.completed(let done)) = try await code.submit(code: "1"),
                case .next(.completed(let account)) = try await done.signIn()
            else { return here.preconditionIsolated("submit, signIn") }
            for scopes in [[], ["openid"], ["none"]] {
                do { _ = try await account.accessToken(scopes: scopes, policy: .force) } catch {}
                here.preconditionIsolated("Account.accessToken")
                do { _ = try await client.accessToken(for: account, scopes: scopes, forceRefresh: true) } catch {}
                here.preconditionIsolated("NativeAuthClient.accessToken")
            }
            let reset = try await client.resetPassword(username: "dana@example.com")
            guard case .next(let password) = try await reset.submit(code: "1") else { return }
            _ = try await password.submit(password: "p")
        } catch { here.preconditionIsolated("\(error)") }
        here.preconditionIsolated("resetPassword")
    }
}

actor Other {}
/// Gives every request the same answer, in which each step finds its own values; from the request `failing` on, all
/// requests fail.
actor Server: HTTPTransport {
    private static let answer =
        #"{"continuation_token":"T","challenge_type":"oob","challenge_channel":"email","#
        + #""challenge_target_label":"d","code_length":8,"poll_interval":1,"status":"succeeded","token_type":"Bearer","#
        + #""expires_in":3600,"access_token":"a","id_token":"e30.e30.","client_info":"eyJ1aWQiOiJvIiwidXRpZCI6InQifQ"}"#
    private var left: Int
    private let status: Int
    init(failing: Int, status: Int) { (left, self.status) = (failing, status) }
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        left -= 1
        await Task.yield()
        guard left < 0 else { return TransportResponse(status: 200, body: Data(Self.answer.utf8)) }
        guard status > 0 else { throw TransportError.noAnswer }
        return TransportResponse(status: status, body: Data(#"{"error":"invalid_request"}"#.utf8))
    }
}
