package import NativeAuthCore
package import PortableFoundation

/// The content of a continuation token: a flow's identity, age, revision and state (design record 0014).
package struct FlowEnvelope: Codable, Hashable, Sendable {
    package var flow: UUID
    package var startedAt: Date
    package var revision: Int
    package var expiresAt: Date
    package var state: FlowState

    package init(flow: UUID, startedAt: Date, revision: Int, expiresAt: Date, state: FlowState) {
        self.flow = flow
        self.startedAt = startedAt
        self.revision = revision
        self.expiresAt = expiresAt
        self.state = state
    }
}

/// Makes and opens continuation tokens.
///
/// A token is base64url of: format version (1 byte), the operations that it allows (4 bytes), and the sealed envelope.
/// Tenant, client and operations are bound to the seal as associated data, so a token of another tenant, client or step
/// does not open (`SEC-CT-3`, `SEC-CT-6`).
package struct ContinuationTokens: Sendable {
    /// Why a token is rejected.
    package enum Fault: Error, Hashable {
        case unusable
        case expired
        /// The token is valid, but not for this operation.
        case notAllowedNow
    }

    private let vault: Vault
    private static let version: UInt8 = 4
    private static let headerLength = 5
    /// The longest token, in characters, that a client can send back in a body of 64 KiB (`SEC-NET-5`). A hundred
    /// attributes of 250 characters fit.
    package static let longestToken = 56 * 1024

    package init(vault: Vault) {
        self.vault = vault
    }

    /// - Parameter hidesLength: Whether to pad the envelope to whole KiB, so that the length of a stored address is not
    ///   visible (`SEC-ENUM-8`). A flow without attributes fits into one KiB.
    /// - Returns: The token; nil when it would be longer than ``longestToken``, so that no client could send it back.
    package func seal(
        _ envelope: FlowEnvelope, tenant: TenantID, client: ClientID, hidesLength: Bool = false
    ) throws(EngineError) -> ContinuationToken? {
        let header = Self.header(envelope.state.allowed)
        var plaintext = try StateCoding.encode(envelope)
        // The decoder ignores bytes after the value.
        if hidesLength { plaintext.append(Data(count: -plaintext.count & 1023)) }
        do {
            let sealed = try vault.seal(
                plaintext, for: .continuationToken, tenant: tenant, context: Self.context(header, client))
            let text = Base64URL.encode(header + sealed)
            return text.utf8.count <= Self.longestToken ? ContinuationToken(text) : nil
        } catch {
            throw .broken("a continuation token could not be sealed")
        }
    }

    /// Loads the key that sealed the token from the database, if it is there and not loaded yet.
    func loadKey(of token: ContinuationToken, now: Date) async {
        // Twelve characters are nine bytes: the header and the id of the key.
        guard let start = Base64URL.decode(String(token.secret.reveal().prefix(12))), start.count == 9 else { return }
        await vault.loadKey(of: Data(start.dropFirst(Self.headerLength)), now: now)
    }

    /// Whether this server made the token for this tenant and client. The token may be expired and may allow any
    /// operation.
    package func isAuthentic(_ token: ContinuationToken, tenant: TenantID, client: ClientID) -> Bool {
        do {
            _ = try unseal(token, tenant: tenant, client: client)
            return true
        } catch {
            return false
        }
    }

    /// - Parameter operation: The operation that the token is used for; when it contains several, the token must allow
    ///   at least one.
    package func open(
        _ token: ContinuationToken, for operation: FlowOperations, tenant: TenantID, client: ClientID, now: Date
    ) throws(Fault) -> FlowEnvelope {
        let (operations, plaintext) = try unseal(token, tenant: tenant, client: client)
        guard !operations.isDisjoint(with: operation) else { throw .notAllowedNow }
        guard let envelope: FlowEnvelope = StateCoding.decode(plaintext) else { throw .unusable }
        guard now < envelope.expiresAt else { throw .expired }
        return envelope
    }

    private func unseal(
        _ token: ContinuationToken, tenant: TenantID, client: ClientID
    ) throws(Fault) -> (operations: FlowOperations, plaintext: Data) {
        let text = token.secret.reveal()
        guard text.utf8.count <= Self.longestToken, let bytes = Base64URL.decode(text), bytes.count > Self.headerLength,
            bytes.first == Self.version
        else { throw .unusable }
        let header = Data(bytes.prefix(Self.headerLength))
        let operations = FlowOperations(rawValue: header.dropFirst().reduce(0) { $0 << 8 | UInt32($1) })
        do {
            let plaintext = try vault.open(
                Data(bytes.dropFirst(Self.headerLength)), for: .continuationToken, tenant: tenant,
                context: Self.context(header, client))
            return (operations, plaintext)
        } catch {
            throw .unusable
        }
    }

    private static func header(_ operations: FlowOperations) -> Data {
        Data([version]) + withUnsafeBytes(of: operations.rawValue.bigEndian) { Data($0) }
    }

    private static func context(_ header: Data, _ client: ClientID) -> [Data] {
        [header, Data(client.description.utf8)]
    }
}
