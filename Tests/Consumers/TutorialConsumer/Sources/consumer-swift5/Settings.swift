import Foundation
import MSAL

// Code of the tutorials about preparing an app, custom domains, headers and web fallback. It is built, and run as far
// as it needs no server.

/// The header fields of a protection service.
final class ProtectionHeaders: NSObject, MSALNativeAuthRequestInterceptor {
    func addAdditionalHeaderFields(
        _ requestUrl: URL?, completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock
    ) {
        guard let requestUrl, requestUrl.path.contains("signup") else {
            completionBlock(nil)
            return
        }
        completionBlock(["x-protection-token": "1234"])
    }
}

/// An app with everything that can be set.
@MainActor
func everySetting(_ base: URL, _ client: Client) throws -> MSALNativeAuthPublicClientApplication {
    MSALGlobalConfig.loggerConfig.logLevel = .warning
    MSALGlobalConfig.loggerConfig.logMaskingLevel = .settingsMaskAllPII
    MSALGlobalConfig.loggerConfig.setLogCallback { logLevel, message, containsPII in
        if !containsPII, logLevel == .error { print("# \(message ?? "")") }
    }
    let authority = try MSALCIAMAuthority(
        url: base.appending(path: "aaaabbbb-0000-cccc-1111-dddd2222eeee"), validateFormat: false)
    let configuration = MSALNativeAuthPublicClientApplicationConfig(
        clientId: client.rawValue, authority: authority, challengeTypes: challengeTypes(of: client))
    configuration.capabilities = [.mfaRequired, .registrationRequired]
    configuration.requestInterceptor = ProtectionHeaders()
    configuration.redirectUri = "msauth.com.example.app://auth"
    configuration.cacheConfig.keychainSharingGroup = "com.example.shared"
    return try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
}

#if os(macOS)
    import AppKit
    typealias ViewController = NSViewController
#elseif os(iOS) || os(visionOS)
    import UIKit
    typealias ViewController = UIViewController
#else
    class ViewController {}
#endif

/// "Support web fallback". On platforms without view controllers, an empty class is one.
final class WebFallbackViewController: ViewController {
    var nativeAuth: MSALNativeAuthPublicClientApplication!
    var account: MSALAccount?
    var text = ""

    func fallBack(because error: MSAL.SignUpStartError) {
        guard error.isBrowserRequired else { return }
        let webviewParameters = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = MSALInteractiveTokenParameters(scopes: ["User.Read"], webviewParameters: webviewParameters)
        nativeAuth.acquireToken(with: parameters) { result, error in
            if let error {
                self.text = error.localizedDescription
            } else if let result {
                self.account = result.account
                self.text = result.accessToken
            }
        }
    }

    func signOut() {
        guard let account else { return }
        let webviewParameters = MSALWebviewParameters(authPresentationViewController: self)
        let parameters = MSALSignoutParameters(webviewParameters: webviewParameters)
        parameters.signoutFromBrowser = true
        nativeAuth.signout(with: account, signoutParameters: parameters) { isDone, error in
            self.text = isDone ? "signed out" : error?.localizedDescription ?? ""
        }
    }
}
