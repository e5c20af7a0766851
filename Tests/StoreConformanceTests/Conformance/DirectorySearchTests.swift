import Foundation
import IdentityEngine
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@testable import IdentityStoreSQL

/// Searches of users against a search written in Swift.
@Suite("Searches of users") struct DirectorySearchTests {
    /// What the search in Swift knows of a user.
    struct Person: Sendable {
        var new: NewUser
        var isDisabled: Bool
        /// An account at a provider.
        var identity: LinkedIdentity?

        var email: String { new.identifiers[0].display.lowercased() }
        var alias: String? { new.identifiers.dropFirst().first?.display.lowercased() }

        func meets(_ condition: UserCondition) -> Bool {
            switch condition {
            case .all(let parts): parts.allSatisfy(meets)
            case .any(let parts): parts.contains(where: meets)
            case .not(let part): !meets(part)
            case .everyone(let isEveryone): isEveryone
            case .hasID(let id): new.id == id
            case .mail(let match): meets(email, match)
            case .signsIn(as: let name, let type):
                switch type {
                case .local: [email, alias].contains(name.lowercased())
                case .code: email == name.lowercased() && new.passwordHash == nil
                }
            case .hasIdentity(let key): identity?.key == key
            case .isEnabled(let isEnabled): isDisabled != isEnabled
            case .createdSince(let date): new.createdAt >= date
            case .createdUntil(let date): new.createdAt <= date
            case .attribute(let name, let match):
                if case .string(let text)? = new.attributes[name] { meets(text, match) } else { false }
            case .attributeIs(let name, let value): new.attributes[name] == value
            case .lacksAttribute(let name): new.attributes[name] == nil
            }
        }

        private func meets(_ text: String, _ match: UserCondition.TextMatch) -> Bool {
            switch match {
            case .equals(let other): text.lowercased() == other.lowercased()
            case .begins(let other): text.lowercased().hasPrefix(other.lowercased())
            }
        }
    }

    /// Chooses by a seed, so that a failure can be repeated.
    struct Choice {
        var state: UInt64

        mutating func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }

        mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

        mutating func match(_ texts: [String]) -> UserCondition.TextMatch {
            let text = one(of: texts)
            return number(below: 2) == 0
                ? .equals(text) : .begins(String(text.prefix(1 + number(below: max(text.count, 1)))))
        }

