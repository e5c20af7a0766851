import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The settings before a flow begins: the user flow, the account, the client's capabilities, and the input of the
/// start.
struct Variation: Hashable, Sendable, CustomStringConvertible {
    enum Given: CaseIterable {
        case none, some, all
    }

    var journey: TableRow.Journey
    var method: UserFlow.Method
    var needsAttributes = false
    var needsSecondFactor = false
    var needsDistinctMailbox = false
    var capabilities: Set<ClientAbility> = []
    /// Sign-up only.
    var hasPasswordAtStart = false
    /// Sign-up only.
    var attributesAtStart = Given.none
    /// Of the account, oldest first; not at sign-up.
    var methods: [Mailbox] = []
    /// Under which proofs the other mailbox of the account was enrolled.
    var enrolledUnder = Enrolment.Strength.twoFactors
    /// Whether the enrolment was long ago.
    var isOldMethod = true
    /// Sign-in only: whether the password came from a reset.
    var passwordIsFromReset = false
    var enrolment = EnrolmentMode.compatible
    /// Whether limits over time hold.
    var hasLimits = false

    var description: String {
        "\(journey) \(method) attributes:\(needsAttributes)/\(attributesAtStart) password:\(hasPasswordAtStart)"
            + " factor:\(needsSecondFactor) distinct:\(needsDistinctMailbox) methods:\(methods) limits:\(hasLimits)"
            + " enrolled:\(enrolledUnder) old:\(isOldMethod) reset:\(passwordIsFromReset) \(enrolment)"
            + " client:\(capabilities.map(\.rawValue).sorted())"
    }

    var userFlow: UserFlow {
        UserFlow(
            method: method, attributes: needsAttributes ? SignUpStateTests.required : AttributeDefinition.builtIn,
            requiresSecondFactor: needsSecondFactor, requiresDistinctMailbox: needsDistinctMailbox)
    }

    /// Every variation that there is.
    static let all: [Variation] = {
        let beginnings = signUps + signIns + resets
        let policies = beginnings.flatMap { beginning in
            [(false, false), (false, true), (true, false), (true, true)].map { needsSecondFactor, needsDistinct in
                var variation = beginning
                variation.needsSecondFactor = needsSecondFactor
                variation.needsDistinctMailbox = needsDistinct
                return variation
            }
        }
        let clients = policies.flatMap { policy in
            [[], [.mfaRequired], [.registrationRequired], [.mfaRequired, .registrationRequired]].map {
                (capabilities: Set<ClientAbility>) in
                var variation = policy
                variation.capabilities = capabilities
                return variation
            }
        }
        // Limits over time are checked before any of these settings matter.
        let limited = beginnings.map { beginning in
            var variation = beginning
            variation.hasLimits = true
            variation.capabilities = [.mfaRequired]
            return variation
        }
        return clients + limited
    }()

    /// Without the products of attributes with the policies that are read when the account exists: with attributes only
    /// the strictest policy, and with limits only from an empty start.
    static let fewer = all.filter { variation in
        let isStrict =
            variation.needsSecondFactor && variation.needsDistinctMailbox && variation.capabilities.count == 2
        let isLimited = variation.hasLimits && variation.attributesAtStart == .none
        return !variation.needsAttributes || isStrict || isLimited
    }

    /// The number of codes of a flow that is fully explored: one for the address, one for a method, one repeated; each
    /// attribute that may come in between multiplies the states, so there is no repeated code then.
    var codes: Int { journey == .signIn || needsAttributes ? 2 : 3 }

    private static let signUps: [Variation] = [UserFlow.Method.emailOneTimePasscode, .emailPassword].flatMap { method in
        [(false, Given.none), (true, .none), (true, .some), (true, .all)].flatMap { needsAttributes, given in
            (method == .emailPassword ? [false, true] : [false]).map { hasPassword in
                Variation(
                    journey: .signUp, method: method, needsAttributes: needsAttributes, hasPasswordAtStart: hasPassword,
                    attributesAtStart: given)
            }
        }
    }

    private static let methodLists: [[Mailbox]] = [[], [.other], [.own], [.own, .other]]

