import IdentityPasswords

/// Stored password hashes in PHC string format (`SEC-PWD-10`): only affordable hashes are computed, and no text has two
/// meanings.
struct HashTarget: Target {
    static let name = "phc"
    /// It gets a tenth of the others' inputs (docs/develop/testing.md).
    static let share = (release: 10, debug: 10)

    private let mutator = Mutator(
        [
            "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
            "$argon2id$v=19$m=262144,t=10,p=8$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg",
            "$argon2i$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$ln=16,r=8,p=1$c2FsdA$aGFzaA",
        ],
        words: [
            "$", "$$", "m=", "t=", "p=", ",", "=", "==", "-1", "+1", "01", "0", "4294967296", "18446744073709551616",
            "262145", "\0", "\n",
            " ", "v=16", "v=19", "argon2id", "argon2d", "é", "keyid=AA,", "data=AA", "/", "-", "_", "１",
        ], long: 128)

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        let text = input.lenientText
        guard let record = Argon2idRecord(phc: text) else { return false }
        // The format as a pattern.
        let form =
            /\$argon2id\$v=19\$m=([1-9][0-9]*),t=([1-9][0-9]*),p=([1-9][0-9]*)\$([A-Za-z0-9+\/]+)\$([A-Za-z0-9+\/]+)/
        guard let match = text.wholeMatch(of: form) else { throw Finding("read, and not of the form") }
        try demand(
            Int(match.1) == record.memoryKiB && Int(match.2) == record.passes && Int(match.3) == record.lanes,
            "other costs than written")
        try demand(
            record.memoryKiB <= 256 * 1024 && record.memoryKiB >= 8 * record.lanes && record.passes <= 10
                && record.lanes <= 8,
            "costs beyond the limits")
        try demand(
            record.salt.count == match.4.utf8.count * 3 / 4 && record.tag.count == match.5.utf8.count * 3 / 4,
            "salt or tag of another length")
        return true
    }
}
