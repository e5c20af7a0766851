package import NativeAuthCore
package import PortableFoundation

/// Where the next page of a list of users begins, and what the first page was asked for.
package struct ListPosition: Hashable, Sendable, Codable {
    package var user: UserPosition
    /// Whether the first page was asked for the number of all users. Clients repeat the header that allows it only on the
    /// first page.
    package var counts: Bool

    package init(_ user: UserPosition, counts: Bool) {
        self.user = user
        self.counts = counts
    }
}

/// Makes and opens the tokens of `@odata.nextLink` (`SEC-ADM-8`).
///
/// A token is base64url of a format version (1 byte) and the sealed position. Tenant and query are bound to the seal, so
/// a token of another tenant or another list does not open.
package struct SkipTokens: Sendable {
    /// The longest token, in characters.
    package static let longest = 1_024

    private let vault: Vault
    private static let version: UInt8 = 1

    package init(vault: Vault) {
        self.vault = vault
    }

    /// - Parameter query: A digest of what the list shows and of its order.
    package func seal(
        _ position: some Encodable & Sendable, of query: Data, tenant: TenantID
    ) throws(EngineError) -> String {
        let plaintext = try StateCoding.encode(position)
        do {
            return Base64URL.encode(
                [Self.version] + (try vault.seal(plaintext, for: .skipToken, tenant: tenant, context: [query])))
        } catch {
            throw .broken("a skip token could not be sealed")
        }
    }

    /// Opens a token of ``seal(_:of:tenant:)``, also one that another server has sealed.
    ///
    /// - Returns: Nil when it was changed, or was made for another tenant or query.
    package func open<Position: Decodable & Sendable>(
        _ token: String, as type: Position.Type = Position.self, of query: Data, tenant: TenantID, now: Date
    ) async -> Position? {
        guard token.utf8.count <= Self.longest, let bytes = Base64URL.decode(token), bytes.first == Self.version else {
            return nil
        }
        let sealed = Data(bytes.dropFirst())
        await vault.loadKey(of: sealed, now: now)
        do {
            return StateCoding.decode(
                try vault.open(sealed, for: .skipToken, tenant: tenant, context: [query]))
        } catch {
            return nil
        }
    }
}

extension Engine {
    package var skipTokens: SkipTokens { SkipTokens(vault: vault) }
    package var auditChain: AuditChain { AuditChain(vault: vault) }

    /// The id by which operators know a line of the audit trail: 32 hexadecimal digits.
    package func lineID(of seq: Int, in tenant: TenantID) -> String {
        vault.digest(.counter, tenant: tenant, [Data("line".utf8), Data(String(seq).utf8)]).prefix(16).hexadecimal
    }
}
