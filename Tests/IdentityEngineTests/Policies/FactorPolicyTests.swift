import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The verdicts for proofs: examples, and properties of all combinations.
@Suite("Factor policy")
struct FactorPolicyTests {
    typealias Origin = Authentication.Origin

    /// The account's second-factor methods.
    enum Methods: CaseIterable {
        case none, own, other
        /// Enrolled with only the account's own mailbox proven.
        case standIn
        /// Suspended by a reset a moment ago.
        case suspended
        /// Suspended by a reset a day ago.
        case rested
        /// Of a kind that a newer version stored.
        case newer

        var list: [StrongMethod] {
            func method(
                _ email: EmailAddress, _ strength: Enrolment.Strength = .twoFactors, suspended seconds: Double? = nil
            ) -> [StrongMethod] {
                [
                    StrongMethod(
                        id: user.uuid, email: email, provenAt: now, enrolment: Enrolment(strength),
                        suspendedAt: seconds.map { now.addingTimeInterval(-$0) })
                ]
            }
            return switch self {
            case .none: []
            case .own: method(FactorPolicyTests.own)
            case .other: method(FactorPolicyTests.other)
            case .standIn: method(FactorPolicyTests.other, .mailbox)
            case .suspended: method(FactorPolicyTests.other, suspended: 0)
            case .rested: method(FactorPolicyTests.other, suspended: 86_400)
            case .newer:
                [
                    StrongMethod(
                        id: user.uuid, kind: .unknown("palm"), provenAt: now, enrolment: Enrolment(.twoFactors))
                ]
            }
        }
    }

    /// The proofs given in the flow of `origin`.
    struct Proofs: Hashable {
        var password: Bool
        var passwordIsFromReset = false
        var mailboxes: [EmailAddress]
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var origin: Origin
        var proofs: Proofs
        var methods: Methods = .none
        var capabilities: Set<ClientAbility> = [.mfaRequired, .registrationRequired]
        var contexts: [String] = ["c1"]
        var policy = false
        var distinctMailbox = false
        var registered: EmailAddress?
        var hasPassword = true
        var needsMailbox = false
        var enrolment = EnrolmentMode.compatible
        var requiredOfUser = false

        var testDescription: String { "\(self)" }

        var authentication: Authentication {
            var proven = Authentication(
                account: SignInStateTests.binding, email: own, origin: origin, knowsPassword: proofs.password,
                passwordIsFromReset: proofs.passwordIsFromReset, mailboxes: proofs.mailboxes,
                standIns: isStandIn && proofs.mailboxes.contains(other) ? [other] : [],
                authenticatedAt: now,
                capabilities: capabilities.sorted { $0.rawValue < $1.rawValue }, needsMailbox: needsMailbox)
            proven.registered = registered.map(Contact.mailbox)
            return proven
        }

        /// Whether the other mailbox was enrolled with only the own one proven: before, or in this flow of a reset.
        var isStandIn: Bool { methods == .standIn || (origin == .reset && registered == other) }

        /// The independent proofs, counted in another way than the policy does.
        var factors: Set<String> {
            var factors: Set<String> = []
            if proofs.password { factors.insert(proofs.passwordIsFromReset ? "own" : "password") }
            for mailbox in proofs.mailboxes { factors.insert(mailbox == own || isStandIn ? "own" : "other") }
            return factors
        }

        var account: UserAccount {
            var account = SignInStateTests.account(hasPassword: hasPassword, methods: methods.list)
            account.requiresSecondFactor = requiredOfUser
            return account
        }

        var verdict: FactorVerdict { verdict(of: account) }

        func verdict(of account: UserAccount) -> FactorVerdict {
            authentication.judged(
                FactorDemand(
                    contexts: contexts, isRequired: policy, distinctMailbox: distinctMailbox, enrolment: enrolment,
                    now: now), of: account)
        }
    }

