import IdentityEngine
import NativeAuthCore

/// The password policy (`SEC-PWD-1` to `SEC-PWD-4`): the rules that a second implementation can state briefly, and the
/// time of the others.
struct PasswordTarget: Target {
    static let name = "password"

    private let policy: PasswordPolicy
    private let context = PasswordContext(
        emailLocalPart: "dana.berg", alias: "danish_dana", names: ["Dana Maria Berg", "Bo"], tenantName: "Contoso")
    private let mutator = Mutator(
        [
            "Kr4ftig-Vinter#82", "Password123!", "P@$$w0rd", "Tulip-Harbour-42", "Qwertyuiop1!", "dana.berg-2027A",
            "Contoso!2345",
            "aA1!aA1!", " A1!bcdefg ", "correct horse battery Staple 9", "Summer2027!", "greb.anad#9Q",
            String(repeating: "Aa1!", count: 64), String(repeating: "password", count: 31) + "Aa1!",
        ],
        words: [
            "password", "Passw0rd", "qwerty", "letmein", "123456", "aaaa", "abcd", "dragon", "monkey", "contoso",
            "fabrikam", "!@#$%^&*",
            "~`()_-+={}[]|\\:;\"'<>,.?/", " ", "\t", "\0", "é", "e\u{301}", "😀", "0", "1", "$", "@", "Z", "z", "9",
            "dana", "DANA", "anad",
            String(repeating: "a", count: 200), String(repeating: "pasword", count: 30),
        ], bytes: [[0x7F], [0x1F]], long: 1_024)

    init() throws {
        policy = try PasswordPolicy(bannedTerms: (0..<1_000).map { "fabrikam\($0)" })
    }

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        let text = input.lenientText
        let bytes = Array(text.utf8)
        let fault = policy.check(Secret(text), context: context)
        let classes = [
            bytes.contains { (0x61...0x7A).contains($0) }, bytes.contains { (0x41...0x5A).contains($0) },
            bytes.contains { (0x30...0x39).contains($0) },
            bytes.contains { $0 > 0x20 && !(0x61...0x7A).contains($0 | 0x20) && !(0x30...0x39).contains($0) },
        ].count { $0 }
        let expected: PasswordFault? =
            if bytes.count > 1_024 {
                .tooLong
            } else if !bytes.allSatisfy({ (0x20...0x7E).contains($0) }) {
                .invalid
            } else if bytes.count < 8 {
                .tooShort
            } else if bytes.count > 256 {
                .tooLong
            } else if classes < 3 {
                .tooWeak
            } else {
                nil
            }
        if let expected {
            try demand(fault == expected, "the verdict is \(fault.map { "\($0)" } ?? "good"), not \(expected)")
        } else {
            try demand(fault == nil || fault == .banned, "the verdict is \(fault.map { "\($0)" } ?? "good")")
        }
        if fault == nil {
            let lowered = text.lowercased()
            for known in ["dana", "maria", "berg", "contoso", "danish_dana", "anad_hsinad", "greb.anad"] {
                try demand(!lowered.contains(known), "it contains \(known), which is public about the user")
            }
        }
        return fault == nil
    }
}
