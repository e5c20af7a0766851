import NativeAuthCore
package import PortableFoundation

/// Runs flows: opens the token, reads facts, lets the flow decide, commits, and seals the next token.
///
/// It does not know HTTP, SQL, JSON field names or JWT. The entry point is ``handle(_:in:)``. The folder of each flow
/// has its states and its steps: a step prepares what takes time, then a pure function of the state decides, inside the
/// transaction of ``run(_:reading:keepsAnswer:decide:)``.
package struct Engine: Sendable {
    /// The services that the engine uses.
    package struct Ports: Sendable {
        package var clients: any ClientStore
        package var flows: any FlowStore
        package var users: any UserStore
        package var refresh: any RefreshStore
        package var browsers: any BrowserStore
        package var assertions: any AssertionStore
        package var hasher: any PasswordHasher
        package var issuer: any TokenIssuer
        package var randomness: any Randomness
        package var mail: MailSignal
        package var hooks: any HookReceiver
        package var signatures: any PasskeySignatures
        package var identities: any IdentityProviders

        package init(
            clients: any ClientStore, flows: any FlowStore, users: any UserStore, refresh: any RefreshStore,
            browsers: any BrowserStore, assertions: any AssertionStore, hasher: any PasswordHasher,
            issuer: any TokenIssuer,
            randomness: any Randomness, mail: MailSignal,
            hooks: any HookReceiver = NoHookReceiver(), signatures: any PasskeySignatures = NoPasskeySignatures(),
            identities: any IdentityProviders = NoIdentityProviders()
        ) {
            self.clients = clients
            self.flows = flows
            self.users = users
            self.refresh = refresh
            self.browsers = browsers
            self.assertions = assertions
            self.hasher = hasher
            self.issuer = issuer
            self.randomness = randomness
            self.mail = mail
            self.hooks = hooks
            self.signatures = signatures
            self.identities = identities
        }
    }

    package let ports: Ports
    package let settings: EngineSettings
    package let vault: Vault
    let tokens: ContinuationTokens
    let passwords: PasswordPolicy

    package init(_ ports: Ports, vault: Vault, settings: EngineSettings, passwords: PasswordPolicy = PasswordPolicy()) {
        self.ports = ports
        self.settings = settings
        self.vault = vault
        self.passwords = passwords
        tokens = ContinuationTokens(vault: vault)
    }

    /// Handles one command.
    ///
    /// The same command again within a minute gets the same answer and has no second effect (`REL-IDEM`).
    /// - Throws: ``EngineError`` for a failure of the server; an expected refusal is part of the outcome.
    package func handle(_ command: Command, in caller: CallerContext) async throws(EngineError) -> Outcome {
        // 1. Find the tenant and the application.
        let tenant: Tenant
        let client: Client
        switch try await resolve(caller) {
        case .found(let theTenant, let theClient): (tenant, client) = (theTenant, theClient)
        case .refused(let refusal): return Outcome(.refused(refusal), trace: caller.trace)
        }
        var context = context(of: caller, tenant, client)
        do throws(ProofFault) {
            context.proof = try caller.proof.map { presented throws(ProofFault) in
                try judge(presented, now: context.now)
            }
        } catch {
            return context.outcome(.refused(.unusableProof(error)))
        }

        // 2. Check whether this source may learn about one more account.
        let traits = command.traits
        let disclosesAccount = traits.reveals(in: context.enumeration)
        if let wait = caller.enumerationWait, disclosesAccount {
            return context.outcome(.refused(.enumerationLimited(retryAfter: wait)))
        }

        // 3. Take the step.
        var outcome = try await dispatch(command, in: context)
        // A hit costs as much as a miss: otherwise a list of mostly existing addresses could be checked for free.
        if disclosesAccount {
            outcome.disclosure = .counts
        } else if context.enumeration == .bulk, traits.signsIn, command.endsFlowOfName(with: outcome.verdict) {
            outcome.disclosure = .givesOneBack
        }
        return outcome
    }

    func context(of caller: CallerContext, _ tenant: Tenant, _ client: Client) -> RequestContext {
        RequestContext(
            tenant: tenant, client: client,
            enumeration: client.enumeration ?? tenant.enumeration ?? settings.enumeration,
            enrolment: tenant.enrolment ?? settings.enrolment, caller: caller)
    }

    private func dispatch(
        _ command: Command, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        switch command {
        case .startSignUp(let request): try await startSignUp(request, in: context)
        case .startSignIn(let request): try await startSignIn(request, in: context)
        case .startPasskey(let request): try startPasskey(request, in: context)
        case .startFederated(let request): try startFederated(request, in: context)
        case .startReset(let request): try await startReset(request, in: context)
        case .refresh(let token, let request): try await refresh(token, request, in: context)
        case .redeemCode(let redemption): try await redeem(redemption, in: context)
        case .redeemDevice(let code, let contexts): try await redeemDevice(code, contexts: contexts, in: context)
        case .exchange(let request): try await exchange(request, in: context)
        case .revoke(let token): try await revoke(token, in: context)
        case .account(let caller, let command): try await begin(command, of: caller, in: context)
        case .step(let token, let command):
            // The cheap check first: most of what a stranger can send ends here.
            switch await open(token, for: command, in: context) {
            case .success(var step):
                if let refusal = try await useProof(in: context) {
                    context.outcome(.refused(refusal))
                } else if let fault = step.takeDevice(of: token, by: self) {
                    context.outcome(.refused(.unusableProof(fault)))
                } else {
                    try await take(command, step)
                }
            case .failure(let fault): context.outcome(.refused(Refusal(fault)))
            }
        }
    }

    /// Takes a step, each in the file of its flow.
    private func take(_ command: StepCommand, _ step: Step) async throws(EngineError) -> Outcome {
        switch command {
        case .challengeSignUp(let target, let accepted):
            try await challengeSignUp(to: target, accepted: accepted, step)
        case .submitSignUpCode(let code): try await submitSignUpCode(code, step)
        case .submitSignUpPassword(let password): try await submitSignUpPassword(password, step)
        case .submitSignUpAttributes(let attributes): try await submitSignUpAttributes(attributes, step)
        case .askAboutSignUp: try await askAboutSignUp(step)
        case .challengeSignIn(let method, let accepted):
            try await challengeSignIn(method: method, accepted: accepted, step)
        case .submitSignInPassword(let password, let request):
            try await submitSignInPassword(password, request, step)
        case .submitSignInCode(let code, let request), .submitSecondFactor(let code, let request):
            try await submitSignInCode(code, request, step)
        case .submitPasskey(let answer, let request): try await submitPasskey(answer, request, step)
        case .submitIdentity(let identity, let request): try await submitIdentity(identity, request, step)
        case .introspectMethods: try await introspectMethods(step)
        case .introspectRegistration: try await introspectRegistration(step)
        case .challengeContact(let contact, let channel):
            try await challengeContact(contact, channel: channel, step)
        case .submitContactCode(let code): try await submitContactCode(code, step)
        case .confirmContact: try await confirmContact(step)
        case .challengeNewPasskey: try await challengeNewPasskey(step)
        case .challengeNewApp: try await challengeNewApp(step)
        case .confirmNewApp(let code): try await confirmNewApp(by: code, step)
        case .challengeReset(let accepted): try await challengeReset(accepted: accepted, step)
        case .submitResetCode(let code): try await submitResetCode(code, step)
        case .submitNewPassword(let password): try await submitNewPassword(password, step)
        case .pollReset: try await pollReset(step)
        case .challengeAccount(let user): try await challengeAccount(user, step)
        case .submitAccountCode(let code, let user): try await submitAccountCode(code, of: user, step)
        case .createPasskey(let answer, let name, nil): try await registerPasskey(answer, name: name, step)
        case .createPasskey(let answer, let name, let user?):
            try await confirmPasskey(answer, name: name, of: user, step)
        case .linkIdentity(let identity, let user): try await linkIdentity(identity, to: user, step)
        case .redeem(let request): try await redeem(request, step)
        }
    }

    /// Records in the audit trail that the source of `caller` has used up its enumeration budget (`SEC-ENUM-1`).
    package func recordEnumeration(in caller: CallerContext) async throws(EngineError) {
        guard case .found(let tenant, let client) = try await resolve(caller) else { return }
        do {
            try await ports.flows.record(
                AuditEvent(
                    .enumerationSuspected, at: caller.now, tenant: tenant.id, client: client.id,
                    source: auditSource(caller, tenant.id)))
        } catch {
            throw .store(error)
        }
    }

    /// The tenant with the name that a path contains; nil when there is none.
    package func tenant(named name: String) async throws(EngineError) -> Tenant? {
        do {
            return try await ports.clients.tenant(named: name)
        } catch {
            throw .store(error)
        }
    }

    /// Removes expired rows; the caller calls it about once a minute.
    package func removeExpired(now: Date) async throws(EngineError) -> Int {
        do {
            return try await ports.flows.removeExpired(now: now)
        } catch {
            throw .store(error)
        }
    }

    enum Resolution {
        case found(Tenant, Client)
        case refused(Refusal)
    }

    func resolve(_ caller: CallerContext) async throws(EngineError) -> Resolution {
        do {
            guard let tenant = try await ports.clients.tenant(named: caller.tenantName) else {
                return .refused(.unknownTenant)
            }
            if caller.front == .account {
                return try await accountPage(of: tenant).map { .found(tenant, $0) } ?? .refused(.unknownClient)
            }
            guard let client = try await ports.clients.client(caller.client, in: tenant.id) else {
                return .refused(.unknownClient)
            }
            return client.isOpen(for: caller.front) ? .found(tenant, client) : .refused(.nativeAuthDisabled)
        } catch let error as EngineError {
            throw error
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .broken("an application could not be found")
        }
    }
}

/// The tenant, the client and the time of a command.
struct RequestContext: Sendable {
    let tenant: Tenant
    let client: Client
    let enumeration: EnumerationMode
    let enrolment: EnrolmentMode
    let caller: CallerContext
    /// The checked proof of possession; the command that is worth it marks it as used.
    var proof: VerifiedProof?
    /// What identifies the device of the request: its key, or the cookies of the browser.
    var deviceTraces: [Data] = []

    var now: Date { caller.now }
    var userFlow: UserFlow { client.userFlow }
    /// Whether answers must hide whether an account exists.
    var hidesAccounts: Bool { enumeration == .strict }
    /// Whether every user needs a second factor here.
    var requiresSecondFactor: Bool { client.requiresSecondFactor || userFlow.requiresSecondFactor }

    /// For how many days a device is remembered here; nil: none is. The account page looks at proofs alone.
    var rememberedDays: Int? { caller.front == .account ? nil : tenant.rememberedDays }

    func outcome(_ verdict: Verdict) -> Outcome {
        Outcome(verdict, trace: caller.trace)
    }
}
