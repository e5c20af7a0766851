public import Foundation

#if os(iOS) || os(tvOS) || os(visionOS)
    public import UIKit
#elseif os(macOS)
    public import AppKit
#endif

/// The parameters of a token request with a browser.
public final class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// Where the browser is shown.
    public let webviewParameters: MSALWebviewParameters
    /// The question that the page asks.
    public var promptType = MSALPromptType.promptIfNecessary
    /// The user name that the page suggests.
    public var loginHint: String?
    /// Additional scopes that the page asks the user's consent for; the token is not for them.
    public var extraScopesToConsent: [String]?
    /// The domain of the user's organisation, sent to the page.
    public var domainHint: String?
    /// Stored only: the page offers every method of the user.
    public var preferredAuthMethod = MSALPreferredAuthMethod.none

    /// Parameters for a token with `scopes`.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
        super.init(scopes: scopes)
    }
}

/// The question that a page asks.
public enum MSALPromptType: UInt, Sendable {
    /// Which account to use.
    case selectAccount
    /// The credentials, even when a user is signed in.
    case login
    /// The user's consent.
    case consent
    /// To sign up.
    case create
    /// Only what is missing.
    case promptIfNecessary

    /// The default, ``promptIfNecessary``.
    public static var `default`: MSALPromptType { .promptIfNecessary }
}

/// The parameters of a sign-out.
public final class MSALSignoutParameters: MSALParameters {
    /// Where the browser is shown.
    public let webviewParameters: MSALWebviewParameters
    /// Whether the session in the browser must end too.
    public var signoutFromBrowser = false
    /// Whether the account must be removed too. Stored only: a sign-out always removes it.
    public var wipeAccount = false

    /// Parameters for a sign-out on this device.
    public init(webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
    }
}

/// Where and how the browser is shown.
public final class MSALWebviewParameters: NSObject {
    /// Whether the page has cookies of its own, so that the user signs in again, and no question of the system comes first.
    public var prefersEphemeralWebBrowserSession = false
    /// The kind of browser. Only the system's session for signing in is used: another kind falls back to it, and the log says
    /// so.
    public var webviewType = MSALWebviewType.default

    #if os(iOS) || os(tvOS) || os(visionOS)
        let viewController: UIViewController

        /// Over a screen of the app.
        public init(authPresentationViewController parentViewController: UIViewController) {
            viewController = parentViewController
        }
    #elseif os(macOS)
        let viewController: NSViewController

        /// Over a window of the app.
        public init(authPresentationViewController parentViewController: NSViewController) {
            viewController = parentViewController
        }
    #else
        /// In the user's browser.
        public override init() {}

        /// The form of Apple's systems, so that code for them compiles. This platform has no view controllers: the object is
        /// not used.
        public init(authPresentationViewController parentViewController: AnyObject) {}
    #endif
}

/// A kind of browser.
public enum MSALWebviewType: Int, Sendable {
    /// The system's default.
    case `default`
    /// The system's session for signing in.
    case authenticationSession
    #if os(iOS) || os(tvOS) || os(visionOS)
        /// The system's browser within the app.
        case safariViewController
    #endif
    /// The app's web view.
    case wkWebView
}

/// A method that the page offers first.
public enum MSALPreferredAuthMethod: UInt, Sendable {
    /// No method.
    case none
    /// A QR code with a PIN.
    case qrPIN
}
