import Foundation
import Synchronization
import Testing

/// Power cuts while users sign up.
@Suite struct KillTests {
    /// How often the server is killed: 25 times, ten times for two nodes, or the number in the environment.
    /// `scripts/prove kill-sqlite` does the same with mixed load.
    private static let kills =
        ProcessInfo.processInfo.environment["PROVE_KILLS"].flatMap(Int.init) ?? (TwoNodes.isOn ? 10 : 25)
    /// The number of concurrent sign-ups.
    private static let people = 8

    @Test(
        "REL-TX-3: kill −9 in the middle of sign-ups loses no confirmed account and leaves no half one",
        .timeLimit(.minutes(55)))
    func killsUnderSignUpLoad() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let seed = UInt64.random(in: 0 ... .max)
        print("kill −9: \(Self.kills) cycles, seed \(seed)")
        var random = SplitMix(seed)
        var confirmed: [String] = []
        var slowest = Duration.zero
        for cycle in 1...Self.kills {
            let (server, duration) = try await start(folder.url)
            slowest = max(slowest, duration)
            #expect(duration < .seconds(5), "cycle \(cycle): ready again after \(duration)")
            let acknowledged = try await signUps(on: server, killAfter: Int.random(in: 20...90, using: &random), cycle)
            let (restarted, _) = try await start(folder.url)
            try await expectAccounts(acknowledged, on: restarted, "cycle \(cycle)")
            try await expectNoHalves(in: folder.url, atLeast: confirmed.count + acknowledged.count)
            #expect(await restarted.terminate() == 0)
            confirmed += acknowledged
        }
        // A load without confirmed sign-ups would prove nothing.
        #expect(confirmed.count >= Self.kills)
        let (server, _) = try await start(folder.url)
        try await expectAccounts(confirmed, on: server, "in the end")
        print("kill −9: \(confirmed.count) confirmed accounts, all there; slowest start \(slowest)")
        await server.terminate()
    }

    @Test("the search finds a lost account and a half one")
    func lostAndHalfAccountsAreFound() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (server, _) = try await start(folder.url)
        let api = NativeAPI(baseURL: server.baseURL)
        _ = try await api.signUp("whole@example.com")
        #expect(try await api.isTaken("whole@example.com"))
        #expect(try await !api.isTaken("lost@example.com"))
        try await expectNoHalves(in: folder.url, atLeast: 1)
        await server.terminate()
        _ = try await Database(of: folder.url.appending(path: "data")).rows("DELETE FROM identifiers")
        #expect(try await accounts(in: folder.url).halves["users without an identifier"] == 1)
    }

    /// A server on the folder, and how long it took to be ready.
    private func start(_ folder: URL) async throws -> (server: NativeAuthServer, duration: Duration) {
        let begin = ContinuousClock.now
        let server = try await NativeAuthServer.start(
            arguments: ["--log-level", "warning"], dataFolder: folder.appending(path: "data"))
        return (server, begin.duration(to: .now))
    }

    /// Signs people up until the server, killed while request number `limit` leaves, is gone.
    ///
    /// - Returns: The addresses whose last step was answered with success.
    private func signUps(on server: NativeAuthServer, killAfter limit: Int, _ cycle: Int) async throws -> [String] {
        let requests = Requests(limit: limit)
        var api = NativeAPI(baseURL: server.baseURL)
        api.onRequest = {
            if requests.isTheLast() { server.crash() }
        }
        let acknowledged = await withTaskGroup(of: [String].self) { group in
            for person in 0..<Self.people {
                group.addTask { [api, requests] in
                    var mine: [String] = []
                    for attempt in 0... {
                        let email = "c\(cycle)-p\(person)-\(attempt)@example.com"
                        do {
                            if person.isMultiple(of: 2) {
                                _ = try await api.signUp(email)
                            } else {
                                _ = try await api.using(.passwordAndAttributes).signUp(
                                    email, password: "Tulip-Harbour-42",
                                    attributes: ["country": "Denmark", "city": "Aarhus"])
                            }
                            mine.append(email)
                        } catch let unexpected as NativeAPI.UnexpectedReply {
                            Issue.record("cycle \(cycle): \(unexpected)")
                            return mine
                        } catch {
                            // The connection has ended, which must be because the server has.
                            #expect(requests.isOver, "cycle \(cycle): \(error)")
                            return mine
                        }
                    }
                    return mine
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        await server.kill9()
        return acknowledged
    }

    private func expectAccounts(
        _ addresses: [String], on server: NativeAuthServer, _ when: String
    ) async throws {
        let api = NativeAPI(baseURL: server.baseURL)
        for address in addresses {
            #expect(try await api.isTaken(address), "\(when): the confirmed account \(address) is lost")
        }
    }

    private struct Accounts: Decodable {
        var users: Int
        var usersOfClient: Int
        var halves: [String: Int]
        var integrity: String
    }

    private func accounts(in folder: URL) async throws -> Accounts {
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/accounts.py").path
        let client = NativeAPI.Application.passwordAndAttributes.rawValue.replacing("-", with: "")
        let place = try await TwoNodes.database(of: folder.appending(path: "data"))
        let output = try await Python.run([script, place, client])
        return try JSONDecoder().decode(Accounts.self, from: Data(output.utf8))
    }

    private func expectNoHalves(in folder: URL, atLeast count: Int) async throws {
        let accounts = try await accounts(in: folder)
        #expect(accounts.users >= count)
        #expect(accounts.halves.filter { $0.value > 0 } == [:])
        #expect(accounts.integrity == "ok")
    }
}

/// Counts requests of many tasks up to the one at which the server dies.
private final class Requests: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    var isOver: Bool { count.withLock { $0 >= limit } }

    /// Counts one more.
    func isTheLast() -> Bool {
        count.withLock { count in
            count += 1
            return count == limit
        }
    }
}

/// A small generator with a seed, so that a run can be repeated (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
