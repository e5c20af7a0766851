package import NativeAuthCore
package import PortableFoundation

// What a step counts by: sources, networks, mailboxes and accounts, as keyed digests.
extension Engine {
    /// What a step counts by, as keyed digests; all nil when limits over time are off.
    struct RateLimitKeys: Sendable {
        var isFamiliar = false
        var address: Data?
        var mailbox: Data?
        var recipient: Data?
        var networkAtMailbox: Data?
        var guesser: Data?
        var guessingNetwork: Data?
        var guessingIPv6Prefix48: Data?
        var account: Data?
        var source: Data?
        /// What a text is counted by; nil when the step's code goes to a mailbox.
        var text: TextQuery?
        var ipv6Prefix48: Data?
        /// The id of the slow lane's row.
        var slowLane: UUID?
        /// The user's failures from familiar networks, or from others, and from both.
        var lockout: Data?
        var lockouts: [Data] = []
        var network: Data?
    }

    /// The keys of a step. Familiar sources are counted separately, so that failures of unknown sources
    /// do not lock the owner out (`SEC-OTP-5`, `SEC-LOCK-3`).
    func rateLimitKeys(of step: Step, _ reads: StepReads) async throws(EngineError) -> RateLimitKeys {
        guard settings.limits != nil else { return RateLimitKeys() }
        let (state, context) = (step.state, step.context)
        let tenant = context.tenant.id
        func digest(_ parts: [Data]) -> Data { vault.digest(.counter, tenant: tenant, parts) }
        var keys = RateLimitKeys()
        if let user = state.account?.user {
            let id = Data(user.description.utf8)
            keys.network = context.caller.source.map { digest([Data("network".utf8), id, $0.network]) }
            if let network = keys.network {
                do {
                    keys.isFamiliar = try await ports.users.isFamiliar(
                        network, to: user, in: tenant,
                        since: context.now.addingTimeInterval(-Double(settings.familiarityLifetime)))
                } catch {
                    throw .store(error)
                }
            }
            keys.lockouts = [true, false].map { digest([Data("lockout".utf8), id, Self.bucket($0)]) }
            keys.lockout = keys.lockouts[keys.isFamiliar ? 0 : 1]
            keys.account = digest([Data("account".utf8), id])
        }
        // A contact that does not belong to the account may belong to another person: a familiar source gets no credit
        // there, and the owner of the contact keeps a budget.
        let target = reads.recipient ?? state.recipient
        // The account's own mailbox is not such a contact; it has a budget that no other account can spend.
        let ownContact = state.registrant.flatMap { $0.key.bytes == target?.key ? state.account?.user : nil }
        let isFamiliar = keys.isFamiliar && (!state.hasForeignMailbox || ownContact != nil)
        let bucket = Self.bucket(isFamiliar)
        // When answers hide accounts, count by the typed name: requests with one name of an account must not be visible
        // at another name (design record 0013).
        let name =
            ownContact.map { Data("account \($0)".utf8) } ?? reads.recipient?.counted ?? state.countedName
            ?? state.recipient?.counted
        if let target, case .sending(let purpose) = reads.code {
            keys.recipient = vault.refusals(of: target, of: purpose, in: tenant)
        }
        keys.address = name.map { digest([Data("address".utf8), $0, bucket]) }
        // Texts have limits of their own.
        if target?.phone == nil, let name, let code = reads.code, let budget = MailBudget(code.purpose) {
            let purpose = Data(budget.rawValue.utf8)
            keys.mailbox = digest([Data("mailbox".utf8), purpose, name, bucket])
            let source = context.caller.source
            if let network = source?.network, !isFamiliar {
                keys.networkAtMailbox = digest([Data("network at mailbox".utf8), purpose, name, bucket, network])
            }
            // The exact name: an address with another tag may belong to another person (SEC-ID-3).
            if budget.hasSlowLane, let exact = state.countedName ?? state.recipient?.key {
                let lane = digest([Data("slow lane".utf8), purpose, exact])
                keys.slowLane = UUID(bytes: lane.prefix(16))
                keys.guesser = source.map { digest([Data("guesser".utf8), lane, $0.address]) }
                keys.guessingNetwork = source.map { digest([Data("guessing network".utf8), lane, $0.network]) }
                keys.guessingIPv6Prefix48 = source?.ipv6Prefix48.map { digest([Data("guessing site".utf8), lane, $0]) }
            }
        }
        keys.source = context.caller.source.map { digest([Data("source".utf8), $0.address]) }
        if let number = target?.phone, let account = keys.account {
            let use = reads.code?.purpose.textUse ?? .secondFactor
            // Strangers who type the number use up nothing of its owner's, who comes from a familiar network.
            let name = use == .signIn ? "sign-ins with number, " + Self.bucketName(isFamiliar) : "texts of number"
            keys.text = TextQuery(
                number: digest([Data(name.utf8), Data(number.text.utf8)]).prefix(16),
                neighbourhood: digest([Data("texts nearby".utf8), Data(number.neighbourhood.utf8)]).prefix(16),
                area: number.area.prefix, account: account.prefix(16), source: keys.source?.prefix(16),
                use: use)
        }
        keys.ipv6Prefix48 = context.caller.source?.ipv6Prefix48.map { digest([Data("site".utf8), $0]) }
        return keys
    }

    private static func bucket(_ isFamiliar: Bool) -> Data { Data(bucketName(isFamiliar).utf8) }

    private static func bucketName(_ isFamiliar: Bool) -> String { isFamiliar ? "familiar" : "unfamiliar" }
}

extension Engine.RateLimitKeys {
    subscript(who: CountedSubject) -> Data? {
        switch who {
        case .address: address
        case .mailbox: mailbox
        case .recipient: recipient
        case .networkAtMailbox: networkAtMailbox
        case .guesser: guesser
        case .guessingNetwork: guessingNetwork
        case .guessingIPv6Prefix48: guessingIPv6Prefix48
        case .account: account
        case .source: source
        case .ipv6Prefix48: ipv6Prefix48
        }
    }
}

extension Vault {
    /// What refused mails to an address are counted by. Mails that every address gets who asks for one, and mails that only
    /// the address of an account gets, are counted apart: refusals of the latter tell that there is an account
    /// (`SEC-ENUM-3`).
    package func refusals(
        of recipient: Contact, of purpose: MailContent.Purpose, in tenant: TenantID
    ) -> Data {
        let kind = purpose.goesToAnyAddress ? "refusals" : "refusals of an account's mails"
        return digest(.counter, tenant: tenant, [Data(kind.utf8), recipient.key])
    }
}
