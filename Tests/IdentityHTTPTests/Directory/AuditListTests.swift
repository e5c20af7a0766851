import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The two lists of the audit trail (docs/protocol.md §18.6).
@Suite("Lists of the audit trail") struct AuditListTests {
    static let signIns = "/graph/v1.0/auditLogs/signIns"
    static let audits = "/graph/v1.0/auditLogs/directoryAudits"

    private func list(
        _ desk: OperatorTests.Desk, _ path: String, _ filter: String? = nil, _ more: String = ""
    ) async throws -> [JSON] {
        let query = filter.map { "?$filter=" + OperatorTests.encoded($0) + more } ?? ""
        let answer = try await desk.send("GET", path + query)
        return try #require(answer["value"]?.array, "\(answer)")
    }

    @Test("Sign-ins of users and daemons, with their errors; filters by user, application, error and time")
    func theSignIns() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            #expect(try await server.signIn().status == 200)
            #expect(try await server.signIn(password: "Wrong-Harbour-42").status == 400)
            let desk = try await OperatorTests.Desk(server)
            let id = try #require(try await desk.ids("$top=1").first)
            let all = try await list(desk, Self.signIns)
            // The newest first: the daemon of this test, the wrong password, the right one.
            let errors: [JSON?] = all.map { $0["status"]?["errorCode"] }
            #expect(errors == [JSON.integer(0), .integer(50_126), .integer(0)], "\(all)")
            #expect(all.first?["isInteractive"] == .boolean(false))
            #expect(all.first?["appId"]?.string == DaemonFixture.development)
            let failed = try #require(all.dropFirst().first)
            #expect(failed["userId"]?.string == id && failed["isInteractive"] == .boolean(true))
            #expect(failed["userPrincipalName"]?.string == "\(id)@contoso.onmicrosoft.com")
            #expect(failed["status"]?["failureReason"]?.string == "signin.failed")
            #expect(failed["appDisplayName"]?.string?.isEmpty == false)
            let app = try #require(failed["appId"]?.string)
            let time = try #require(failed["createdDateTime"]?.string)
            #expect(try await list(desk, Self.signIns, "userId eq '\(id)'").count == 2)
            #expect(try await list(desk, Self.signIns, "USERID eq '\(id)' and status/errorCode ne 0").count == 1)
            #expect(try await list(desk, Self.signIns, "appId eq '\(app)' and status/errorCode eq 50126").count == 1)
            // The time of a line finds it again, and nothing before it.
            let same = try await list(desk, Self.signIns, "createdDateTime ge \(time) and createdDateTime le \(time)")
            #expect(same.contains { $0["id"] == failed["id"] })
            #expect(
                try await !list(desk, Self.signIns, "createdDateTime gt \(time)").contains { $0["id"] == failed["id"] })
            #expect(try await list(desk, Self.signIns, "createdDateTime gt 2099-01-01T00:00:00Z").isEmpty)
            // Parts of a millisecond: the line lies between them.
            let bare = time.dropLast()
            for (filter, isFound) in [
                ("gt \(bare)4Z", false), ("ge \(bare)4Z", false), ("le \(bare)4Z", true), ("lt \(bare)4Z", true),
            ] {
                let found = try await list(desk, Self.signIns, "createdDateTime \(filter)")
                #expect(found.contains { $0["id"] == failed["id"] } == isFound, "\(filter)")
            }
            #expect(try await list(desk, Self.signIns, "userId eq '\(UUID())'").isEmpty)
            #expect(try await list(desk, Self.signIns, "userId eq 'no id'").isEmpty)
        }
    }

    @Test("Changes by the user and by a daemon, with who did them; filters by activity, category, target and initiator")
    func theAudits() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let created = try await desk.send("POST", OperatorTests.users, OperatorTests.newUser("dana@example.com"))
            let id = try #require(created.text("id"))
            _ = try await desk.send("PATCH", OperatorTests.users + "/\(id)", #"{"accountEnabled":false}"#)
            let made = try await list(desk, Self.audits, "activityDisplayName eq 'account.created'")
            #expect(made.count == 1)
            #expect(made.first?["initiatedBy"]?["app"]?["appId"]?.string == DaemonFixture.development)
            #expect(made.first?["initiatedBy"]?["user"] == .null)
            #expect(made.first?["targetResources"]?.array.first?["id"]?.string == id)
            #expect(made.first?["category"]?.string == "UserManagement" && made.first?["result"]?.string == "success")
            let about = try await list(desk, Self.audits, "targetResources/any(t:t/id eq '\(id)')")
            #expect(about.compactMap { $0["activityDisplayName"]?.string } == ["account.disabled", "account.created"])
            let filter = "initiatedBy/app/appId eq '\(DaemonFixture.development)' and category eq 'UserManagement'"
            #expect(try await list(desk, Self.audits, filter).count == 2)
            #expect(try await list(desk, Self.audits, filter + " and result eq 'failure'").isEmpty)
            // Sign-ins are in the other list only.
            let both = try await list(desk, Self.audits) + list(desk, Self.signIns)
            #expect(Set(both.compactMap { $0["id"]?.string }).count == both.count)
        }
    }

    @Test(
        "SEC-ADM-8, SEC-ADM-9: pages follow each other; a token of another list, a changed one and a page of 10^6 are refused or cut"
    )
    func pages() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            for number in 0..<7 {
                _ = try await desk.send("POST", OperatorTests.users, OperatorTests.newUser("user\(number)@example.com"))
            }
            var (path, found): (String?, [String]) = (
                Self.audits + "?$top=3&$filter=category%20eq%20'UserManagement'", []
            )
            var links: [String] = []
            while let next = path {
                let answer = try await desk.send("GET", next)
                found += try #require(answer["value"]?.array).compactMap { $0["id"]?.string }
                path = answer.text("@odata.nextLink").map { String($0.dropFirst("https://operators.test".count)) }
                if let path { links.append(path) }
                try #require(links.count < 10)
            }
            #expect(found.count == 7 && Set(found).count == 7)
            let link = try #require(links.first)
            let token = try #require(link.components(separatedBy: "skiptoken=").last)
            for other in [
                Self.signIns + "?$skiptoken=\(token)", Self.audits + "?$skiptoken=\(token)",
                OperatorTests.users + "?$skiptoken=\(token)", link.dropLast(2) + "xx",
            ] {
                #expect(try await desk.send("GET", String(other)).status == 400, "\(other)")
            }
            #expect(try await desk.send("GET", Self.audits + "?$top=1000000").status == 200)
        }
    }

    @Test(
        "SEC-ADM-7: a question that the trail does not answer is refused, and so is text that is no filter",
        arguments: [
            "ipAddress eq '192.0.2.1'", "userId ne 'x'", "startsWith(appDisplayName,'x')", "userId eq 1",
            "createdDateTime eq 2026-01-01T00:00:00Z", "createdDateTime ge 'x'", "userId eq 'a' or userId eq 'b'",
            "not (userId eq 'a')", "status/errorCode eq '0'", "userId eq 'x' --", "'; DROP TABLE audit; --",
            "targetResources/any(t:t/id eq 'x')", "userId in ('x')", "status/errorCode gt 0",
            String(repeating: "(", count: 60),
        ])
    func refusedFilters(filter: String) async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let answer = try await desk.send("GET", Self.signIns + "?$filter=" + OperatorTests.encoded(filter))
            #expect(answer.status == 400, "\(answer)")
            #expect(try await desk.send("GET", Self.signIns + "?$orderby=createdDateTime").status == 400)
        }
    }

    @Test("SEC-AUD-1: no list has an address, a name or an IP address of a user")
    func noPersonalData() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            _ = try await server.signIn()
            let desk = try await OperatorTests.Desk(server)
            for path in [Self.signIns, Self.audits] {
                let text = String(decoding: try await desk.send("GET", path).body, as: UTF8.self)
                for word in ["dana", "example.com", "127.0.0.1", "192.0.2"] { #expect(!text.contains(word), "\(word)") }
            }
        }
    }

    @Test(
        "SEC-ADM-6: a deed of an operator is never shown as the user's own, also when the tenant has the daemon no more"
    )
    func operatorsDeeds() throws {
        let tenant = TenantDirectory.development.entries[0].tenant
        let codec = AuditCodec(tenant: tenant, names: [:], daemons: []) { "\($0)" }
        let (gone, user) = (ClientID(UUID()), UserID(UUID()))
        func initiator(_ kind: AuditEvent.Kind, _ client: ClientID?, _ detail: String?) -> JSONValue? {
            let event = AuditEvent(kind, at: .now, tenant: tenant.id, client: client, user: user, detail: detail)
            let line = RecordedEvent(seq: 1, position: nil, event: event)
            guard case .object(let by)? = codec.object(line, in: .directoryAudits)["initiatedBy"] else { return nil }
            return by["user"]
        }
        #expect(initiator(.accountDisabled, gone, "operator") == .null)
        #expect(initiator(.profileChanged, gone, "1 by operator") == .null)
        #expect(initiator(.profileChanged, nil, "2 by operator") == .null)
        #expect(initiator(.profileChanged, gone, "2") != .null)
        let signIn = RecordedEvent(
            seq: 1, position: nil, event: AuditEvent(.daemonSignedIn, at: .now, tenant: tenant.id, client: gone))
        #expect(codec.object(signIn, in: .signIns)["isInteractive"] == .boolean(false))
    }

    @Test("A word that no event has is refused, in place of an empty list; the one order may be named")
    func mistakes() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            for filter in [
                "activityDisplayName eq 'Disable account'", "category eq 'Nonsense'", "result eq 'timeout'",
                "activityDisplayName eq 'signin.failed'",
            ] {
                let answer = try await desk.send("GET", Self.audits + "?$filter=" + OperatorTests.encoded(filter))
                #expect(answer.status == 400, "\(filter): \(answer)")
            }
            #expect(try await desk.send("GET", Self.audits + "?$orderby=activityDateTime%20desc").status == 200)
            #expect(try await desk.send("GET", Self.audits + "?$orderby=activityDateTime").status == 400)
        }
    }

    @Test("Each millisecond is shown as it is stored")
    func milliseconds() throws {
        let codec = AuditCodec(tenant: TenantDirectory.development.entries[0].tenant, names: [:], daemons: []) {
            "\($0)"
        }
        for number in 0..<10_000 {
            let stored = Date(timeIntervalSince1970: Double(1_790_000_000_000 + number * 7) / 1_000)
            let line = RecordedEvent(
                seq: 1, position: nil, event: AuditEvent(.codeSent, at: stored, tenant: codec.tenant.id))
            let text = try #require(codec.object(line, in: .directoryAudits)["activityDateTime"]?.string)
            try #require(text.hasSuffix(".\(String(1_000 + number * 7 % 1_000).dropFirst())Z"), "\(text) \(number)")
        }
    }

    @Test("The page of the trail names each event")
    func eachEventIsDocumented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operate/audit.md"), encoding: .utf8)
        let missing = AuditEvent.Kind.allCases.map(\.rawValue).filter { !page.contains("`\($0)`") }
        #expect(missing.isEmpty)
    }
}
