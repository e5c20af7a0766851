import IdentityEngine
import PortableFoundation
import Testing

/// What proofs are worth together: a table, and properties of all sets of proofs.
@Suite("Assurance")
struct AssuranceTests {
    typealias Level = Assurance.Level

    struct Row: CustomTestStringConvertible, Sendable {
        var proofs: [Proof]
        var level: Level
        var words: [String]
        var resistsPhishing = false

        var testDescription: String { "\(proofs)" }
    }

    static let password = Proof.password(isFromReset: false)
    static let reset = Proof.password(isFromReset: true)
    static let own = Proof.mailbox(.own)
    static let other = Proof.mailbox(.other(Data("dana@example.org".utf8)))
    static let third = Proof.mailbox(.other(Data("dana@example.net".utf8)))
    static let synced = Proof.passkey(isSynced: true)
    static let bound = Proof.passkey(isSynced: false)

    /// The table of design record 0039.
    static let table: [Row] = [
        Row(proofs: [], level: .nothing, words: []),
        Row(proofs: [own], level: .oneFactor, words: ["otp"]),
        Row(proofs: [password], level: .oneFactor, words: ["pwd"]),
        Row(proofs: [reset], level: .oneFactor, words: ["pwd"]),
        Row(proofs: [.phone], level: .oneFactor, words: ["sms"]),
        Row(proofs: [reset, own], level: .oneFactor, words: ["pwd", "otp"]),
        Row(proofs: [password, own], level: .mailed, words: ["pwd", "otp", "mfa"]),
        Row(proofs: [password, other], level: .mailed, words: ["pwd", "otp", "mfa"]),
        Row(proofs: [own, other], level: .mailed, words: ["otp", "mfa"]),
        Row(proofs: [reset, other], level: .mailed, words: ["pwd", "otp", "mfa"]),
        Row(proofs: [password, .phone], level: .restricted, words: ["pwd", "sms", "mfa"]),
        Row(proofs: [own, .phone], level: .mailed, words: ["otp", "sms", "mfa"]),
        Row(proofs: [reset, .phone], level: .mailed, words: ["pwd", "sms", "mfa"]),
        Row(proofs: [password, .authenticatorApp], level: .twoFactors, words: ["pwd", "otp", "mfa"]),
        Row(proofs: [own, .authenticatorApp], level: .mailed, words: ["otp", "mfa"]),
        Row(proofs: [reset, .authenticatorApp], level: .mailed, words: ["pwd", "otp", "mfa"]),
        Row(proofs: [.phone, .authenticatorApp], level: .oneFactor, words: ["otp", "sms"]),
        Row(proofs: [password, .recoveryCode], level: .mailed, words: ["pwd", "recovery"]),
        Row(proofs: [own, .recoveryCode], level: .mailed, words: ["otp", "recovery"]),
        Row(proofs: [synced], level: .phishingResistant, words: ["swk", "user", "mfa", "pop"], resistsPhishing: true),
        Row(proofs: [bound], level: .phishingResistant, words: ["hwk", "user", "mfa", "pop"], resistsPhishing: true),
        Row(proofs: [.securityKey], level: .oneFactor, words: ["hwk"], resistsPhishing: true),
        Row(
            proofs: [password, .securityKey], level: .phishingResistant, words: ["pwd", "hwk", "mfa"],
            resistsPhishing: true),
        Row(proofs: [own, .securityKey], level: .mailed, words: ["otp", "hwk", "mfa"], resistsPhishing: true),
        Row(proofs: [.identity], level: .oneFactor, words: ["fed"]),
        Row(proofs: [.identityOfMailbox], level: .oneFactor, words: ["fed"]),
        Row(proofs: [.identityOfMailbox, own], level: .oneFactor, words: ["otp", "fed"]),
        Row(proofs: [.identity, own], level: .mailed, words: ["otp", "fed", "mfa"]),
        Row(proofs: [.identity, .phone], level: .mailed, words: ["sms", "fed", "mfa"]),
        Row(proofs: [.identityOfMailbox, .authenticatorApp], level: .mailed, words: ["otp", "fed", "mfa"]),
        Row(proofs: [.identity, .statement(.mailed)], level: .mailed, words: ["fed", "mfa"]),
        Row(proofs: [.identityOfMailbox, .statement(.restricted)], level: .restricted, words: ["fed", "mfa"]),
        Row(proofs: [.identity, .statement(.twoFactors)], level: .twoFactors, words: ["fed", "mfa"]),
        Row(
            proofs: [.identity, .statement(.phishingResistant)], level: .phishingResistant, words: ["fed", "mfa"],
            resistsPhishing: true),
        Row(proofs: [.identity, .statement(.oneFactor)], level: .oneFactor, words: ["fed"]),
        Row(
            proofs: [.identity, .statement(.twoFactors), .authenticatorApp], level: .twoFactors,
            words: ["otp", "fed", "mfa"]),
        Row(proofs: [.statement(.twoFactors)], level: .nothing, words: []),
        Row(proofs: [own, .statement(.twoFactors)], level: .oneFactor, words: ["otp"]),
    ]

