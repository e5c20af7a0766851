package import NativeAuthCore
import PortableFoundation

// Calls of receivers in a user's request. A call is made between two transactions, never inside one, and only after the
// user has proven what the step is about: the time that a receiver takes must not tell whether an account exists.

/// What the receivers say about a sign-up whose mailbox is proven.
package enum SignUpRuling: Hashable, Sendable {
    /// Go on with these attributes.
    case proceed([String: AttributeValue])
    /// Ask the user again for some of these attributes.
    case askAgain([String: AttributeValue], for: [String], reason: String)
    /// End the sign-up.
    case block(reason: String)
}

extension RequestContext {
    func hook(for event: Hook.Event) -> Hook? { tenant.hasHooks ? tenant.hook(for: event, of: client) : nil }

    /// Whether a sign-up of this application waits for a receiver before its account is created.
    var asksAboutSignUps: Bool {
        tenant.hasHooks
            && (hook(for: .attributeCollectionStart) != nil || hook(for: .attributeCollectionSubmit) != nil)
    }

    /// What a call of this request states.
    func call(_ hook: Hook) -> HookCall {
        HookCall(
            hook: hook, tenant: tenant.id, domain: tenant.domain, client: client.id, clientName: client.displayName,
            correlationID: caller.trace.correlationID, source: caller.source?.addressText,
            language: tenant.mailLanguage(caller.language), now: now)
    }
}

extension Engine {
    /// Asks the receivers about a sign-up.
    ///
    /// - Parameter isFirst: Whether the collection starts now; after that, only complete attributes are asked about.
    func rule(
        on draft: SignUpDraft, isFirst: Bool, in context: RequestContext
    ) async throws(EngineError) -> SignUpRuling {
        let flow = context.userFlow
        var attributes = draft.attributes
        if isFirst, let hook = context.hook(for: .attributeCollectionStart) {
            let asked = CollectedAttributes(email: draft.email.address, attributes: attributes)
            let answer = try await answer(of: hook, in: context, otherwise: .proceed) { () async throws(HookFailure) in
                let answer = try await ports.hooks.collectionStarts(asked, asking: context.call(hook))
                guard case .prefill(let values) = answer else { return answer }
                return .prefill(try flow.accepted(values))
            }
            switch answer {
            case .proceed: break
            case .prefill(let values): attributes.merge(values) { own, _ in own }
            case .block(let reason): return .block(reason: reason)
            }
        }
        guard flow.missingAttributes(in: attributes).isEmpty,
            let hook = context.hook(for: .attributeCollectionSubmit)
        else { return .proceed(attributes) }
        let asked = CollectedAttributes(email: draft.email.address, attributes: attributes)
        let answer = try await answer(of: hook, in: context, otherwise: .proceed) { () async throws(HookFailure) in
            let answer = try await ports.hooks.collectionSubmits(asked, asking: context.call(hook))
            switch answer {
            case .proceed, .block: return answer
            case .modify(let values): return .modify(try flow.accepted(values))
            case .refuse(let names, let reason):
                // Without a name of this flow, all that the user gave is meant.
                let known = flow.attributes.map(\.name).filter(names.contains)
                let all = flow.attributes.map(\.name).filter { asked.attributes[$0] != nil }
                let wanted = known.isEmpty ? all : known
                return wanted.isEmpty ? .block(reason) : .refuse(attributes: wanted, reason: reason)
            }
        }
        switch answer {
        case .proceed: return .proceed(attributes)
        case .modify(let values): return .proceed(attributes.merging(values) { $1 })
        case .refuse(let names, let reason): return .askAgain(attributes, for: names, reason: reason)
        case .block(let reason): return .block(reason: reason)
        }
    }

    /// The claims that a receiver gives for a user's tokens, for each place.
    func claims(
        of hook: Hook, for account: UserAccount, in context: RequestContext
    ) async throws(EngineError) -> [ApplicationClaim.Place: [String: ClaimValue]] {
        try await answer(of: hook, in: context, otherwise: [:]) { () async throws(HookFailure) in
            let given = try await ports.hooks.claims(for: account.user, asking: context.call(hook))
            var claims: [ApplicationClaim.Place: [String: ClaimValue]] = [:]
            for place in HookClaim.possiblePlaces {
                let own = context.client.claims(about: account.user, in: place)
                var bytes = own.reduce(0) { $0 + $1.value.bytes(named: $1.key) }
                for claim in hook.claims where claim.places.contains(place) {
                    guard let value = given[claim.member] else { continue }
                    bytes += value.bytes(named: claim.name)
                    guard bytes <= ApplicationClaim.maximumBytes else { throw .claimsTooLarge }
                    claims[place, default: [:]][claim.name] = value
                }
            }
            return claims
        }
    }

    /// The answer of a receiver, or what a failure means for this hook.
    private func answer<Answer: Sendable>(
        of hook: Hook, in context: RequestContext, otherwise fallback: Answer,
        _ ask: () async throws(HookFailure) -> Answer
    ) async throws(EngineError) -> Answer {
        do {
            return try await ask()
        } catch {
            // All others are the receiver's to tell.
            if [.attribute, .claimsTooLarge].contains(error) { ports.hooks.refuse(error, of: context.call(hook)) }
            switch hook.onFailure {
            case .block: throw .hook(hook.id, error)
            case .proceed: return fallback
            }
        }
    }
}

extension UserFlow {
    /// The values of a receiver for attributes of this flow, without other names (docs/protocol.md §20.4). A receiver
    /// cannot give an alias, which is a login name that the user chooses.
    ///
    /// - Throws: ``HookFailure/attribute`` for a value that breaks the rules of its attribute.
    fileprivate func accepted(
        _ values: [String: AttributeValue]
    ) throws(HookFailure) -> [String: AttributeValue] {
        let known = values.filter { name, _ in
            name != AttributeDefinition.aliasName && attributes.contains { $0.name == name }
        }
        let judged = judge(SubmittedAttributes(known.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        guard judged.invalid.isEmpty else { throw .attribute }
        return judged.accepted
    }
}