    private static let signIns: [Variation] =
        methodLists.flatMap { methods in
            [UserFlow.Method.emailOneTimePasscode, .emailPassword].map {
                Variation(journey: .signIn, method: $0, methods: methods)
            }
        } + [
            Variation(journey: .signIn, method: .emailPassword, enrolment: .proven),
            Variation(journey: .signIn, method: .emailPassword, methods: [.other], enrolledUnder: .mailbox),
        ]
        + methodLists.map {
            Variation(journey: .signIn, method: .emailPassword, methods: $0, passwordIsFromReset: true)
        } + [
            Variation(
                journey: .signIn, method: .emailPassword, methods: [.other], enrolledUnder: .mailbox,
                passwordIsFromReset: true)
        ]

    private static let resets: [Variation] =
        methodLists.map { Variation(journey: .reset, method: .emailPassword, methods: $0) }
        + [Enrolment.Strength.unknown, .password, .mailbox, .twoFactors].map {
            Variation(
                journey: .reset, method: .emailPassword, methods: [.own, .other], enrolledUnder: $0, isOldMethod: false)
        }
}

/// Everything that a flow's next step depends on: the clients' tokens, the row, the account, and ages.
///
/// Time is not a number here. A code is young, may be sent again, or is expired; a proof is fresh or not. Each of these
/// ends with a separate event, in any order, so the properties hold for every choice of lifetimes.
struct World: Hashable {
    struct Facts: OptionSet, Hashable {
        let rawValue: UInt16
        static let account = Facts(rawValue: 1 << 0)
        static let ownMethod = Facts(rawValue: 1 << 1)
        static let otherMethod = Facts(rawValue: 1 << 2)
        static let nameTaken = Facts(rawValue: 1 << 3)
        static let aliasTaken = Facts(rawValue: 1 << 4)
        static let manyFailures = Facts(rawValue: 1 << 5)
        static let noMailBudget = Facts(rawValue: 1 << 6)
        static let noGuessBudget = Facts(rawValue: 1 << 7)
        static let staleProof = Facts(rawValue: 1 << 8)
        /// The other mailbox is a suspended method.
        static let suspended = Facts(rawValue: 1 << 9)
        /// The password of the account came from a reset.
        static let resetPassword = Facts(rawValue: 1 << 10)
    }

    /// The proofs of this flow. The exploration itself keeps this record; the flows never see it.
    struct Proofs: OptionSet, Hashable {
        let rawValue: UInt8
        static let own = Proofs(rawValue: 1 << 0)
        static let other = Proofs(rawValue: 1 << 1)
        static let password = Proofs(rawValue: 1 << 2)
        static let chosenPassword = Proofs(rawValue: 1 << 3)
        /// The password was not enough when it was given, because of the many failures.
        static let doubtful = Proofs(rawValue: 1 << 4)
        /// A method was registered.
        static let registered = Proofs(rawValue: 1 << 5)
        /// The other mailbox was enrolled with only the own one proven, and counts as it.
        static let standIn = Proofs(rawValue: 1 << 6)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ mailbox: Mailbox?) {
            switch mailbox {
            case .own: self = .own
            case .other: self = .other
            case nil: self = []
            }
        }
    }

    /// The states of the tokens of the current revision, one bit each. Tokens of older revisions are spent;
    /// `ModelInterleavings` explores those with the engine.
    var tokens: UInt64
    var row: FlowRow
    var facts: Facts
    var proofs: Proofs

    /// Events without the client.
    enum Event: CaseIterable {
        case cooldownEnds, codeExpires, proofAges
        case methodAdded, nameTaken, aliasTaken, manyFailures, mailBudgetSpent, guessBudgetSpent
    }
}

/// Explores one variation from the first step to the last: every state that can be reached, with every input.
struct Exploration {
    let variation: Variation
    let settings: EngineSettings
    private let userFlow: UserFlow

    private(set) var rows: Set<TableRow> = []
    private(set) var worlds: [World] = []
    /// Pairs of world and token and input that were tried.
    private(set) var steps = 0
    var violations: [String] = []

    private var states: [FlowState] = []
    /// The possible calls in each state, and whether its token allows them.
    private var calls: [[(input: Input, isAllowed: Bool)]] = []
    private var stateBits: [FlowState: UInt64] = [:]
    private var indices: [World: Int] = [:]
    private var accounts: [World.Facts: UserAccount] = [:]
    private(set) var successors: [[Int32]] = []
    /// The states where the flow ended with tokens, or rightly in the web.
    private var goals: Set<Int32> = []

