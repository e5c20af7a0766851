import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine

@Suite("Every state, every request, every kind of token") struct WalkerTests {
    /// The presented token and its content.
    enum Presented: String, CaseIterable, Sendable {
        case fresh
        case spent
        case expired
        case foreignClient
        case foreignTenant
        case tampered
        case ended
        /// The token of another user's flow, with this user's password and code.
        case othersFlow
        /// The right token with a wrong code or a wrong password.
        case wrongProof
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        var station: Station
        var presented: Presented

        var testDescription: String { "\(station.testDescription), \(presented.rawValue)" }

        static let all = Station.all.flatMap { station in
            Presented.allCases.map { Cell(station: station, presented: $0) }
        }
    }

    private static let finished: Locked<(cells: Int, visits: Int)> = Locked((0, 0))

    @Test("SEC-CT-1: every state of every flow is on some journey, and the journeys pass no other")
    func everyStateIsOnAJourney() async throws {
        #expect(Set(Station.all.map(\.state)) == Set(StateName.allCases))
        let allowed = try await withThrowingTaskGroup(of: FlowOperations.self) { group in
            for station in Station.all {
                group.addTask {
                    let server = try TestDirectory.server()
                    let walk = try await server.walk(to: station)
                    return try Self.state(walk.token, of: walk, on: server).allowed
                }
            }
            return try await group.reduce(into: FlowOperations()) { $0.formUnion($1) }
        }
        // Every operation of the flow table has a request that asks for it, and is allowed somewhere.
        let asked = Ask.allCases.reduce(FlowOperations()) { $0.union($1.operations) }
        #expect(allowed == asked)
        #expect(Set(Ask.allCases.map(\.endpoint)) == Set(V1Endpoint.allCases))
    }

