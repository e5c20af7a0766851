import Foundation
import Testing

/// `native-auth-try` as scripts and people see it: the built program with its own server, or one that runs.
@Suite(.timeLimit(.minutes(2)))
struct TryTests {
    private static let password = "Blue-42-Kayak"

    /// Runs `try --script` in a data folder that a test may use again.
    private func script(
        _ arguments: String..., code: [String] = ["--code-from-inbox"], data: TemporaryFolder
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.runTry(["--script", "--data", data.url.path] + code + arguments)
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// The value of a fact such as `claim aud`.
    private func fact(_ name: String, in output: String) -> String? {
        lines(output).first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    // MARK: What works

    @Test func withoutAnAddressAFreshUserIsSignedUpAndSignedIn() async throws {
        try await withTemporaryFolder { folder in
            let (status, output, errors) = try await script(data: folder)

            #expect(status == 0)
            #expect(errors == "")
            let email = try #require(fact("email", in: output))
            #expect(email.wholeMatch(of: /try-[0-9a-f]{8}@example\.com/) != nil)
            #expect(lines(output).last == "signed in as \(email)")
            #expect(fact("account username", in: output) == email)
            #expect(fact("claim aud", in: output) == "00001111-aaaa-2222-bbbb-3333cccc4444")
            #expect(fact("claim oid", in: output) == fact("account object_id", in: output))
            #expect(fact("claim tid", in: output) == "aaaabbbb-0000-cccc-1111-dddd2222eeee")
        }
    }

    @Test func aPasswordAliasAndAttributesChooseThePasswordApp() async throws {
        try await withTemporaryFolder { folder in
            let (status, output, errors) = try await script(
                "--email", "dana@example.com", "--password", Self.password, "--alias", "dana.42",
                "--attribute", "city=Oslo", "--attribute", "givenName=Dana", data: folder)

            #expect(status == 0)
            #expect(errors == "")
            #expect(lines(output).last == "signed in as dana@example.com")
            #expect(fact("claim aud", in: output) == "11112222-bbbb-3333-cccc-4444dddd5555")
            // The password and the code of the mail.
            #expect(fact("claim amr", in: output) == "pwd, otp, mfa")
            #expect(fact("claim given_name", in: output) == "Dana")
        }
    }

    @Test func anotherServerAndApplicationCanBeNamed() async throws {
        try await withTemporaryFolder { folder in
            let server = try await NativeAuthServer.start(dataFolder: folder.url.appending(path: "data"))
            let (status, output, errors) = try await NativeAuthProcess.runTry([
                "--script", "--code-from-inbox", "--server", server.baseURL.absoluteString,
                "--client-id", "33334444-dddd-5555-eeee-6666ffff7777", "--tenant", "contoso", "--password",
                Self.password,
                "--attribute", "country=Norway", "--attribute", "city=Oslo",
            ])
            await server.terminate()

            #expect(status == 0)
            #expect(errors == "")
            #expect(fact("server", in: output) == server.baseURL.absoluteString)
            #expect(fact("claim aud", in: output) == "33334444-dddd-5555-eeee-6666ffff7777")
        }
    }

    @Test func aPersonIsAskedAgainUntilTheAnswersAreRight() async throws {
        try await withTemporaryFolder { folder in
            // Mistakes on purpose: no address, a bad password, and an attribute without a value.
            let answers = [
                "1", "nobody", "lee@example.com", "short", "", "", "Oslo", "colour", "givenName=Lee", "", Self.password,
            ]
            let (status, output, errors) = try await NativeAuthProcess.runTry(
                ["--code-from-inbox", "--data", folder.url.path], input: answers.joined(separator: "\n") + "\n")

            #expect(status == 0)
            #expect(errors == "")
            #expect(output.contains("There is no @ in it"))
            #expect(output.contains("An attribute is a name, an equals sign and a value."))
            #expect(output.contains("The password is too short"))
            #expect(output.contains("Signed up, and signed in as lee@example.com."))
            #expect(!output.contains("\u{1B}"))
        }
    }

    @Test func whatTheServerWantsIsAskedForWhenItWantsIt() async throws {
        try await withTemporaryFolder { folder in
            let answers = ["1", "kim@example.com", "", "", "", "", "", Self.password, "", "Norway", "Oslo"]
            let (status, output, _) = try await NativeAuthProcess.runTry(
                [
                    "--code-from-inbox", "--data", folder.url.path, "--client-id",
                    "33334444-dddd-5555-eeee-6666ffff7777",
                ], input: answers.joined(separator: "\n") + "\n")

            #expect(status == 0)
            #expect(output.contains("The server wants a password"))
            #expect(output.contains("Country (text)"))
            #expect(output.contains("The server needs this one."))
            #expect(output.contains("Signed up, and signed in as kim@example.com."))
        }
    }

    // MARK: What does not

    @Test func aTakenAddressEndsAScriptWithASentence() async throws {
        try await withTemporaryFolder { folder in
            _ = try await script("--email", "dana@example.com", data: folder)
            let (status, output, errors) = try await script("--email", "DANA@example.com", data: folder)

            #expect(status == 1)
            #expect(
                errors
                    == "native-auth-try: An account with DANA@example.com exists already. Take another address.\n")
            #expect(!output.contains("signed in"))
        }
    }

    @Test(arguments: [
        (["--password", "Short1!"], "The password is too short: it needs 8 characters."),
        (["--password", "Passw0rd!"], "The password is too easy to guess"),
        (["--alias", "admin"], "The server does not take this alias"),
        (["--attribute", "Country=Norway"], "The server does not take what was given for: Country."),
        (["--tenant", "nowhere"], "has no tenant nowhere; --tenant names it."),
        (["--client-id", "99990000-aaaa-bbbb-cccc-ddddeeeeffff"], "--client-id names it"),
        (["--client-id", "11112222-bbbb-3333-cccc-4444dddd5555"], "give one with --password"),
        (
            ["--client-id", "22223333-cccc-4444-dddd-5555eeee6666"],
            "The server wants country, city; give --attribute country=… --attribute city=…."
        ),
    ])
    func aRefusalIsSaidInWords(_ arguments: [String], _ sentence: String) async throws {
        try await withTemporaryFolder { folder in
            let (status, _, errors) = try await NativeAuthProcess.runTry(
                ["--script", "--code-from-inbox", "--data", folder.url.path] + arguments)

            #expect(status == 1)
            #expect(errors.contains(sentence))
            #expect(lines(errors).count == 1)
        }
    }

    @Test func aWrongCodeEndsAScript() async throws {
        try await withTemporaryFolder { folder in
            // Eight letters: no code is made of letters, so this one is never right by accident.
            let (status, _, errors) = try await script(code: ["--code", "abcdefgh"], data: folder)

            #expect(status == 1)
            #expect(
                errors
                    == "native-auth-try: That is not the code. A mailed one is in the newest mail; an app shows its own, and each works once.\n"
            )
        }
    }