    static let now = SignInStateTests.now
    private static let end = now.addingTimeInterval(3_600)

    init(_ variation: Variation, guesses: Int, codes: Int) {
        self.variation = variation
        userFlow = variation.userFlow
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.guessesPerCode = guesses
        settings.codesPerFlow = codes
        if !variation.hasLimits { settings.limits = nil }
        self.settings = settings
        makeAccounts()
    }

    // MARK: The search

    mutating func run() {
        var facts: World.Facts = variation.journey == .signUp ? [] : .account
        for method in variation.methods { facts.insert(method == .own ? .ownMethod : .otherMethod) }
        if variation.passwordIsFromReset { facts.insert(.resetPassword) }
        let start = World(
            tokens: bit(of: begin), row: FlowRow(expiresAt: Self.end), facts: facts,
            proofs: variation.hasPasswordAtStart ? .chosenPassword : [])
        _ = index(of: start)
        var next = 0
        while next < worlds.count {
            expand(next)
            next += 1
        }
        findDeadEnds()
    }

    private mutating func note(_ faults: [String], _ state: FlowState?, _ input: Input?, _ world: World) {
        guard !faults.isEmpty, violations.count < 20 else { return }
        let place = "\(state.map { "\(StateName($0))" } ?? "?") \(input.map { "\($0)" } ?? "?")"
        violations.append("\(faults) at \(place) in \(world.row) \(world.facts) \(world.proofs) of \(variation)")
    }

    /// From every state without an outside event there is a way to an end; and to a good one, unless all codes are used
    /// up.
    private mutating func findDeadEnds() {
        let disturbed: World.Facts = [
            .nameTaken, .aliasTaken, .staleProof, .noMailBudget, .noGuessBudget,
        ]
        func isCalm(_ index: Int) -> Bool {
            let world = worlds[index]
            let isJoined = world.facts.contains(.otherMethod) && !variation.methods.contains(.other)
            return world.facts.isDisjoint(with: disturbed) && (!isJoined || world.proofs.contains(.registered))
        }
        var predecessors: [[Int32]] = Array(repeating: [], count: worlds.count)
        for (from, targets) in successors.enumerated() where isCalm(from) {
            for to in targets where isCalm(Int(to)) { predecessors[Int(to)].append(Int32(from)) }
        }
        func reaching(_ ends: [Int32]) -> Set<Int32> {
            var found = Set(ends)
            var open = ends
            while let next = open.popLast() {
                for world in predecessors[Int(next)] where found.insert(world).inserted { open.append(world) }
            }
            return found
        }
        let ending = reaching(worlds.indices.filter { worlds[$0].row.isEnded }.map { Int32($0) })
        let succeeding = reaching(Array(goals))
        for (number, world) in worlds.enumerated() where isCalm(number) && !world.row.isEnded {
            if !ending.contains(Int32(number)) { note(["no way to an end"], nil, nil, world) }
            // A flow needs two codes at most: one for the address, one for the method.
            let codesLeft = settings.codesPerFlow - world.row.codesSent
            if codesLeft >= 2, !succeeding.contains(Int32(number)) { note(["no way to a good end"], nil, nil, world) }
        }
    }

    private mutating func expand(_ number: Int) {
        let world = worlds[number]
        guard !world.row.isEnded else { return }
        var reached: Set<Int32> = []
        for event in World.Event.allCases {
            if let after = apply(event, to: world) { reached.insert(Int32(index(of: after))) }
        }
        let situation = situation(of: world)
        var tokens = world.tokens
        while tokens != 0 {
            let state = states[tokens.trailingZeroBitCount]
            let calls = calls[tokens.trailingZeroBitCount]
            tokens &= tokens - 1
            for (input, isAllowed) in calls {
                steps += 1
                let step = decide(state, input, in: situation)
                // A call that the token does not allow changes nothing and is refused as such (SEC-CT-6).
                guard isAllowed else {
                    if step.decision != .refused(.notAllowedNow) { note(["out of order"], state, input, world) }
                    continue
                }
                if let index = take(step, input, from: state, in: world) { reached.insert(index) }
            }
        }
        successors[number] = Array(reached)
    }