    /// The verdict without its data.
    enum Kind: Hashable {
        case tokens([String])
        case second, register, web
    }

    static let password = Proofs(password: true, mailboxes: [])
    static let code = Proofs(password: false, mailboxes: [own])
    static let both = Proofs(password: true, mailboxes: [own])
    static let passwordAndOther = Proofs(password: true, mailboxes: [other])
    static let bothCodes = Proofs(password: false, mailboxes: [own, other])
    static let reset = Proofs(password: true, passwordIsFromReset: true, mailboxes: [])
    static let resetAndOwn = Proofs(password: true, passwordIsFromReset: true, mailboxes: [own])
    static let resetAndOther = Proofs(password: true, passwordIsFromReset: true, mailboxes: [other])

    static let examples: [(Case, Kind)] = [
        // No requirement: any proof is enough.
        (Case(origin: .signIn, proofs: password, contexts: []), .tokens([])),
        (Case(origin: .signIn, proofs: code, contexts: [], hasPassword: false), .tokens([])),
        (Case(origin: .reset, proofs: code, methods: .other, contexts: [], distinctMailbox: true), .tokens([])),
        // A sign-in.
        (Case(origin: .signIn, proofs: password, methods: .other), .second),
        (Case(origin: .signIn, proofs: password, methods: .own), .second),
        (Case(origin: .signIn, proofs: password), .register),
        (Case(origin: .signIn, proofs: password, contexts: [], policy: true), .register),
        (Case(origin: .signIn, proofs: passwordAndOther, methods: .other), .tokens(["c1"])),
        (Case(origin: .signIn, proofs: passwordAndOther, methods: .other, contexts: [], policy: true), .tokens([])),
        (Case(origin: .signIn, proofs: passwordAndOther, methods: .other, registered: other), .tokens(["c1"])),
        // A capability is missing (SEC-MFA-5).
        (Case(origin: .signIn, proofs: password, methods: .other, capabilities: []), .web),
        (Case(origin: .signIn, proofs: password, methods: .other, capabilities: [.registrationRequired]), .web),
        (Case(origin: .signIn, proofs: password, capabilities: []), .web),
        (Case(origin: .signIn, proofs: password, capabilities: [.mfaRequired]), .web),
        // Users without a password have no second factor (docs/protocol.md §4.7).
        (Case(origin: .signIn, proofs: code, hasPassword: false), .web),
        (Case(origin: .signUp, proofs: code, contexts: [], policy: true, hasPassword: false), .web),
        // A sign-up proved both, and registers a method if it can (docs/protocol.md §5.4).
        (Case(origin: .signUp, proofs: both), .register),
        (Case(origin: .signUp, proofs: both, capabilities: []), .tokens(["c1"])),
        (Case(origin: .signUp, proofs: both, methods: .own, registered: own), .tokens(["c1"])),
        (Case(origin: .signUp, proofs: both, methods: .own), .tokens(["c1"])),
        // A reset proved one mailbox (SEC-MFA-3).
        (Case(origin: .reset, proofs: code), .register),
        (Case(origin: .reset, proofs: code, capabilities: []), .tokens([])),
        (Case(origin: .reset, proofs: code, methods: .own), .tokens([])),
        (Case(origin: .reset, proofs: code, methods: .other), .second),
        (Case(origin: .reset, proofs: code, methods: .other, capabilities: []), .web),
        (
            Case(origin: .reset, proofs: Proofs(password: false, mailboxes: [own, other]), methods: .other),
            .tokens(["c1"])
        ),
        (
            Case(
                origin: .reset, proofs: Proofs(password: false, mailboxes: [own, other]), methods: .other,
                registered: other), .tokens([])
        ),
        (Case(origin: .reset, proofs: code, methods: .own, distinctMailbox: true), .web),
        (Case(origin: .reset, proofs: code, distinctMailbox: true), .web),
        (Case(origin: .reset, proofs: code, methods: .other, distinctMailbox: true), .second),
        // Under the policy the account's own mailbox is not a second factor at sign-in either.
        (Case(origin: .signIn, proofs: password, methods: .own, distinctMailbox: true), .web),
        (Case(origin: .signIn, proofs: password, methods: .own, capabilities: [], distinctMailbox: true), .web),
        (Case(origin: .signIn, proofs: password, methods: .other, distinctMailbox: true), .second),
        (Case(origin: .signIn, proofs: both, methods: .other, distinctMailbox: true, needsMailbox: true), .second),
        (Case(origin: .signIn, proofs: both, distinctMailbox: true, needsMailbox: true), .register),
        // Too many wrong passwords came before (SEC-LOCK-6).
        (Case(origin: .signIn, proofs: password, contexts: [], needsMailbox: true), .second),
        (Case(origin: .signIn, proofs: password, capabilities: [], contexts: [], needsMailbox: true), .web),
        (Case(origin: .signIn, proofs: both, contexts: [], needsMailbox: true), .tokens([])),
        (Case(origin: .signIn, proofs: reset, contexts: [], needsMailbox: true), .second),
        (Case(origin: .signIn, proofs: resetAndOwn, contexts: [], needsMailbox: true), .tokens([])),
        // An application that requires two factors issues no tokens for one factor, with any grant (design record
        // 0005).
        (Case(origin: .reset, proofs: code, contexts: [], policy: true), .web),
        (Case(origin: .reset, proofs: code, capabilities: [], policy: true), .web),
        (Case(origin: .reset, proofs: code, methods: .own, contexts: [], policy: true), .web),
        (Case(origin: .reset, proofs: code, methods: .other, contexts: [], policy: true), .second),
        (Case(origin: .reset, proofs: code, capabilities: [], contexts: [], requiredOfUser: true), .web),
        (Case(origin: .signIn, proofs: password, methods: .other, contexts: [], requiredOfUser: true), .second),
        (Case(origin: .signIn, proofs: code, contexts: [], hasPassword: false, requiredOfUser: true), .web),
        // A password that came from a reset counts as its mailbox (design record 0005, SEC-ENR-8).
        (Case(origin: .signIn, proofs: reset, contexts: []), .tokens([])),
        (Case(origin: .signIn, proofs: reset), .web),
        (Case(origin: .signIn, proofs: reset, methods: .own), .web),
        (Case(origin: .signIn, proofs: reset, methods: .standIn), .web),
        (Case(origin: .signIn, proofs: reset, methods: .other), .second),
        (Case(origin: .signIn, proofs: reset, methods: .other, distinctMailbox: true), .second),
        (Case(origin: .signIn, proofs: resetAndOwn, methods: .own), .web),
        (Case(origin: .signIn, proofs: resetAndOther, methods: .other), .tokens(["c1"])),
        (Case(origin: .signIn, proofs: resetAndOther, methods: .other, distinctMailbox: true), .tokens(["c1"])),
        // A stand-in for the own mailbox is a factor besides a password that is not from a reset.
        (Case(origin: .signIn, proofs: password, methods: .standIn), .second),
        (Case(origin: .signIn, proofs: password, methods: .standIn, distinctMailbox: true), .web),
        // A suspended method makes an account enrolled, and comes back after a day beside the own mailbox (SEC-ENR-7).
        (Case(origin: .signIn, proofs: password, methods: .suspended), .web),
        (Case(origin: .signIn, proofs: password, methods: .rested), .web),
        (Case(origin: .signIn, proofs: reset, methods: .suspended), .web),
        (Case(origin: .signIn, proofs: reset, methods: .rested), .second),
        (Case(origin: .reset, proofs: code, methods: .suspended, contexts: [], policy: true), .web),
        (Case(origin: .reset, proofs: code, methods: .rested, contexts: [], policy: true), .second),
        // A method of a kind that this version does not know makes an account enrolled, and cannot be given here.
        (Case(origin: .signIn, proofs: password, methods: .newer), .web),
        (Case(origin: .signIn, proofs: password, methods: .newer, contexts: []), .tokens([])),
        (Case(origin: .signIn, proofs: password, methods: .newer, contexts: [], policy: true), .web),
        (Case(origin: .signIn, proofs: code, methods: .newer, hasPassword: false), .web),
        (Case(origin: .reset, proofs: code, methods: .newer, contexts: [], policy: true), .web),
        (Case(origin: .signUp, proofs: both, methods: .newer), .tokens(["c1"])),
        // When only a proven mailbox may enrol another one, and the own one does not count, nothing can be enrolled
        // here.
        (Case(origin: .signIn, proofs: password, enrolment: .proven), .register),
        (Case(origin: .signIn, proofs: password, distinctMailbox: true, enrolment: .proven), .web),
        (
            Case(origin: .signIn, proofs: both, distinctMailbox: true, needsMailbox: true, enrolment: .proven),
            .register
        ),
    ]

