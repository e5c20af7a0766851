package import NativeAuthCore
package import PortableFoundation

// The account page: users change the own account there, without an application (docs/protocol.md §21.7).

extension Client {
    /// The id that stands for the account page where the id of an application is written.
    package static let accountPageID = ClientID(
        UUID(uuid: (0x61, 0x63, 0x63, 0x6F, 0x75, 0x6E, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)))

    /// The account page as a client of the engine. A user of the tenant can use any of its applications, so the page lets a
    /// user do what the account API lets the same user do with one of them, and hides accounts as the strictest does.
    ///
    /// - Parameter usual: The enumeration mode of applications whose tenant names none.
    package static func accountPage(of entry: TenantDirectory.Entry, usually usual: EnumerationMode) -> Client {
        let applications = entry.applications.filter { $0.flowSource != .none }
        let flows = applications.map(\.userFlow)
        var attributes: [AttributeDefinition] = []
        for definition in flows.flatMap(\.attributes) {
            guard let index = attributes.firstIndex(where: { $0.name == definition.name }) else {
                attributes.append(definition)
                continue
            }
            // What one application keeps from its users, or cannot be without, holds for all.
            if !definition.userMayChange { attributes[index].userMayChange = false }
            if definition.isRequired { attributes[index].isRequired = true }
        }
        let modes = applications.map { $0.enumeration ?? entry.tenant.enumeration ?? usual }
        let strictest: EnumerationMode? =
            if modes.contains(.strict) { .strict } else if modes.contains(.bulk) { .bulk } else { modes.first }
        return Client(
            id: accountPageID, displayName: entry.tenant.displayName,
            userFlow: UserFlow(
                method: flows.contains { $0.method == .emailPassword } ? .emailPassword : .emailOneTimePasscode,
                attributes: attributes,
                requiresDistinctMailbox: !flows.isEmpty && flows.allSatisfy(\.requiresDistinctMailbox),
                allowsSignUp: false),
            requiresSecondFactor: !applications.isEmpty
                && applications.allSatisfy { application in
                    application.requiresSecondFactor || application.userFlow.requiresSecondFactor
                        || entry.tenant.levels.contains {
                            $0.level > .oneFactor && $0.applications.contains(application.id)
                        }
                },
            enumeration: strictest)
    }
}

extension AuthorizationRequest {
    /// A sign-in for the account page: no client gets an answer.
    ///
    /// - Parameters:
    ///   - address: The address of the page.
    ///   - subject: The user that must be the one who signs in, as the page's claim `sub`; nil: any.
    package static func accountPage(
        at address: String, prompts: [Prompt] = [], contexts: [String] = [], hint: String? = nil, subject: String? = nil
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            client: Client.accountPageID, redirect: address, redirectKind: .web, responseMode: .query,
            scopes: ["openid"], prompts: prompts, loginHint: hint, contexts: contexts, subject: subject)
    }
}

/// The sign-in that a user needs before a change.
package struct NeededProof: Hashable, Sendable {
    package var prompts: [AuthorizationRequest.Prompt]
    package var contexts: [String]
    /// Whether only a reset of the password gives the proof: the password came from the mailbox, and a sign-in with it
    /// sends no code there.
    package var isByReset: Bool

    /// A new sign-in, with the factors that it asks for.
    package static let signIn = NeededProof(prompts: [.login], contexts: [], isByReset: false)
}

extension DirectoryCaller {
    /// The sign-in that gives what the session lacks; nil when it lacks nothing.
    ///
    /// - Parameters:
    ///   - isFresh: Whether the last sign-in must be a recent one.
    ///   - adding: As that of ``lackOfProof(adding:now:)``.
    package func neededProof(isFresh: Bool, adding: Bool = false, now: Date) -> NeededProof? {
        guard let refusal = isFresh ? lackOfProof(adding: adding, now: now) : lackOfFactor,
            case .proofNeeded(let secondFactor) = refusal
        else { return nil }
        let lacksMailbox = !secondFactor && lackOfFactor != nil
        let isOld = isFresh && now.timeIntervalSince(proof.authenticatedAt) > Self.proofLifetime
        return NeededProof(
            // Its contexts are satisfied, its `amr` is not: only another sign-in gives more.
            prompts: isOld || lacksMailbox || usedRecoveryCode ? [.login] : [], contexts: secondFactor ? ["c1"] : [],
            isByReset: lacksMailbox && account.passwordHash != nil)
    }

    /// Whether the user can have a password on the account page.
    package var mayHavePassword: Bool {
        account.passwordHash != nil || client.userFlow.method == .emailPassword
    }

    /// The attributes that the user may change on the account page: those of the user flows, and what the account has.
    package var changeableAttributes: [AttributeDefinition] {
        let flow = client.userFlow.attributes
        let others = AttributeDefinition.builtIn.filter { definition in
            !flow.contains { $0.name == definition.name }
                && (definition.name == "displayName" || account.user.attributes[definition.name] != nil)
        }
        return (flow + others).filter(\.userMayChange)
    }
}

extension Engine {
    /// The account page as a client; nil for a tenant none of whose applications uses hosted pages.
    package func accountPage(of tenant: Tenant) async throws(EngineError) -> Client? {
        do {
            guard let entry = try await ports.clients.entry(of: tenant.id),
                entry.applications.contains(where: { $0.isOpen(for: .browser) })
            else { return nil }
            return .accountPage(of: entry, usually: settings.enumeration)
        } catch {
            throw .store(error)
        }
    }

    /// The user of a browser's session, as one who asks the account API.
    ///
    /// - Parameters:
    ///   - cookie: The cookie of the session.
    ///   - client: The account page.
    package func accountCaller(
        _ signIn: BrowserSignIn, cookie: Secret<String>, of client: Client, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> DirectoryCaller {
        try await noteUse(of: signIn.session, now: now)
        return DirectoryCaller(
            tenant: tenant, client: client, account: signIn.account,
            proof: AccountProof(signIn.session, cookie: cookie))
    }

    /// The claim `sub` of the caller for the account page.
    package func accountSubject(of caller: DirectoryCaller) -> String {
        vault.pairwiseSubject(of: caller.user, for: Client.accountPageID, in: caller.tenant.id)
    }

    /// The cookie that a browser's session has after a change of the password. The same request twice gets the same one,
    /// so that a double click does not sign the user out.
    package func renewedCookie(after cookie: Secret<String>, in tenant: TenantID) -> Secret<String> {
        Secret(
            Base64URL.encode(
                vault.digest(.replay, tenant: tenant, [Data("renewed cookie".utf8), Data(cookie.reveal().utf8)])))
    }

    /// Whether the user of a form was deleted, or is going to be: a repeated request to delete the account is done.
    package func isEnding(_ user: UserID, in tenant: Tenant) async throws(EngineError) -> Bool {
        try await deletion(of: user, in: tenant.id) != nil
    }
}
