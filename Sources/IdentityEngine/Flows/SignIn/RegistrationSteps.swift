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
            // The account's own address as it is stored: the code goes there, however it was spelled.
            let contact = contact.key == proven.email.key ? proven.email : contact
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            // It would be no second factor (`SEC-MFA-3`).
            if situation.userFlow.requiresDistinctMailbox, proven.isOwn(contact) { return .refused(.invalidContact) }
            // The very address: one with another tag may be somebody else's (`SEC-ID-3`), though it adds no factor (`SEC-MFA-3`).
            if proven.mailboxes.contains(where: { $0.key == contact.key }) {
                return Decision(.accepted(.contactAlreadyProven), next: .confirmingContact(proven, contact))
            }
            return situation.sendCode(
                fresh, to: contact, for: .registration, next: .awaitingContactCode(proven, contact)
            ) { _, length in
                .proveContact(contact.display, codeLength: length)
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
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            switch situation.judgeCode(recording: .secondFactorFailed, user: proven.account.user, matches: matches)
                as StepSituation.CodeJudgement<SignInState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                return Self.registering(
                    contact, for: proven, newMethod: newMethod, row: row, effects: effects, in: situation)
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
            if let refusal = situation.refusalToRegister(proven, contact) { return .refused(refusal) }
            var row = situation.row
            row.revision += 1
            return Self.registering(contact, for: proven, newMethod: newMethod, row: row, effects: [], in: situation)
        case .started, .awaitingPassword, .awaitingCode, .choosingMethod, .awaitingSecondFactor, .choosingContact,
            .awaitingContactCode, .authenticated:
            return .refused(.notAllowedNow)
        }
    }

    /// The method, on the strength of what `before` had proven; and the end of what was begun on less (`SEC-ENR-6`).
    private static func registering(
        _ contact: EmailAddress, for before: Authentication, newMethod: UUID, row: FlowRow, effects: [FlowEffect],
        in situation: StepSituation
    ) -> Decision<SignInState> {
        let user = before.account.user
        let strength = before.enrolmentStrength
        var proven = before.proving(contact, enrolledUnder: strength)
        proven.registered = contact
        // This flow goes on; all others of the user have ended.
        proven.account.credentialVersion = before.account.credentialVersion.map { $0 + 1 }
        let method = StrongMethod(
            id: newMethod, email: contact, provenAt: situation.now,
            enrolment: Enrolment(strength, authenticatedAt: before.authenticatedAt))
        return Decision(
            .accepted(.signIn), next: .authenticated(proven), row: row,
            effects: effects + [
                .addStrongMethod(method, to: user), .record(.methodRegistered, user: user, detail: strength.rawValue),
                .endFlows(user),
            ] + (proven.factors > 1 ? [.revokeRefreshFamilies(user, keepingTwoFactors: true)] : [])
                + situation.notices(.methodRegistered, about: [contact]))
    }
}

extension StepSituation {
    /// Why `contact` may not be registered on the strength of these proofs; nil: it may (decision D14).
    fileprivate func refusalToRegister(_ proven: Authentication, _ contact: EmailAddress) -> Refusal? {
        // The proofs must be fresh (SEC-MFA-4).
        guard now.timeIntervalSince(proven.authenticatedAt) <= Double(settings.provenIdleLifetime) else {
            return .expiredToken
        }
        guard let account else { return .notAllowedNow }
        // An account that has a method wants a proof by one that can be used, at the level that the account has, also if the method
        // came from another flow (SEC-ENR-3).
        guard account.strongMethods.isEmpty else {
            let hasGivenOne = account.strongMethods.contains { $0.suspendedAt == nil && proven.hasProven($0.email) }
            return hasGivenOne && proven.factors > 1 ? nil : .notAllowedNow
        }
        // The first one wants a proof that the account could give already: its own mailbox (SEC-ENR-2).
        switch enrolment {
        case .compatible: return nil
        // The very address: one with another tag may belong to another person (SEC-ID-3).
        case .proven: return proven.provesOwnMailbox || contact.key == proven.email.key ? nil : .blockedContact
        }
    }
}
