import Foundation
import IdentityEngine
import Testing

@testable import native_auth

/// `native-auth tenant` as an operator uses it, on SQLite; `ProofTests` has two nodes on PostgreSQL.
@Suite("Tenant commands", .timeLimit(.minutes(2)))
struct TenantCommandTests {
    private func tenant(
        _ arguments: [String], _ status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await NativeAuthProcess.run(["tenant"] + arguments)
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        return status == 0 ? result.output : result.errors
    }

    /// The status of a sign-up's first request, once it is `wanted` at each node, or after five seconds.
    private func start(_ api: NativeAPI, at server: NativeAuthServer, until wanted: Int) async throws -> Int {
        let end = ContinuousClock.now + .seconds(5)
        for url in server.listeners {
            let node = NativeAPI(baseURL: url, clientID: api.clientID, tenant: api.tenant)
            while true {
                let status = try await node.start("nobody@example.com").status
                if status == wanted { break }
                if ContinuousClock.now > end { return status }
                // The server process looks for a new document automatically and does not signal it, so poll.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return wanted
    }

    @Test("SEC-AUD-1: a document is in force within five seconds, over --config, and its change is in the audit trail")
    func aDocumentIsTakenOver() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, file) = (folder.url.appending(path: "data"), folder.url.appending(path: "tenants.yaml"))
        try Data(TenantFileTests.small.utf8).write(to: file)
        let place = ["--data", data.path]
        let server = try await NativeAuthServer.start(dataFolder: data)
        let contoso = NativeAPI(baseURL: server.baseURL)
        let harbour = NativeAPI(
            baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
        #expect(try await contoso.signUp("ada@example.com").status == 200)
        #expect(try await harbour.start("dana@example.com").status == 400)

        let arguments = ["apply", file.path, "--yes", "--remove", "contoso"] + place
        #expect(try await tenant(arguments).contains("version 1: 1 tenant, 1 application\n"))
        #expect(try await start(harbour, at: server, until: 200) == 200)
        #expect(try await harbour.signUp("dana@example.com").status == 200)
        #expect(try await contoso.start("dana@example.com").status == 400)
        // The home page shows the tenant in force.
        let home = try await harbour.get("/").body
        #expect(home.contains("harbour.example.com") && !home.contains("contoso"))
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)

        // The same document again changes nothing; an invalid one does not either.
        #expect(try await tenant(["apply", file.path] + place).contains("version 1:"))
        let wrong = TenantFileTests.small.replacing("signIn: emailOneTimePasscode", with: "signIn: carrierPigeon")
        try Data(wrong.utf8).write(to: file)
        #expect(try await tenant(["apply", file.path] + place, 64).contains("tenants.yaml:9: "))
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)
        await server.terminate()

        // A server with another file uses the database's document, and says so.
        let other = TenantFileTests.small.replacing("subdomain: harbour", with: "subdomain: quay")
        try Data(other.utf8).write(to: file)
        let again = try await NativeAuthServer.start(arguments: ["--config", file.path], dataFolder: data)
        let restarted = NativeAPI(baseURL: again.baseURL, clientID: harbour.clientID, tenant: "harbour")
        #expect(try await restarted.isTaken("dana@example.com"))
        #expect(try again.errors().contains("--config is not in force"))
        #expect(try await tenant(["apply", file.path, "--yes"] + place).contains("version 2:"))
        let quay = NativeAPI(baseURL: again.baseURL, clientID: harbour.clientID, tenant: "quay")
        #expect(try await start(quay, at: again, until: 200) == 200)
        #expect(try await quay.isTaken("dana@example.com"))
        await again.terminate()