    @Test(arguments: [
        (["--email", "nobody"], "--email is “nobody”. There is no @ in it"),
        (["--client-id", "7"], "--client-id is “7”; it must be a UUID."),
        (["--attribute", "city"], "--attribute is “city”; it must be name=value."),
        (["--attribute", "a=1", "--attribute", "a=2"], "--attribute a is given twice."),
        (["--tenant", "a/b"], "--tenant is “a/b”"),
        (["--server", "ftp://example.com"], "--server is “ftp://example.com”"),
        (["--server", "http://example.com"], "it must be https, or http to this machine."),
        (["--server", "http://127.0.0.1:1/contoso"], "it must end after the host and port (see --tenant)."),
        (["--code", "1"], "--code and --code-from-inbox are both given; choose one."),
        (["--smtp", "nonsense"], "--smtp is not usable"),
        (["--frob"], "--frob"),
        (["--flow", "dance"], "dance"),
        (["--flow", "sign-in"], "--flow sign-in needs --email or --alias, or --prepare to make a user."),
        (["--flow", "reset", "--email", "dana@example.com"], "--flow reset needs --new-password."),
        (["--flow", "sign-in-mfa", "--prepare"], "--prepare needs --password."),
        (["--flow", "sign-up", "--prepare"], "--prepare makes a user, and so does --flow sign-up; choose one."),
        (["--prepare"], "--prepare is for --script with --flow."),
        (["--new-password", "Red-17-Canoe"], "--new-password is for --flow reset."),
    ])
    func aWrongValueIsNamedWithExitCode64(_ arguments: [String], _ sentence: String) async throws {
        let (status, output, errors) = try await NativeAuthProcess.runTry(
            ["--script", "--code-from-inbox"] + arguments)

        #expect(status == 64)
        #expect(output == "")
        #expect(errors.contains(sentence))
    }

