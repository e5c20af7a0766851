import Foundation
import IdentityEngine
import Testing

@testable import Fuzz
@testable import native_auth

/// Parsers of untrusted input, with modified inputs; `scripts/prove fuzz` runs more of the same.
@Suite("Fuzzing", .timeLimit(.minutes(15)), .serialized, TwoNodes.skipped("no server is asked"))
struct FuzzTests {
    private func fuzz(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
        let run = try await NativeAuthProcess.run(arguments, program: "Fuzz")
        return (run.status, run.output.split(separator: "\n").map(String.init))
    }

    @Test(
        """
        SEC-SWIFT-4, SEC-NET-2, SEC-NET-8, SEC-NET-9, SEC-ID-3, SEC-PWD-1, SEC-CT-3, SEC-TOK-2, SEC-MAIL-3, SEC-MAIL-6, SEC-ADM-7, SDK-NET-3: \
        of 20 000 inputs for each reader none traps, takes 512 MiB or gets through
        """)
    func readersHold() async throws {
        let (status, lines) = try await fuzz("--count", "20000")
        for line in lines { print(line) }
        #expect(status == 0)
        #expect(lines.last?.contains(": passed") == true)
        #expect(lines.count == Targets.all.count + 1)
    }

    @Test("What is found is told with the command that repeats it, and so is the input of which the process dies")
    func findingsAreTold() async throws {
        let found = try await fuzz("--target", "broken", "--count", "5")
        #expect(found.status == 1)
        #expect(found.lines.contains("  FOUND index 3: the third"))
        #expect(found.lines.contains("  again: Fuzz --target broken --seed 1 --index 3"))
        let died = try await fuzz("--target", "broken", "--count", "10", "--seed", "2")
        #expect(died.status == 1)
        #expect(died.lines.contains { $0.hasPrefix("  FOUND index 5: the process dies") })
        #expect(died.lines.contains("  again: Fuzz --target broken --seed 2 --index 5"))
        #expect(died.lines.last?.hasSuffix(", 1 findings: FAILED") == true)
    }

    @Test("The same seed makes the same inputs, and another seed others")
    func inputsFollowFromTheSeed() {
        let target = FormTarget()
        func inputs(_ seed: UInt64) -> [[UInt8]] {
            (0..<50).map { index in
                var chance = Chance(seed: seed, index: index)
                return target.input(&chance)
            }
        }
        #expect(inputs(1) == inputs(1))
        #expect(inputs(1) != inputs(2))
    }

    /// Not a target of the program, because it belongs to the module of another one.
    @Test("Of 10 000 tenant files none traps, takes half a second or says nothing of what is wrong")
    func tenantFiles() throws {
        let count = ProcessInfo.processInfo.environment["PROVE_FUZZ"].flatMap { Int($0) } ?? 10_000
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The file that kills the process stays behind.
        let file = folder.url.appending(path: "tenants.yaml").path
        let whole =
            TenantFileTests.small + """

                        nativeAuthentication: true
                        requiresSecondFactor: false
                        scopes: [api://orders/Orders.Read]
                        requiredAttributes: [country]
                        attributes:
                          - {name: extension_memberNumber, type: string, required: true, regex: "M-[0-9]{4}", maximumLength: 6, userMayChange: true}
                """
        let mutator = Mutator(
            [TenantFileTests.small, whole],
            words: [
                "tenants:", "- ", "  ", "\n", "\t", ": ", "{", "}", "[", "]", "&a ", "*a", "<<: *a", "&a [*a, *a]",
                "!!binary ", "!!int ", "!x ", "|\n",
                ">\n", "'", "\"", "\\", "#", "---\n", "...\n", "%YAML 9.9\n", "? ", "null", "~", "yes", "0x10", "1e400",
                "99999999999999999999", "-1",
                "\0", "\u{FEFF}", "\u{85}", "\u{2028}", "é", "regex: \"(\"", "regex: \"[\\\\w]{1,9999}\"",
                "maximumLength: 0",
                String(repeating: "[", count: 200), "id: x", String(repeating: "a", count: 300),
            ], bytes: [[0xFF], [0xC3]])
        var accepted = 0
        for index in 0..<count {
            var chance = Chance(seed: 1, index: index)
            try Data(mutator.input(&chance)).write(to: URL(filePath: file))
            let begin = Usage.seconds
            do throws(ServeSettings.Invalid) {
                let directory = try TenantFile.read(file).directory
                accepted += 1
                #expect(!directory.entries.isEmpty, "input \(index)")
            } catch {
                #expect(
                    !error.problems.isEmpty && error.problems.allSatisfy { $0.contains("--config") }, "input \(index)")
            }
            #expect(index == 0 || (Usage.seconds - begin) * 1_000 < Campaign.longest, "input \(index)")
        }
        print("fuzz: tenant-file \(count) inputs, \(accepted) accepted, seed 1")
        #expect(accepted > count / 20)
    }
}