    /// Opens a token as the engine does: only the state in it says where the flow is.
    private static func envelope(_ token: String, of walk: Walk, on server: IdentityTestServer) throws -> FlowEnvelope {
        let contoso = try #require(TenantDirectory.development.entries.first).tenant.id
        return try server.engine.tokens.open(
            ContinuationToken(token), for: FlowOperations(rawValue: .max), tenant: contoso,
            client: #require(walk.client.clientID.flatMap { ClientID($0) }), now: server.clock.now)
    }

    static func state(_ token: String, of walk: Walk, on server: IdentityTestServer) throws -> FlowState {
        try envelope(token, of: walk, on: server).state
    }

    @Test(
        "SEC-CT-1, SEC-CT-6: only the steps of the flow table get anywhere, and nothing comes without its proofs",
        arguments: Cell.all)
    func onlyTheStepsOfTheTableGetAnywhere(_ cell: Cell) async throws {
        var visits = 0
        let server = try TestDirectory.server()
        var scene = try await Situation(cell, on: server)
        for ask in Ask.withToken where scene.isRefused(ask) && cell.presented != .wrongProof {
            try await scene.refuse(ask)
            visits += 1
        }
        for ask in Ask.withToken where !scene.isRefused(ask) || (cell.presented == .wrongProof && scene.isProof(ask)) {
            // A request that may change something gets its own server.
            scene = try await Situation(cell, on: try TestDirectory.server())
            if cell.presented == .wrongProof { try await scene.refuse(ask) } else { try await scene.accept(ask) }
            visits += 1
        }
        let cells = visits
        let done = Self.finished.withLock { finished in
            finished.cells += 1
            finished.visits += cells
            return finished
        }
        if done.cells == Cell.all.count {
            let inputs = Ask.withToken.count * (Presented.allCases.count - 1)
            print(
                "walker: \(Station.all.count) states × \(inputs) inputs = \(Station.all.count * inputs) visited,",
                terminator: " ")
            print("and \(done.visits - Station.all.count * inputs) wrong proofs")
        }
    }

    /// A cell, brought to where its requests can be made.
    private struct Situation {
        let cell: Cell
        let server: IdentityTestServer
        /// The walk of the user whose content is sent.
        let walk: Walk
        let client: WireClient
        let token: String
        /// Where the token was made.
        let state: FlowState

        init(_ cell: Cell, on server: IdentityTestServer) async throws {
            self.cell = cell
            self.server = server
            var walk = try await server.walk(to: cell.station)
            var token = try walk.token
            let state = try WalkerTests.state(token, of: walk, on: server)
            #expect(StateName(state) == cell.station.state)
            var client = walk.client
            switch cell.presented {
            case .fresh: break
            case .spent:
                // The flow continues past the step that spends the token; a minute later nothing is a repetition.
                while walk.index < walk.journey.stops.count - 1 { try await server.advance(&walk) }
                let tokens = try await client.ask(walk.journey.last, walk.content, walk.token)
                #expect(tokens["access_token"] != nil, "\(tokens)")
                server.clock.advance(by: 61)
            case .expired: server.clock.advance(by: 900)
            case .foreignClient: client.clientID = IdentityTestServer.Application.emailOneTimePasscode.rawValue
            case .foreignTenant: client.tenant = "fabrikam"
            case .tampered:
                let last = token.removeLast()
                token.append(last == "A" ? "E" : "A")
            case .ended:
                let envelope = try WalkerTests.envelope(token, of: walk, on: server)
                let tenant = try #require(TenantDirectory.development.entries.first).tenant.id
                let end = server.clock.now.addingTimeInterval(3_600)
                try await server.plant(
                    FlowRow(revision: envelope.revision, isEnded: true, expiresAt: end), of: envelope.flow, in: tenant)
            case .othersFlow: token = try await server.walk(to: cell.station, as: "eve").token
            case .wrongProof:
                walk.content.code = wrongCodes(1, besides: walk.content.code)[0]
                walk.content.password = "Kr4ftig-Vinter#83"
            }
            (self.walk, self.token, self.state, self.client) = (walk, token, state, client)
        }

        /// The table's answer: the only source of legality.
        private func isListed(_ ask: Ask) -> Bool { !state.allowed.isDisjoint(with: ask.operations) }

        func isProof(_ ask: Ask) -> Bool { isListed(ask) && ask.proof != nil }

        func isRefused(_ ask: Ask) -> Bool {
            switch cell.presented {
            case .fresh: !isListed(ask)
            case .othersFlow: !isListed(ask) || ask.proof != nil
            case .wrongProof: true
            case .spent, .expired, .foreignClient, .foreignTenant, .tampered, .ended: true
            }
        }

        /// Expects the documented refusal and no effect.
        func refuse(_ ask: Ask) async throws {
            if cell.presented == .spent {
                // Each request presents the spent token as the first misuse, in a flow that has not ended otherwise.
                _ = try await server.rows("UPDATE flows SET misuses = 0, is_ended = 0")
            }
            let accounts = try await server.accounts()
            let mails = try await server.count("SELECT COUNT(*) FROM outbox")
            let before = try await server.everything()
            let answer = try await client.ask(ask, walk.content, token)

            let label = "\(cell.testDescription), \(ask.rawValue)"
            if ask == .refresh {
                if token.utf8.count > 1_024 {
                    expectError(answer, "invalid_request", 90_100, label)
                } else {
                    expectError(answer, "invalid_grant", 70_000, label)
                }
            } else if isListed(ask), cell.presented == .expired {
                expectError(answer, "expired_token", 552_003, label)
            } else if isListed(ask), cell.presented == .wrongProof || cell.presented == .othersFlow {
                switch ask.proof {
                case .code:
                    expectError(answer, "invalid_grant", 50_181, suberror: "invalid_oob_value", label)
                case .password: expectError(answer, "invalid_grant", 50_126, label)
                case nil: Issue.record("\(label) proves nothing")
                }
            } else {
                expectError(answer, "invalid_request", 55_200, label)
            }
            for secret in ["access_token", "id_token", "refresh_token"] { #expect(answer[secret] == nil, "\(label)") }
            #expect(try await server.accounts() == accounts, "\(label) changed an account")
            #expect(try await server.count("SELECT COUNT(*) FROM outbox") == mails, "\(label) sent a mail")
            // Only a misuse and a wrong proof are recorded.
            if !isListed(ask) || [.expired, .foreignClient, .foreignTenant, .tampered].contains(cell.presented) {
                #expect(try await server.everything() == before, "\(label) changed something")
            }
        }

        /// The listed effects of the step, and no others.
        func accept(_ ask: Ask) async throws {
            let before = try await server.accounts()
            let user = "SELECT hex(user) FROM identifiers WHERE display = 'dana@example.com'"
            let dana = try await server.rows(user).first?.first ?? nil
            let answer = try await client.ask(ask, walk.content, token)
            let after = try await server.accounts()

            let label = "\(cell.testDescription), \(ask.rawValue): \(answer)"
            #expect(answer.isProgress, "\(label)")
            func count(_ tables: [String: [[String?]]], _ name: String) -> Int { tables[name]?.count ?? 0 }
            func grown(_ name: String) -> Int { count(after, name) - count(before, name) }
            let stops = cell.station.journey.stops
            let next = stops.indices.contains(cell.station.index + 1) ? stops[cell.station.index + 1] : nil

            // A user: with the code of the address, a password and all attributes, and not before (SEC-ID-9).
            let makesUser = next == Journey.Stop(state: .signUpCompleted, via: ask)
            #expect(grown("users") == (makesUser ? 1 : 0), "\(label)")
            // Tokens: with every proof that the journey asks for.
            let isLast = cell.station.isLast && !ask.operations.isDisjoint(with: cell.station.journey.last.operations)
            #expect((answer["access_token"] != nil) == isLast, "\(label)")
            #expect(grown("refresh_families") == (isLast ? 1 : 0), "\(label)")
            // A method: with its mailbox proven.
            let makesMethod = ask == .contactCode || ask == .confirmContact
            #expect(grown("strong_methods") == (makesMethod ? 1 : 0), "\(label)")
            // A password: at the end of a reset. Its row also changes when a method is registered, which ends other
            // flows, and when a second factor makes a password from a reset count.
            if !makesUser {
                #expect((after["passwords"] != before["passwords"]) == (ask == .newPassword), "\(label)")
                let trusts = isLast && cell.station.journey == .resetThenSecondFactor
                #expect(
                    (after["users"] != before["users"]) == (ask == .newPassword || makesMethod || trusts), "\(label)")
                #expect(after["identifiers"] == before["identifiers"], "\(label)")
                #expect(after["attributes"] == before["attributes"], "\(label)")
            }
            if cell.presented == .othersFlow, let dana {
                // It was another user's flow, so this user gets none of it.
                for table in IdentityTestServer.guarded {
                    func own(_ tables: [String: [[String?]]]) -> [[String?]] {
                        (tables[table] ?? []).filter { row in row.contains { $0?.uppercased() == dana.uppercased() } }
                    }
                    #expect(own(after) == own(before), "\(label) changed \(table)")
                }
            }
        }
    }
}
