import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// A signed-in user and their tokens, as stored in the token cache. Its description contains none of them.
struct Session: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// An access token with its scopes and lifetime. Its description is redacted (`SDK-LOG-1`).
    struct Token: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
        var accessToken: String
        /// The granted scopes.
        var scopes: [String]
        /// The requested scopes, including the reserved ones.
        var requested: [String]
        /// Seconds of validity, counted from ``obtainedOn``.
        var lifetime: Double
        /// When the token was obtained, on the device's clock.
        var obtainedOn: Date
        /// When the token was obtained, on the clock that cannot be set; valid only in this process.
        var uptime: Double
        var process: UUID

        /// The seconds left, by the clock that cannot be set if possible (`SDK-TIME-1`). After a restart the device's
        /// clock is used; if it was set back, nothing is left.
        func remaining(at moment: Moment) -> Double {
            if process == moment.process { return lifetime - (moment.uptime - uptime) }
            let age = moment.date.timeIntervalSince(obtainedOn)
            return age < -300 ? 0 : lifetime - max(age, 0)
        }

        /// Whether the token has all of `scopes`. `api/.default` means every scope that the server grants for an API,
        /// and no reply repeats it: a token requested with it has it.
        func covers(_ scopes: [String]) -> Bool { missing(scopes).isEmpty }

        /// The scopes in `scopes` that the token does not have.
        func missing(_ scopes: [String]) -> [String] {
            let defaults = requested.filter { $0.lowercased().hasSuffix("/.default") }
            return OIDCScopes.missing(scopes, in: self.scopes + defaults)
        }

        var description: String { "Token" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private static let currentVersion = 1
    /// How long before its expiry a token is refreshed, in seconds.
    static let margin = 300.0

    /// The format version of the stored bytes; any number except 1 counts as signed out (`SDK-STO-3`).
    private var version = currentVersion
    /// The id of the sign-in, new for each one. Results that belong to an earlier sign-in are too late and are dropped
    /// (`SDK-STO-4`).
    var signIn = UUID()
    /// The order of sign-ins: the account with the highest number signed in last.
    var order = 0
    var username: String
    var objectID: String
    var tenantID: String
    var idToken: String?
    var refreshToken: String?
    /// Whether the server refused the refresh token, which is then removed.
    var hasEnded = false
    /// The scopes of the sign-in, including the reserved ones: the default for token requests.
    var requested: [String]
    /// Newest last.
    var tokens: [Token] = []

    var homeAccountID: String { "\(objectID).\(tenantID)" }

    init(username: String, objectID: String, tenantID: String, requested: [String]) {
        self.username = username
        self.requested = requested
        self.objectID = objectID
        self.tenantID = tenantID
    }

    /// Decodes ``kept``; nil for other bytes.
    init?(kept data: Data) {
        do {
            self = try WireJSON.decode(from: data)
        } catch {
            // The reason does not matter: the user signs in again.
            return nil
        }
        guard version == Self.currentVersion else { return nil }
    }

    /// The bytes for the token cache.
    var kept: Data? {
        do {
            return try WireJSON.encode(self)
        } catch {
            // Strings and finite numbers always encode; if encoding fails, signed out is the safe state.
            return nil
        }
    }

    var description: String { "Session" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// The newest token that has all of `scopes` and is valid for more than `margin`; with empty `scopes`, one for the
    /// scopes of the sign-in.
    ///
    /// With empty `scopes`, the token must come from the same request as the sign-in's: any other may be for another
    /// API.
    func token(for scopes: [String], at moment: Moment, margin: Double = Self.margin) -> Token? {
        tokens.last { token in
            guard token.remaining(at: moment) > margin else { return false }
            return scopes.isEmpty ? Set(token.requested) == Set(requested) : token.covers(scopes)
        }
    }

    /// Stores the tokens of `reply`; false when it has neither an access token nor an ID token.
    mutating func update(with reply: TokenReply, requested: [String], at moment: Moment) -> Bool {
        guard reply.tokenType.map({ $0.lowercased() == "bearer" }) ?? true,
            reply.accessToken != nil || reply.idToken != nil
        else { return false }
        idToken = reply.idToken?.reveal() ?? idToken
        if let token = reply.refreshToken?.reveal(), !token.isEmpty {
            refreshToken = token
            hasEnded = false
        }
        guard let accessToken = reply.accessToken?.reveal(), !accessToken.isEmpty else { return true }
        let scopes = reply.scope.map { $0.split(separator: " ").map(String.init) } ?? requested
        // A reply without a lifetime means an hour (docs/protocol.md §6.1). A lifetime is at most a year.
        let lifetime = Double(min(max(reply.expiresIn ?? 3600, 0), 31_536_000))
        tokens.removeAll {
            Set($0.scopes) == Set(scopes) && Set($0.requested) == Set(requested) || $0.remaining(at: moment) <= 0
        }
        tokens.append(
            Token(
                accessToken: accessToken, scopes: scopes, requested: requested, lifetime: lifetime,
                obtainedOn: moment.date, uptime: moment.uptime, process: moment.process))
        return true
    }
}

/// The OpenID Connect scopes that every token request sends (docs/protocol.md §5.7).
enum OIDCScopes {
    static let reserved = ["openid", "profile", "offline_access"]

    /// `scopes` and the reserved scopes, without duplicates.
    static func requesting(_ scopes: [String]) -> [String] {
        scopes.filter { !reserved.contains($0.lowercased()) } + reserved
    }

    /// The requested scopes that were not granted; servers may change the letter case.
    static func missing(_ scopes: [String], in granted: [String]) -> [String] {
        let granted = Set(granted.map { $0.lowercased() } + reserved)
        return scopes.filter { !granted.contains($0.lowercased()) }
    }
}