    /// Records a step's effect, and checks it; returns the resulting world, nil when nothing changed.
    private mutating func take(_ step: Step, _ input: Input, from state: FlowState, in world: World) -> Int32? {
        let after = commit(step, input, to: world)
        let answer = Answer(step.decision.verdict)
        let written = Written(step.decision.effects)
        rows.insert(
            TableRow(
                journey: variation.journey, from: StateName(state), input: input, answer: answer,
                to: step.decision.next.map(StateName.init), hasEnded: after.row.isEnded,
                written: written))
        let check = EdgeCheck(
            variation: variation, settings: settings, state: state, input: input, step: step, answer: answer,
            written: written, before: world, after: after)
        var right: (Step, Step)?
        if check.isCounted, let input = input.corrected {
            right = (decide(state, input, in: situation(of: world)), decide(state, input, in: situation(of: after)))
        }
        note(check.faults(right: right), state, input, world)
        guard after != world else { return nil }
        let index = Int32(index(of: after))
        if [.accepted(.signedIn), .accepted(.redirectToBrowser)].contains(answer) { goals.insert(index) }
        return index
    }

    private mutating func index(of world: World) -> Int {
        if let found = indices[world] { return found }
        indices[world] = worlds.count
        worlds.append(world)
        successors.append([])
        return worlds.count - 1
    }

    private mutating func bit(of state: FlowState) -> UInt64 {
        if let found = stateBits[state] { return found }
        precondition(states.count < 64, "more states than bits")
        let bit: UInt64 = 1 << states.count
        states.append(state)
        let allowed = state.allowed
        calls.append(
            Input.all.compactMap { input in
                input.operation(in: state).map { (input, !$0.isDisjoint(with: allowed)) }
            })
        stateBits[state] = bit
        return bit
    }

    // MARK: Beginning, events and facts

    private var begin: FlowState {
        let email = Mailbox.own.email
        switch variation.journey {
        case .signUp:
            let attributes: [String: AttributeValue] =
                switch variation.attributesAtStart {
                case .none: [:]
                case .some: Self.attributes(.some)
                case .all: Self.attributes(.all)
                }
            return .signUp(
                .started(
                    SignUpDraft(
                        email: email, passwordHash: variation.hasPasswordAtStart ? SignUpStateTests.hash : nil,
                        attributes: attributes, capabilities: variation.capabilities)))
        case .signIn:
            return .signIn(
                .started(
                    SignInDraft(
                        account: SignInStateTests.binding, email: email,
                        hasPassword: variation.method == .emailPassword,
                        capabilities: variation.capabilities)))
        case .reset:
            return .reset(
                .started(
                    ResetDraft(
                        account: SignInStateTests.binding, email: email, capabilities: variation.capabilities)))
        }
    }

    /// The world after an outside event; nil when the event is impossible or changes nothing.
    private func apply(_ event: World.Event, to world: World) -> World? {
        var after = world
        switch event {
        case .cooldownEnds:
            guard after.row.code?.sentAt == Self.now else { return nil }
            after.row.code?.sentAt = Self.now.addingTimeInterval(-Double(settings.resendCooldown))
        case .codeExpires:
            guard after.row.code?.expiresAt ?? Self.now > Self.now else { return nil }
            after.row.code?.sentAt = Self.now.addingTimeInterval(-Double(settings.codeLifetime))
            after.row.code?.expiresAt = Self.now
        case .proofAges:
            guard !world.proofs.isDisjoint(with: [.own, .password]), after.facts.insert(.staleProof).inserted else {
                return nil
            }
        case .methodAdded:
            // In another flow, which ends the flows that began before it; a later flow continues.
            guard world.facts.contains(.account), world.facts.isDisjoint(with: [.ownMethod, .suspended]),
                !variation.methods.contains(.other), after.facts.insert(.otherMethod).inserted
            else { return nil }
        case .nameTaken:
            guard variation.journey == .signUp, !world.facts.contains(.account), after.facts.insert(.nameTaken).inserted
            else { return nil }
        case .aliasTaken:
            guard variation.journey == .signUp, variation.needsAttributes, !world.facts.contains(.account),
                after.facts.insert(.aliasTaken).inserted
            else { return nil }
        case .manyFailures:
            guard variation.journey == .signIn, variation.method == .emailPassword,
                after.facts.insert(.manyFailures).inserted
            else { return nil }
        case .mailBudgetSpent:
            guard variation.hasLimits, after.facts.insert(.noMailBudget).inserted else { return nil }
        case .guessBudgetSpent:
            guard variation.hasLimits, after.facts.insert(.noGuessBudget).inserted else { return nil }
        }
        return after
    }

