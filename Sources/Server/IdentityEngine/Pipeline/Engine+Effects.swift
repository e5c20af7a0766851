import NativeAuthCore
import PortableFoundation

// Turns the effects of a decision into rows, and makes the codes that are mailed.
extension Engine {
    func rows(
        for effect: FlowEffect, of opened: OpenedToken, _ subjects: RateLimitKeys, in context: RequestContext
    ) throws(EngineError) -> [Effect] {
        switch effect {
        case .createUser(let draft, let id):
            var attributes = draft.attributes
            attributes[AttributeDefinition.aliasName] = nil
            return [
                .createUser(
                    NewUser(
                        id: id, tenant: context.tenant.id, client: context.client.id, identifiers: draft.identifiers,
                        passwordHash: draft.passwordHash, attributes: attributes, createdAt: context.now))
            ]
        case .mailCode(let fresh, let email, let purpose):
            return [
                try mail(
                    purpose, to: email, code: fresh.digits.reveal(), expiresAt: fresh.record.expiresAt, of: opened,
                    in: context)
            ]
        case .mailSharedCode(let fresh, let email, let purpose):
            guard let shared = fresh.shared else { return [] }
            return [
                try mail(
                    purpose, to: email, code: shared.digits.reveal(), expiresAt: fresh.record.expiresAt, of: opened,
                    in: context)
            ]
        case .setSlowLane(let row):
            return subjects.slowLane.map { [.setSlowLane(row, $0)] } ?? []
        case .mailNotice(let purpose, let email, let methods):
            let end = context.now.addingTimeInterval(Double(settings.noticeLifetime))
            return [
                try mail(purpose, to: email, code: nil, about: methods, expiresAt: end, of: opened, in: context)
            ]
        case .openRefreshFamily(let family):
            return [.openRefreshFamily(family)]
        case .record(let kind, let user, let detail):
            let user = opened.isDecoy ? nil : user
            return [.record(event(kind, user: user, detail: detail, of: opened.flow, in: context))]
        // No subject means that limits over time are off: nothing is counted.
        case .count(let counted, let who):
            return subjects[who].map { [.count(counted, subject: $0, at: context.now)] } ?? []
        case .forget(let counted, let who):
            return subjects[who].map { [.forget(counted, subject: $0)] } ?? []
        case .changePassword(let user, let hash):
            return [.changePassword(user, hash, at: context.now)]
        case .upgradePassword(let user, let old, let new):
            return [.upgradePassword(user, from: old, to: new)]
        case .trustPassword(let user):
            return [.trustPassword(user)]
        case .revokeRefreshFamilies(let user, let keepingTwoFactors):
            return [.revokeRefreshFamilies(user, keepingTwoFactors: keepingTwoFactors, at: context.now)]
        case .endFlows(let user):
            return [.endFlows(user)]
        case .addStrongMethod(var method, let user):
            method.enrolment.client = context.client.id
            method.enrolment.isFamiliarSource = subjects.network.map { _ in subjects.isFamiliar }
            return [.addStrongMethod(method, to: user)]
        case .removeStrongMethods(let ids, let user):
            return [.removeStrongMethods(ids, of: user)]
        case .suspendStrongMethods(let ids, let user):
            return [.setSuspension(ids, of: user, context.now)]
        case .reactivateStrongMethod(let id, let user):
            return [.setSuspension([id], of: user, nil)]
        case .noteFirstUse(let id, let user):
            return [.noteFirstUse(id, of: user, at: context.now)]
        case .setLockout(let lockout):
            return subjects.lockout.map { [.setLockout(lockout, subject: $0)] } ?? []
        case .clearLockouts:
            return subjects.lockouts.map { .setLockout(nil, subject: $0) }
        case .rememberNetwork(let user):
            return subjects.network.map { [.rememberNetwork($0, of: user, at: context.now)] } ?? []
        case .forgetNetworks(let user):
            return [.forgetNetworks(user)]
        }
    }

    private func mail(
        _ purpose: MailContent.Purpose, to email: EmailAddress, code: String?, about methods: [EmailAddress] = [],
        expiresAt: Date, of opened: OpenedToken, in context: RequestContext
    ) throws(EngineError) -> Effect {
        // A decoy flow's mail is written to the outbox and never sent: the owner of that mailbox asked for nothing
        // (SEC-ENUM-3).
        let content = MailContent(
            purpose: purpose, recipient: opened.isDecoy ? MailContent.noRecipient : email.address, code: code,
            minutesValid: code == nil ? 0 : settings.codeLifetime / 60, language: context.caller.language,
            organisation: context.tenant.displayName, sentAt: context.now,
            occasion: methods.isEmpty
                ? nil
                : MailContent.Occasion(
                    methods: methods.map(\.masked), network: context.caller.source?.networkText))
        do {
            return .enqueueMail(
                try OutboxMail.sealing(
                    content, id: ports.randomness.uuid(at: context.now), tenant: context.tenant.id, flow: opened.flow,
                    expiresAt: expiresAt,
                    using: vault))
        } catch {
            throw .broken("a mail could not be sealed")
        }
    }

