import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Codes")
struct CodeDrawingTests {
    /// Bytes from the system, as in production.
    private struct System: Randomness {
        func bytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    /// Scripted bytes.
    private struct Given: Randomness {
        let given: [UInt8]
        func bytes(_ count: Int) -> [UInt8] {
            Array(given.prefix(count)) + Array(repeating: 0, count: max(0, count - given.count))
        }
    }

    @Test("SEC-OTP-1: every digit is equally likely at every place")
    func everyDigitIsEquallyLikely() {
        let codes = 30_000
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 8)
        for _ in 0..<codes {
            let digits = Array(System().digits(8).utf8)
            #expect(digits.count == 8)
            for (place, digit) in digits.enumerated() { counts[place][Int(digit) - 0x30] += 1 }
        }
        let expected = Double(codes) / 10
        for place in counts {
            let chiSquared = place.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
            // Nine degrees of freedom: 33.7 is exceeded once in ten thousand.
            #expect(chiSquared < 33.7)
        }
    }

    @Test("SEC-OTP-1: bytes that would favour a digit are thrown away, and leading zeros stay")
    func unevenBytesAreThrownAway() {
        #expect(Given(given: [255, 250, 0, 10, 7, 249, 251, 1, 2, 3, 4, 5]).digits(6) == "007912")
    }

    @Test("A UUID with a time begins with its milliseconds, and has 74 random bits behind them")
    func aUUIDWithATime() {
        let random = Given(given: Array(repeating: 0xFF, count: 16))
        let early = random.uuid(at: Date(timeIntervalSince1970: 1_645_557_742))
        // Its first half is the example of RFC 9562, appendix A.6.
        #expect(early.text == "017f22e2-79b0-7fff-bfff-ffffffffffff")
        #expect(random.uuid(at: Date(timeIntervalSince1970: 1_645_557_742.001)).text > early.text)
        // No time of a clock can crash the server.
        for time in [-1, .infinity, .nan, 1e300] {
            #expect(random.uuid(at: Date(timeIntervalSince1970: time)).text.hasPrefix("00000000-0000-7"))
        }
        #expect(
            System().uuid(at: .init(timeIntervalSince1970: 1)) != System().uuid(at: .init(timeIntervalSince1970: 1)))
    }
}

@Suite("Vault")
struct VaultTests {
    private struct Counting: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
    }

    private let vault = Vault(masterKey: SymmetricKey(data: [UInt8](repeating: 1, count: 32)), randomness: Counting())
    private let tenant = TenantID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    private let other = TenantID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    @Test("SEC-TOK-4: what is sealed for one purpose, tenant and context opens for no other")
    func aSealIsBoundToPurposeTenantAndContext() throws {
        let secret = Data("secret".utf8)
        let sealed = try vault.seal(secret, for: .outbox, tenant: tenant, context: [Data("a".utf8)])
        #expect(try vault.open(sealed, for: .outbox, tenant: tenant, context: [Data("a".utf8)]) == secret)
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .replay, tenant: tenant, context: [Data("a".utf8)])
        }
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .outbox, tenant: other, context: [Data("a".utf8)])
        }
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .outbox, tenant: tenant, context: [Data("b".utf8)])
        }
        let stranger = Vault(masterKey: SymmetricKey(data: [UInt8](repeating: 2, count: 32)), randomness: Counting())
        #expect(throws: VaultError.unreadable) {
            try stranger.open(sealed, for: .outbox, tenant: tenant, context: [Data("a".utf8)])
        }
    }

    @Test("SEC-CT-3: every flipped bit is noticed")
    func everyFlippedBitIsNoticed() throws {
        let sealed = try vault.seal(Data("secret".utf8), for: .outbox, tenant: tenant)
        for byte in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[byte] ^= 1 << bit
                #expect(throws: VaultError.unreadable) { try vault.open(altered, for: .outbox, tenant: tenant) }
            }
        }
        for length in 0..<sealed.count {
            #expect(throws: VaultError.unreadable) {
                try vault.open(Data(sealed.prefix(length)), for: .outbox, tenant: tenant)
            }
        }
    }

    @Test("SEC-SEC-3: parts are length-prefixed, so that moving a border changes the digest")
    func movingABorderChangesTheDigest() {
        func digest(_ parts: String...) -> Data {
            vault.digest(.oneTimePasscode, tenant: tenant, parts.map { Data($0.utf8) })
        }
        #expect(digest("ab", "c") != digest("a", "bc"))
        #expect(digest("ab", "") != digest("ab"))
        #expect(digest("a", "b") == digest("a", "b"))
    }

    @Test("SEC-LOG-1: a secret does not show itself")
    func aSecretDoesNotShowItself() {
        let secret = Secret("canary-7731")
        var dumped = ""
        dump(secret, to: &dumped)
        dump(ContinuationToken("canary-7731"), to: &dumped)
        dump(PasswordHash(phc: "x"), to: &dumped)
        #expect(!"\(secret)\(String(reflecting: secret))\(dumped)".contains("canary-7731"))
    }
}

