import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQLite
import IdentityTokens
import NativeAuthCore

/// Modified access tokens (`SEC-TOK-2`): an accepted token was signed here, byte for byte.
struct TokenTarget: Target {
    static let name = "tokens"
    static let share = (release: 100, debug: 50)

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let tenant = TenantID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))
    private static let issuer = "https://identity.test"
    private let rings: [KeyRing]
    /// The access tokens of this tenant, signed with ES256 and with RS256.
    private let genuine: Set<String>
    /// Those, the ID tokens, and the tokens of another tenant and of foreign keys.
    private let tokens: [String]
    private let mutator = Mutator(
        [#"{"alg":"none","typ":"at+jwt"}"#, #"{"alg":"HS256","typ":"at+jwt"}"#, "{}", "[]"],
        words: [
            "\"alg\":\"none\"", "\"alg\":\"HS256\"", "\"alg\":\"RS256\"", "\"alg\":\"ES256\"", "\"kid\":\"\"",
            "\"jwk\":{}",
            "\"crit\":[\"b64\"],\"b64\":false", "\"zip\":\"DEF\"", "\"exp\":9999999999", "\"scp\":\"Orders.Admin\"",
            "\"tid\":", "\"iss\":",
            "\"oid\":", "at+jwt", "JWT", ",", " ", "\\u0061", "\0", "1e400", "-1", "null", "true", "\"sub\":\"eve\",",
        ])

    init() async throws {
        let other = TenantID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2)))
        var (rings, genuine, tokens): ([KeyRing], Set<String>, [String]) = ([], [], [])
        for (number, algorithm) in [SigningKeyRecord.Algorithm.es256, .rs256, .es256].enumerated() {
            let randomness = ChanceRandomness(seed: UInt64(number))
            let vault = Vault(masterKey: SymmetricKey(data: randomness.bytes(32)), randomness: randomness)
            let ring = KeyRing(
                store: try SQLiteStore.inMemory(), vault: vault, clock: FixedClock(now: Self.start),
                randomness: randomness,
                algorithm: algorithm)
            for tenant in [Self.tenant, other] {
                let signed = try await ring.sign(Self.subject(tenant))
                tokens += [signed.accessToken.reveal(), signed.idToken?.reveal() ?? ""]
                // The third ring is the attacker's.
                if tenant == Self.tenant, number < 2 { genuine.insert(signed.accessToken.reveal()) }
            }
            if number < 2 { rings.append(ring) }
        }
        (self.rings, self.genuine, self.tokens) = (rings, genuine, tokens)
    }

    private static func subject(_ tenant: TenantID) -> TokenSubject {
        let id = UUID(uuid: (3, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 3))
        return TokenSubject(
            tenant: tenant, client: ClientID(id),
            user: User(
                id: UserID(id), tenant: tenant, email: "ana@example.org", alias: nil, hasPassword: false,
                attributes: ["displayName": "Ana"], createdAt: start),
            audience: "api://orders", scopes: ["Orders.Read"], openIDScopes: ["openid", "profile"],
            authenticatedAt: start,
            methods: ["otp"], issuedAt: start, lifetime: 3_600, tokenID: id, issuer: issuer)
    }

    func input(_ chance: inout Chance) -> [UInt8] {
        let token = chance.pick(tokens)
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let part = chance.below(3)
        switch chance.below(6) {
        case 0: return mutator.mutated(Array(token.utf8), &chance)
        case 1:
            // A part of another token.
            parts[part] = chance.pick(tokens).split(separator: ".").map(String.init)[part]
        case 2:
            // The same bytes in another base64.
            parts[part] = chance.pick([
                parts[part] + "=", parts[part] + "==", parts[part].replacing("-", with: "+"),
                parts[part].replacing("_", with: "/"),
                String(parts[part].dropLast()) + "B", parts[part] + "A", parts[part] + "\n",
            ])
        case _:
            // Another content, well encoded.
            let content = Base64URL.decode(parts[part]).map { [UInt8]($0) } ?? []
            parts[part] = Base64URL.encode(mutator.mutated(content, &chance))
        }
        return Array(parts.joined(separator: ".").utf8)
    }

    func check(_ input: [UInt8]) async throws -> Bool {
        let text = input.lenientText
        var isAccepted = false
        for ring in rings {
            do throws(TokenVerificationError) {
                _ = try await ring.verify(Secret(text), for: Self.tenant, issuer: Self.issuer, now: Self.start)
                isAccepted = true
            } catch {
                if case .unavailable = error { throw Finding("the ring cannot be asked") }
            }
        }
        try demand(
            isAccepted == genuine.contains(text),
            isAccepted ? "a forged token is accepted" : "a genuine token is refused")
        return isAccepted
    }
}

struct FixedClock: WallClock {
    let now: Date
}

/// Bytes that derive from a seed.
final class ChanceRandomness: Randomness {
    private let chance: Locked<Chance>

    init(seed: UInt64) {
        chance = Locked(Chance(seed: seed))
    }

    func bytes(_ count: Int) -> [UInt8] { chance.withLock { $0.bytes(count) } }
}
