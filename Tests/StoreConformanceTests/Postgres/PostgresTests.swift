import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("PostgreSQL: opening", .timeLimit(.minutes(1)))
struct PostgresOpeningTests {
    private func expectRefusal(
        _ expected: PostgresStoreOpenError, of place: PostgresEndpoint,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: expected, sourceLocation: sourceLocation) {
            try await PostgresStore(place, PostgresServer.small).close()
        }
    }

    @Test("REL-TX-2: a server that would lose commits with the power is refused, unless it is meant")
    func anUnsafeServerIsRefused() async throws {
        let server = try Server("with-postgres", ["fsync=off"])
        let lax = PostgresServer.Schema(name: "public", server: try PostgresServer.url())
        for (place, setting) in [
            (try #require(PostgresEndpoint(url: server.url)), "fsync"),
            (try lax.place("synchronous_commit=off"), "synchronous_commit"),
        ] {
            await expectRefusal(.unsafe(place: place.description, setting: setting), of: place)
            var settings = PostgresServer.small
            settings.allowsUnsafeDurability = true
            let store = try await PostgresStore(place, settings)
            #expect(try await store.countUsers(in: contoso) >= 0)
            try await store.close()
        }
        try server.stop()
    }

    @Test("A mail is found by its key, and not by an index of times, before the database has statistics")
    func mailsAreFoundByTheirKey() async throws {
        try await PostgresServer.withSchema { schema in
            // One connection: its counters then include every read.
            var settings = PostgresServer.small
            settings.connections = 1
            let store = try await PostgresStore(try schema.place(), settings)
            // Else the database could make statistics meanwhile.
            _ = try await store.unsafeSQL("ALTER TABLE outbox SET (autovacuum_enabled = off)")
            for number in 0..<200 {
                try await store.perform(.enqueueMail(fixtureMail(createdAt: noon + Double(number) / 1_000)))
            }
            var sent = 0
            while true {
                let room = MailRoom(total: 10, perLane: 10)
                let leased = try await store.leaseMails(room, now: noon + 1, until: noon + 60).mails
                guard !leased.isEmpty else { break }
                try await store.markSent(leased, now: noon + 2)
                sent += leased.count
            }
            #expect(sent == 200)
            _ = try await store.unsafeSQL("SELECT pg_stat_force_next_flush()::text")
            let read = try await store.unsafeSQL(
                """
                SELECT indexrelname::text, idx_tup_read::text FROM pg_stat_user_indexes
                WHERE schemaname = current_schema() AND relname = 'outbox'
                """)
            let counts = Dictionary(uniqueKeysWithValues: read.map { ($0[0] ?? "", Int($0[1] ?? "") ?? 0) })
            #expect(try #require(counts["outbox_pkey"]) >= 400, "\(counts)")
            #expect(try #require(counts["outbox_by_tenant"]) == 0, "\(counts)")
            // 20 leases and an empty one read at most 200 each. Before migration 0043 these two had 43,731 and 25,600.
            #expect(try #require(counts["outbox_by_due"]) < 5_000, "\(counts)")
            #expect(try #require(counts["outbox_by_expiry"]) < 400, "\(counts)")
            try await store.close()
        }
    }

    @Test("Every key leads with the tenant, so that a cluster can spread the tables by it")
    func keysLeadWithTheTenant() async throws {
        try await PostgresServer.withSchema { schema in
            let store = try await PostgresStore(try schema.place(), PostgresServer.small)
            // Key, or unique index, of each table: its name and its first column.
            let keys = try await store.unsafeSQL(
                """
                SELECT t.relname::text, a.attname::text FROM pg_index i
                JOIN pg_class t ON t.oid = i.indrelid
                JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
                WHERE i.indisunique AND t.relnamespace = current_schema()::regnamespace
                """)
            let others = Set(keys.filter { $0[1] != "tenant" }.compactMap { $0[0] })
            // A few rows each, the same for all tenants: docs/operate/postgresql.md describes them for a cluster.
            #expect(others == ["data_keys", "profile_mark", "tenant_documents", "write_probe", "schema_migrations"])
            #expect(keys.count { $0[1] == "tenant" } >= 15)
            let withoutKey = try await store.unsafeSQL(
                """
                SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
                AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)
                """)
            #expect(Set(withoutKey.compactMap { $0[0] }) == ["counted_events", "restores"])
            try await store.close()
        }
    }

    @Test("REL-TX-5: an old node refuses a newer schema")
    func aNewerSchemaIsRefused() async throws {
        try await PostgresServer.withSchema { schema in
            let place = try schema.place()
            let store = try await PostgresStore(place, PostgresServer.small)
            _ = try await store.unsafeSQL("INSERT INTO schema_migrations VALUES ('9999 flying', 0)")
            try await store.close()
            await expectRefusal(.newerSchema(place: place.description), of: place)
        }
    }

    @Test("REL-TX-5: ten nodes that start on an empty database make its tables once")
    func tenNodesMakeTheTablesOnce() async throws {
        try await PostgresServer.withSchema { schema in
            let place = try schema.place()
            let names = try await race(10) { _ in
                let store = try await PostgresStore(place, PostgresServer.small)
                let names = try await store.unsafeSQL("SELECT name FROM schema_migrations ORDER BY name")
                try await store.close()
                return names
            }
            let all = Migration.all.map { [$0.name] }
            #expect(names == Array(repeating: all, count: 10))
        }
    }

    @Test("Tables of another program are left alone")
    func aDatabaseOfAnotherProgramIsRefused() async throws {
        try await PostgresServer.withSchema { schema in
            let place = try schema.place()
            let store = try await PostgresStore(place, PostgresServer.small)
            for table in ["replays", "flows", "schema_migrations"] {
                _ = try await store.unsafeSQL("DROP TABLE \(table)")
            }
            try await store.close()
            await expectRefusal(.notOurs(place: place.description), of: place)
        }
    }

    @Test("SEC-LOG-1: no text about a database contains its password")
    func noTextHoldsThePassword() async throws {
        let place = try #require(
            PostgresEndpoint(url: "postgresql://ada:s3cr3t@127.0.0.1:1/native_auth?connect_timeout=2"))
        #expect(place.description == "postgresql://127.0.0.1:1/native_auth")
        let error = await #expect(throws: PostgresStoreOpenError.self) { try await PostgresStore(place).close() }
        let sentence = try #require(error?.description)
        #expect(!sentence.contains("s3cr3t"))
        #expect(sentence.contains("Connection refused"))
        #expect(PostgresEndpoint(url: "postgresql://ada:s3cr3t%zz@host/db") == nil)
        #expect(PostgresEndpoint(url: "mysql://ada@host/db") == nil)
    }

    @Test(
        "SEC-LOG-1: a URL whose password was not percent-encoded is refused, and not shown as port or database",
        arguments: ["ada:s3c/r3t@host", "ada:1/s3cr3t@host/db", "ada:/s3cr3t@host", "ada/x:s3cr3t@host/db"])
    func aPasswordIsNotTakenForSomethingElse(_ rest: String) {
        #expect(PostgresEndpoint(url: "postgresql://" + rest) == nil)
        #expect(PostgresEndpoint(url: "postgresql://ada:s%2Fcr%403t@host:5432,other:5433/db") != nil)
    }
}

