import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signed-in user and their tokens, as kept in the token cache. It prints nothing of them.
struct Session: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// An access token and what it is good for. It prints redacted (`SDK-LOG-1`).
    struct Token: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
        var accessToken: String
        /// What was granted.
        var scopes: [String]
        /// What was asked for, with the reserved scopes.
        var requested: [String]
        /// Seconds, from the moment it was obtained.
        var lifetime: Double
        /// That moment on the device's clock.
        var obtainedOn: Date
        /// That moment on the clock that nobody can set, which counts in this process only.
        var uptime: Double
        var process: UUID

        /// The seconds left, by the clock that cannot be set if that is possible (`SDK-TIME-1`). After a restart the device's
        /// clock has to do; where it has gone back, nothing is left.
        func remaining(at moment: Moment) -> Double {
            if process == moment.process { return lifetime - (moment.uptime - uptime) }
            let age = moment.date.timeIntervalSince(obtainedOn)
            return age < -300 ? 0 : lifetime - max(age, 0)
        }

        /// Whether it has all of `scopes`. `api/.default` stands for whatever the server grants of an API, and no reply repeats
        /// it: who asked for it has it.
        func covers(_ scopes: [String]) -> Bool { missing(scopes).isEmpty }

        /// Those of `scopes` that it does not have.
        func missing(_ scopes: [String]) -> [String] {
            let defaults = requested.filter { $0.lowercased().hasSuffix("/.default") }
            return OIDCScopes.missing(scopes, in: self.scopes + defaults)
        }

        var description: String { "Token" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private static let currentVersion = 1
    /// How long before its end a token is renewed, in seconds.
    static let margin = 300.0

    /// The form of the kept bytes; another number than 1 counts as signed out (`SDK-STO-3`).
    private var version = currentVersion
    /// The generation: another one for each time somebody signs in. What belongs to an earlier one comes too late
    /// (`SDK-STO-4`).
    var signIn = UUID()
    /// The account with the highest one signed in last.
    var order = 0
    var username: String
    var objectID: String
    var tenantID: String
    var idToken: String?
    var refreshToken: String?
    /// Whether the server refused the refresh token, which is gone since.
    var hasEnded = false
    /// What the sign-in asked for, with the reserved scopes: what a token is for when nobody says otherwise.
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

    /// Reads ``kept``; nil for bytes of anything else.
    init?(kept data: Data) {
        do {
            self = try WireJSON.decode(from: data)
        } catch {
            // Why they cannot be read changes nothing: the user signs in again.
            return nil
        }
        guard version == Self.currentVersion else { return nil }
    }

    /// The bytes for the token cache.
    var kept: Data? {
        do {
            return try WireJSON.encode(self)
        } catch {
            // Strings and finite numbers always encode; were it not so, signed out is the safe state.
            return nil
        }
    }

    var description: String { "Session" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// The newest token that has all of `scopes`, or without any what the sign-in asked for, and more than `margin` to live.
    ///
    /// Without scopes it is one that was got for the same request as the sign-in's: any other may be for another API.
    func token(for scopes: [String], at moment: Moment, margin: Double = Self.margin) -> Token? {
        tokens.last { token in
            guard token.remaining(at: moment) > margin else { return false }
            return scopes.isEmpty ? Set(token.requested) == Set(requested) : token.covers(scopes)
        }
    }

    /// Takes over what `reply` brought; false when it brought neither token.
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
        // A reply without a lifetime means an hour (native-auth-v1 §6.1). None lasts longer than a year.
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

/// The scopes of OpenID Connect that every token request carries (native-auth-v1 §5.7).
enum OIDCScopes {
    static let reserved = ["openid", "profile", "offline_access"]

    /// `scopes` and the reserved ones, each once.
    static func requesting(_ scopes: [String]) -> [String] {
        scopes.filter { !reserved.contains($0.lowercased()) } + reserved
    }

    /// What was asked for and not granted; servers may change the letter case.
    static func missing(_ scopes: [String], in granted: [String]) -> [String] {
        let granted = Set(granted.map { $0.lowercased() } + reserved)
        return scopes.filter { !granted.contains($0.lowercased()) }
    }
}
