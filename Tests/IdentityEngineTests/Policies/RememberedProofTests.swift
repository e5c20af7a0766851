import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// What a remembered device stands for, over all demands (design record 0046).
@Suite("Remembered devices: the policy") struct RememberedProofTests {
    private static let client = ClientID(UUID(uuid: (8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)))
    private static let other = ClientID(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))

    /// A sign-in with one factor, and what is demanded of it.
    private struct Case: CustomTestStringConvertible {
        var remembered: Assurance.Level
        var demanded: Assurance.Level
        var age: Int?
        var isSameApplication: Bool
        var contexts: [String]
        var hasPassword: Bool
        var needsMailbox: Bool

        var testDescription: String { "\(self)" }

        /// The rule, in words of its own.
        var isMet: Bool {
            isSameApplication && contexts.isEmpty && age == nil && !needsMailbox && demanded != .phishingResistant
                && demanded <= remembered
        }

        static var all: [Case] {
            var all: [Case] = []
            for remembered in Assurance.Level.allCases {
                for demanded in Assurance.Level.allCases {
                    for number in 0..<32 {
                        func flag(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
                        all.append(
                            Case(
                                remembered: remembered, demanded: demanded, age: flag(0) ? 600 : nil,
                                isSameApplication: flag(1), contexts: flag(2) ? ["c1"] : [], hasPassword: flag(3),
                                needsMailbox: flag(3) && flag(4)))
                    }
                }
            }
            return all
        }
    }

    /// The proofs of a first factor.
    private static func proven(_ hasPassword: Bool, needsMailbox: Bool = false) -> Authentication {
        Authentication(
            account: .account(SignInStateTests.user, credentialVersion: 0), email: SignInStateTests.email,
            origin: .signIn, knowsPassword: hasPassword, mailboxes: hasPassword ? [] : [SignInStateTests.email],
            authenticatedAt: SignInStateTests.now, capabilities: ClientAbility.allCases, needsMailbox: needsMailbox)
    }

    @Test(
        "Never for a context, a passkey, a fresh proof, more than was given, another application, or after many wrong passwords"
    )
    func verdicts() {
        let app = StrongMethod(
            id: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
            kind: .app(EnrolledApp(sealedSecret: Data(), clock: AppClock(spentStep: 0))),
            provenAt: SignInStateTests.now.addingTimeInterval(-90 * 86_400), enrolment: Enrolment(.twoFactors))
        var met = 0
        for one in Case.all {
            let account = SignInStateTests.account(hasPassword: one.hasPassword, methods: [app])
            var demand = FactorDemand(
                contexts: one.contexts, isRequired: false,
                required: LevelDemand(level: one.demanded, maximumAge: one.age), distinctMailbox: false,
                now: SignInStateTests.now, takesApps: true)
            demand.client = Self.client
            demand.rememberedDays = 30
            let bare = Self.proven(one.hasPassword, needsMailbox: one.needsMailbox)
            var proven = bare
            proven.remembered = Self.device(
                of: one.isSameApplication ? Self.client : Self.other, level: one.remembered)
            let verdict = proven.judged(demand, of: account)
            #expect(verdict == (one.isMet ? .tokens(contexts: []) : bare.judged(demand, of: account)), "\(one)")
            met += one.isMet && bare.judged(demand, of: account) != verdict ? 1 : 0
            // It adds nothing to what the proofs are worth.
            #expect(proven.assurance == bare.assurance && proven.level(for: demand) == .oneFactor)
        }
        #expect(met > 15, "\(met)")
    }

    @Test("It ends with the tenant's days, as they are now")
    func ends() {
        let account = SignInStateTests.account(hasPassword: true, methods: [])
        var demand = FactorDemand(contexts: [], isRequired: true, distinctMailbox: false, now: SignInStateTests.now)
        demand.client = Self.client
        var proven = Self.proven(true)
        proven.remembered = Self.device(age: 6 * 86_400)
        for (days, isMet) in [(30, true), (7, true), (6, false), (1, false), (nil, false)] as [(Int?, Bool)] {
            demand.rememberedDays = days
            #expect((proven.judged(demand, of: account) == .tokens(contexts: [])) == isMet, "\(days ?? 0)")
        }
    }

    private static func device(
        of client: ClientID = client, level: Assurance.Level = .mailed, age: Double = 0, coversUser: Bool = false
    ) -> RememberedProof {
        RememberedProof(
            client: client, level: level, provenAt: SignInStateTests.now.addingTimeInterval(-age),
            coversUser: coversUser)
    }

    @Test("What a user needs in every application is left out, too")
    func demandOfUser() {
        var account = SignInStateTests.account(hasPassword: true, methods: [])
        var demand = FactorDemand(contexts: [], isRequired: false, distinctMailbox: false, now: SignInStateTests.now)
        demand.client = Self.client
        demand.rememberedDays = 30
        var proven = Self.proven(true)
        proven.remembered = Self.device(coversUser: true)
        account.requiresSecondFactor = true
        #expect(proven.judged(demand, of: account) == .tokens(contexts: []))
        // An operator's demand that came later wants to see the factor.
        proven.remembered = Self.device(coversUser: false)
        #expect(proven.judged(demand, of: account) != .tokens(contexts: []))
        proven.remembered = Self.device(coversUser: true)
        demand.required = LevelDemand(level: .twoFactors)
        #expect(proven.judged(demand, of: account) != .tokens(contexts: []))
    }
}