        mutating func condition(_ people: [Person], depth: Int = 0) -> UserCondition {
            let person = one(of: people)
            switch number(below: depth < 3 ? 14 : 11) {
            case 0: return .hasID(person.new.id)
            case 1: return .mail(match([person.email, "zz@example.com", person.email.uppercased()]))
            case 2: return .signsIn(as: person.alias ?? person.email, number(below: 3) == 0 ? .code : .local)
            case 3: return .isEnabled(number(below: 2) == 0)
            case 4: return .createdSince(noon + Double(number(below: 60)))
            case 5: return .createdUntil(noon + Double(number(below: 60)))
            case 6: return .attribute("city", match(["Ribe", "Århus", "O'Neil", "R%_\\\"", "Rio"]))
            case 7: return .attribute("displayName", match(["Ada", "ADAM", "Zoe"]))
            case 8: return .attributeIs("level", .integer(number(below: 3)))
            case 9: return .lacksAttribute(one(of: ["city", "displayName", "level"]))
            case 10: return .hasIdentity(person.identity?.key ?? Data("none".utf8))
            case 11: return .not(condition(people, depth: depth + 1))
            case 12: return .all((0...number(below: 3)).map { _ in condition(people, depth: depth + 1) })
            default: return .any((0...number(below: 3)).map { _ in condition(people, depth: depth + 1) })
            }
        }
    }

    private func people(_ choice: inout Choice) -> [Person] {
        (0..<60).map { number in
            var attributes: [String: AttributeValue] = [:]
            if choice.number(below: 4) > 0 {
                attributes["city"] = .string(choice.one(of: ["Ribe", "RIBE", "Århus", "O'Neil", "R%_\\\"", "Rio"]))
            }
            if choice.number(below: 3) > 0 {
                attributes["displayName"] = .string(choice.one(of: ["Ada", "adam", "Zoe", "Ada Lovelace"]))
            }
            if choice.number(below: 2) == 0 { attributes["level"] = .integer(choice.number(below: 3)) }
            var new = fixtureUser(
                "user\(number)", alias: choice.number(below: 2) == 0 ? "alias\(number)" : nil, attributes: attributes,
                passwordHash: choice.number(below: 2) == 0 ? nil : PasswordHash(phc: "$argon2id$none"))
            new.createdAt = noon + Double(choice.number(below: 60))
            var person = Person(new: new, isDisabled: choice.number(below: 5) == 0)
            if choice.number(below: 3) == 0 {
                person.identity = LinkedIdentity(
                    provider: "google", providerName: "Google", issuer: "https://accounts.google.com",
                    subject: "\(number)", email: nil)
            }
            return person
        }
    }

    @Test(
        "SEC-ADM-7: 400 random searches find what a search in Swift finds, page by page",
        arguments: DatabaseUnderTest.all)
    func randomSearches(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let seed = UInt64.random(in: 0...9_999)
            var choice = Choice(state: seed)
            let people = people(&choice)
            for person in people {
                try await store.perform(.createUser(person.new))
                if let identity = person.identity {
                    let method = StrongMethod(id: UUID(), kind: .identity(identity), provenAt: noon)
                    try await store.perform(.addStrongMethod(method, to: person.new.id))
                }
                if person.isDisabled { try await store.perform(.setDisabled(person.new.id, noon)) }
            }
            // Users of another tenant, and deleted ones, are never found.
            let other = TenantID(UUID())
            try await store.perform(.createUser(fixtureUser("user1", tenant: other)), tenant: other)
            let gone = fixtureUser("gone", attributes: ["city": "Ribe"])
            try await store.perform(.createUser(gone), .setDeleted(gone.id, noon))
            for number in 0..<400 {
                let condition = choice.condition(people)
                let order = choice.one(of: [nil, nil, UserOrder.id, .createdAscending, .createdDescending])
                let expected = Set(people.filter { $0.meets(condition) }.map(\.new.id))
                var found: [UserAccount] = []
                var position: UserPosition?
                repeat {
                    let page = try await store.users(
                        UserPageRequest(condition, order: order, after: position, limit: 7), in: contoso)
                    found += page.users
                    position = page.next
                } while position != nil
                let ids = found.map(\.user.id)
                try #require(
                    ids.count == expected.count && Set(ids) == expected,
                    "seed \(seed), search \(number): \(condition), \(String(describing: order))")
                let dates = found.map(\.user.createdAt)
                switch order {
                case .id?: #expect(ids == ids.sorted { $0.description < $1.description })
                case .createdAscending?: #expect(dates == dates.sorted())
                case .createdDescending?: #expect(dates == dates.sorted(by: >))
                case nil: break
                }
                #expect(
                    try await store.countUsers(where: condition, isDeleted: false, in: contoso) == expected.count)
            }
            let deleted = try await store.users(UserPageRequest(limit: 10, isDeleted: true), in: contoso)
            #expect(deleted.users.map(\.user.id) == [gone.id] && deleted.users.first?.deletedAt == noon)
        }
    }

    @Test(
        "Each search goes through an index, and sorts nothing",
        arguments: [
            (nil, nil), (UserCondition.hasID(UserID(UUID())), nil), (.mail(.equals("a@example.com")), nil),
            (.mail(.begins("a")), nil), (.signsIn(as: "ada", .local), nil), (.signsIn(as: "a@example.com", .code), nil),
            (.hasIdentity(Data("key".utf8)), nil), (.all([.isEnabled(false), .hasIdentity(Data("key".utf8))]), nil),
            (.isEnabled(false), nil), (.createdSince(noon), nil), (.attribute("city", .equals("Ribe")), nil),
            (.attribute("city", .begins("Ri")), nil), (nil, .createdAscending), (nil, .createdDescending), (nil, .id),
            (.all([.attribute("city", .equals("Ribe")), .isEnabled(true)]), nil),
            (.all([.isEnabled(true), .not(.attribute("city", .equals("Ribe")))]), nil),
            (.all([.createdSince(noon), .createdUntil(noon + 60), .lacksAttribute("city")]), nil),
        ] as [(UserCondition?, UserOrder?)])
    func plans(condition: UserCondition?, order: UserOrder?) async throws {
        let store = try SQLiteStore.inMemory()
        let plan = try await store.read { session in
            let text = UserPlan(condition, order: order, isDeleted: false, in: contoso, .sqlite)
                .page(after: nil, limit: 50)
            return try session.fetchOnce("EXPLAIN QUERY PLAN \(text.sql)", text.values).get().rows.compactMap { row in
                if case .text(let line)? = row.last { line } else { nil }
            }
        }
        #expect(
            !plan.contains { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" || $0.contains("AUTOMATIC") }, "\(plan)")
        // A list of a few users is put into the order of their ids.
        #expect(!plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(plan)")
    }
}
