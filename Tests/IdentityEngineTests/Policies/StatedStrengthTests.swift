import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityEngine

/// What a provider says of the strength of a sign-in there: when it counts, and what it never does.
@Suite("The strength that a provider states")
struct StatedStrengthTests {
    private typealias Level = Assurance.Level

    private static let now = SignInStateTests.now

    private static let strength = ProviderStrength(
        byContext: [.init("urn:two", .twoFactors), .init("phr", .phishingResistant), .init("loa1", .oneFactor)],
        byMethod: [.init("otp", .mailed), .init("mfa", .twoFactors), .init("hwk", .phishingResistant)])

    private static func provider(_ strength: ProviderStrength?) -> IdentityProvider {
        var provider = IdentityProvider(
            id: "quay", displayName: "Quay", issuer: "https://quay.test", nativeClients: ["app"], authority: .nothing)
        provider.strength = strength
        return provider
    }

    private static func claims(
        _ context: String? = nil, _ methods: [String] = [], age: Double? = 0
    ) -> IdentityClaims {
        IdentityClaims(
            issuer: "https://quay.test", subject: "7", audiences: ["app"], expiresAt: now.addingTimeInterval(600),
            issuedAt: now, nonce: "n", context: context, methods: methods,
            authenticatedAt: age.map { now.addingTimeInterval(-$0) })
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var context: String?
        var methods: [String] = []
        var level: Assurance.Level?
        var testDescription: String { "\(context ?? "-") \(methods)" }
    }

    private static let rows: [Row] = [
        Row(), Row(context: "urn:two", level: .twoFactors), Row(context: "phr", level: .phishingResistant),
        Row(context: "loa1"), Row(context: "urn:tw"), Row(context: "urn:two "), Row(context: "URN:TWO"),
        Row(context: "mfa"), Row(methods: ["urn:two"]), Row(methods: ["phr"]),
        Row(methods: ["pwd"]), Row(methods: ["pwd", "otp"], level: .mailed), Row(methods: ["mfa"], level: .twoFactors),
        Row(methods: ["otp", "mfa"], level: .twoFactors), Row(methods: ["Mfa", "mfa "]),
        // A word alone is no more than two factors, also in a document that says so.
        Row(methods: ["hwk"], level: .twoFactors),
        Row(context: "loa1", methods: ["otp"], level: .mailed),
        Row(context: "phr", methods: ["otp"], level: .phishingResistant),
        Row(context: "urn:two", methods: ["otp"], level: .twoFactors),
    ]