    @Test("SEC-MFA-1, -3, -5: proofs are worth what the table says", arguments: examples)
    func theTable(example: Case, expected: Kind) {
        #expect(Self.kind(example.verdict) == expected)
    }

    /// Every possible combination: a sign-in proves the password if there is one, a reset proves none, and a user who
    /// registered a method has one.
    static var all: [Case] {
        combinations.filter { example in
            switch example.origin {
            case .signUp:
                example.proofs.mailboxes == [own] && example.hasPassword == example.proofs.password
                    && !example.proofs.passwordIsFromReset
            case .signIn: example.hasPassword == example.proofs.password
            case .reset: example.hasPassword && !example.proofs.password && example.proofs.mailboxes.contains(own)
            }
        }.filter { $0.registered == nil || $0.methods != .none }
    }

    private static var combinations: [Case] {
        var cases: [Case] = []
        for origin in [Origin.signUp, .signIn, .reset] {
            for proofs in [
                password, code, both, passwordAndOther, bothCodes, reset, resetAndOwn, resetAndOther,
            ] {
                for methods in Methods.allCases {
                    for capabilities: Set<ClientAbility> in [
                        [], [.mfaRequired], [.registrationRequired], [.mfaRequired, .registrationRequired],
                    ] {
                        for contexts in [[], ["c1"], ["c1", "c2"]] {
                            for flags in 0..<64 {
                                for registered in [nil, own, other]
                                where registered.map(proofs.mailboxes.contains) ?? true {
                                    cases.append(
                                        Case(
                                            origin: origin, proofs: proofs, methods: methods,
                                            capabilities: capabilities,
                                            contexts: contexts, policy: flags & 1 != 0, distinctMailbox: flags & 2 != 0,
                                            registered: registered, hasPassword: flags & 4 != 0 || proofs.password,
                                            needsMailbox: flags & 8 != 0,
                                            enrolment: flags & 16 != 0 ? .proven : .compatible,
                                            requiredOfUser: flags & 32 != 0))
                                }
                            }
                        }
                    }
                }
            }
        }
        return cases
    }