    @Test("SEC-MFA-3: the levels and the words of amr are those of the table", arguments: table)
    func theTable(_ row: Row) {
        for proofs in [row.proofs, row.proofs.reversed(), row.proofs + row.proofs] {
            let assurance = Assurance(of: proofs)
            #expect(assurance.level == row.level)
            #expect(assurance.words == row.words)
            #expect(resists(proofs) == row.resistsPhishing)
        }
    }

    static let kinds: [Proof] = [
        password, reset, own, other, third, .phone, .authenticatorApp, .recoveryCode, synced, bound, .securityKey,
        .identity, .identityOfMailbox,
    ]

    /// Every set of proofs that one user can give: a password is from a reset, or it is not.
    static var all: [[Proof]] {
        (0..<(1 << kinds.count)).map { bits in
            kinds.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
        }.filter { !($0.contains(password) && $0.contains(reset)) }
    }

    private func resists(_ proofs: [Proof]) -> Bool { proofs.contains { $0.resistsPhishing } }

    /// The factors, counted in another way: the groups of which at least one proof was given.
    private func factors(_ proofs: [Proof]) -> Int {
        let groups: [[Proof]] = [
            [Self.password], [Self.reset, Self.own, .identityOfMailbox], [Self.other], [Self.third], [.identity],
            [.phone, .authenticatorApp, .recoveryCode, .securityKey, Self.synced, Self.bound],
            [Self.synced, Self.bound],
        ]
        return groups.count { group in group.contains { proofs.contains($0) } }
    }

    @Test("SEC-MFA-3: of all 6144 sets of proofs, each is worth what its independent roots are worth, and no more")
    func everySet() {
        #expect(Self.all.count == 6_144)
        for proofs in Self.all {
            let assurance = Assurance(of: proofs)
            let (count, without) = (factors(proofs), factors(proofs.filter { $0 != .recoveryCode }))
            #expect(assurance.factors == count, "\(proofs)")
            #expect((assurance.level == .nothing) == proofs.isEmpty, "\(proofs)")
            #expect((assurance.level >= .mailed) == (count >= 2), "\(proofs)")
            #expect(assurance.needsRecoveryCode == (count >= 2 && without < 2), "\(proofs)")
            #expect(
                assurance.words.contains("mfa") == (without >= 2), "mfa without two factors of their own: \(proofs)")
            // NIST accepts two factors only with a password that is not the mailbox's, or with a passkey.
            let hasPasskey = proofs.contains(Self.synced) || proofs.contains(Self.bound)
            if assurance.level > .mailed { #expect(hasPasskey || proofs.contains(Self.password), "\(proofs)") }
            #expect(
                (assurance.level == .phishingResistant)
                    == (hasPasskey || proofs.contains(Self.password) && proofs.contains(.securityKey)), "\(proofs)")
            if assurance.level == .phishingResistant { #expect(resists(proofs), "\(proofs)") }
            if assurance.level == .restricted {
                #expect(proofs.contains(.phone) && !proofs.contains(.authenticatorApp), "\(proofs)")
            }
        }
    }

    @Test(
        "SEC-FED-13: beside each of the sets, a statement raises the level to its own where there is an account at a provider, and changes neither factors nor the need for a recovery code"
    )
    func statements() {
        let levels = Level.allCases
        for proofs in Self.all {
            let without = Assurance(of: proofs)
            let isOfProvider = proofs.contains(.identity) || proofs.contains(.identityOfMailbox)
            for level in levels {
                let with = Assurance(of: [.statement(level)] + proofs)
                #expect(with.level == (isOfProvider ? max(without.level, level) : without.level), "\(proofs) \(level)")
                #expect(with.factors == without.factors, "\(proofs) \(level)")
                #expect(with.needsRecoveryCode == without.needsRecoveryCode, "\(proofs) \(level)")
                let isRaised = isOfProvider && level > .oneFactor
                #expect(
                    Set(with.words) == Set(without.words).union(isRaised ? ["mfa"] : []), "\(proofs) \(level)")
            }
        }
    }

    @Test("A further proof never lowers the level, and takes no word away")
    func moreIsNeverLess() {
        for proofs in Self.all {
            let before = Assurance(of: proofs)
            for proof in Self.kinds
            where !(proofs + [proof]).contains(Self.reset) || !(proofs + [proof]).contains(Self.password) {
                let after = Assurance(of: proofs + [proof])
                #expect(after.level >= before.level, "\(proofs) \(proof)")
                #expect(Set(after.words).isSuperset(of: before.words), "\(proofs) \(proof)")
            }
        }
    }

    @Test("The levels have one order")
    func order() {
        #expect(Level.allCases == Level.allCases.sorted())
        #expect(Level.allCases.map(\.rawValue) == ["l0", "l1", "l1m", "l2r", "l2", "l2p"])
    }
}
