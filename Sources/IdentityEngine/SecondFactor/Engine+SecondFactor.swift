import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a second factor beyond its code, which `Engine+SignIn` judges: the list of methods, and the registration of
// another one.
extension Engine {
    /// Lists the methods of the second factor.
    func listMethods(_ token: ContinuationToken, in scene: Scene) async throws(EngineError) -> Outcome {
        try await opening(token, for: .listMethods, in: scene) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: scene) { situation in
                state.listingMethods(in: situation).map(FlowState.signIn)
            }
        }
    }

    /// Lists what the user can register.
    func listContacts(_ token: ContinuationToken, in scene: Scene) async throws(EngineError) -> Outcome {
        try await opening(token, for: .listContacts, in: scene) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            return try await step(opened, in: scene) { _ in state.listingContacts().map(FlowState.signIn) }
        }
    }

    /// Sends a code to the contact that is to be registered.
    func challengeContact(
        _ token: ContinuationToken, _ contact: String, channel: String?, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeContact, in: scene) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            guard SignInState.isEmail(channel),
                let email = EmailAddress(contact)
            else { return scene.outcome(.refused(.invalidContact)) }
            let digits = drawCode()
            let reading = Reading(recipient: email, code: .sending(.registration))
            return try await step(opened, reading, keepsAnswer: false, in: scene) { situation in
                let fresh = freshCode(digits, situation, of: opened, to: email, for: .registration, in: scene)
                return state.challenging(contact: email, with: fresh, in: situation).map(FlowState.signIn)
            }
        }
    }

    /// Judges the code that went to the contact, and registers it.
    func submitContactCode(
        _ token: ContinuationToken, _ code: Secret<String>, in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: .submitContactCode, content: [Data((digits ?? code).reveal().utf8)], in: scene
        ) {
            opened throws(EngineError) in
            guard case .signIn(let state) = opened.state, let email = state.mailbox else {
                return scene.outcome(.refused(.notAllowedNow))
            }
            guard let digits else { return scene.outcome(.refused(.incorrectCode)) }
            let method = ports.randomness.uuid()
            let reading = Reading(sendsNotice: true, code: .judging(.registration, digits))
            return try await step(opened, reading, in: scene) { situation in
                state.submitting(
                    contactCode: {
                        matches(digits, $0, situation, of: opened, to: email, for: .registration, in: scene)
                    }, newMethod: method, in: situation
                ).map(FlowState.signIn)
            }
        }
    }

    /// Registers a contact that this flow has proven already.
    func confirmContact(_ token: ContinuationToken, in scene: Scene) async throws(EngineError) -> Outcome {
        try await opening(token, for: .confirmContact, in: scene) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return scene.outcome(.refused(.notAllowedNow)) }
            let method = ports.randomness.uuid()
            return try await step(opened, Reading(sendsNotice: true), in: scene) { situation in
                state.confirmingContact(newMethod: method, in: situation).map(FlowState.signIn)
            }
        }
    }
}
