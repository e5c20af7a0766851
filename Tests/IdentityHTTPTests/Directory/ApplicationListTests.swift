import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Applications and daemons, as scripts read them (docs/protocol.md §18.6).
@Suite("Lists of applications") struct ApplicationListTests {
    static let path = "/graph/v1.0/applications"

    private func names(_ desk: OperatorTests.Desk, _ filter: String) async throws -> [String] {
        let answer = try await desk.send("GET", Self.path + "?$filter=" + OperatorTests.encoded(filter))
        return try #require(answer["value"]?.array, "\(answer)").compactMap { $0["displayName"]?.string }
    }

    @Test("The tenant's applications and its daemon are listed, filtered, paged and read by either id")
    func theyAreListed() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let all = try #require(try await desk.send("GET", Self.path)["value"]?.array)
            let development = TenantDirectory.development.entries[0]
            #expect(
                all.compactMap { $0["appId"]?.string }
                    == (development.applications.map(\.id) + development.daemons.map(\.id)).map(\.description))
            let daemon = try #require(all.last)
            #expect(daemon["isFallbackPublicClient"] == .boolean(false))
            #expect(daemon["nativeAuthRoles"]?.array.contains(.string("User.Read.All")) == true)
            let (id, appID) = (try #require(daemon["id"]?.string), try #require(daemon["appId"]?.string))
            #expect(id != appID && Set(all.compactMap { $0["id"]?.string }).count == all.count)
            for path in ["/\(id)", "/\(id.uppercased())", "(appId='\(appID)')", "('\(id)')", "(appid='\(appID)')"] {
                let answer = try await desk.send("GET", Self.path + path)
                #expect(answer.status == 200 && answer.text("appId") == appID, "\(path): \(answer)")
            }
            for path in ["/\(appID)", "(appId='\(id)')", "/x", "(appId='')", "(displayName='Daemon')"] {
                #expect([400, 404, 501].contains(try await desk.send("GET", Self.path + path).status), "\(path)")
            }
            #expect(try await names(desk, "appId eq '\(appID)'") == ["Daemon"])
            #expect(try await names(desk, "startsWith(displayName,'dae') or id eq '\(id)'") == ["Daemon"])
            #expect(try await names(desk, "not (displayName eq 'Daemon') and appId ne 'x'").count == all.count - 1)
            #expect(try await names(desk, "appId in ('\(appID)','x')") == ["Daemon"])
            let selected = try await desk.send("GET", Self.path + "/\(id)?$select=displayName,APPID")
            #expect(selected["appId"]?.string == appID && selected["id"] == nil)
            var (next, pages, found): (String?, Int, Int) = (Self.path + "?$top=2", 0, 0)
            while let path = next {
                let page = try await desk.send("GET", path)
                found += try #require(page["value"]?.array).count
                pages += 1
                next = page.text("@odata.nextLink").map { String($0.dropFirst("https://operators.test".count)) }
                try #require(pages < 9)
            }
            #expect(found == all.count && pages == (all.count + 1) / 2)
        }
    }

    @Test("SEC-ADM-5: no secret and no digest of one is in an answer; names, first characters and ends are")
    func noSecrets() async throws {
        let server = try TestDirectory.server()
        let desk = try await OperatorTests.Desk(server)
        let answer = try await desk.send("GET", Self.path)
        let text = String(decoding: answer.body, as: UTF8.self)
        for secret in DaemonFixture.daemon.secrets {
            #expect(text.contains(secret.id.text) && !text.contains(secret.digest.base64EncodedString()))
            #expect(!text.contains(secret.digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()))
        }
        #expect(!text.contains("development\",\"secretText") && !text.contains("BEGIN PUBLIC KEY"))
        let daemon = try #require(
            answer["value"]?.array.first { $0["appId"]?.string == DaemonFixture.id.description })
        #expect(daemon["passwordCredentials"]?.array.count == 4 && daemon["keyCredentials"]?.array.count == 2)
        #expect(daemon["passwordCredentials"]?.array.allSatisfy { $0["secretText"] == .null } == true)
    }

    @Test(
        "SEC-ADM-7: a question that applications do not answer is refused, and what is not there is 501 or 405",
        arguments: [
            "tags eq 'x'", "displayName gt 'a'", "endsWith(displayName,'x')", "appId eq 1", "displayName in (1,null)",
            "appId ne 'x' or tags eq 'y'", "contains(id,'x')", "(",
        ])
    func refusals(filter: String) async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            #expect(try await desk.send("GET", Self.path + "?$filter=" + OperatorTests.encoded(filter)).status == 400)
            #expect(try await desk.send("GET", Self.path + "?$select=secret").status == 400)
            #expect(try await desk.send("PUT", Self.path, "{}").status == 405)
            #expect(try await desk.send("POST", Self.path + "/\(UUID())/addKey", "{}").status == 501)
            #expect(try await desk.send("GET", Self.path + "?$skiptoken=x").status == 400)
        }
    }
}
