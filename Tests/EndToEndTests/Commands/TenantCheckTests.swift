import Foundation
import IdentityEngine
import Testing

@testable import native_auth

/// What `native-auth tenant check` says of a file.
@Suite("Tenant check")
struct TenantCheckTests {
    @Test(
        "All faults are told at once, each with its line, in the order of the lines; an unknown member hides none")
    func allFaultsAtOnce() {
        let text = """
            tenants:
              - id: 7
                subdomain: Har bour
                domain: not a domain!
                displayName: Harbour
                colour: red
                mailsPerHour: none
                auditDays: 0
                enumeration: open
                enrolment: maybe
                applications:
                  - clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7
                    signIn: carrierPigeon
                    nativeAuthentication: perhaps
                    scopes: api://orders/Orders.Read
                    requiredAttributes: [city, shoeSize]
                    attributes:
                      - name: city
                        regex: "("
                        maximumLength: 0
                      - name: city
                        type: number
                  - clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7
                    displayName: ""
                    signIn: emailOneTimePasscode
                    requiresSecondFactor: true
                  - an application
            version: 1
            """
        let expected = [
            "t.yaml:2: the tenant id “7” is not a UUID",
            "t.yaml:3: the subdomain “Har bour” must be one label",
            "t.yaml:4: the domain “not a domain!” must be a domain name",
            "t.yaml:6: “colour” is not known. A tenant has: id, subdomain, domain,",
            "t.yaml:7: mailsPerHour must be 1 or more",
            "t.yaml:8: auditDays must be a number from 1 to 36500",
            "t.yaml:9: enumeration is “open”; it must be one of: compat, bulk, strict",
            "t.yaml:10: enrolment is “maybe”; it must be one of: proven, compatible",
            "t.yaml:12: “displayName” is missing; an application needs it",
            "t.yaml:13: signIn is “carrierPigeon”; it must be one of: emailOneTimePasscode, emailPassword",
            "t.yaml:14: nativeAuthentication must be true or false",
            "t.yaml:15: scopes must be a list",
            "t.yaml:16: requiredAttributes names “shoeSize”, which is no attribute",
            "t.yaml:19: the regex of “city” is not understood",
            "t.yaml:20: maximumLength must be a number from 1 to 4000",
            "t.yaml:21: the attribute “city” is there twice",
            "t.yaml:22: type is “number”; it must be one of: string, boolean, integer",
            "t.yaml:23: two applications of the tenant have the clientId",
            "t.yaml:24: displayName must have 1 to 256 bytes",
            "t.yaml:26: “” requiresSecondFactor, and a user without a password has none at sign-up",
            "t.yaml:27: an application must have members",
            "t.yaml:28: “version” is not known. The document has: tenants.",
        ]
        let told = TenantFile.faults(text)
        #expect(told.count == expected.count, "\(told)")
        for (sentence, beginning) in zip(told, expected) { #expect(sentence.hasPrefix(beginning), "\(sentence)") }
    }

    @Test("Faults of user flows and attributes of the tenant: names, types, references, and members that a flow says")
    func userFlows() {
        let text = """
            tenants:
              - id: 0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10
                subdomain: harbour
                domain: harbour.example.com
                displayName: Harbour
                userAttributes:
                  - {name: city}
                  - {name: 7up}
                  - {name: extension_size, type: integer}
                  - {name: Extension_Size}
                userFlows:
                  - {id: x, displayName: Members, signIn: emailPassword}
                  - {id: 2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3, displayName: members, signIn: emailPassword}
                  - {id: 2f0c9d1e-7b46-4a58-9c3d-5e6f708192a3, displayName: Guests, requiredAttributes: [shoe]}
                  - id: 3f0c9d1e-7b46-4a58-9c3d-5e6f708192a3
                    displayName: Cards
                    signIn: emailOneTimePasscode
                    attributes: [{name: extension_size, type: boolean}, {name: extension_age, type: integer, regex: "[0-9]"}]
                applications:
                  - {clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7, displayName: A, userFlow: no}
                  - {clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f8, displayName: B, userFlow: none, signIn: emailPassword}
                  - {clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f9, displayName: C}
            """
        let expected = [
            "t.yaml:7: the attribute “city” is built in, or is there twice",
            "t.yaml:8: the attribute “7up” must have 1 to 128 letters",
            "t.yaml:10: the attribute “Extension_Size” is built in, or is there twice",
            "t.yaml:12: the id of a user flow “x” is not a UUID",
            "t.yaml:13: two user flows of the tenant are called “members”",
            "t.yaml:14: requiredAttributes names “shoe”, which is no attribute",
            "t.yaml:14: “signIn” is missing; a user flow needs it",
            "t.yaml:14: two user flows of the tenant have the id",
            "t.yaml:18: “extension_size” is of type integer in the tenant",
            "t.yaml:18: “extension_age” is of type integer; only a string has a regex",
            "t.yaml:20: the userFlow “no” is none of the tenant's userFlows",
            "t.yaml:21: “B” has a userFlow, which says this; leave signIn out",
            "t.yaml:22: “C” needs signIn or userFlow",
        ]
        let told = TenantFile.faults(text)
        #expect(told.count == expected.count, "\(told)")
        for sentence in expected {
            #expect(told.contains { $0.hasPrefix(sentence) }, "\(sentence) is not in \(told)")
        }
    }

    @Test("A document of more than 1 MiB, and patterns that are too large together, are refused at once")
    func largeDocuments() {
        let big = "tenants:\n" + String(repeating: "# a comment\n", count: 100_000)
        #expect(TenantFile.faults(big) == ["t.yaml has more than 1 MiB; the document of all tenants must be shorter."])
        let lines = (0..<40).map { "          - {name: a\($0), regex: '[a-z]{0,255}'}" }.joined(separator: "\n")
        let text = TenantFileTests.small + "\n        attributes:\n" + lines
        #expect(
            TenantFile.faults(text) == ["t.yaml:6: the regular expressions of all attributes are too large together."])
    }

