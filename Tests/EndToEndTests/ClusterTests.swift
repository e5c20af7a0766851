import Foundation
import Testing

/// Two nodes on one PostgreSQL database, each request at a random one; `scripts/prove cluster` asks for more of the same.
@Suite("Many nodes", .timeLimit(.minutes(5)))
struct ClusterTests {
    /// Runs a proof of `Support/cluster.py`, which fails when something was lost, half made or won twice.
    ///
    /// - Returns: Its last line, with the numbers.
    private func prove(_ proof: String, _ count: Int) async throws -> String {
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/cluster.py").path
        let binary = try NativeAuthProcess.executable().path
        let output = try await Python.run([script, proof, "\(count)", "--binary", binary])
        let last = output.split(separator: "\n").last.map(String.init) ?? ""
        print(last)
        return last
    }

    @Test("REL-TX-3, REL-HA-4: kill −9 of a random node loses no confirmed account and leaves no half one")
    func killsOfARandomNode() async throws {
        #expect(try await prove("kill", 5).contains(" 0 lost, 0 half, 0 failed"))
    }

    @Test("REL-DB-2: a primary killed and a standby promoted lose no confirmed account")
    func aStandbyTakesOver() async throws {
        #expect(try await prove("failover", 1).contains(" 0 lost, 0 half, 0 failed"))
    }

    @Test("REL-DB-3: of each sign-up whose answers to COMMIT are lost there is exactly one account")
    func commitsWhoseAnswersAreLost() async throws {
        #expect(try await prove("cuts", 100).contains(" 0 lost, 0 half, 0 failed"))
    }

    @Test("SEC-OTP-10: of 1 000 parallel guesses on two nodes five are compared")
    func fiveGuessesAreCompared() async throws {
        #expect(try await prove("guesses", 1000).contains(" 5 compared (5 events), 0 accepted"))
    }

    @Test("REL-HA-1: of two people on two nodes one gets the address or the alias, and only their password works")
    func oneOfTwoGetsTheName() async throws {
        #expect(try await prove("races", 30).contains("30 users, {'right': 30}"))
    }
}
