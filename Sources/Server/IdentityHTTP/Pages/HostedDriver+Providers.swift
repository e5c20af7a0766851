import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The way to a provider of another organisation and back (design record 0044).
extension HostedDriver {
    /// Begins a sign-in by a provider.
    func start(_ provider: String, _ flow: HostedFlow) async throws -> HostedResult {
        guard IdentityProvider.isID(provider) else { return .refused(HostedProblem(phrase: .providerFailed), flow) }
        return try await drive(
            .startFederated(
                ProviderStart(
                    provider: provider, accepted: accepted, capabilities: Self.capabilities, isWeb: true)), flow)
    }

    /// The page that sends the browser to a provider.
    func leave(for offer: ProviderOffer, _ flow: HostedFlow) async throws -> HostedResult {
        let engine = routes.engine
        guard let provider = visit.tenant.provider(offer.provider), let web = provider.web,
            let endpoint = await engine.ports.identities.browserEndpoint(of: provider, now: visit.now)
        else {
            if flow.step.changesAccount { return .gaveUp(.providerFailed) }
            var flow = flow
            flow.token = nil
            return .refused(HostedProblem(phrase: .providerFailed), flow)
        }
        let verifier = Base64URL.encode(engine.ports.randomness.bytes(32))
        let state = "\(handle).\(Base64URL.encode(engine.ports.randomness.bytes(32)))"
        var form = FormFields()
        form.append("client_id", web.clientID)
        form.append("response_type", "code")
        form.append("redirect_uri", visit.callback(of: provider.id))
        // Apple gives its scopes to forms only.
        form.append("scope", provider.isApple ? "name email" : "openid profile email")
        if provider.isApple { form.append("response_mode", "form_post") }
        form.append("state", state)
        form.append("nonce", offer.nonce)
        form.append("code_challenge", Base64URL.encode(Vault.checksum(Data(verifier.utf8))))
        form.append("code_challenge_method", "S256")
        var isAgain = false
        if case .atProvider(let before) = flow.step { isAgain = before.isAgain == true }
        // What the provider says of the strength is worth nothing once it is older, and without the time of its sign-in
        // (OpenID Connect Core 1.0 section 3.1.2.1).
        if provider.strength != nil { form.append("max_age", "\(longestAge(flow))") }
        // A client that wants a fresh sign-in wants one there, too.
        if flow.request.prompts.contains(.login) || flow.request.maxAge != nil || isAgain {
            form.append("prompt", "login")
        } else if flow.step.changesAccount, !provider.isApple {
            // Another person may be signed in there.
            form.append("prompt", "select_account")
        }
        let separator = endpoint.address.contains("?") ? "&" : "?"
        var flow = flow
        flow.step = .atProvider(
            ProviderTrip(
                provider: provider.id, name: provider.displayName,
                address: endpoint.address + separator + form.encoded, state: state, verifier: verifier,
                isLink: flow.step.changesAccount ? true : nil, isAgain: isAgain ? true : nil))
        return .progress(flow)
    }

    /// How old a sign-in at a provider may be where its word about the strength is to count, in seconds.
    private func longestAge(_ flow: HostedFlow) -> Int {
        let demanded = visit.tenant.levels.demand(
            of: flow.request.client, scopes: flow.request.scopes, baseURL: routes.engine.settings.baseURL)
        let ages = flow.request.contexts.reduce(demanded) { $0.and(visit.tenant.levels.demand(of: $1)) }.maximumAge
        return [StatedStrength.lifetime, flow.request.maxAge, ages].compactMap(\.self).min() ?? StatedStrength.lifetime
    }

    /// Asks the provider once more when its sign-in is too old for what the tenant counts on (`SEC-FED-13`).
    ///
    /// - Returns: Nil when the token is to be judged as it is.
    private func askedAgain(
        _ presented: PresentedIdentity, of trip: ProviderTrip, _ token: String, _ flow: HostedFlow
    ) async throws -> HostedResult? {
        guard trip.isAgain != true, let provider = visit.tenant.provider(trip.provider),
            await routes.engine.isStale(
                presented, of: provider, within: longestAge(flow), at: visit.now)
        else { return nil }
        var asked = flow
        asked.token = token
        var again = trip
        again.isAgain = true
        asked.step = .atProvider(again)
        guard case .progress(let next) = try await step(.challengeSignIn(method: nil, accepted: accepted), asked),
            case .atProvider = next.step
        else { return .refused(HostedProblem(phrase: .providerFailed), flow) }
        return .progress(next)
    }

    /// The user comes back from a provider.
    ///
    /// - Parameter code: Nil: the provider did not sign the user in.
    func comeBack(
        from trip: ProviderTrip, with code: Secret<String>?, _ names: ProviderNames?, _ flow: HostedFlow
    ) async throws -> HostedResult {
        var flow = flow
        let token = flow.token
        guard flow.step.changesAccount else {
            // Where another try begins.
            flow.step = .enterName(isSignUp: false)
            flow.token = nil
            guard let token, var presented = try await exchange(code, of: trip, token, flow) else {
                return .refused(HostedProblem(phrase: .providerFailed), flow)
            }
            if let result = try await askedAgain(presented, of: trip, token, flow) { return result }
            (presented.givenName, presented.familyName) = (names?.givenName, names?.familyName)
            flow.token = token
            flow.linksTo = trip.name
            return try await step(.submitIdentity(presented, tokens(flow)), flow)
        }
        // The proofs of a session end with it.
        guard let session = flow.session, let signIn = visit.signIn, signIn.session.id == session, let token else {
            return .gaveUp(.over)
        }
        guard let presented = try await exchange(code, of: trip, token, flow) else { return .gaveUp(.providerFailed) }
        let linked = try await step(.linkIdentity(presented, signIn.account.user.id), flow)
        guard case .refused(let problem, _) = linked else { return linked }
        return switch problem.phrase {
        case .userExists: .gaveUp(.identityTaken)
        case .wait: .gaveUp(.enoughToday)
        case _: .gaveUp(.providerFailed)
        }
    }

    /// What the provider gives for its code; nil: nothing that is of use.
    private func exchange(
        _ code: Secret<String>?, of trip: ProviderTrip, _ token: String, _ flow: HostedFlow
    ) async throws -> PresentedIdentity? {
        guard let code, let provider = visit.tenant.provider(trip.provider),
            try await routes.engine.awaitsIdentity(ContinuationToken(token), in: visit.caller(flow))
        else { return nil }
        do throws(IdentityVerificationFailure) {
            guard let web = provider.web else { throw .unavailable }
            let tokens = try await routes.engine.ports.identities.tokens(
                for: ProviderCode(
                    code: code, redirect: visit.callback(of: provider.id), verifier: Secret(trip.verifier)),
                of: web.clientID, from: provider, now: visit.now)
            return PresentedIdentity(token: tokens.idToken, refreshToken: tokens.refreshToken)
        } catch {
            visit.context.logger.notice(
                "a provider did not exchange a code", metadata: ["provider": "\(provider.id)", "reason": "\(error)"])
            return nil
        }
    }
}
