import NativeAuthCore
package import PortableFoundation

// What Apple says of a user once. A user who breaks the sign-up off would else have to type it (`SEC-FED-15`).

/// What a provider said of a user who has no account yet.
package struct NamesOfIdentity: Hashable, Sendable {
    /// In seconds.
    package static let lifetime = 86_400.0

    /// ``LinkedIdentity/key``.
    package var key: Data
    /// Names and address, sealed for the identity.
    package var sealed: Data
    package var until: Date

    package init(key: Data, sealed: Data, until: Date) {
        (self.key, self.sealed, self.until) = (key, sealed, until)
    }

    fileprivate struct Content: Codable {
        var givenName: String?
        var familyName: String?
        /// A mailbox that a token of the provider has proven, and that the provider could speak for; and until when that counts.
        var mailbox: String?
        var mailboxUntil: Date?
    }
}

extension Engine {
    /// Fills in what the provider said of the user at an earlier try.
    ///
    /// - Returns: What is to be kept for the next one; nil when nothing was said now.
    func recall(_ found: inout VerifiedIdentity, in context: RequestContext) async throws(EngineError)
        -> NamesOfIdentity?
    {
        let key = found.identity.key
        let said = NamesOfIdentity.Content(
            givenName: found.givenName, familyName: found.familyName, mailbox: found.mailbox?.address,
            mailboxUntil: context.now.addingTimeInterval(NamesOfIdentity.lifetime))
        let isComplete = said.givenName != nil && said.familyName != nil && said.mailbox != nil
        let earlier = isComplete ? nil : try await names(ofIdentity: key, in: context)
        found.givenName = found.givenName ?? earlier?.givenName
        found.familyName = found.familyName ?? earlier?.familyName
        // A proof ages, also when names are said anew.
        let isFresh = earlier?.mailboxUntil.map { context.now < $0 } ?? false
        let proven = said.mailbox != nil ? said : isFresh ? earlier : nil
        found.mailbox = found.mailbox ?? proven?.mailbox.flatMap { EmailAddress($0) }
        // What is repeated at each sign-in needs no keeping.
        guard said.givenName != nil || said.familyName != nil else { return nil }
        do {
            let sealed = try vault.seal(
                StateCoding.encode(
                    NamesOfIdentity.Content(
                        givenName: found.givenName, familyName: found.familyName, mailbox: proven?.mailbox,
                        mailboxUntil: proven?.mailboxUntil)),
                for: .namesOfIdentity, tenant: context.tenant.id, context: [key])
            return NamesOfIdentity(
                key: key, sealed: sealed, until: context.now.addingTimeInterval(NamesOfIdentity.lifetime))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("the names of an identity could not be sealed")
        }
    }

    private func names(
        ofIdentity key: Data, in context: RequestContext
    ) async throws(EngineError) -> NamesOfIdentity.Content? {
        let sealed: Data?
        do {
            sealed = try await ports.users.names(ofIdentity: key, in: context.tenant.id, now: context.now)
        } catch {
            throw .store(error)
        }
        guard let sealed else { return nil }
        await vault.loadKey(of: sealed, now: context.now)
        do {
            return StateCoding.decode(
                try vault.open(sealed, for: .namesOfIdentity, tenant: context.tenant.id, context: [key]))
        } catch {
            // Of a key that is gone: the user types the names.
            return nil
        }
    }
}
