import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Several requests of an operator in one (docs/protocol.md §18.6).
@Suite("Batches of operators' requests") struct OperatorBatchTests {
    static let path = "/graph/v1.0/$batch"

    private func send(_ desk: OperatorTests.Desk, _ items: String...) async throws -> [String: JSON] {
        let answer = try await desk.send("POST", Self.path, #"{"requests":[\#(items.joined(separator: ","))]}"#)
        #expect(answer.status == 200, "\(answer)")
        return Dictionary(
            uniqueKeysWithValues: try #require(answer["responses"]?.array).compactMap { item in
                item["id"]?.string.map { ($0, item) }
            })
    }

    private func status(_ answer: JSON?) -> JSON? { answer?["status"] }

    @Test("An importer creates, reads, counts and deletes; each item has its own status, headers and body")
    func anImporter() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let created = try await send(
                desk,
                #"{"id":"1","method":"POST","url":"/users","headers":{"Content-Type":"application/json"},"body":\#(OperatorTests.newUser("dana@example.com"))}"#,
                #"{"id":"2","method":"post","url":"users","headers":{"content-type":"application/json"},"body":\#(OperatorTests.newUser("dana@example.com"))}"#,
                #"{"id":"3","method":"POST","url":"/users","body":\#(OperatorTests.newUser("erik@example.com"))}"#,
                #"{"id":"4","method":"GET","url":"/users?$filter=mail eq 'dana@example.com'&$select=id"}"#,
                #"{"id":"5","method":"GET","url":"/users/$count","headers":{"ConsistencyLevel":"eventual"}}"#)
            #expect(status(created["1"]) == .integer(201) && status(created["2"]) == .integer(400))
            #expect(created["2"]?["body"]?["error"]?["details"]?.array.first?["code"]?.string == "ObjectConflict")
            // Without a content type the body is none.
            #expect(status(created["3"]) == .integer(415))
            let id = try #require(created["1"]?["body"]?["id"]?.string)
            #expect(created["1"]?["headers"]?["Location"]?.string?.hasSuffix(id) == true)
            #expect(created["4"]?["body"]?["value"]?.array.map { $0["id"]?.string } == [id])
            #expect(created["5"]?["body"] == .string("1"))
            let gone = try await send(
                desk, #"{"id":"a","method":"DELETE","url":"/users/\#(id)"}"#,
                #"{"id":"b","method":"GET","url":"/users/\#(id)"}"#)
            #expect(status(gone["a"]) == .integer(204) && gone["a"]?["body"] == nil)
            #expect(status(gone["b"]) == .integer(404))
        }
    }