    @Test("SEC-FED-17: an identity of the account changes no verdict, and is no second factor")
    func identitiesAreNoFactors() {
        let identity = StrongMethod(
            id: Self.user.uuid,
            kind: .identity(
                LinkedIdentity(
                    provider: "harbour", providerName: "Harbour", issuer: "https://id.test", subject: "7", email: nil)),
            provenAt: Self.now, enrolment: Enrolment(.twoFactors))
        for example in Self.all {
            var account = example.account
            account.strongMethods.append(identity)
            #expect(example.verdict(of: account) == example.verdict, "\(example)")
        }
    }

    @Test(
        "SEC-MFA-1: contexts are stated exactly when asked for and two factors were given; less is never said to be more"
    )
    func statedContextsNeedTwoFactors() {
        for example in Self.all {
            let isRequired = example.policy || example.requiredOfUser
            let isDemanded = !example.contexts.isEmpty || isRequired
            // With the policy the account's own mailbox adds none to a password at sign-in.
            let isOwnVoid =
                example.distinctMailbox && example.origin == .signIn
                && example.factors.isSuperset(of: ["password", "own"])
            let factors = example.factors.count - (isOwnVoid ? 1 : 0)
            switch example.verdict {
            case .tokens(let contexts):
                #expect(contexts == (factors >= 2 && isDemanded ? example.contexts : []), "\(example)")
                // Only after a reset, whose single mailbox counts once, are tokens issued for less than an app asks
                // for; they state so. The requirements of application, user flow and user are always met (design record
                // 0005).
                if isDemanded, factors < 2 {
                    #expect(example.origin == .reset, "\(example)")
                    #expect(!example.distinctMailbox && !isRequired, "\(example)")
                }
                if example.needsMailbox, example.origin == .signIn {
                    #expect(!example.proofs.mailboxes.isEmpty, "SEC-LOCK-6: \(example)")
                }
            case .giveSecondFactor(let methods):
                #expect(example.capabilities.contains(.mfaRequired) && factors < 2, "\(example)")
                #expect(!methods.isEmpty, "\(example)")
                #expect(methods.allSatisfy { !example.authentication.hasProven($0) }, "\(example)")
                let isOwn = methods.allSatisfy { $0.email == Self.own }
                #expect(example.methods != .suspended || isOwn && example.needsMailbox, "SEC-ENR-7: \(example)")
                #expect(example.methods != .newer || isOwn && example.needsMailbox, "\(example)")
                #expect(example.hasPassword, "a code by mail is no second factor beside another one: \(example)")
            case .registerMethod:
                #expect(example.capabilities.contains(.registrationRequired), "\(example)")
                #expect(
                    example.registered == nil,
                    "neither may come back after a registration (docs/protocol.md §5.4): \(example)")
                #expect(example.methods == .none, "SEC-ENR-3: an account with a method is enrolled: \(example)")
                #expect(
                    !(example.origin == .signIn && example.proofs.passwordIsFromReset),
                    "SEC-ENR-8: \(example)")
            case .redirectToBrowser:
                #expect(factors < 2, "\(example)")
            }
            if !isDemanded, !example.needsMailbox { #expect(example.verdict == .tokens(contexts: []), "\(example)") }
        }
    }

    @Test("SEC-ENR-8, SEC-MFA-3: the factors are the independent things that were proven")
    func factorsAreIndependent() {
        for example in Self.all { #expect(example.authentication.factors == example.factors.count, "\(example)") }
    }

    @Test("SEC-MFA-3: mfa is stated for two factors, and two codes to one mailbox are one factor")
    func oneMailboxIsOneFactor() throws {
        let tagged = try #require(EmailAddress("dana+tag@example.com"))
        for example in Self.all {
            let proven = example.authentication
            #expect(proven.methods.contains("mfa") == (proven.factors > 1))
            #expect(proven.methods.contains("pwd") == example.proofs.password)
            #expect(proven.methods.contains("otp") == !example.proofs.mailboxes.isEmpty)
            if proven.hasProven(Self.own) {
                #expect(proven.proving(tagged, enrolledUnder: .twoFactors) == proven)
            }
        }
    }

    // MARK: Fixtures

    static let now = SignInStateTests.now
    static let user = SignInStateTests.user
    static let own = SignInStateTests.email
    static let other = SignInStateTests.contact

    static func kind(_ verdict: FactorVerdict) -> Kind {
        switch verdict {
        case .tokens(let contexts): .tokens(contexts)
        case .giveSecondFactor: .second
        case .registerMethod: .register
        case .redirectToBrowser: .web
        }
    }
}