@Suite("PostgreSQL: many nodes", .timeLimit(.minutes(2)))
struct PostgresNodeTests {
    @Test("REL-HA-1: of racers on two nodes one gets the address, 200 times")
    func oneOfTheRacersGetsTheAddress() async throws {
        try await withTwoNodes { nodes in
            for number in 0..<200 {
                let name = key("user\(number)@example.com")
                let wins = try await race(4) { racer in
                    let user = fixtureUser("user\(number)")
                    return try await nodes[racer % 2].step(fixtureQuery(identifiers: [name])) { facts in
                        guard facts.taken.isEmpty else { return (nil, false) }
                        return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [.createUser(user)]), true)
                    }
                }
                #expect(wins.filter { $0 }.count == 1)
            }
            #expect(try await nodes[0].countUsers(in: contoso) == 200)
        }
    }

    @Test("SEC-OTP-10, SEC-RATE-9: of 1 000 parallel guesses on two nodes five are compared")
    func fiveGuessesAreCompared() async throws {
        try await withTwoNodes { nodes in
            let query = fixtureQuery()
            let code = CodeRecord(digest: Data(count: 32), target: Data(), sentAt: noon, expiresAt: noon + 600)
            try await nodes[0].write(FlowChange(row: FlowRow(code: code, expiresAt: noon + 900)), query)
            let compared = try await race(1000) { number in
                try await nodes[number % 2].step(query) { facts in
                    guard var row = facts.row, let attempts = row.code?.attempts, attempts < 5 else {
                        return (nil, false)
                    }
                    row.code?.attempts += 1
                    return (FlowChange(row: row), true)
                }
            }
            #expect(compared.filter { $0 }.count == 5)
            #expect(try await nodes[1].facts(query).row?.code?.attempts == 5)
        }
    }

    @Test("REL-OVR-1: a flood at one flow leaves connections to others")
    func aFloodAtOneFlowStarvesNobody() async throws {
        try await withTwoNodes { nodes in
            let release = DispatchSemaphore(value: 0)
            let query = fixtureQuery()
            // The other node holds the flow's lock meanwhile.
            async let held: Void = nodes[1].step(query) { _ in (nil, release.wait()) }
            try await Task.sleep(for: .milliseconds(100))
            async let flood = race(50) { _ in try await nodes[0].step(query) { _ in (nil, true) } }
            try await Task.sleep(for: .milliseconds(100))
            let others = try await race(20) { number in
                try await nodes[0].step(fixtureQuery(flow: UUID())) { _ in (nil, number) }
            }
            release.signal()
            #expect(others.count == 20)
            #expect(try await flood.count == 50)
            try await held
        }
    }

    @Test("REL-HA-3: conflicts of 200 writers are retried, and no caller sees them", arguments: ["40001", "40P01"])
    func conflictsAreRetried(_ sqlState: String) async throws {
        try await withTwoNodes { nodes in
            for sql in [
                """
                CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF random() < 0.1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '\(sqlState)'; END IF;
                    RETURN NEW;
                END $$
                """,
                "CREATE TRIGGER conflicts BEFORE INSERT ON counted_events FOR EACH ROW EXECUTE FUNCTION conflict()",
            ] {
                _ = try await nodes[0].unsafeSQL(sql)
            }
            let subject = digest("one")
            _ = try await race(200) { number in
                try await nodes[number % 2].step(fixtureQuery(subjects: [subject])) { _ in
                    (
                        FlowChange(
                            row: FlowRow(expiresAt: noon + 900),
                            effects: [.count(.wrongCode, subject: subject, at: noon)]), ()
                    )
                }
            }
            let counted = try await nodes[0].facts(fixtureQuery(subjects: [subject])).counted
            #expect(counted[subject]?[.wrongCode]?.count == 200)
            #expect(nodes[0].retryCount + nodes[1].retryCount > 0)
        }
    }

    @Test("REL-TIME-1: the time is the database's, and advances between its answers")
    func theTimeIsTheDatabases() async throws {
        try await PostgresServer.withStore { store in
            let clock = try #require(store.clock)
            for _ in 0..<3 {
                let before = clock.now
                let text = try await store.unsafeSQL("SELECT (extract(epoch FROM clock_timestamp()))::text")
                let seconds = try #require(text.first?.first ?? nil)
                let time = Date(timeIntervalSince1970: try #require(Double(seconds)))
                #expect(time > before - 0.5)
                #expect(time < clock.now + 0.5)
                #expect(try await store.readClock())
            }
        }
    }

    @Test("REL-TIME-2: a database's clock that goes forward is followed, one that is set back is not")
    func aClockSetBackIsNotFollowed() {
        let start = ContinuousClock.now
        let clock = DatabaseClock(noon, at: start)
        #expect(clock.time(at: start + .seconds(5)) == noon + 5)
        #expect(clock.set(noon + 3_610, at: start + .seconds(10)))
        #expect(clock.time(at: start + .seconds(11)) == noon + 3_611)
        #expect(!clock.set(noon + 20, at: start + .seconds(20)))
        #expect(clock.time(at: start + .seconds(20)) == noon + 3_620)
        // A monotonic clock that goes a little too fast.
        #expect(clock.set(noon + 3_619.5, at: start + .seconds(20)))
        #expect(clock.time(at: start + .seconds(20)) == noon + 3_619.5)
    }

    @Test("REL-DB-2: connections that the server ended are made anew")
    func lostConnectionsAreMadeAnew() async throws {
        try await withTwoNodes { nodes in
            for number in 0..<10 {
                try await nodes[0].perform(.createUser(fixtureUser("user\(number)")))
                _ = try await nodes[1].unsafeSQL(
                    """
                    SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                    WHERE pid != pg_backend_pid() AND application_name = 'native-auth'
                    """)
            }
            #expect(try await nodes[0].countUsers(in: contoso) == 10)
        }
    }

    @Test("REL-DB-1: a server that does not answer is given up in time, and comes back")
    func aSilentServerIsGivenUp() async throws {
        try await PostgresServer.withSchema { schema in
            let place = try schema.place()
            var settings = PostgresServer.small
            settings.patience = .milliseconds(500)
            let store = try await PostgresStore(place, settings)
            let other = try await PostgresStore(place, PostgresServer.small)
            let isOver = Flag()
            async let held: Void = {
                _ = try await other.unsafeSQL(
                    "DO $$ BEGIN LOCK TABLE users IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(4); END $$")
                await isOver.set()
            }()
            try await Task.sleep(for: .milliseconds(300))
            await expectUnavailable { _ = try await store.countUsers(in: contoso) }
            #expect(await !isOver.isSet, "given up while the table is locked")
            try await held
            #expect(try await store.countUsers(in: contoso) == 0)
            try await store.close()
            try await other.close()
        }
    }

    @Test("REL-DB-4: a statement ends after five seconds")
    func aStatementEndsAfterFiveSeconds() async throws {
        try await PostgresServer.withStore { store in
            let begin = ContinuousClock.now
            await expectUnavailable { _ = try await store.unsafeSQL("SELECT pg_sleep(60)::text") }
            #expect(ContinuousClock.now - begin < .seconds(50))
            let count = try await store.countUsers(in: contoso)
            #expect(count == 0)
        }
    }

    @Test("A closed store is unavailable")
    func aClosedStoreIsUnavailable() async throws {
        try await PostgresServer.withStore { store in
            try await store.close()
            await expectUnavailable { try await store.perform(.createUser(fixtureUser("ada"))) }
            await expectUnavailable { try await store.checkWritable() }
        }
    }

    @Test("Behind PgBouncer in transaction mode everything works, without prepared statements if need be")
    func aPoolerIsNoObstacle() async throws {
        try await PostgresServer.withSchema { schema in
            let pooler = try schema.pooler()
            let pooled = try #require(PostgresEndpoint(url: pooler.url))
            let nodes = [
                try await PostgresStore(pooled, PostgresServer.small),
                try await PostgresStore(pooled, PostgresServer.small),
            ]
            let wins = try await race(100) { number in
                let user = fixtureUser("racer\(number)", alias: "alias\(number / 4)")
                return try await nodes[number % 2].step(fixtureQuery(identifiers: [key("alias\(number / 4)")])) {
                    facts in
                    guard facts.taken.isEmpty else { return (nil, false) }
                    return (FlowChange(row: FlowRow(expiresAt: noon + 900), effects: [.createUser(user)]), true)
                }
            }
            #expect(wins.filter { $0 }.count == 25)
            #expect(try await nodes[0].countUsers(in: contoso) == 25)
            for node in nodes { try await node.close() }
            try pooler.stop()
        }
    }
}

private actor Flag {
    private(set) var isSet = false

    func set() { isSet = true }
}
