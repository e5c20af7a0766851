import Foundation
import Testing

/// A few cases of each fast proof; `scripts/prove` runs more of the same.
@Suite("Proofs", .timeLimit(.minutes(5)), TwoNodes.skipped("proofs start servers of their own, most of them two nodes"))
struct ProofTests {
    /// Runs a proof of `Tests/Proofs`, which fails when data was lost, half written, disclosed or issued twice.
    ///
    /// - Returns: Its last line: name, counts and verdict.
    private func prove(_ proof: String, _ count: Int, only fault: String? = nil) async throws -> String {
        let proofs = Python.package.appending(path: "Tests/Proofs").path
        let binary = try NativeAuthProcess.executable().path
        let arguments = [proofs, proof, "\(count)", "--quick", "--binary", binary]
        let output = try await Python.run(arguments + (fault.map { ["--only", $0] } ?? []))
        let last = output.split(separator: "\n").last.map(String.init) ?? ""
        print(last)
        return last
    }

    @Test("REL-TX-2: of what was acknowledged nothing is lost to a power cut, and nothing is half there")
    func powerCuts() async throws {
        #expect(try await prove("power-cut", 40).hasSuffix(": passed"))
    }

    @Test("REL-TX-3, REL-HA-4: kill −9 of a random node loses no confirmed account and leaves no half one")
    func killsOfARandomNode() async throws {
        #expect(try await prove("kill-postgres", 5).hasSuffix(": passed"))
    }

    @Test(
        "REL-DB-1, REL-DB-2: without its database a node says so within 3 s, and loses nothing",
        arguments: ["stop", "freeze", "read-only"])
    func faultsOfTheDatabase(fault: String) async throws {
        #expect(try await prove("database-faults", 1, only: fault).hasSuffix(": passed"))
    }

    @Test("REL-DB-2: a primary killed and a standby promoted lose no confirmed account")
    func aStandbyTakesOver() async throws {
        #expect(try await prove("failover", 1).hasSuffix(": passed"))
    }

    @Test("REL-DB-3: of each sign-up whose answers to COMMIT are lost there is exactly one account")
    func commitsWhoseAnswersAreLost() async throws {
        #expect(try await prove("cuts", 100).hasSuffix(": passed"))
    }

    @Test("REL-BAK-1, REL-BAK-3: backups under load have each account acknowledged before, and end all flows")
    func backupsUnderLoad() async throws {
        #expect(try await prove("backup", 2).hasSuffix(": passed"))
    }

    @Test(
        "SEC-NET-3, SEC-NET-6, SEC-NET-12: the certificate changes under load, and no handshake or frame takes the server"
    )
    func theCertificateChanges() async throws {
        #expect(try await prove("tls", 2).hasSuffix(": passed"))
    }

    @Test("SEC-SEC-1: the master key is rotated under load, and no request fails")
    func theMasterKeyIsRotated() async throws {
        #expect(try await prove("master-key", 1).hasSuffix(": passed"))
    }

    @Test("SEC-AUD-3, REL-TX-5: the audit trail is divided and dropped by partitions, and no sign-up fails")
    func partitionsOfTheTrail() async throws {
        #expect(try await prove("partitions", 2_000).hasSuffix(": passed"))
    }

    @Test(
        "SEC-HOOK-3, SEC-HOOK-5: sign-ups go on with receivers that fail and servers that are killed, and a subscriber hears of each"
    )
    func receiversThatFail() async throws {
        #expect(try await prove("hooks", 40).hasSuffix(": passed"))
    }

    @Test("SEC-WIRE-1: every answer to requests made from the OpenAPI document is one that it lists")
    func requestsFromTheDocument() async throws {
        #expect(try await prove("openapi", 5).hasSuffix(": passed"))
    }

    @Test("Tenants that are applied are in force on both nodes within five seconds")
    func tenantsAreTakenOver() async throws {
        #expect(try await prove("tenants", 3).hasSuffix(": passed"))
    }

    @Test("REL-IDEM: a reply that is lost at any byte is given again, with one effect")
    func lostReplies() async throws {
        #expect(try await prove("lost-replies", 300).hasSuffix(": passed"))
    }

    @Test("REL-DISK-1: a full disk refuses what must be written, and loses nothing")
    func aFullDisk() async throws {
        #expect(try await prove("disk-full", 3).hasSuffix(": passed"))
    }

    @Test("SEC-OTP-10: of 1 000 parallel guesses on two nodes at most five are compared")
    func fiveGuessesAreCompared() async throws {
        #expect(try await prove("guesses", 1000).hasSuffix(": passed"))
    }

    @Test("SEC-OTP-12: however many ask for mail to one mailbox, it gets five, and its owner's own way stays open")
    func mailsToOneMailbox() async throws {
        #expect(try await prove("mail-bombing", 200).hasSuffix(": passed"))
    }

    @Test("SEC-OTP-12: while strangers flood an address, its owner resets the password from a new network")
    func theOwnerResets() async throws {
        #expect(try await prove("lockout-reset", 200).hasSuffix(": passed"))
    }

    @Test("SEC-RATE-2: tokens, names and flows that are made up end no block before its time")
    func madeUpTokensEndNoBlock() async throws {
        #expect(try await prove("flush", 1_000).hasSuffix(": passed"))
    }

    @Test("SEC-NET-6: through the sample proxy a client has 100 connections at most, and others sign up meanwhile")
    func halfBodies() async throws {
        #expect(try await prove("proxy-connections", 300).hasSuffix(": passed"))
    }

    @Test("SEC-ENUM-6: in strict mode no step takes longer for names that have an account")
    func timesTellNothing() async throws {
        #expect(try await prove("timing", 60).hasSuffix(": passed"))
    }

    @Test("SEC-OTP-15: flows of strangers neither void nor use up the code that a user waits for")
    func flowsOfStrangers() async throws {
        #expect(try await prove("strangers", 30).hasSuffix(": passed"))
    }

    @Test(
        "REL-HA-1: of two people on two nodes one gets the name, and only their password works",
        arguments: ["races-address", "races-alias"])
    func oneOfTwoGetsTheName(race: String) async throws {
        #expect(try await prove(race, 15).hasSuffix(": passed"))
    }

    @Test("LOG-T: no secret and nothing personal is where it must not be, on either store")
    func canaries() async throws {
        #expect(try await prove("canary", 1).hasSuffix(": passed"))
    }
}
