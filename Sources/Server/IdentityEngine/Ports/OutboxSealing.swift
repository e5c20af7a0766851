package import NativeAuthCore
package import PortableFoundation

extension OutboxMail {
    /// Makes a mail with content that only the vault's key opens; the engine seals it, the worker reads it with
    /// ``content(using:)``.
    ///
    /// - Parameters:
    ///   - id: Fresh and random; bound to the content, so that content moved to another row does not open.
    ///   - user: The user that the mail is about, if there is one yet.
    ///   - expiresAt: When the code expires.
    /// - Throws: ``VaultError/cannotSeal``.
    package static func sealing(
        _ content: MailContent, id: UUID, tenant: TenantID, flow: UUID?, user: UserID? = nil, expiresAt: Date,
        using vault: Vault
    ) throws(VaultError) -> OutboxMail {
        let plaintext: Data
        do {
            plaintext = try StateCoding.encode(content)
        } catch {
            throw .cannotSeal
        }
        return OutboxMail(
            id: id, tenant: tenant, flow: flow, user: user, lane: lane(of: content, tenant, vault),
            sealedContent: try vault.seal(plaintext, for: .outbox, tenant: tenant, context: context(of: id)),
            createdAt: content.sentAt, expiresAt: expiresAt)
    }

    /// The opened content of the mail.
    ///
    /// - Throws: ``VaultError/unreadable`` when the content was changed or wiped, belongs to another mail or tenant, or
    ///   was sealed under another master key.
    package func content(using vault: Vault) throws(VaultError) -> MailContent {
        let plaintext = try vault.open(sealedContent, for: .outbox, tenant: tenant, context: Self.context(of: id))
        guard let content: MailContent = StateCoding.decode(plaintext) else { throw .unreadable }
        return content
    }

    private static func lane(of content: MailContent, _ tenant: TenantID, _ vault: Vault) -> Data {
        if content.text != nil { return vault.digest(.outbox, tenant: tenant, [Data("texts".utf8)]).prefix(8) }
        // A receiver that is slow takes the room of one domain, and not that of all of the tenant's.
        if content.request != nil {
            return vault.digest(.outbox, tenant: tenant, [Data("hook".utf8)]).prefix(8)
        }
        let domain = content.recipient.utf8.split(separator: UInt8(ascii: "@")).last.map { Data($0) } ?? Data()
        return vault.digest(.outbox, tenant: tenant, [Data("lane".utf8), domain]).prefix(8)
    }

    /// The mail's id as 16 bytes.
    private static func context(of id: UUID) -> [Data] {
        [withUnsafeBytes(of: id.uuid) { Data($0) }]
    }
}
