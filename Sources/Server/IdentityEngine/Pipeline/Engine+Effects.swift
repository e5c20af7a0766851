import NativeAuthCore
import PortableFoundation

// Turns the effects of a decision into rows.
extension Engine {
    func rows(
        for effect: FlowEffect, of step: Step, _ keys: RateLimitKeys, reader: MailLanguage?
    ) throws(EngineError) -> [Effect] {
        let context = step.context
        switch effect {
        case .createUser(let draft, let id):
            var attributes = draft.attributes
            attributes[AttributeDefinition.aliasName] = nil
            return [
                .createUser(
                    NewUser(
                        id: id, tenant: context.tenant.id, client: context.client.id, identifiers: draft.identifiers,
                        passwordHash: draft.passwordHash, attributes: attributes, createdAt: context.now,
                        emailProof: draft.isProvenByProvider ? .byProvider : .byCode))
            ]
        case .mailCode(let fresh, let email, let purpose):
            return [
                try mail(
                    purpose, to: email, code: fresh.digits.reveal(), expiresAt: fresh.record.expiresAt, of: step,
                    reader: reader)
            ]
        case .mailSharedCode(let fresh, let email, let purpose):
            guard let shared = fresh.shared else { return [] }
            return [
                try mail(
                    purpose, to: email, code: shared.digits.reveal(), expiresAt: fresh.record.expiresAt, of: step,
                    reader: reader)
            ]
        case .textCode(let fresh, let number, let purpose):
            return try text(fresh, to: number, for: purpose, of: step, keys)
        case .noteVerifiedTexts:
            return keys.text.map { [.noteVerifiedTexts(step.flow, number: $0.number, at: context.now)] } ?? []
        case .setSlowLane(let row):
            return keys.slowLane.map { [.setSlowLane(row, $0)] } ?? []
        case .mailNotice(let purpose, let email, let methods):
            let end = context.now.addingTimeInterval(Double(settings.noticeLifetime))
            return [
                try mail(purpose, to: email, code: nil, about: methods, expiresAt: end, of: step, reader: reader)
            ]
        case .mailUndo(let code, let email):
            let end = context.now.addingTimeInterval(Double(settings.noticeLifetime))
            return [try mail(.emailChanged, to: email, code: code.reveal(), expiresAt: end, of: step, reader: reader)]
        case .record(let kind, let user, let detail):
            let user = step.isDecoy ? nil : user
            return [.record(event(kind, user: user, detail: detail, of: step.flow, in: context))]
        // No subject means that limits over time are off: nothing is counted.
        case .count(let counted, let who):
            return keys[who].map { [.count(counted, subject: $0, at: context.now)] } ?? []
        case .forget(let counted, let who):
            return keys[who].map { [.forget(counted, subject: $0)] } ?? []
        case .addStrongMethod(var method, let user):
            method.enrolment.client = context.client.id
            method.enrolment.isFamiliarSource = keys.network.map { _ in keys.isFamiliar }
            return [.addStrongMethod(method, to: user)]
        case .setLockout(let lockout):
            return keys.lockout.map { [.setLockout(lockout, subject: $0)] } ?? []
        case .clearLockouts:
            return keys.lockouts.map { .setLockout(nil, subject: $0) }
        case .rememberNetwork(let user):
            return keys.network.map { [.rememberNetwork($0, of: user, at: context.now)] } ?? []
        case .write(let effect):
            return [effect]
        }
    }

    private func mail(
        _ purpose: MailContent.Purpose, to email: EmailAddress, code: String?, about methods: [String] = [],
        expiresAt: Date, of step: Step, reader: MailLanguage?
    ) throws(EngineError) -> Effect {
        let context = step.context
        // A decoy flow's mail is written to the outbox and never sent: the owner of that mailbox asked for nothing
        // (SEC-ENUM-3).
        var content = MailContent(
            purpose: purpose, recipient: step.isDecoy ? MailContent.noRecipient : email.address, code: code,
            minutesValid: code == nil
                ? 0 : (purpose == .emailChanged ? settings.emailUndoLifetime : settings.codeLifetime) / 60,
            language: context.tenant.mailLanguage(context.caller.language, reader),
            organisation: context.tenant.displayName, sentAt: context.now,
            occasion: methods.isEmpty
                ? nil
                : MailContent.Occasion(
                    methods: methods, network: context.caller.source?.networkText),
            request: code == nil || purpose == .emailChanged || context.hook(for: .otpSend) == nil
                ? nil
                : MailContent.Request(
                    client: context.client.id, correlationID: context.caller.trace.correlationID,
                    source: context.caller.source?.addressText))
        content.span = context.caller.trace.span
        do {
            return .enqueueMail(
                try OutboxMail.sealing(
                    content, id: ports.randomness.uuid(at: context.now), tenant: context.tenant.id, flow: step.flow,
                    user: step.user, expiresAt: expiresAt, using: vault))
        } catch {
            throw .broken("a mail could not be sealed")
        }
    }

    /// A text with its row among those of the tenant. It is not sent when its code is about to expire.
    private func text(
        _ fresh: FreshCode, to number: PhoneNumber, for purpose: MailContent.Purpose, of step: Step,
        _ keys: RateLimitKeys
    ) throws(EngineError) -> [Effect] {
        let context = step.context
        guard let texts = texts(of: context.tenant) else { return [] }
        let code = fresh.digits.reveal()
        // That of a decoy is never sent, and costs nothing.
        var content = MailContent(
            purpose: purpose, recipient: step.isDecoy ? MailContent.noRecipient : number.text, code: code,
            minutesValid: settings.codeLifetime / 60,
            language: context.tenant.mailLanguage(context.caller.language), organisation: context.tenant.displayName,
            sentAt: context.now,
            request: texts.goesToHook
                ? MailContent.Request(
                    client: context.client.id, correlationID: context.caller.trace.correlationID,
                    source: context.caller.source?.addressText)
                : nil)
        content.text = texts.message(with: code)
        content.span = context.caller.trace.span
        let id = ports.randomness.uuid(at: context.now)
        do {
            let mail = try OutboxMail.sealing(
                content, id: id, tenant: context.tenant.id, flow: step.flow, user: step.user,
                expiresAt: fresh.record.expiresAt.addingTimeInterval(-Double(settings.textMargin)), using: vault)
            guard let counted = keys.text else { return [.enqueueMail(mail)] }
            return [
                .enqueueMail(mail),
                .noteText(
                    SentText(
                        id: id, flow: step.flow, counted: counted,
                        cost: step.isDecoy ? 0 : texts.price(of: number.area), at: context.now)),
            ]
        } catch {
            throw .broken("a text could not be sealed")
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
        caller.source.map { auditSource($0, tenant) }
    }

    func auditSource(_ source: RequestSource, _ tenant: TenantID) -> Data {
        vault.digest(.audit, tenant: tenant, [Data("source".utf8), source.address]).prefix(16)
    }
}
