import NativeAuthCore
package import PortableFoundation

/// Runs flows: opens the token, reads facts, lets the flow decide, commits, and seals the next token.
///
/// It does not know HTTP, SQL, JSON field names or JWT. The entry point is ``handle(_:in:)``; `Flows` holds the order
/// of steps, and the extensions beside this file map commands to decisions, one per kind of flow.
package struct Engine: Sendable {
    /// The services that the engine uses.
    package struct Ports: Sendable {
        package var clients: any ClientStore
        package var flows: any FlowStore
        package var users: any UserStore
        package var refresh: any RefreshStore
        package var hasher: any PasswordHasher
        package var issuer: any TokenIssuer
        package var randomness: any Randomness
        package var mail: MailSignal

        package init(
            clients: any ClientStore, flows: any FlowStore, users: any UserStore, refresh: any RefreshStore,
            hasher: any PasswordHasher, issuer: any TokenIssuer, randomness: any Randomness, mail: MailSignal
        ) {
            self.clients = clients
            self.flows = flows
            self.users = users
            self.refresh = refresh
            self.hasher = hasher
            self.issuer = issuer
            self.randomness = randomness
            self.mail = mail
        }
    }

    package let ports: Ports
    package let settings: EngineSettings
    let vault: Vault
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
        let context = RequestContext(
            tenant: tenant, client: client,
            enumeration: client.enumeration ?? tenant.enumeration ?? settings.enumeration,
            enrolment: tenant.enrolment ?? settings.enrolment, caller: caller)

        // 2. Check whether this source may learn about one more account.
        let tells = command.traits.reveals(in: context.enumeration)
        if let wait = caller.enumerationWait, tells {
            return context.outcome(.refused(.enumerationLimited(retryAfter: wait)))
        }
        var outcome = try await perform(command, in: context)
        // A hit costs as much as a miss: otherwise a list of mostly existing addresses could be checked for free.
        if tells {
            outcome.disclosure = .counts
        } else if context.enumeration == .bulk, command.traits.signsIn, case .accepted(.signedIn) = outcome.verdict {
            outcome.disclosure = .givesOneBack
        }
        return outcome
    }

    /// Takes the step. Every step opens its token first: cheap checks run before costly ones.
    private func perform(_ command: Command, in context: RequestContext) async throws(EngineError) -> Outcome {
        switch command {
        case .startSignUp(let request):
            return try await startSignUp(request, in: context)
        case .challengeSignUp(let token, let accepted):
            return try await challengeSignUp(token, accepted: accepted, in: context)
        case .submitSignUpCode(let token, let code):
            return try await submitSignUpCode(token, code, in: context)
        case .submitSignUpPassword(let token, let password):
            return try await submitSignUpPassword(token, password, in: context)
        case .submitSignUpAttributes(let token, let attributes):
            return try await submitSignUpAttributes(token, attributes, in: context)
        case .startSignIn(let request):
            return try await startSignIn(request, in: context)
        case .challengeSignIn(let token, let method, let accepted):
            return try await challengeSignIn(token, method: method, accepted: accepted, in: context)
        case .submitSignInPassword(let token, let password, let demand):
            return try await submitSignInPassword(token, password, demand, in: context)
        case .submitSignInCode(let token, let code, let demand):
            return try await submitSignInCode(token, code, demand, in: context)
        case .introspectMethods(let token):
            return try await introspectMethods(token, in: context)
        case .submitSecondFactor(let token, let code, let demand):
            return try await submitSecondFactor(token, code, demand, in: context)
        case .introspectRegistration(let token):
            return try await introspectRegistration(token, in: context)
        case .challengeContact(let token, let contact, let channel):
            return try await challengeContact(token, contact, channel: channel, in: context)
        case .submitContactCode(let token, let code):
            return try await submitContactCode(token, code, in: context)
        case .confirmContact(let token):
            return try await confirmContact(token, in: context)
        case .startReset(let request):
            return try await startReset(request, in: context)
        case .challengeReset(let token, let accepted):
            return try await challengeReset(token, accepted: accepted, in: context)
        case .submitResetCode(let token, let code):
            return try await submitResetCode(token, code, in: context)
        case .submitNewPassword(let token, let password):
            return try await submitNewPassword(token, password, in: context)
        case .pollReset(let token):
            return try await pollReset(token, in: context)
        case .redeem(let token, let demand):
            return try await redeem(token, demand, in: context)
        case .refresh(let token, let demand):
            return try await refresh(token, demand, in: context)
        case .revoke(let token):
            return try await revoke(token, in: context)
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
            guard let client = try await ports.clients.client(caller.client, in: tenant.id) else {
                return .refused(.unknownClient)
            }
            return client.isNativeAuthEnabled ? .found(tenant, client) : .refused(.nativeAuthDisabled)
        } catch {
            throw .store(error)
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

    var now: Date { caller.now }
    var userFlow: UserFlow { client.userFlow }
    /// Whether answers must hide whether an account exists.
    var hidesAccounts: Bool { enumeration == .strict }
    /// Whether every user needs a second factor here.
    var requiresSecondFactor: Bool { client.requiresSecondFactor || userFlow.requiresSecondFactor }

    func outcome(_ verdict: Verdict) -> Outcome {
        Outcome(verdict, trace: caller.trace)
    }
}