    @Test("An item waits for those that it names, and is not done when one of them failed")
    func dependencies() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let answers = try await send(
                desk, #"{"id":"1","method":"GET","url":"/users","depends_on":[]}"#,
                #"{"id":"2","method":"GET","url":"/users/\#(UUID())","dependsOn":["1"]}"#,
                #"{"id":"3","method":"GET","url":"/users","dependsOn":["1","2"]}"#,
                #"{"id":"4","method":"GET","url":"/users","dependsOn":["3"]}"#,
                #"{"id":"5","method":"GET","url":"/users","dependsOn":["6"]}"#,
                #"{"id":"6","method":"GET","url":"/users","dependsOn":"1"}"#)
            #expect(
                ["1", "2", "3", "4", "5", "6"].map { status(answers[$0]) }
                    == [200, 404, 424, 424, 400, 400].map { JSON.integer($0) })
            #expect(answers["3"]?["body"]?["error"]?["code"]?.string == "FailedDependency")
        }
    }

    @Test("SEC-ADM-4: an item gets no further than it would alone, with its own role, path and method")
    func eachItemIsAuthorised() async throws {
        let server = try TestDirectory.server()
        try await server.signUpWithPassword()
        var desk = try await OperatorTests.Desk(server, signsIn: false)
        #expect(try await desk.send("POST", Self.path, #"{"requests":[]}"#).status == 401)
        desk.token = try await WireClient(transport: desk.transport).daemonToken(
            DaemonFixture.secret, id: DaemonFixture.id.description, scope: "https://graph.microsoft.com/.default"
        ).text("access_token")
        let id = try #require(try await desk.ids("$top=1").first)
        // The daemon may read users.
        let urls = [
            ("GET", "/users/\(id)", 200), ("DELETE", "/users/\(id)", 403), ("POST", "/users", 403),
            ("GET", "/auditLogs/signIns", 403), ("POST", "/$batch", 400), ("POST", "$batch", 400),
            ("PUT", "/users", 405),
            ("GET", "/../beta/users", 404), ("GET", "/me", 501), ("GET", "//users", 404), ("GET", "", 404),
            ("GET", "https://operators.test/graph/v1.0/users?$top=1", 200),
            ("GET", "https://operators.test/graph/v1.0/../beta/users", 404),
            ("GET", "https://operators.test/graph/beta/users", 400),
            ("GET", "https://other.test/graph/v1.0/users", 400),
            ("GET", "https://operators.test.other.test/graph/v1.0/users", 400), ("GET", "/users\\u0000", 400),
            ("GET", "/users%0a", 404), ("BREW", "/users", 405), ("GET POST", "/users", 400),
        ]
        let items = urls.enumerated().map { number, item in
            #"{"id":"\#(number)","method":"\#(item.0)","url":"\#(item.1)","headers":{"Authorization":"Bearer x"}}"#
        }
        let answer = try await desk.send("POST", Self.path, #"{"requests":[\#(items.joined(separator: ","))]}"#)
        let found = try #require(answer["responses"]?.array).map { $0["status"] }
        for (item, status) in zip(urls, found) { #expect(status == .integer(item.2), "\(item)") }
        #expect(found.count == urls.count)
    }

    @Test("A condition of an item is never lost: a header that is no text, or stands twice, is refused")
    func headersAreTexts() async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let created = try await desk.send("POST", OperatorTests.users, OperatorTests.newUser("dana@example.com"))
            let id = try #require(created.text("id"))
            for headers in [
                #"{"Content-Type":"application/json","If-Match":["\"stale\""]}"#,
                #"{"Content-Type":"application/json","If-Match":1}"#,
                #"{"Content-Type":"application/json","If-Match":null}"#,
                #"{"Content-Type":"application/json","If-Match":"*","if-match":"\"stale\""}"#, #"["If-Match"]"#,
                #"{"Content-Type":"application/json","If-Match ":"\"stale\""}"#,
            ] {
                let answers = try await send(
                    desk,
                    #"{"id":"1","method":"PATCH","url":"/users/\#(id)","headers":\#(headers),"body":{"city":"Ribe"}}"#)
                #expect(status(answers["1"]) == .integer(400), "\(headers)")
            }
            let stale = try await send(
                desk,
                #"{"id":"1","method":"PATCH","url":"/users/\#(id)","headers":{"content-type":"application/json","if-match":"\"stale\""},"body":{"city":"Ribe"}}"#
            )
            #expect(status(stale["1"]) == .integer(412))
            let path = OperatorTests.users + "/\(id)"
            // No spelling loses a condition.
            for item in [
                #"{"id":"1","method":"DELETE","url":"users/\#(id)","Headers":{"If-Match":"\"stale\""}}"#,
                #"{"id":"1","method":"DELETE","url":"users/\#(id)","DependsOn":["0"]}"#,
                #"{"id":"1","method":"DELETE","url":"users/\#(id)","dependsOn":null,"depends_on":["0"]}"#,
            ] {
                let answers = try await send(desk, #"{"id":"0","method":"GET","url":"users/\#(UUID())"}"#, item)
                #expect([.integer(412), .integer(424)].contains(status(answers["1"])), "\(item)")
            }
            #expect(try await desk.send("DELETE", path, headers: ["if-match": "\"stale\""]).status == 412)
            let tag = try #require(try await desk.send("GET", path).headers["etag"])
            #expect(try await desk.send("DELETE", path, headers: ["if-match": tag]).status == 204)
        }
    }

    @Test(
        "REL-OVR-2: JSON in UTF-16 or UTF-32, whose depth its bytes do not show, is refused at once",
        arguments: [
            String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32LittleEndian, .utf32BigEndian, .utf32,
        ])
    func otherEncodings(encoding: String.Encoding) async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let deep =
                "{\"displayName\":\"∀\",\"x\":" + String(repeating: "[", count: 500)
                + String(repeating: "]", count: 500) + "}"
            let body = try #require(deep.data(using: encoding))
            let client = WireClient(transport: desk.transport)
            for path in [OperatorTests.users, Self.path] {
                let answer = try await client.send(
                    client.request(
                        "POST", path,
                        headers: ["authorization": "Bearer \(desk.token ?? "")", "content-type": "application/json"],
                        body: body))
                #expect(answer.status == 400)
            }
            #expect(throws: WireJSON.Failure.notUTF8) { try WireJSON.decode([String: JSONValue].self, from: body) }
        }
    }

    @Test(
        "A batch that is no list of 1 to 20 items with ids of their own does nothing",
        arguments: [
            "{}", #"{"requests":[]}"#, #"{"requests":{}}"#, #"{"requests":[1]}"#,
            #"{"requests":[{"method":"GET","url":"/users"}]}"#,
            #"{"requests":[{"id":1,"method":"GET","url":"/users"}]}"#,
            #"{"requests":[{"id":"a","method":"GET","url":"/users"},{"id":"A","method":"GET","url":"/users"}]}"#,
            #"{"requests":[\#((0...20).map { #"{"id":"\#($0)","method":"GET","url":"/users"}"# }.joined(separator: ","))]}"#,
        ])
    func noBatch(body: String) async throws {
        try await withIdentityServer { server in
            let desk = try await OperatorTests.Desk(server)
            let answer = try await desk.send("POST", Self.path, body)
            #expect(answer.status == 400, "\(answer)")
        }
    }

    @Test(
        "SEC-RATE-6: a daemon has 3,000 changes in 150 s, and a user 20 notices an hour, also in batches"
    )
    func daemonsAreLimited() async throws {
        try await withIdentityServer { server in
            var desk = try await OperatorTests.Desk(server)
            let created = try await desk.send("POST", OperatorTests.users, OperatorTests.newUser("dana@example.com"))
            let id = try #require(created.text("id"))
            desk.transport = InProcessTransport(
                routes: IdentityRoutes(
                    engine: server.engine, clock: ManualWallClock(manual: server.clock),
                    readiness: Readiness(flows: server.engine.ports.flows),
                    listener: .operators(server.directoryStore, baseURL: "https://operators.test")),
                within: AccessPolicy(limits: SourceLimits()))
            func item(_ number: Int, _ body: String) -> String {
                #"{"id":"\#(number)","method":"PATCH","url":"/users/\#(id)","headers":{"Content-Type":"application/json"},"body":\#(body)}"#
            }
            let moves = (0..<20).map { number in
                item(number, #"{"mail":"dana\#(number)@example.com"}"#)
            }
            let first = try #require(
                try await desk.send("POST", Self.path, #"{"requests":[\#(moves.joined(separator: ","))]}"#)[
                    "responses"]?.array)
            #expect(first.allSatisfy { $0["status"] == .integer(204) }, "\(first)")
            let refused = try await desk.send("DELETE", OperatorTests.users + "/\(id)")
            #expect(refused.status == 429 && refused.headers["retry-after"] != nil, "\(refused)")
            // Changes without a notice go on, up to the daemon's own limit: 20 and 1 were counted.
            let cities = (0..<20).map { item($0, #"{"city":"\#($0)"}"#) }
            let body = #"{"requests":[\#(cities.joined(separator: ","))]}"#
            var done = 0
            for batch in 0..<150 {
                if batch % 4 == 0 { server.clock.advance(by: .seconds(1)) }
                let answers = try #require(try await desk.send("POST", Self.path, body)["responses"]?.array)
                done += answers.count { $0["status"] == .integer(204) }
            }
            #expect(done == 3_000 - 21)
            #expect(try await desk.send("GET", OperatorTests.users + "/\(id)").status == 200)
        }
    }
}
