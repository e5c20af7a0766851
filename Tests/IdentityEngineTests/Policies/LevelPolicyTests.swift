import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// Rules about levels: what they demand, and what a sign-in then asks for, over all combinations.
@Suite("Levels of sign-ins")
struct LevelPolicyTests {
    private typealias Level = Assurance.Level

    private static let client = ClientID(UUID(uuid: (8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)))
    private static let other = ClientID(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))
    private static let group = UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7))
    private static let base = "https://identity.test"

    // MARK: Rules

    @Test("A rule is for its applications, scopes and groups, and the strictest of all that fit counts")
    func demands() {
        let rules = [
            LevelRule(level: .mailed, maximumAge: 7_200, applications: [Self.client]),
            LevelRule(level: .twoFactors, scopes: ["api://orders/Orders.Pay", "api://\(Self.other)/*"]),
            LevelRule(level: .restricted, maximumAge: 600, groups: [Self.group]),
            LevelRule(level: .phishingResistant, contexts: ["c4"]),
            LevelRule(level: .oneFactor, maximumAge: 300, contexts: ["c2", "c4"]),
        ]
        func demand(
            _ client: ClientID = Self.other, _ scopes: [String] = [], _ groups: Set<UUID> = []
        ) -> LevelDemand {
            rules.demand(of: client, scopes: scopes, groups: groups, baseURL: Self.base)
        }
        #expect(demand() == .none)
        #expect(demand(Self.client) == LevelDemand(level: .mailed, maximumAge: 7_200))
        #expect(demand(Self.client, [], [Self.group]) == LevelDemand(level: .restricted, maximumAge: 600))
        #expect(demand(Self.client, ["api://orders/Orders.Pay"]) == LevelDemand(level: .twoFactors, maximumAge: 7_200))
        #expect(demand(Self.other, ["openid", "api://orders/Orders.Pay"]).level == .twoFactors)
        for scope in ["api://orders/Orders.PayNot", "api://orders2/Orders.Pay", "Orders.Pay", "openid", "a b", ""] {
            #expect(demand(Self.other, [scope]) == .none, "\(scope)")
        }
        // One API has one audience, however its id is written.
        for name in ["api://\(Self.other)/Read", "api://\(Self.other.description.uppercased())/Read"] {
            #expect(demand(Self.other, [name]).level == .twoFactors, "\(name)")
        }
        #expect(rules.demand(of: "c4") == LevelDemand(level: .phishingResistant, maximumAge: 300))
        #expect(rules.demand(of: "c2") == LevelDemand(level: .mailed, maximumAge: 300), "no rule lowers a context")
        #expect(rules.demand(of: "c1") == .twoFactors)
        #expect(rules.areAboutGroups && ![rules[0]].areAboutGroups)
        #expect([LevelRule]().demand(of: Self.client, baseURL: Self.base) == .none)
        let aged = LevelDemand(level: .mailed, maximumAge: 600)
        let now = SignInStateTests.now
        #expect(
            aged.isFresh(now.addingTimeInterval(-600), at: now) && !aged.isFresh(now.addingTimeInterval(-601), at: now))
    }

    @Test("The words of an old session are worth no more than the least that they can be")
    func words() {
        for row in AssuranceTests.table where row.level > .nothing {
            let least = Assurance.level(ofWords: row.words)
            #expect(least <= row.level, "\(row.words)")
            let isOfTwo = row.words.contains("mfa") || row.words.contains("recovery")
            #expect((least >= .mailed) == isOfTwo, "\(row.words)")
        }
        #expect(Assurance.level(ofWords: ["swk", "user", "mfa", "pop"]) == .phishingResistant)
        #expect(Assurance.level(ofWords: ["user", "pop"]) == .oneFactor)
    }

    // MARK: Sign-ins

    /// What an account has besides its password.
    private enum Has: CaseIterable {
        case mailbox, phone, app, restingApp, passkey, sleepingPasskey, recoveryCodes

        var method: StrongMethod? {
            func method(_ kind: StrongMethod.Kind, _ number: UInt8, isSuspended: Bool = false) -> StrongMethod {
                StrongMethod(
                    id: UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), kind: kind,
                    provenAt: now.addingTimeInterval(-90 * 86_400), enrolment: Enrolment(.twoFactors),
                    suspendedAt: isSuspended ? now : nil)
            }
            return switch self {
            case .mailbox: method(.mailbox(SignInStateTests.contact), 1)
            case .phone: PhoneNumber("+15555550123").map { method(.phone($0), 2) }
            case .app: method(.app(EnrolledApp(sealedSecret: Data(), clock: AppClock(spentStep: 0))), 3)
            case .restingApp:
                StrongMethod(
                    id: UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
                    kind: .app(EnrolledApp(sealedSecret: Data(), clock: AppClock(spentStep: 0))), provenAt: now,
                    enrolment: Enrolment(.recoveryCode))
            case .passkey: method(.passkey(LevelPolicyTests.passkey(1)), 4)
            case .sleepingPasskey: method(.passkey(LevelPolicyTests.passkey(2)), 5, isSuspended: true)
            case .recoveryCodes: nil
            }
        }
    }

    private static let now = SignInStateTests.now

    private static func passkey(_ number: UInt8) -> EnrolledPasskey {
        EnrolledPasskey(
            credentialID: Data([number]), userHandle: Data(repeating: 1, count: 32), publicKey: Data(),
            relyingPartyID: "localhost", signatureCount: 0, isBackupEligible: true, isBackedUp: true,
            authenticatorModel: Data(repeating: 0, count: 16), transports: [])
    }

    /// One world: an account, a client and a demand.
    private struct World {
        var account: UserAccount
        var demand: FactorDemand
        var level: Level
    }

    private static func worlds() -> [World] {
        var worlds: [World] = []
        let texts = TextSettings(areas: ["1"], brand: "Contoso")
        for bits in 0..<(1 << Has.allCases.count) {
            let has = Has.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
            for hasPassword in [true, false] {
                var account = SignInStateTests.account(hasPassword: hasPassword, methods: has.compactMap(\.method))
                if has.contains(.recoveryCodes) {
                    account.recovery = RecoverySet(
                        id: UUID(uuid: (6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), madeAt: now,
                        codes: [.init(tag: "A", hash: SignUpStateTests.hash)])
                }
                for level in Level.allCases {
                    for isContext in [true, false] {
                        for tenant in 0..<8 {
                            let demanded = LevelDemand(level: level)
                            worlds.append(
                                World(
                                    account: account,
                                    demand: FactorDemand(
                                        contexts: isContext ? ["c4"] : [], ofContexts: demanded, isRequired: false,
                                        required: isContext ? .none : demanded, distinctMailbox: false,
                                        enrolment: .proven, now: now, takesApps: tenant & 4 != 0,
                                        texts: tenant & 1 == 0 ? nil : texts,
                                        passkeyDomain: tenant & 2 == 0 ? nil : "localhost"), level: level))
                        }
                    }
                }
            }
        }
        return worlds
    }

    private static func first(
        _ account: UserAccount, _ origin: Authentication.Origin, isPlain: Bool
    ) -> [Authentication] {
        func proven(_ knows: Bool, _ isFromReset: Bool, _ mailboxes: [EmailAddress]) -> Authentication {
            Authentication(
                account: SignInStateTests.binding, email: SignInStateTests.email, origin: origin,
                knowsPassword: knows, passwordIsFromReset: isFromReset, mailboxes: mailboxes, authenticatedAt: now,
                capabilities: [.mfaRequired] + (isPlain ? [] : [.passkey]) + [.registrationRequired]
                    + (isPlain ? [] : [.authenticatorApp]))
        }
        let own = [SignInStateTests.email]
        return switch (origin, account.passwordHash != nil) {
        case (.signIn, true): [proven(true, false, []), proven(true, true, [])]
        case (.signIn, false):
            // A code by mail, and providers that speak for the mailbox and do not.
            [proven(false, false, own)]
                + [DeviceProof.identity, .identityOfMailbox].map { identity in
                    var first = proven(false, false, [])
                    first.devices = [identity]
                    return first
                }
        case (.signUp, let hasPassword): [proven(hasPassword, false, own)]
        case (.reset, _): [proven(false, false, own)]
        }
    }

    /// Follows every way through the methods and registrations that are offered, to its end.
    private func follow(_ proven: Authentication, _ world: World, _ path: [String], _ ends: inout Int) {
        #expect(path.count < 6, "no end: \(path)")
        guard path.count < 6 else { return }
        let (account, demand) = (world.account, world.demand)
        // Only what fails needs it: the text of a world takes far longer than its check.
        var label: Comment { Comment("\(path) \(proven.proofs) \(world)") }
        let hasBegun = !path.isEmpty
        switch proven.judged(demand, of: account) {
        case .tokens(let contexts):
            ends += 1
            // A context that is not reached is not stated; what is demanded in any case is reached.
            if world.level > .oneFactor, demand.contexts.isEmpty || !contexts.isEmpty {
                #expect(proven.level(for: demand) >= world.level, label)
            }
        case .redirectToBrowser:
            ends += 1
            // What was offered is never in vain.
            #expect(!hasBegun, label)
        case .giveSecondFactor:
            var asked = proven
            asked.sought = world.level > .mailed ? world.level : nil
            let methods = asked.usableMethods(of: account, demand)
            #expect(!methods.isEmpty, label)
            for method in methods {
                let isRecovery = method.kind == .recoveryCodes
                let next = asked.proving(method, at: demand.now)
                #expect(next != asked, "\(method.label) adds nothing: \(label)")
                if isRecovery { #expect(world.level <= .mailed, label) }
                follow(next, world, path + [method.label], &ends)
            }
        case .registerMethod:
            let isFirst = account.secondFactors.isEmpty
            let kindsNow = proven.registrable(for: account, demand)
            #expect(!kindsNow.isEmpty, label)
            if world.level > .mailed || account.passwordHash == nil {
                // SEC-ENR-2, SEC-ENR-3.
                #expect(isFirst ? proven.hasCodeOfOwnAddress : proven.provesMethod(of: account), label)
                #expect(!proven.passwordIsFromReset, label)
            }
            var asked = proven
            asked.sought = world.level > .mailed ? world.level : nil
            let kinds = asked.registrable(for: account, demand)
            if world.level > .mailed { #expect(!kinds.isEmpty, label) }
            for kind in kinds where world.level > .mailed {
                let strength = asked.enrolmentStrength(of: account)
                var after = world
                let kind: StrongMethod.Kind =
                    switch kind {
                    case .mailbox: .mailbox(SignInStateTests.contact)
                    case .phone: PhoneNumber("+15555550199").map { .phone($0) } ?? .recoveryCodes
                    case .app: .app(EnrolledApp(sealedSecret: Data(), clock: AppClock(spentStep: 0)))
                    case .passkey: .passkey(Self.passkey(3))
                    }
                let method = StrongMethod(
                    id: UUID(), kind: kind, provenAt: demand.now, enrolment: Enrolment(strength))
                after.account.strongMethods.append(method)
                var next = asked.proving(method, at: demand.now)
                next.registered = method.contact
                #expect(next.judged(demand, of: after.account) == .tokens(contexts: demand.contexts), label)
                ends += 1
            }
        }
    }

    @Test("Whatever an account has: no tokens below the level, no method in vain, and a registration reaches the level")
    func everyWay() {
        var ends = 0
        for world in Self.worlds() {
            for origin in [Authentication.Origin.signIn, .signUp, .reset] {
                // Sign-ups have accounts without methods, and resets have passwords.
                if origin == .signUp, !world.account.strongMethods.isEmpty { continue }
                if origin == .reset, world.account.passwordHash == nil { continue }
                for isPlain in [true, false] {
                    for proven in Self.first(world.account, origin, isPlain: isPlain) {
                        follow(proven, world, [], &ends)
                    }
                }
            }
        }
        #expect(ends > 20_000, "\(ends)")
    }

    @Test(
        "A password from a reset is worth its own root once an app stands beside it, and no other mailbox makes it so")
    func afterAReset() {
        for world in Self.worlds() where world.account.passwordHash != nil && world.level == .twoFactors {
            guard world.account.secondFactors.contains(where: { $0.isApp && !$0.rests(at: Self.now) }) else { continue }
            let proven = Self.first(world.account, .signIn, isPlain: true)[1]
            #expect(proven.passwordIsFromReset)
            guard !world.demand.contexts.isEmpty || world.demand.required.level == .twoFactors else { continue }
            #expect(proven.judged(world.demand, of: world.account).isSecondFactor, "\(world)")
        }
    }

    @Test("A sign-in lists passkeys first, then what was used last, then by kind, and recovery codes last")
    func order() throws {
        func labels(_ methods: [StrongMethod]) throws -> [String] {
            var account = SignInStateTests.account(hasPassword: true, methods: methods)
            account.recovery = RecoverySet(
                id: UUID(), madeAt: Self.now, codes: [.init(tag: "A", hash: SignUpStateTests.hash)])
            let demand = FactorDemand(
                contexts: ["c1"], isRequired: false, distinctMailbox: false, now: Self.now,
                texts: TextSettings(areas: ["1"], brand: "Contoso"), passkeyDomain: "localhost")
            let proven = try #require(Self.first(account, .signIn, isPlain: false).first)
            return proven.usableMethods(of: account, demand).map { $0.channel?.rawValue ?? "email" }
        }
        var methods = [Has.mailbox, .phone, .app, .passkey].compactMap(\.method)
        #expect(try labels(methods) == ["passkey", "totp", "sms", "email", "recovery_code"])
        methods[0].lastUsedAt = Self.now - 60
        methods[1].lastUsedAt = Self.now - 90
        #expect(try labels(methods) == ["passkey", "email", "sms", "totp", "recovery_code"])
    }

    @Test("SEC-PK-21: without the announced words no passkey is offered, given or registered, and no app registered")
    func plainClients() {
        for world in Self.worlds() where world.demand.passkeyDomain != nil {
            for var proven in Self.first(world.account, .signIn, isPlain: true) {
                proven.sought = world.level > .mailed ? world.level : nil
                let offered = proven.usableMethods(of: world.account, world.demand)
                #expect(!offered.contains { $0.isPasskey })
                #expect(proven.registrable(for: world.account, world.demand).isDisjoint(with: [.passkey, .app]))
            }
        }
    }
}

extension FactorVerdict {
    fileprivate var isSecondFactor: Bool {
        switch self {
        case .giveSecondFactor: true
        case .tokens, .registerMethod, .redirectToBrowser: false
        }
    }
}