        let trail = try await NativeAuthProcess.run(["audit", "list"] + place).output
        let changes = trail.split(separator: "\n").filter { $0.contains("config.changed") }
        // Two for the new tenant, and two for the tenant that is no longer configured.
        #expect(changes.count == 4)
        #expect(changes.filter { $0.contains("before none after ") }.count == 2)
        let verified = try await NativeAuthProcess.run(["audit", "verify"] + place)
        #expect(verified.status == 0 && verified.output.split(separator: "\n").count == 2, "\(verified.errors)")
    }

    @Test(
        "What changes is shown and confirmed; a tenant with users goes only by its name; and the version before comes back"
    )
    func changesAreConfirmed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, file) = (folder.url.appending(path: "data"), folder.url.appending(path: "tenants.yaml"))
        let place = ["--data", data.path]
        let server = try await NativeAuthServer.start(dataFolder: data)
        let contoso = NativeAPI(baseURL: server.baseURL)
        #expect(try await contoso.signUp("ada@example.com").status == 200)
        try Data(TenantFileTests.small.utf8).write(to: file)

        // Contoso has a user: neither by --yes nor by the name of another tenant.
        for (more, word) in [
            (["--yes"], "drops the tenant contoso, which has 1 user"),
            (["--yes", "--remove", "quay"], "--remove quay"),
            (["--remove", "contoso"], "Pass --yes"),
        ] {
            let errors = try await tenant(["apply", file.path] + more + place, 64)
            #expect(errors.contains(word), "\(errors)")
        }
        #expect(try await tenant(["versions"] + place) == "")
        let first = try await tenant(["apply", file.path, "--yes", "--remove", "Contoso.onmicrosoft.com"] + place)
        #expect(
            first.contains(
                "- tenant contoso (aaaabbbb-0000-cccc-1111-dddd2222eeee): 5 applications, 1 daemon, 1 user\n"))
        #expect(first.contains("+ tenant harbour (0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10): 1 application, 0 users\n"))

        // Each member that changes is named with what it was.
        let text = TenantFileTests.small.replacing(
            "displayName: Harbour app", with: "displayName: App\n        scopes: [User.Read]"
        )
        .replacing("displayName: Harbour\n", with: "displayName: The harbour\n    enumeration: strict\n")
        try Data(text.utf8).write(to: file)
        let unsaid = try await NativeAuthProcess.run(["tenant", "apply", file.path] + place)
        #expect(unsaid.status == 64 && unsaid.errors.contains("--yes"), "\(unsaid.errors)")
        for line in [
            "~ tenant harbour (", "    displayName: Harbour → The harbour\n", "    enumeration: default → strict\n",
            "    ~ application Harbour app (", "        displayName: Harbour app → App\n",
            "        scopes: default → [User.Read]\n",
        ] {
            #expect(unsaid.output.contains(line), "\(unsaid.output)")
        }
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)
        #expect(try await tenant(["apply", file.path, "--yes"] + place).contains("version 2:"))

        // The previous version as a new one; and a version that does not exist.
        #expect(try await tenant(["rollback", "1"] + place, 64).contains("Nothing was changed"))
        let back = try await tenant(["rollback", "1", "--yes"] + place)
        #expect(back.contains("    displayName: The harbour → Harbour\n") && back.contains("version 3:"), "\(back)")
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)
        #expect(try await tenant(["rollback", "9", "--yes"] + place, 64).contains("no version 9"))
        let versions = try await tenant(["versions"] + place).split(separator: "\n")
        #expect(versions.map { $0.prefix(9) } == ["version 3", "version 2", "version 1"])
        #expect(versions.filter { $0.hasSuffix("1 tenant, 1 application  in force") }.count == 1)
        #expect(versions.first?.hasSuffix("in force") == true)

        // A document that this version does not read can be replaced.
        _ = try await Database(of: data).rows("INSERT INTO tenant_documents VALUES (9, 'tenants: 7', 0)")
        #expect(try await tenant(["versions"] + place).contains("has 1 fault  in force"))
        #expect(
            try await tenant(["rollback", "3", "--yes"] + place, 64).contains("aaaabbbb-0000-cccc-1111-dddd2222eeee"))
        let replaced = try await tenant(
            ["rollback", "3", "--yes", "--remove", "aaaabbbb-0000-cccc-1111-dddd2222eeee"] + place)
        #expect(replaced.contains("does not read") && replaced.contains("version 10:"), "\(replaced)")
        await server.terminate()
    }

    @Test("SEC-PK-4: passkeys of a tenant with users get another domain, or none, only when the tenant is named")
    func theDomainOfPasskeysStays() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, file) = (folder.url.appending(path: "data"), folder.url.appending(path: "tenants.yaml"))
        let place = ["--yes", "--data", data.path]
        func apply(_ text: String, _ arguments: [String] = [], _ status: Int32 = 0) async throws -> String {
            try Data(text.utf8).write(to: file)
            return try await tenant(["apply", file.path] + place + arguments, status)
        }
        let small = TenantFileTests.small
        let first = small.replacing(
            "displayName: Harbour\n", with: "displayName: Harbour\n    passkeys: {domain: harbour.example.com}\n")
        let second = first.replacing("{domain: harbour", with: "{domain: login.harbour")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let harbour = NativeAPI(
            baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
        #expect(try await apply(first).contains("version 1:"))
        // Without users nothing is lost.
        #expect(
            try await apply(second).contains("    passkeys.domain: harbour.example.com → login.harbour.example.com\n"))
        #expect(try await start(harbour, at: server, until: 200) == 200)
        #expect(try await harbour.signUp("dana@example.com").status == 200)

        for text in [first, small] {
            let refused = try await apply(text, [], 64)
            #expect(refused.contains("has 1 user") && refused.contains("pass --void-passkeys harbour"), "\(refused)")
        }
        let stranger = try await apply(first, ["--void-passkeys", "quay"], 64)
        #expect(stranger.contains("--void-passkeys quay names no tenant"), "\(stranger)")
        #expect(try await tenant(["rollback", "1"] + place, 64).contains("--void-passkeys harbour"))
        #expect(try await tenant(["export", "--data", data.path]) == second)
        // What does not change the domain is free.
        let more = second.replacing("com}", with: "com, origins: [https://a.login.harbour.example.com]}")
        #expect(try await apply(more).contains("version 3:"))
        #expect(try await apply(small, ["--void-passkeys", "Harbour"]).contains("version 4:"))
        #expect(try await apply(first).contains("version 5:"))
        await server.terminate()
    }

    @Test("What export writes of a claim, apply reads, and the difference names it")
    func claimsSurviveTheirText() throws {
        let text =
            TenantFileTests.small + """

                        attributes: [{name: extension_size, type: integer}]
                        claims:
                          - name: city
                          - {name: size, attribute: extension_size, in: [access], essential: true}
                          - {name: email, in: [id, access, userinfo]}
                          - {name: alias, attribute: flatusername, in: [userinfo, id]}
                """
        let directory = try TenantFile(text, named: "claims").directory
        #expect(
            directory.entries.first?.applications.first?.claims == [
                ApplicationClaim(name: "city"),
                ApplicationClaim(name: "size", attribute: "extension_size", places: [.access], isEssential: true),
                ApplicationClaim(name: "email", attribute: "mail", places: [.id, .access, .userinfo]),
                ApplicationClaim(name: "alias", attribute: "flatusername"),
            ])
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let before = try TenantFile(text.replacing("  - name: city", with: "  - name: state"), named: "before")
        let difference = TenantDifference(from: before.directory, to: directory, users: [:])
        #expect(difference.lines.contains { $0.contains("claims: [{name: state}") && $0.contains("→ [{name: city}") })
    }

    @Test("What export writes of user flows and attributes of the tenant, apply reads, and the difference names them")
    func userFlowsSurviveTheirText() throws {
        let lists = """
                userAttributes:
                  - {name: extension_size, displayName: Shoe size, description: In Europe, type: integer}
                userFlows:
                  - id: 2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                    displayName: Members
                    description: With a card
                    priority: 7
                    signIn: emailPassword
                    allowsSignUp: false
                    requiredAttributes: [extension_size]
                    attributes: [{name: city, label: Your town, required: true}]
                  - {id: 3f0c9d1e-7b46-4a58-9c3d-5e6f708192a3, displayName: Guests, signIn: emailOneTimePasscode}
                hooks:
                  - id: 4f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                    displayName: Codes
                    event: otpSend
                    url: https://hooks.example.com/
                    audience: 5f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                    userFlows: [2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3]
                  - id: 4f0c9d1e-7b46-4a58-9c3d-5e6f708192a4
                    displayName: Later
                    event: otpSend
                    url: https://hooks.example.com/
                    audience: 5f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                    enabled: false
                applications:
            """
        let shared = TenantFileTests.small.replacing(
            "signIn: emailOneTimePasscode",
            with: """
                userFlow: 2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                        groupsClaim: true
                        appRoles:
                          - {id: 6f0c9d1e-7b46-4a58-9c3d-5e6f708192a3, value: Fly, groups: [7f0c9d1e-7b46-4a58-9c3d-5e6f708192a3]}
                          - {id: 6f0c9d1e-7b46-4a58-9c3d-5e6f708192a4, value: Run, displayName: Runs, description: x, for: [users, daemons], enabled: false}
                        redirectUris: {publicClient: [msauth.com.example://auth], web: [https://a.example.com/]}
                """
        ).replacing("    applications:", with: lists)
        let directory = try TenantFile(shared, named: "flows").directory
        let entry = try #require(directory.entries.first)
        let application = try #require(entry.applications.last)
        #expect(application.sharedFlow == entry.userFlows.first?.id && !application.userFlow.allowsSignUp)
        #expect(application.roles.map(\.value) == ["Fly", "Run"] && application.roles[0].groups.count == 1)
        #expect(application.roles[1].holders == [.users, .daemons] && !application.roles[1].isEnabled)
        #expect(application.statesGroups && application.redirects[.web] == ["https://a.example.com/"])
        #expect(entry.tenant.hooks.first?.isFor(application) == true)
        #expect(application.userFlow.attributes == entry.userFlows.first?.attributes)
        #expect(application.userFlow.attributes.last { $0.name == "extension_size" }?.type == .integer)
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        let none = try TenantFile(
            shared.replacing("userFlow: 2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3", with: "userFlow: none"), named: "none"
        ).directory
        #expect(none.entries.first?.applications.last?.isOpen == false)
        #expect(try TenantFile(try TenantText.document(none), named: "none").directory.entries == none.entries)
        let difference = TenantDifference(
            from: try TenantFile(TenantFileTests.small, named: "small").directory, to: directory, users: [:])
        #expect(difference.lines.contains { $0.contains("+ user flow Members") }, "\(difference.lines)")
        #expect(difference.lines.contains { $0.contains("+ attribute Shoe size") })
        #expect(difference.lines.contains { $0.contains("userFlow: default → 2f0c9d1e") })
    }

    @Test("What export writes of an attribute, apply reads: each rule, and what users may change")
    func attributesSurviveTheirText() throws {
        let text =
            TenantFileTests.small + """

                        attributes:
                          - {name: extension_size, type: integer, required: true, userMayChange: true}
                          - {name: city, regex: "[A-Z][a-z]+", maximumLength: 20, userMayChange: false}
                          - {name: extension_level, maximumLength: 7}
                """
        let directory = try TenantFile(text, named: "rules").directory
        let attributes = directory.entries.first?.applications.first?.userFlow.attributes ?? []
        let changeable = Set(attributes.filter(\.userMayChange).map(\.name))
        #expect(changeable.contains("extension_size") && changeable.isDisjoint(with: ["city", "extension_level"]))
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
    }

    @Test("Without a document export prints the development tenant; init writes a commented file; check takes both")
    func exportAndInit() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let exported = try await tenant(["export", "--data", data.path])
        let read = try TenantFile(exported, named: "export")
        // The secret that is public does not get into a file.
        var expected = TenantDirectory.development.entries
        expected[0].daemons[0].secrets = []
        expected[0].tenant.providers = []
        #expect(read.directory.entries == expected, "\(exported)")
        let (file, made) = (folder.url.appending(path: "export.yaml"), folder.url.appending(path: "new.yaml"))
        try Data(exported.utf8).write(to: file)
        #expect(try await tenant(["check", file.path]).contains("1 tenant, 5 applications"))
        let applied = try await tenant(["apply", file.path, "--data", data.path, "--yes"])
        #expect(applied.contains("    ~ daemon Daemon (44445555-aaaa-6666-bbbb-7777cccc8888)\n"), "\(applied)")
        #expect(applied.split(separator: "\n").count == 4, "nothing else changes: \(applied)")
        // The provider that the server plays stays.
        let home = try Data(contentsOf: server.baseURL)
        #expect(String(decoding: home, as: UTF8.self).contains("/dev/provider/token"))
        await server.terminate()

        _ = try await tenant(["init", made.path])
        let text = try String(contentsOf: made, encoding: .utf8)
        #expect(text.contains("# ") && text.contains("apply FILE"))
        #expect(try await tenant(["check", made.path]).contains("1 tenant, 2 applications"))
        #expect(try await tenant(["init", made.path], 64).contains("already"))
        #expect(try String(contentsOf: made, encoding: .utf8) == text)
        #expect(TenantTemplate.text() != TenantTemplate.text(), "ids are new each time")
        // The commented-out settings are valid.
        let used = TenantTemplate.text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let member = line.drop { $0 == " " }
            let isMember =
                member.hasPrefix("# ")
                && [
                    "- ", ": ", "attributes:", "claims:", "daemons:", "levels:", "pages:", "passkeys:", "redirectUris:",
                    "sms:",
                ]
                .contains { member.contains($0) }
                && line.hasPrefix("    ") && !member.contains(";") && !member.hasPrefix("# The")
                && !member.hasSuffix(".")
            return isMember ? line.prefix { $0 == " " } + member.dropFirst(2) : line
        }.joined(separator: "\n")
        let all = try TenantFile(used, named: "used")
        #expect(all.directory.entries.first?.tenant.auditDays == 400, "\(used)")
        #expect(all.directory.entries.first?.tenant.rememberedDays == 14, "\(used)")
        #expect(all.directory.entries.first?.tenant.texts != nil, "\(used)")
        #expect(all.directory.entries.first?.tenant.passkeys?.relyingPartyID == "login.example.com", "\(used)")
        #expect(all.directory.entries.first?.applications.last?.userFlow.requiresSecondFactor == true, "\(used)")
        #expect(all.directory.entries.first?.tenant.levels.map(\.level) == [.twoFactors], "\(used)")
        let first = try #require(all.directory.entries.first?.applications.first)
        #expect(first.web.allowsDeviceFlow && first.redirects[.spa] == ["http://localhost:3000/"], "\(used)")
        #expect(all.directory.entries.first?.tenant.pages.links[.privacy] == "https://www.example.com/privacy")
        #expect(all.directory.entries.first?.applications.last?.claims.map(\.name) == ["member_number"], "\(used)")
        #expect(all.directory.entries.first?.daemons.map(\.roles) == [["api://orders/Orders.Process"]], "\(used)")
    }

    @Test("each fault of a tenant file is told with its line, all of them together")
    func faultsHaveLines() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        let text = TenantFileTests.small
        for (document, faults) in [
            (text.replacing("displayName: Harbour app", with: "colour: red"), [":8: “colour” is not known."]),
            (text.replacing("        displayName: Harbour app\n", with: ""), [":7: “displayName” is missing"]),
            (
                text.replacing("id: 0c2e6a3e", with: "id: x").replacing("clientId: 7d9f", with: "clientId: x"),
                [":2: the tenant id", ":7: the clientId"]
            ),
            (text.replacing("subdomain: harbour", with: "subdomain: harbour.example.com"), [":3: two tenants"]),
            (
                text + "\n        requiredAttributes: [city,\n          shoeSize]\n",
                [":11: requiredAttributes names “shoeSize”"]
            ),
            (text.replacing("tenants:", with: "tenants: ["), [": this is not YAML"]),
        ] {
            try Data(document.utf8).write(to: file)
            let errors = try await tenant(["check", file.path], 64)
            for fault in faults { #expect(errors.contains(fault), "\(errors)") }
        }
        try Data(text.utf8).write(to: file)
        #expect(try await tenant(["check", file.path]).contains("1 tenant, 1 application\n"))
        #expect(try await tenant(["check", "/nowhere"], 64).contains("cannot be read: there is no such file"))
        #expect(try await tenant(["check", folder.url.path], 64).contains("cannot be read: it is a folder"))
    }
}
