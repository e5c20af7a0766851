import Crypto
import Foundation
import IdentityEngine
import NativeAuthCore

/// Continuation tokens that were modified, or presented elsewhere (`SEC-CT-3`, `SEC-CT-6`): none opens.
struct ContinuationTarget: Target {
    static let name = "continuation"

    private struct Place: Hashable {
        var vault: Int
        var tenant: Int
        var client: Int
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let tenants = (1...2).map { TenantID(uuid($0)) }
    private static let clients = (3...4).map { ClientID(uuid($0)) }
    private let vaults: [ContinuationTokens]
    /// Where each genuine token was made, and the operations it allows.
    private let genuine: [String: (place: Place, allowed: FlowOperations)]
    private let texts: [String]
    private let mutator: Mutator

    init() throws {
        let account = AccountBinding.account(UserID(Self.uuid(5)), credentialVersion: 1)
        guard let email = EmailAddress("dana@example.com") else { throw Finding("no address") }
        let draft = ResetDraft(account: account, email: email, capabilities: [])
        let proven = Authentication(
            account: account, email: email, origin: .reset, knowsPassword: false, mailboxes: [email],
            authenticatedAt: Self.now, capabilities: [])
        let states: [FlowState] = [
            .reset(.started(draft)), .reset(.awaitingCode(draft)), .reset(.choosingPassword(draft, proven)),
            .reset(.completed(proven)), .signIn(.authenticated(proven)),
        ]
        vaults = (0..<2).map { number in
            let randomness = ChanceRandomness(seed: UInt64(number))
            return ContinuationTokens(
                vault: Vault(masterKey: SymmetricKey(data: randomness.bytes(32)), randomness: randomness))
        }
        var genuine: [String: (place: Place, allowed: FlowOperations)] = [:]
        for place in Self.places {
            for state in states {
                let envelope = FlowEnvelope(
                    flow: Self.uuid(9), startedAt: Self.now, revision: 1, expiresAt: Self.now + 600, state: state)
                let token = try vaults[place.vault].seal(
                    envelope, tenant: Self.tenants[place.tenant], client: Self.clients[place.client])
                guard let text = token?.secret.reveal() else { throw Finding("a token is too long") }
                genuine[text] = (place, state.allowed)
            }
        }
        self.genuine = genuine
        texts = genuine.keys.sorted()
        mutator = Mutator(texts, words: ["A", "_", "-", "AgAA", "Ag", "=", "+", "/", "\n", "AAAAAAAA"])
    }

    private static let places = [0, 1].flatMap { vault in
        [0, 1].flatMap { tenant in [0, 1].map { Place(vault: vault, tenant: tenant, client: $0) } }
    }

    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    /// A byte for the place, one for the operation, and the text.
    func input(_ chance: inout Chance) -> [UInt8] {
        let head = chance.bytes(2)
        guard chance.percent(50) else { return head + mutator.input(&chance) }
        // Well encoded, with other bytes in it.
        var bytes = Base64URL.decode(chance.pick(texts)).map { [UInt8]($0) } ?? []
        switch chance.below(4) {
        case 0: bytes = Array(bytes.prefix(chance.below(bytes.count)))
        case 1: bytes += chance.bytes(1 + chance.below(20))
        case 2: bytes = mutator.mutated(bytes, &chance)
        case _: bytes[chance.below(bytes.count)] ^= 1 << UInt8(chance.below(8))
        }
        return head + Base64URL.encode(bytes).utf8
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard input.count >= 2 else { return false }
        let place = Self.places[Int(input[0]) % Self.places.count]
        let operation = FlowOperations(rawValue: 1 << UInt32(input[1] % 20))
        let text = Array(input.dropFirst(2)).lenientText
        let made = genuine[text]
        let mayOpen = made?.place == place && made?.allowed.isDisjoint(with: operation) == false
        do throws(ContinuationTokens.Fault) {
            _ = try vaults[place.vault].open(
                ContinuationToken(text), for: operation, tenant: Self.tenants[place.tenant],
                client: Self.clients[place.client], now: Self.now)
        } catch {
            try demand(!mayOpen, "a genuine token does not open: \(error)")
            return false
        }
        try demand(mayOpen, "a token opens that was not made here, for this")
        return true
    }
}
