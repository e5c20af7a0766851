import NativeAuthCore
import PortableFoundation

// The steps of a second factor beyond its code, which `Engine+SignIn` judges: the list of methods, and the registration
// of another one.
extension Engine {
    /// Lists the methods of the second factor.
    func introspectMethods(_ token: ContinuationToken, in context: RequestContext) async throws(EngineError) -> Outcome
    {
        try await opening(token, for: .introspectMethods, in: context) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: context) { situation in
                state.listingMethods(in: situation).map(FlowState.signIn)
            }
        }
    }

    /// Lists what the user can register.
    func introspectRegistration(_ token: ContinuationToken, in context: RequestContext) async throws(EngineError)
        -> Outcome
    {
        try await opening(token, for: .introspectRegistration, in: context) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: context) { _ in state.listingContacts().map(FlowState.signIn) }
        }
    }

    /// Sends a code to the contact that is to be registered.
    func challengeContact(
        _ token: ContinuationToken, _ contact: String, channel: String?, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeContact, in: context) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            guard SignInState.isEmail(channel),
                let email = EmailAddress(contact)
            else { return context.outcome(.refused(.invalidContact)) }
            let digits = drawCode()
            let reading = StepReads(recipient: email, code: .sending(.registration))
            return try await step(opened, reading, keepsAnswer: false, in: context) { situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .registration, in: context)
                return state.challenging(contact: email, with: fresh, in: situation).map(FlowState.signIn)
            }
        }
    }

    /// Judges the code that went to the contact, and registers it.
    func submitContactCode(
        _ token: ContinuationToken, _ code: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitContactCode, content: [Data((digits ?? code).reveal().utf8)], in: context
        ) {
            opened throws(EngineError) in
            guard case .signIn(let state) = opened.state, let email = state.mailbox else {
                return context.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return context.outcome(.refused(.incorrectCode)) }
            let method = ports.randomness.uuid()
            let reading = StepReads(sendsNotice: true, code: .judging(.registration, digits))
            return try await step(opened, reading, in: context) { situation in
                state.submitting(
                    contactCode: {
                        matches(digits, $0, situation, of: opened, to: email, for: .registration, in: context)
                    }, newMethod: method, in: situation
                ).map(FlowState.signIn)
            }
        }
    }

    /// Registers a contact that this flow has proven already.
    func confirmContact(_ token: ContinuationToken, in context: RequestContext) async throws(EngineError) -> Outcome {
        try await opening(token, for: .confirmContact, in: context) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            let method = ports.randomness.uuid()
            return try await step(opened, StepReads(sendsNotice: true), in: context) { situation in
                state.confirmingContact(newMethod: method, in: situation).map(FlowState.signIn)
            }
        }
    }
}