    @Test("Names are those of hosts, in any letter case, and a member that is given twice is named")
    func names() {
        let small = TenantFileTests.small
        for (good, member) in [("Harbour-2", "subdomain"), ("a", "subdomain"), ("Harbour.EXAMPLE.com", "domain")] {
            let text = small.replacing("    \(member): harbour", with: "    \(member): \(good)  #")
            #expect(TenantFile.faults(text).isEmpty, "\(good)")
        }
        for (bad, member) in [
            ("-a", "subdomain"), ("a.b", "subdomain"), ("a_b", "subdomain"), ("hafen-ä", "subdomain"),
            ("''", "subdomain"),
            (String(repeating: "a", count: 64), "subdomain"), ("localhost", "domain"), ("a..b", "domain"),
            ("192.0.2.1", "domain"), ("a.b/c", "domain"), ("x@a.example", "domain"), ("'a.example '", "domain"),
        ] {
            let told = TenantFile.faults(small.replacing("    \(member): harbour", with: "    \(member): \(bad)  #"))
            #expect(told.contains { $0.contains("the \(member) “") }, "\(bad): \(told)")
        }
        #expect(
            TenantFile.faults(small + "\n        signIn: emailPassword\n").contains {
                $0.contains("given twice: “signIn”")
            })
        // Two that are missing are not two of one name.
        let missing = "tenants: [{displayName: A, applications: []}, {displayName: B, applications: []}]"
        #expect(
            TenantFile.faults(missing).count == 6 && TenantFile.faults(missing).allSatisfy { $0.contains("is missing") }
        )
        for text in ["", "7", "[]", "tenants:", "tenants: {}", "tenants: []", "tenants: [7]", "? [a]\n: b"] {
            #expect(
                !TenantFile.faults(text).isEmpty && TenantFile.faults(text).allSatisfy { $0.hasPrefix("t.yaml") },
                "\(text)")
        }
    }

    @Test(
        "A scope that can be granted is no fault",
        arguments: [
            "*", "openid", "offline_access", "profile", "email", "User.Read", "User.ReadWrite.All",
            "api://orders/Orders.Read", "api://orders/*", "api://orders/.default", "https://api.example.com/read",
            "https://api.example.com/v2/*", "https://graph.microsoft.com/User.Read", "urn:example:orders/read",
            "api://7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7/access_as_user",
        ])
    func scopes(_ scope: String) {
        #expect(ConfiguredScope.fault(scope) == nil)
    }

    @Test(
        "A scope that can never be granted is a fault with its line",
        arguments: [
            "", "orders read", "api://orders", "api://orders/", "https://api.example.com", "orders/Orders.Read",
            "/Orders.Read", "api:orders", "://orders/x", "1api://orders/x", "api:///x", "api://orders/Orders.*",
            "api://*/Orders.Read", "Calendars.Read", "https://graph.microsoft.com/Calendars.Read", "api://*/*",
            "Orders.*", "**", ".default", "7", "api://orders/\"x\"",
            "api://ørders/x",
            String(repeating: "x", count: 257),
        ])
    func impossibleScopes(_ scope: String) throws {
        #expect(ConfiguredScope.fault(scope) != nil)
        let quoted = "'\(scope)'"
        let told = TenantFile.faults(
            TenantFileTests.small + "\n        scopes:\n          - User.Read\n          - \(quoted)\n")
        #expect(told.count == 1 && told.first?.hasPrefix("t.yaml:12: the scope “") == true, "\(told)")
    }

    @Test("Each fault of a claim is told with its line: its name, its attribute, its places")
    func claims() {
        let claims = """

                    claims:
                      - name: city
                      - {name: roles, attribute: city}
                      - name: Sub
                        attribute: city
                      - name: colour
                      - name: size
                        attribute: shoeSize
                      - name: email
                        attribute: city
                      - {name: 'a b', attribute: city}
                      - {name: CITY, attribute: city}
                      - name: state
                        in: [id, refresh]
                        essential: maybe
                      - {name: country, in: []}
                      - attribute: city
                        token: id
                      - 7
            """
        let expected = [
            "t.yaml:12: the claim “roles” is the server's own", "t.yaml:13: the claim “Sub” is the server's own",
            "t.yaml:15: the claim “colour” is from “colour”, which is no attribute",
            "t.yaml:17: the claim “size” is from “shoeSize”, which is no attribute",
            "t.yaml:19: the claim “email” is always from “mail”",
            "t.yaml:20: the name of a claim must have 1 to 128 printable ASCII",
            "t.yaml:21: the claim “CITY” is there twice",
            "t.yaml:23: in has “refresh”; it must have values of: id, access",
            "t.yaml:24: essential must be true or false", "t.yaml:25: in must be a list with at least one of: id",
            "t.yaml:26: “name” is missing; a claim needs it",
            "t.yaml:27: “token” is not known. A claim has: name, attribute, in, essential.",
            "t.yaml:28: a claim must have members",
        ]
        let told = TenantFile.faults(TenantFileTests.small + claims)
        #expect(told.count == expected.count, "\(told)")
        for (sentence, beginning) in zip(told, expected) { #expect(sentence.hasPrefix(beginning), "\(sentence)") }
        let many = (1...21).map { "{name: c\($0), attribute: city}" }.joined(separator: ", ")
        #expect(
            TenantFile.faults(TenantFileTests.small + "\n        claims: [\(many)]")
                == ["t.yaml:10: an application has at most 20 claims."])
    }

    // MARK: Warnings

    private func warnings(_ first: String, _ second: String, tenant: String = "") throws -> [String] {
        let file = try TenantFile(
            """
            tenants:
              - id: 0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10
                subdomain: harbour
                domain: harbour.example.com
                displayName: Harbour\(tenant.isEmpty ? "" : "\n    " + tenant)
                applications:
                  - {clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7, displayName: One, signIn: emailPassword, \(first)}
                  - {clientId: b3a8e0d4-1f76-4c29-a5d2-6e9c7b8f0a11, displayName: Two, signIn: emailPassword, \(second)}
            """, named: "t.yaml")
        return file.warnings
    }

    @Test("Strict beside what tells who has an account is named, with the line of the application that says it")
    func enumerationContradictions() throws {
        for (first, second, tenant, line) in [
            ("enumeration: strict", "enumeration: compat", "", 8), ("enumeration: bulk", "", "enumeration: strict", 8),
            ("enumeration: strict", "", "", 7), ("", "enumeration: strict", "enumeration: compat", 9),
        ] {
            let told = try warnings(first, second, tenant: tenant)
            #expect(told.count == 1, "\(told)")
            #expect(told.first?.hasPrefix("t.yaml:\(line): enumeration contradicts itself: “") == true, "\(told)")
        }
        for (first, second, tenant) in [
            ("", "", ""), ("", "", "enumeration: strict"), ("enumeration: bulk", "enumeration: compat", ""),
            ("enumeration: strict", "", "enumeration: strict"),
        ] {
            #expect(try warnings(first, second, tenant: tenant).isEmpty)
        }
    }

    @Test("A second factor beside none on one scope is named, wildcards included")
    func factorContradictions() throws {
        let guarded = "requiresSecondFactor: true, scopes: [openid, api://orders/Orders.Read]"
        for other in ["api://orders/Orders.Read", "api://orders/*"] {
            let told = try warnings(guarded, "scopes: [User.Read, \(other)]")
            #expect(
                told.count == 1 && told.first?.hasPrefix("t.yaml:8: requiresSecondFactor contradicts itself") == true)
            #expect(told.first?.contains("“Two” may have \(other) without one") == true, "\(told)")
        }
        for other in ["openid, User.Read", "api://orders/Orders.Write", "api://orders2/*"] {
            #expect(try warnings(guarded, "scopes: [\(other)]").isEmpty)
        }
        #expect(try warnings(guarded, guarded).isEmpty)
    }

    @Test("An essential claim that users can lack is named, and claims that can be too long")
    func claimWarnings() throws {
        let told = try warnings("", "claims: [{name: email, essential: true}, {name: city, essential: true}]")
        #expect(
            told.count == 1 && told.first?.hasPrefix("t.yaml:8: the claim “city” is essential") == true, "\(told)")
        #expect(
            try warnings("", "requiredAttributes: [city], claims: [{name: city, essential: true}]").isEmpty)
        let street = "{name: streetAddress}, {name: displayName}"
        let long = "{name: m, maximumLength: 2000}"
        let longest = try warnings("attributes: [\(long)], claims: [\(street), {name: m, in: [userinfo]}]", "")
        #expect(longest.count == 1 && longest.first?.contains("“One” for “userinfo”") == true, "\(longest)")
        #expect(try warnings("claims: [\(street)]", "").isEmpty)
    }

    @Test("Compatible enrolment and the scope * are warned of, for production; check prints it and ends with 0")
    func productionWarnings() async throws {
        #expect(try warnings("", "", tenant: "enrolment: proven").isEmpty)
        let told = try warnings("", "scopes: ['*']", tenant: "enrolment: compatible")
        #expect(told.count == 2, "\(told)")
        #expect(told.first?.hasPrefix("t.yaml:6: enrolment is compatible") == true)
        #expect(told.last?.hasPrefix("t.yaml:9: the scope * lets “Two”") == true)

        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        try Data(
            TenantFileTests.small.replacing(
                "displayName: Harbour\n", with: "displayName: Harbour\n    enrolment: compatible\n"
            ).utf8
        )
        .write(to: file)
        let checked = try await NativeAuthProcess.run(["tenant", "check", file.path])
        #expect(checked.status == 0 && checked.output.hasSuffix("1 tenant, 1 application\n"))
        #expect(checked.errors.hasPrefix("warning: \(file.path):6: enrolment is compatible"), "\(checked.errors)")
    }
}
