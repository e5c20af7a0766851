import NativeAuth
import NativeAuthTesting
import Testing

@Suite("Passkeys of tests")
struct SoftPasskeysTests {
    @Test func eachSettingIsKept() {
        let passkeys = SoftPasskeys()
        passkeys.lies = Set(SoftPasskeys.Lie.allCases)
        #expect(passkeys.lies == Set(SoftPasskeys.Lie.allCases))
        for answer in [SoftPasskeys.Answer.cancel, .fail(.unsupported), .agree] {
            passkeys.whenAsked = answer
            #expect(passkeys.whenAsked == answer)
        }
        for counter in [SoftPasskeys.Counter.increasing, .fixed(3)] {
            passkeys.counter = counter
            #expect(passkeys.counter == counter)
        }
        let copy = passkeys
        copy.isUserVerified = false
        #expect(!passkeys.isUserVerified)
    }
}
