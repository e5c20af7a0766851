// A step cannot be copied implicitly: code that needs copies uses `Kept`, and takes the step out once.
import NativeAuth

struct CopyableState {
    var step: SignUpCodeRequired  // error: has non-Copyable type 'SignUpCodeRequired'
}

func inAnArray(_ step: consuming SignUpCodeRequired) {
    let steps = [step]  // error: requires that 'SignUpCodeRequired' conform to 'Copyable'
    _ = steps
}

func resumedAsAnotherStep(
    _ client: NativeAuthClient, _ saved: Saved<SignUpCodeRequired>, _ key: ResumeKey
) throws {
    let step: NewPasswordRequired = try client.resume(saved, with: key)  // error: cannot convert
    _ = step.info
}

func printed(_ step: borrowing SignUpCodeRequired) {
    print("\(step)")  // error: no exact matches
    dump(step)  // error: conform to 'Copyable'
}