    @Test func aScriptSaysWhereItsCodeComesFrom() async throws {
        let (status, _, errors) = try await NativeAuthProcess.runTry(["--script"])

        #expect(status == 64)
        #expect(errors == "native-auth-try: --script needs --code-from-inbox, or --code CODE.\n")
    }

    @Test func aServerThatIsNotThereIsNamed() async throws {
        let (status, output, errors) = try await NativeAuthProcess.runTry([
            "--script", "--code-from-inbox", "--server", "http://127.0.0.1:1",
        ])

        #expect(status == 1)
        #expect(output == "")
        #expect(errors.contains("No server answers at http://127.0.0.1:1. Start one with “native-auth serve”"))
    }

    @Test(TwoNodes.skipped("only the file of SQLite is in use by one process"))
    func dataInUseByAServerIsSaid() async throws {
        try await withTemporaryFolder { folder in
            let server = try await NativeAuthServer.start(dataFolder: folder.url)
            let (status, _, errors) = try await script(data: folder)
            await server.terminate()

            #expect(status == 69)
            #expect(errors.contains("is in use by another process"))
            #expect(errors.contains("--server http://127.0.0.1:8765"))
        }
    }

    @Test func theEndOfInputIsAPoliteEnd() async throws {
        try await withTemporaryFolder { folder in
            let (status, _, errors) = try await NativeAuthProcess.runTry(
                ["--data", folder.url.path], input: "1\ndana@example.com\n")

            #expect(status == 1)
            #expect(errors == "native-auth-try: The input ended before this was done.\n")
        }
    }

    @Test(
        "However it ends, its server ends with it",
        TwoNodes.skipped("a server of its own is on SQLite"),
        arguments: zip([SIGKILL, SIGTERM, SIGINT], [SIGKILL, 143, 130]))
    func theServerEndsWithIt(_ signal: Int32, _ expected: Int32) async throws {
        try await withTemporaryFolder { folder in
            let process = Process()
            process.executableURL = try NativeAuthProcess.executable("native-auth-try")
            process.arguments = ["--data", folder.url.path]
            let (input, output, errors) = (Pipe(), Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            // The server has it too, so that it has an end when both have ended.
            process.standardError = errors
            try process.run()
            var text = ""
            while !text.contains("  server  ") {
                let chunk = output.fileHandleForReading.availableData
                try #require(!chunk.isEmpty, "\(text)")
                text += String(decoding: chunk, as: UTF8.self)
            }
            _ = kill(process.processIdentifier, signal)
            _ = try errors.fileHandleForReading.readToEnd()
            process.waitUntilExit()

            #expect(process.terminationStatus == expected)
            // Nothing holds the data any more.
            let server = try await NativeAuthServer.start(dataFolder: folder.url)
            await server.terminate()
        }
    }

    // MARK: Secrets

    @Test("SEC-LOG-1: try prints no password, code or token")
    func noSecretIsPrinted() async throws {
        try await withTemporaryFolder { folder in
            let server = try await NativeAuthServer.start(dataFolder: folder.url.appending(path: "data"))
            let (status, output, errors) = try await NativeAuthProcess.runTry([
                "--script", "--code-from-inbox", "--server", server.baseURL.absoluteString,
                "--email", "dana@example.com", "--password", Self.password,
            ])
            let inbox = server.baseURL.appending(path: "dev/inbox.json")
            let mails = try JSONDecoder().decode([[String: String]].self, from: Data(contentsOf: inbox))
            await server.terminate()

            #expect(status == 0)
            let code = try #require(mails.first?["code"])
            let printed = output + errors
            #expect(!printed.contains(code))
            #expect(!printed.contains(Self.password))
            // A JWT: a header that begins with {" in base64url, and a dot.
            #expect(printed.firstMatch(of: /eyJ[A-Za-z0-9_-]+\./) == nil)
        }
    }
}