@Suite("Attribute patterns")
struct AttributePatternTests {
    @Test(
        "SEC-ATTR-2: the common dialect works",
        arguments: [
            (#"^\d{4}$"#, "1234", true), (#"^\d{4}$"#, "12345", false), (#"\w+"#, "a_1", true), (#"\w+"#, "a b", false),
            (#"(?:DK|SE)-[0-9]+"#, "DK-7", true), (#"[\w.-]+"#, "a.b-c", true), (#"a\.b"#, "a.b", true),
            (#"a\.b"#, "axb", false), (#"[A-Z]{2,3}"#, "ABCD", false), (#"\s?x"#, " x", true),
        ])
    func theCommonDialectWorks(pattern: String, value: String, matches: Bool) throws {
        let compiled = try #require(AttributePattern(pattern))
        #expect(compiled.matches(value) == matches)
    }

    @Test(
        "SEC-ATTR-2: what would need backtracking is refused at start",
        arguments: [#"(a)\1"#, "(?=a)b", "(?<!a)b", "a*?b", "a+?", "(", "[a", #"\"#, #"\p{L}"#])
    func backtrackingIsRefused(pattern: String) {
        #expect(AttributePattern(pattern) == nil)
    }

    @Test("SEC-ATTR-2: a pathological pattern and value take no time")
    func aPathologicalPatternTakesNoTime() throws {
        let pattern = try #require(AttributePattern("(a|a|aa)*(a|b)*c"))
        let value = String(repeating: "a", count: 4_000)
        let started = processorSeconds()
        #expect(pattern.matches(value) == false)
        #expect(processorSeconds() - started < 1)
    }
}

@Suite("Scopes")
struct ScopeTests {
    private static let baseURL = "https://identity.test"

    private func client(_ scopes: [String]) -> Client {
        Client(
            id: ClientID(UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))), displayName: "",
            userFlow: UserFlow(method: .emailOneTimePasscode), scopes: scopes)
    }

    @Test("docs/protocol.md §5.7: one resource beside the OpenID scopes")
    func oneResourceIsGranted() {
        let judgement = client(["api://orders/*"]).judge(
            ["openid", "api://orders/Read", "api://orders/Write", "openid"], baseURL: Self.baseURL)
        #expect(
            judgement
                == .granted(
                    ScopeGrant(openID: ["openid"], resource: "api://orders", resourceScopes: ["Read", "Write"])))
    }

    @Test(
        "docs/protocol.md §5.7: what is refused",
        arguments: [
            (["api://a/R", "api://b/R"], Refusal.invalidScope), (["banana"], .scopeNotConsented),
            (["a/b"], .invalidScope), ([], .invalidScope),
            (["api://c/R"], .scopeNotConsented), ([String(repeating: "x", count: 257)], .invalidScope),
            (["api://a/R\u{e9}"], .invalidScope), (Array(repeating: "openid", count: 17), .invalidScope),
        ])
    func othersAreRefused(scopes: [String], refusal: Refusal) {
        #expect(client(["api://a/*", "api://b/R"]).judge(scopes, baseURL: Self.baseURL) == .refused(refusal))
    }

    @Test(
        "The directory's scopes, by every name that it goes by, are one resource; the words stay as asked",
        arguments: [
            "User.Read", "https://graph.microsoft.com/User.Read", "00000003-0000-0000-c000-000000000000/User.Read",
            "https://identity.test/prefix/graph/User.Read", "https://identity.test/User.Read",
        ])
    func theDirectoryByEveryName(_ scope: String) {
        for configured in ["User.Read", "https://graph.microsoft.com/User.Read", "https://graph.microsoft.com/*", "*"] {
            guard
                case .granted(let grant) = client([configured]).judge(
                    ["openid", scope], baseURL: "https://identity.test/prefix")
            else {
                Issue.record("\(scope) is refused where \(configured) is granted")
                continue
            }
            #expect(grant.resource == ResourceScope.directory && grant.resourceScopes == ["User.Read"])
            #expect(grant.all == ["openid", scope])
        }
    }

    @Test(
        "What the directory does not have, or the application was not given, is not consented to",
        arguments: [
            (["*"], "Calendar.Read"), (["https://graph.microsoft.com/*"], "Calendar.Read"),
            (["User.Read"], "User.ReadWrite"),
            (["api://a/*"], "User.Read"), ([], "User.Read"), (["Calendar.Read"], "Calendar.Read"),
            (["api://a/*"], "api://a/*"), (["*"], "api://a/*"),
        ])
    func theDirectoryHasNoOthers(configured: [String], scope: String) {
        #expect(client(configured).judge([scope], baseURL: Self.baseURL) == .refused(.scopeNotConsented))
    }

    @Test(
        "RFC 6749 §6: a refresh never goes beyond the grant; another resource is a new one",
        arguments: [
            (["api://a/R", "openid"], ["api://a/R"], false), (["api://a/R"], ["api://a/R"], false),
            (["api://a/W"], nil, false), (["api://a/R", "api://a/W"], nil, false),
            (["openid", "email"], ["openid"], false),
            (["email"], nil, false), (["api://b/R", "openid"], ["api://b/R"], true),
        ] as [([String], [String]?, Bool)])
    func aRefreshNeverWidens(wanted: [String], granted: [String]?, isNew: Bool) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let id = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
        let family = RefreshFamily(
            id: id, tenant: TenantID(id), client: ClientID(id), user: UserID(id), scopes: ["openid", "api://a/R"],
            methods: [], authenticatedAt: now, createdAt: now, expiresAt: now, tokenDigest: Data())
        guard
            case .granted(let judged) = client(["api://a/*", "api://b/*"]).judge(wanted, baseURL: Self.baseURL)
        else {
            Issue.record("the application may ask for \(wanted)")
            return
        }
        let narrowed = family.narrowing(judged, baseURL: Self.baseURL)
        #expect((narrowed == nil) == (granted == nil))
        guard let narrowed, let granted else { return }
        #expect(narrowed.isNew == isNew)
        #expect(Set(narrowed.grant.all).isSuperset(of: granted) && !narrowed.grant.all.contains("email"))
        #expect(narrowed.scopes == family.scopes + (isNew ? granted : []))
        var wider = family
        wider.scopes = narrowed.scopes
        #expect(wider.scopesOfSignIn(baseURL: Self.baseURL) == family.scopes)
    }
}

@Suite("Refresh rotation")
struct RefreshRotationTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let id = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))

    private var family: RefreshFamily {
        RefreshFamily(
            id: id, tenant: TenantID(id), client: ClientID(id), user: UserID(id), scopes: ["openid"], methods: ["otp"],
            authenticatedAt: now, createdAt: now, expiresAt: now.addingTimeInterval(86_400), tokenDigest: Data([1]))
    }

    private func rotation(_ presented: UInt8, _ successor: UInt8, after seconds: Double = 0) -> Rotation {
        Rotation(
            presented: Data([presented]), successor: Data([successor]), sealedAnswer: Data([successor]),
            slidingExpiry: now.addingTimeInterval(86_400), now: now.addingTimeInterval(seconds), grace: 30)
    }

    @Test("SEC-TOK-8: the live token is exchanged once")
    func theLiveTokenIsExchanged() {
        let (change, verdict) = family.presenting(rotation(1, 2))
        #expect(verdict == .rotated)
        #expect(change?.generation == 1 && change?.tokenDigest == Data([2]))
    }

    @Test(
        "SEC-TOK-9: within the grace the same successor, after it the family is revoked",
        arguments: [(30.0, true), (30.001, false)])
    func theGraceIsThirtySeconds(seconds: Double, isRepeated: Bool) throws {
        let rotated = try #require(family.presenting(rotation(1, 2)).change)
        let (change, verdict) = rotated.presenting(rotation(1, 3, after: seconds))
        #expect(verdict == (isRepeated ? .repeated(sealedAnswer: Data([2])) : .reused))
        #expect((change?.revokedAt != nil) == !isRepeated)
    }

    @Test("SEC-TOK-9: once the successor was used, the first token revokes the family")
    func aUsedSuccessorEndsTheGrace() throws {
        let once = try #require(family.presenting(rotation(1, 2)).change)
        let twice = try #require(once.presenting(rotation(2, 3)).change)
        let (revoked, verdict) = twice.presenting(rotation(1, 4))
        #expect(verdict == .reused)
        #expect(try #require(revoked).presenting(rotation(3, 5)).verdict == .refused(.revokedRefreshToken))
    }

    @Test("SEC-TOK-12: an expired family is refused")
    func anExpiredFamilyIsRefused() {
        #expect(family.presenting(rotation(1, 2, after: 86_400)).verdict == .refused(.expiredRefreshToken))
    }
}