    func event(
        _ kind: AuditEvent.Kind, user: UserID? = nil, detail: String? = nil, of flow: UUID?, in context: RequestContext
    ) -> AuditEvent {
        AuditEvent(
            kind, at: context.now, tenant: context.tenant.id, client: context.client.id, flow: flow, user: user,
            detail: detail, source: auditSource(context.caller, context.tenant.id))
    }

    /// The digest that stands for a request's source in the audit trail (`SEC-AUD-1`).
    func auditSource(_ caller: CallerContext, _ tenant: TenantID) -> Data? {
        caller.source.map { vault.digest(.audit, tenant: tenant, [Data("source".utf8), $0.address]).prefix(16) }
    }

    /// Draws the digits of a new code, as many as a shared code has; a flow's own code is a prefix of them.
    func drawCode() -> Secret<String> {
        guard let fixed = settings.fixedCode else {
            return Secret(ports.randomness.digits(EngineSettings.sharedCodeDigits))
        }
        let rest = EngineSettings.sharedCodeDigits - fixed.reveal().utf8.count
        return Secret(fixed.reveal() + String(repeating: "0", count: max(0, rest)))
    }

    /// The code for a mailbox. It is made before the decision, which is pure and may not use it.
    func freshCode(
        _ drawn: Secret<String>, _ situation: StepSituation, of opened: OpenedToken, to email: EmailAddress,
        for purpose: MailContent.Purpose, in context: RequestContext
    ) -> FreshCode {
        let digits = Secret(String(drawn.reveal().prefix(settings.codeDigits)))
        let target = vault.digest(
            .oneTimePasscode, tenant: context.tenant.id, [Data(purpose.rawValue.utf8), email.key.bytes])
        func mark(_ parts: [Data]) -> Data { vault.keyedMAC(.oneTimePasscode, tenant: context.tenant.id, parts) }
        let own = codeParts(
            digits, number: situation.row.codesSent + 1, of: opened.flow, to: email, for: purpose, in: context)
        return FreshCode(
            digits: digits,
            record: CodeRecord(
                digest: mark(own), target: target, sentAt: context.now,
                expiresAt: context.now.addingTimeInterval(Double(settings.codeLifetime))),
            shared: situation.hasSlowLane
                ? SharedCode(digits: drawn, digest: mark(sharedParts(drawn, to: email, for: purpose))) : nil)
    }

    /// Whether `digits` are the code of `record`. Call it inside the step: the flow's row says which code is the
    /// current one.
    func matches(
        _ digits: Secret<String>, _ record: CodeRecord, _ situation: StepSituation, of opened: OpenedToken,
        to email: EmailAddress, for purpose: MailContent.Purpose, in context: RequestContext
    ) -> Bool {
        let parts =
            situation.usesSharedCode
            ? sharedParts(digits, to: email, for: purpose)
            : codeParts(digits, number: situation.row.codesSent, of: opened.flow, to: email, for: purpose, in: context)
        let isRight = vault.verifyMAC(record.digest, of: .oneTimePasscode, tenant: context.tenant.id, parts)
        return isRight && !opened.isDecoy
    }

    /// The digits of the code as the user typed it, without blanks and hyphens; nil when the text cannot be a code.
    /// Such text is refused and not counted (`SEC-OTP-8`).
    func digits(of code: Secret<String>) -> Secret<String>? {
        let digits = code.reveal().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard [settings.codeDigits, EngineSettings.sharedCodeDigits].contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return Secret(String(decoding: digits, as: UTF8.self))
    }

    /// The parts that a flow's own code is bound to: client, flow, number, purpose and identifier; the tenant is bound
    /// by the vault (`SEC-OTP-7`, `SEC-OTP-9`).
    private func codeParts(
        _ digits: Secret<String>, number: Int, of flow: UUID, to email: EmailAddress, for purpose: MailContent.Purpose,
        in context: RequestContext
    ) -> [Data] {
        [
            Data(context.client.id.description.utf8), Data(flow.uuidString.utf8), Data("\(number)".utf8),
            Data(purpose.rawValue.utf8), email.key.bytes, Data(digits.reveal().utf8),
        ]
    }

    /// The parts that a shared code is bound to: purpose and identifier; the tenant is bound by the vault. It is stored
    /// where only flows about this identifier look it up.
    private func sharedParts(_ digits: Secret<String>, to email: EmailAddress, for purpose: MailContent.Purpose)
        -> [Data]
    {
        [Data("shared".utf8), Data(purpose.rawValue.utf8), email.key.bytes, Data(digits.reveal().utf8)]
    }
}
