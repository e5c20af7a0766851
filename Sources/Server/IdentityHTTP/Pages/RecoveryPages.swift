import Hummingbird
import IdentityEngine
import NativeAuthCore
import PortableFoundation

// The page of a sign-in whose user has few recovery codes left, or none (`SEC-REC-5`).

extension HostedVisit {
    /// What the sign-in leads through before it goes on.
    ///
    /// - Parameters:
    ///   - cookie: That of the session; nil: the browser has it already.
    ///   - step: The step that ends the flow. Who goes on with a session was asked at its sign-in: only what is demanded is asked
    ///     again.
    func renewal(
        of signIn: BrowserSignIn?, cookie: Secret<String>?, at step: HostedStep? = nil
    ) async throws -> RecoveryRenewal {
        if let step, step.isAboutCodes { return .none }
        guard let caller = try await codesCaller(signIn, cookie: cookie ?? cookies.session) else { return .none }
        let renewal = caller.recoveryRenewalOfSignIn(now: now)
        return step == .confirm && renewal == .suggested ? .none : renewal
    }

    /// The user of a sign-in, as one who asks for new codes on the account page.
    func codesCaller(_ signIn: BrowserSignIn?, cookie: Secret<String>?) async throws -> DirectoryCaller? {
        guard let signIn, let cookie, tenant.offersRecoveryCodes,
            let page = try await routes.engine.accountPage(of: tenant),
            let admitted = try await routes.engine.admitted(signIn, to: page.id, now: now)
        else { return nil }
        return try await routes.engine.accountCaller(admitted, cookie: cookie, of: page, in: tenant, now: now)
    }
}

extension HostedDriver {
    /// Makes new codes, or goes on. A user who has none left goes on when the codes are made; a proof that is too old for that
    /// begins the sign-in again. Where the account can have none any more, there is nothing to wait for.
    func renewCodes(_ action: String, asks: Bool, _ flow: HostedFlow) async throws -> HostedResult {
        var flow = flow
        let caller = try await visit.codesCaller(visit.signIn, cookie: visit.cookies.session)
        let renewal = caller?.account.recoveryRenewal(in: visit.tenant) ?? .none
        if let caller, action == "make-codes" || renewal == .demanded {
            guard caller.lackOfProof(now: visit.now) == nil else {
                flow.restart(isSignUp: false)
                return .progress(flow)
            }
            guard action == "make-codes" else { return .progress(flow) }
            try visit.context.admit(.profileChange, of: caller.limitKey)
            let made = try await routes.engine.makeRecoveryCodes(
                of: caller, language: caller.language(orElse: visit.language.language),
                from: visit.context.source?.forEngine, now: visit.now)
            switch made {
            case .accepted(let codes): return .codes(codes, flow)
            // Another page of this user made them, or there is nothing left that they are spares for.
            case .refused: return .progress(flow)
            }
        }
        guard asks else { return try await confirm(flow) }
        flow.step = .confirm
        flow.shown = nil
        return .progress(flow)
    }
}

extension HostedPage {
    /// The text and the buttons of the page.
    ///
    /// - Parameters:
    ///   - codes: The new codes, in the answer that made them.
    ///   - posted: Makes a form of this flow.
    func renewal(_ visit: HostedVisit, codes: [RecoveryCode], _ posted: (HTML) -> HTML) -> HTML {
        let renewal = codes.isEmpty ? visit.signIn?.account.recoveryRenewal(in: visit.tenant) ?? .none : .none
        return switch renewal {
        case .none:
            """
            \(shown(codes))\(posted(button("next", .goOn, isPrimary: true)))
            """
        case .suggested:
            """
            <p class="lead">\(language(.codesLow))</p><p>\(language(.recoveryHelp))</p>
            \(posted("\(button("make-codes", .makeCodes, isPrimary: true))\(button("next", .notNow))"))
            """
        case .demanded:
            """
            <p class="lead">\(language(.codesUsedUp))</p><p>\(language(.recoveryHelp))</p>
            \(posted(button("make-codes", .makeCodes, isPrimary: true)))
            """
        }
    }
}
