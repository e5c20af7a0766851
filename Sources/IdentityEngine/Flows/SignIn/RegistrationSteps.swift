import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

// Registering a method for the second factor in the middle of a sign-in (native-auth-v1 §4.9, §8.4).
extension SignInState {
    /// What the only kind of contact is called.
    package static let emailContactID = "email"

    /// Whether a client means mail; it may leave the channel out, and write it in any letter case.
    package static func isEmail(_ channel: String?) -> Bool {
        guard let channel else { return true }
        return channel.utf8.count == emailContactID.utf8.count && channel.lowercased() == emailContactID
    }

    /// Says what can be registered: an e-mail address, with the account's own to begin with.
    package func listingContacts() -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _):
            Decision(
                .accepted(.chooseMethod([OfferedMethod(id: Self.emailContactID, hint: proven.email.address)])),
                next: self)
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            .refused(.notAllowedNow)
        }
    }

    /// Sends a code to `contact`, or says that this flow has proven it already.
    package func challenging(
        contact: EmailAddress, with fresh: FreshCode, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .choosingContact(let proven), .awaitingContactCode(let proven, _), .confirmingContact(let proven, _):
            if let refusal = situation.refusalToRegister(proven) { return .refused(refusal) }
            // It would be no second factor (`SEC-MFA-3`).
            if situation.userFlow.requiresDistinctMailbox, proven.isOwn(contact) { return .refused(.invalidContact) }
            // The very address: one with another tag may be somebody else's (`SEC-ID-3`), though it adds no factor (`SEC-MFA-3`).
            if proven.mailboxes.contains(where: { $0.key == contact.key }) {
                return Decision(.accepted(.contactAlreadyProven), next: .confirmingContact(proven, contact))
            }
            return situation.sendCode(
                fresh, to: contact, for: .registration, next: .awaitingContactCode(proven, contact)
            ) { _ in
                .proveContact(contact.display, codeLength: situation.settings.codeDigits)
            }
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Submits the code that went to the contact.
    package func submitting(
        contactCode matches: (CodeRecord) -> Bool, newMethod: UUID, in situation: StepSituation
    ) -> Decision<SignInState> {
        switch self {
        case .awaitingContactCode(let proven, let contact):
            if let refusal = situation.refusalToRegister(proven) { return .refused(refusal) }
            switch situation.judgeCode(recording: .secondFactorFailed, user: proven.account.user, matches: matches)
                as StepSituation.CodeJudgement<SignInState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                return Self.registering(
                    contact, for: proven.proving(contact), newMethod: newMethod, row: row, effects: effects,
                    in: situation)
            }
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact,
            .confirmingContact, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// Registers the contact that this flow has proven already.
    package func confirmingContact(newMethod: UUID, in situation: StepSituation) -> Decision<SignInState> {
        switch self {
        case .confirmingContact(let proven, let contact):
            if let refusal = situation.refusalToRegister(proven) { return .refused(refusal) }
            var row = situation.row
            row.revision += 1
            return Self.registering(contact, for: proven, newMethod: newMethod, row: row, effects: [], in: situation)
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact,
            .awaitingContactCode, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    private static func registering(
        _ contact: EmailAddress, for proven: Authentication, newMethod: UUID, row: FlowRow, effects: [FlowEffect],
        in situation: StepSituation
    ) -> Decision<SignInState> {
        let user = proven.account.user
        var proven = proven
        proven.registered = contact
        let method = StrongMethod(id: newMethod, email: contact, provenAt: situation.now)
        return Decision(
            .accepted(.signIn), next: .authenticated(proven), row: row,
            effects: effects + [
                .addStrongMethod(method, to: user), .record(.methodRegistered, user: user),
                .mailNotice(.methodRegistered, to: proven.email),
            ])
    }
}

extension StepSituation {
    /// Why no method may be registered on the strength of these proofs; nil: one may. They must be fresh and of the level that
    /// the account has: once there is a method, also one from another flow, the first factor alone is not (`SEC-MFA-4`).
    fileprivate func refusalToRegister(_ proven: Authentication) -> Refusal? {
        guard now.timeIntervalSince(proven.authenticatedAt) <= Double(settings.provenIdleLifetime) else {
            return .expiredToken
        }
        guard let account else { return .notAllowedNow }
        let counted = account.strongMethods.filter { !(userFlow.requiresDistinctMailbox && proven.isOwn($0.email)) }
        return counted.isEmpty ? nil : .notAllowedNow
    }
}
