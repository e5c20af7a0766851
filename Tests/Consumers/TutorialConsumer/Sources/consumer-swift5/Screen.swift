import Dispatch
import MSAL

/// Stands in for a platform's text field.
final class TextField {
    var text: String?
}

/// Whether code runs on the main queue. On systems whose main queue has no thread of its own, such as Linux, the thread
/// says nothing.
enum MainQueue {
    private static let mark = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: mark, value: true)

    static var isCurrent: Bool {
        marked
        return DispatchQueue.getSpecific(key: mark) == true
    }
}

/// Stands in for a platform's text view, and remembers the texts that it showed.
final class TextView {
    var text = "" {
        didSet {
            if !MainQueue.isCurrent { shownElsewhere = true }
            shown.append(text)
            changed?()
        }
    }
    private(set) var shown: [String] = []
    private(set) var shownElsewhere = false
    var changed: (() -> Void)?

    /// Takes the oldest text that was not looked at yet.
    func look() -> String? {
        shown.isEmpty ? nil : shown.removeFirst()
    }
}

/// Stands in for a view controller with its outlets. Like those of the tutorials, it carries no annotation.
class Screen {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    let emailTextField = TextField()
    let passwordTextField = TextField()
    let usernameTextField = TextField()
    let codeTextField = TextField()
    let resultTextView = TextView()

    /// The states that the buttons of the screen act on.
    var codeState: SignUpCodeRequiredState?
    var passwordState: SignUpPasswordRequiredState?
    var attributesState: SignUpAttributesRequiredState?
    var signedUpState: SignInAfterSignUpState?
    /// The attributes that the form of the screen holds; nil for a form without any.
    var attributes: [String: String]?
    var codeLength = 0
    var account: MSALNativeAuthUserAccountResult?
    var accessToken: String?

    required init() {}

    func signUpPressed(_: Any) {}
    func submitCodePressed(_: Any) {}
    func resendPressed(_: Any) {}
    func submitAttributesPressed(_: Any) {}
    func signInPressed(_: Any) {}
}