    @Test("SEC-FED-13: what the document does not map means one factor, and a mapped value its level", arguments: rows)
    func table(_ row: Row) {
        let claims = Self.claims(row.context, row.methods)
        #expect(Self.provider(nil).statement(of: claims, at: Self.now) == .nothing)
        #expect(Self.provider(ProviderStrength()).statement(of: claims, at: Self.now) == .nothing)
        switch Self.provider(Self.strength).statement(of: claims, at: Self.now) {
        case .nothing: #expect(row.level == nil)
        case .stale: Issue.record("it is of this moment")
        case .stated(let stated):
            #expect(stated.level == row.level)
            // The provider's words that RFC 8176 has, and no others.
            #expect(
                stated.words
                    == Set(row.methods.filter { ["pwd", "otp", "mfa", "hwk"].contains($0) } + ["mfa"]).sorted())
            #expect(stated.authenticatedAt == Self.now)
        }
    }

    @Test("SEC-FED-13: the sign-in at the provider is an hour old at most, and its time is known")
    func age() {
        let provider = Self.provider(Self.strength)
        func statement(_ age: Double?, within maximumAge: Int? = nil) -> ProviderStatement {
            provider.statement(of: Self.claims("urn:two", age: age), within: maximumAge, at: Self.now)
        }
        func isStated(_ statement: ProviderStatement) -> Bool {
            if case .stated = statement { true } else { false }
        }
        for age in [0, 1, 3_599, 3_600, -59, -60] as [Double] { #expect(isStated(statement(age)), "\(age)") }
        for age in [3_601, 86_400, 1e12] { #expect(statement(age) == .stale, "\(age)") }
        for age in [nil, -61, -1e12] { #expect(statement(age) == .nothing, "\(age ?? 0)") }
        #expect(isStated(statement(600, within: 600)) && statement(601, within: 600) == .stale)
        // No wish makes it longer.
        #expect(statement(3_601, within: 86_400) == .stale)
        // What means one factor is not asked for again.
        #expect(provider.statement(of: Self.claims("loa1", age: 86_400), at: Self.now) == .nothing)
        guard case .stated(let early) = statement(-60) else { return }
        #expect(early.authenticatedAt == Self.now, "no proof comes from the future")
    }

    // MARK: What it does in a sign-in

    private static func proven(
        _ device: DeviceProof = .identityOfMailbox, _ level: Assurance.Level? = .twoFactors, age: Double = 0,
        origin: Authentication.Origin = .signIn
    ) -> Authentication {
        var proven = Authentication(
            account: SignInStateTests.binding, email: SignInStateTests.email, origin: origin, knowsPassword: false,
            mailboxes: [], authenticatedAt: now, capabilities: [.mfaRequired, .passkey, .registrationRequired])
        proven.devices = [device]
        proven.stated = level.map {
            StatedStrength(level: $0, words: ["mfa", "otp"], authenticatedAt: now.addingTimeInterval(-age))
        }
        return proven
    }

    private static func demand(_ level: Assurance.Level, _ maximumAge: Int? = nil) -> FactorDemand {
        FactorDemand(
            contexts: [], isRequired: false, required: LevelDemand(level: level, maximumAge: maximumAge),
            distinctMailbox: false, now: now, passkeyDomain: "localhost")
    }

    @Test("SEC-FED-13: it meets a level up to its own, while it is fresh enough for what is demanded")
    func meets() {
        let account = SignInStateTests.account(hasPassword: false, methods: [])
        for stated in Level.allCases {
            for demanded in Level.allCases {
                let verdict = Self.proven(.identity, stated).judged(Self.demand(demanded), of: account)
                let isMet = demanded <= .oneFactor || stated > .oneFactor && stated >= demanded
                #expect((verdict == .tokens(contexts: [])) == isMet, "\(stated) \(demanded) \(verdict)")
            }
        }
        for (age, maximumAge, isMet) in [
            (3_600, nil, true), (3_601, nil, false), (600, 600, true), (601, 600, false), (3_601, 86_400, false),
        ] as [(Double, Int?, Bool)] {
            let proven = Self.proven(.identity, .twoFactors, age: age)
            let verdict = proven.judged(Self.demand(.twoFactors, maximumAge), of: account)
            #expect((verdict == .tokens(contexts: [])) == isMet, "\(age)")
            #expect(proven.hasStaleStatement(for: Self.demand(.twoFactors, maximumAge)) == !isMet)
            // What is told is as old as the sign-in there.
            let told = proven.stating(for: Self.demand(.twoFactors, maximumAge))
            #expect(told.authenticatedAt == (isMet ? Self.now.addingTimeInterval(-age) : Self.now))
            #expect(told.sessionMethods == (isMet ? ["fed", "fed:mfa", "fed:otp"] : ["fed"]))
        }
        // A new user who was stated enough is not made to register a method.
        let new = Self.proven(origin: .signUp)
        #expect(new.judged(Self.demand(.twoFactors), of: account) == .tokens(contexts: []))
    }

    @Test("SEC-FED-13, SEC-ENR-2, SEC-ENR-3: no rule of enrolment sees it, whatever was proven besides")
    func enrolment() {
        let devices: [DeviceProof] = [
            .identity, .identityOfMailbox, .authenticatorApp, .recoveryCode, .phone, .syncedPasskey, .passkeyOfMailbox,
        ]
        let account = SignInStateTests.account(hasPassword: true, methods: [])
        for bits in 0..<(1 << devices.count) {
            for (knowsPassword, hasCode) in [(false, false), (true, false), (false, true), (true, true)] {
                var plain = Self.proven(.identity, nil)
                plain.knowsPassword = knowsPassword
                plain.mailboxes = hasCode ? [SignInStateTests.email] : []
                plain.devices = devices.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
                var stated = plain
                stated.stated = Self.proven(.identity, .phishingResistant).stated
                #expect(stated.factors == plain.factors)
                #expect(stated.methods == plain.methods, "the words that the account's rules read")
                #expect(stated.assurance == plain.assurance)
                #expect(stated.enrolmentStrength == plain.enrolmentStrength)
                #expect(stated.enrolmentStrength(of: account) == plain.enrolmentStrength(of: account))
                #expect(stated.provesMethod(of: account) == plain.provesMethod(of: account))
                #expect(stated.hasCodeOfOwnAddress == plain.hasCodeOfOwnAddress)
                #expect(stated.provesOwnMailbox == plain.provesOwnMailbox)
                #expect(stated.endsLock == plain.endsLock)
            }
        }
    }

    @Test("SEC-FED-13: beside a statement a method is registered after a code to the own mailbox, as without one")
    func registration() {
        let account = SignInStateTests.account(hasPassword: false, methods: [])
        let demand = Self.demand(.phishingResistant)
        let verdict = Self.proven().judged(demand, of: account)
        guard case .giveSecondFactor(let methods) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(methods.map(\.email) == [SignInStateTests.email])
    }

    @Test("SEC-FED-13: it counts for an identity that two factors linked, or that the account was made with")
    func linked() {
        var account = SignInStateTests.account(hasPassword: true, methods: [])
        account.user.createdAt = Self.now
        for strength in Enrolment.Strength.allCases {
            for age in [-1, 0, 1] as [Double] {
                let method = StrongMethod(
                    id: UUID(), kind: .identity(nil), provenAt: Self.now.addingTimeInterval(age),
                    enrolment: Enrolment(strength))
                let isTaken = strength == .twoFactors || strength == .mailbox && age <= 0
                #expect(method.takesStatements(in: account) == isTaken, "\(strength) \(age)")
            }
        }
    }

    @Test("SEC-FED-13: a factor that the mailbox alone enrolled a short time ago links an identity as the mailbox does")
    func youngFactors() throws {
        for strength in Enrolment.Strength.allCases {
            for days in [29.0, 31] {
                let user = User(
                    id: UserID(UUID()), tenant: TenantID(UUID()), email: "dana@example.com", alias: nil,
                    hasPassword: false, attributes: [:], createdAt: Self.now)
                var account = UserAccount(user: user, passwordHash: nil, credentialsChangedAt: Self.now)
                account.strongMethods = [
                    StrongMethod(
                        id: UUID(), kind: .app(nil), provenAt: Self.now.addingTimeInterval(-days * 86_400),
                        enrolment: Enrolment(strength))
                ]
                #expect(account.hasYoungFactorOfMailbox(at: Self.now) == (strength == .codes && days < 30))
            }
        }
    }

    @Test("SEC-FED-13: the words of a provider in a session are not the user's own, and are parted again")
    func words() {
        let told = Self.proven(.identity, .twoFactors).stating(for: Self.demand(.twoFactors))
        #expect(Assurance.level(ofWords: told.sessionMethods) == .oneFactor)
        for word in ["mfa", "otp", "pwd"] { #expect(!told.sessionMethods.contains(word)) }
        let parted = StatedStrength.parted(told.sessionMethods)
        #expect(parted.own == ["fed"] && parted.stated == ["mfa", "otp"])
        #expect(StatedStrength.parted(["pwd", "otp", "fed", "mfa"]).own == ["pwd", "otp", "fed", "mfa"])
    }

    @Test("SEC-FED-13: a state without a statement has the bytes of the version before, and reads back")
    func earlierStates() throws {
        let before = Self.proven(.identity, nil)
        let bytes = try StateCoding.encode(FlowState.signIn(.authenticated(before)))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("stated"))
        #expect(StateCoding.decode(bytes) == FlowState.signIn(.authenticated(before)))
        let after = FlowState.signIn(.authenticated(Self.proven()))
        #expect(StateCoding.decode(try StateCoding.encode(after)) == after)
    }
}