    private static func attributes(_ given: Input.Attributes) -> [String: AttributeValue] {
        switch given {
        case .some: ["country": "DK"]
        case .all: ["country": "DK", "city": "Ribe"]
        case .withAlias: ["country": "DK", "city": "Ribe", AttributeDefinition.aliasName: "dana.ribe"]
        }
    }

    private static let aliasKey = Alias("dana.ribe")?.key

    /// The other mailbox counts as enrolled with two factors when this flow finds it registered elsewhere.
    private func strength(of mailbox: Mailbox) -> Enrolment.Strength {
        mailbox == .other && variation.methods.contains(.other) ? variation.enrolledUnder : .twoFactors
    }

    private func method(_ mailbox: Mailbox, isSuspended: Bool = false) -> StrongMethod {
        let age = variation.isOldMethod ? 60.0 * 86_400 : 0
        return StrongMethod(
            id: UUID(uuid: (mailbox.rawValue, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), email: mailbox.email,
            provenAt: Self.now.addingTimeInterval(-age), enrolment: Enrolment(strength(of: mailbox)),
            suspendedAt: isSuspended ? Self.now : nil, firstUsedAt: Self.now)
    }

    private func account(_ facts: World.Facts) -> UserAccount {
        var methods: [StrongMethod] = []
        if facts.contains(.ownMethod) { methods.append(method(.own)) }
        if facts.contains(.otherMethod) {
            methods.append(method(.other, isSuspended: facts.contains(.suspended)))
        }
        var account = SignInStateTests.account(hasPassword: variation.method == .emailPassword, methods: methods)
        account.passwordIsFromReset = facts.contains(.resetPassword)
        return account
    }

    /// The facts that accounts depend on; each account is made once.
    private static let accountFacts: World.Facts = [.ownMethod, .otherMethod, .suspended, .resetPassword]

    private mutating func makeAccounts() {
        for bits in 0..<(1 << 11) as Range<UInt16> {
            let facts = World.Facts(rawValue: bits)
            if facts.isSubset(of: Self.accountFacts) { accounts[facts] = account(facts) }
        }
    }

    private func situation(of world: World) -> StepSituation {
        var taken: Set<LoginIdentifier.Key> = []
        if world.facts.contains(.nameTaken) { taken.insert(Mailbox.own.email.key) }
        if world.facts.contains(.aliasTaken), let alias = Self.aliasKey { taken.insert(alias) }
        var counted: [CountedEvent: [Date]] = [:]
        if world.facts.contains(.noMailBudget) {
            counted[.codeMailed] = Array(repeating: Self.now, count: 5)
        }
        if world.facts.contains(.noGuessBudget) { counted[.wrongCode] = Array(repeating: Self.now, count: 100) }
        // As if the limit had passed, without moving the clock.
        var settings = settings
        if world.facts.contains(.staleProof) { settings.provenIdleLifetime = -1 }
        let account = accounts[world.facts.intersection(Self.accountFacts)]
        return StepSituation(
            row: world.row, taken: taken, account: world.facts.contains(.account) ? account : nil,
            counted: counted.isEmpty ? [:] : [.address: counted, .mailbox: counted],
            lockout: world.facts.contains(.manyFailures)
                ? Lockout(failures: 102, recent: [], lastFailureAt: Self.now) : nil,
            enrolment: variation.enrolment, now: Self.now, userFlow: userFlow, settings: settings)
    }

    // MARK: The flows themselves

    struct Step {
        var decision: Decision<FlowState>
        /// Whether the flow compared the code.
        var isCompared = false
        /// The contexts of the prepared tokens.
        var contexts: [String] = []
    }

    private func demand(_ contexts: [String] = []) -> FactorDemand {
        FactorDemand(
            contexts: contexts, isRequired: variation.needsSecondFactor,
            distinctMailbox: variation.needsDistinctMailbox, enrolment: variation.enrolment, now: Self.now)
    }

    /// Calls the flow. The engine's preparations are done here: a code is drawn, tokens are signed.
    func decide(_ state: FlowState, _ input: Input, in situation: StepSituation) -> Step {
        var step = Step(decision: .refused(.notAllowedNow))
        func matches(_ isRight: Bool, _ purpose: MailContent.Purpose) -> (CodeRecord) -> Bool {
            { record in
                step.isCompared = true
                return isRight
                    && record.digest == Self.digest(state.recipient?.email, purpose, number: situation.row.codesSent)
            }
        }
        func fresh(_ mailbox: EmailAddress?, _ purpose: MailContent.Purpose) -> FreshCode {
            FreshCode(
                digits: Secret(""),
                record: CodeRecord(
                    digest: Self.digest(mailbox, purpose, number: situation.row.codesSent + 1),
                    target: Self.digest(mailbox, purpose, number: 0), sentAt: Self.now,
                    expiresAt: Self.now.addingTimeInterval(Double(settings.codeLifetime))))
        }
        func prepared(_ proven: Authentication) -> PreparedTokens {
            let contexts = input.isDemanded ? ["c1"] : []
            let demand = demand(contexts)
            var prepared = PreparedTokens(demand: demand)
            if let account = situation.account, case .tokens(let contexts) = proven.judged(demand, of: account) {
                (prepared.tokens, prepared.family) = (SignInStateTests.tokens, SignInStateTests.family)
                prepared.contexts = contexts
                step.contexts = contexts
            }
            return prepared
        }
        let user = SignInStateTests.user
        let id = SignInStateTests.method.id
        switch (state, input) {
        case (.signUp(let state), .challenge):
            step.decision = state.challenging(with: fresh(state.draft?.email, .signUp), in: situation)
                .map(FlowState.signUp)
        case (.signUp(let state), .code(let isRight, _)):
            step.decision = state.submitting(code: matches(isRight, .signUp), newUser: user, in: situation)
                .map(FlowState.signUp)
        case (.signUp(let state), .newPassword):
            step.decision = state.submitting(password: SignUpStateTests.hash, newUser: user, in: situation)
                .map(FlowState.signUp)
        case (.signUp(let state), .attributes(let given)):
            step.decision = state.submitting(attributes: Self.attributes(given), newUser: user, in: situation)
                .map(FlowState.signUp)
        case (.reset(let state), .challenge):
            step.decision = state.challenging(with: fresh(state.draft?.email, .passwordReset), in: situation)
                .map(FlowState.reset)
        case (.reset(let state), .code(let isRight, _)):
            step.decision = state.submitting(code: matches(isRight, .passwordReset), in: situation)
                .map(FlowState.reset)
        case (.reset(let state), .newPassword):
            step.decision = state.submitting(password: SignUpStateTests.hash, in: situation).map(FlowState.reset)
        case (.reset(let state), .poll):
            step.decision = state.polling().map(FlowState.reset)
        case (.signIn(let state), .challenge):
            step.decision = state.challenging(with: fresh(state.draft?.email, .signIn), in: situation)
                .map(FlowState.signIn)
        case (.signIn(let state), .challengeMethod(let mailbox)):
            // As the engine does: by the name under which it was listed. The user's own is that of the account.
            let ids = [method(mailbox).id] + (mailbox == .own ? [user.uuid] : [])
            let known = ids.lazy.compactMap { id in
                situation.account.flatMap { state.method(named: id.uuidString, of: $0, demand()) }
            }.first
            step.decision = state.challenging(
                known ?? method(mailbox), with: fresh(mailbox.email, .secondFactor), in: situation
            ).map(FlowState.signIn)
        case (.signIn(let state), .code(let isRight, _)):
            let proof = state.proving(at: situation.now)
            let worth = proof.map { prepared($0.proven) }
            step.decision = state.submitting(
                code: matches(isRight, proof?.purpose ?? .signIn),
                prepared: worth ?? PreparedTokens(demand: demand()), in: situation
            ).map(FlowState.signIn)
        case (.signIn(let state), .password(let isRight, _)):
            let proven = situation.account.flatMap { account in
                state.draft?.provenByPassword(of: account, at: situation.now, needsMailbox: situation.needsMailbox)
            }
            let right = isRight ? proven.map(prepared) : nil
            let decision =
                right.map { state.submitting(.stored(nil), prepared: $0, in: situation) }
                ?? state.refusingPassword(in: situation)
            step.decision = decision.map(FlowState.signIn)
        case (.signIn(let state), .introspectMethods):
            step.decision = state.listingMethods(in: situation).map(FlowState.signIn)
        case (.signIn(let state), .introspectRegistration):
            step.decision = state.listingContacts(in: situation).map(FlowState.signIn)
        case (.signIn(let state), .challengeContact(let mailbox)):
            step.decision = state.challenging(
                contact: .mailbox(mailbox.email), with: fresh(mailbox.email, .registration), in: situation
            ).map(FlowState.signIn)
        case (.signIn(let state), .contactCode(let isRight)):
            step.decision = state.submitting(
                contactCode: matches(isRight, .registration), newMethod: id, in: situation
            ).map(FlowState.signIn)
        case (.signIn(let state), .confirmContact):
            step.decision = state.confirmingContact(newMethod: id, in: situation).map(FlowState.signIn)
        case (_, .redeem):
            if let proven = state.authentication {
                step.decision = SignInState.redeeming(proven, prepared(proven), in: situation).map(FlowState.signIn)
            }
        case (.signUp, _), (.signIn, _), (.reset, _), (.account, _), (.passkey, _), (.federated, _):
            break
        }
        return step
    }

    /// The values that the engine binds a code to, as far as a flow can see them: target, purpose and number.
    private static func digest(_ email: EmailAddress?, _ purpose: MailContent.Purpose, number: Int) -> Data {
        let why: UInt8 =
            switch purpose {
            case .signUp: 1
            case .signIn: 2
            case .passwordReset: 3
            case .secondFactor: 4
            case .registration: 5
            case .passwordChanged, .methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated,
                .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed, .accountExists, .signInLocked,
                .signedInAfterFailures,
                .accountChange, .emailChange,
                .emailChanged, .emailChangeUndone, .emailReplaced, .resetRequired, .accountDeleted,
                .deletionScheduled:
                6
            }
        return Data([email.flatMap(Mailbox.init)?.rawValue ?? 0, why, UInt8(clamping: number)])
    }

    private mutating func commit(_ step: Step, _ input: Input, to world: World) -> World {
        var after = world
        let isAccepted = if case .accepted = step.decision.verdict { true } else { false }
        if isAccepted {
            switch input {
            case .code, .contactCode:
                after.proofs.formUnion(World.Proofs((world.row.code?.digest.first).flatMap(Mailbox.init)))
            case .password:
                after.proofs.insert(.password)
                if world.facts.contains(.manyFailures) { after.proofs.insert(.doubtful) }
            case .newPassword: after.proofs.insert(.chosenPassword)
            case .challenge, .challengeMethod, .attributes, .introspectMethods, .introspectRegistration,
                .challengeContact,
                .confirmContact, .poll, .redeem:
                break
            }
        }
        for effect in step.decision.effects {
            switch effect {
            case .createUser: after.facts.insert(.account)
            case .addStrongMethod(let method, _):
                let isOwn = method.email.flatMap { Mailbox($0) } == .own
                after.facts.insert(isOwn ? .ownMethod : .otherMethod)
                after.proofs.insert(.registered)
                // Whether the own mailbox was the only proof, according to the record.
                let had = world.proofs
                let isMailboxOnly = had.contains(.own) && had.isDisjoint(with: [.password, .chosenPassword])
                if !isOwn, isMailboxOnly || variation.journey == .reset { after.proofs.insert(.standIn) }
            case .write(.removeStrongMethods): after.facts.remove(.otherMethod)
            case .write(.setSuspension(_, of: _, .some)): after.facts.insert(.suspended)
            case .write(.setSuspension(_, of: _, nil)): after.facts.remove(.suspended)
            case .write(.changePassword): after.facts.insert(.resetPassword)
            case .write(.trustPassword): after.facts.remove(.resetPassword)
            case .write, .mailCode, .mailSharedCode, .textCode, .noteVerifiedTexts, .setSlowLane, .mailNotice,
                .mailUndo, .record, .count, .forget,
                .setLockout,
                .clearLockouts, .rememberNetwork:
                break
            }
        }
        // The flow's knowledge about the other mailbox, before any change.
        if after.proofs.contains(.other), !world.proofs.contains(.other), strength(of: .other) == .mailbox,
            world.facts.contains(.otherMethod)
        {
            after.proofs.insert(.standIn)
        }
        if let row = step.decision.row { after.row = row }
        if after.row.revision != world.row.revision || after.row.isEnded { after.tokens = 0 }
        if !after.row.isEnded, let next = step.decision.next { after.tokens |= bit(of: next) }
        return after
    }
}
