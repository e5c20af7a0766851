import IdentityEngine
public import NativeAuth
import NativeAuthCore
public import PortableFoundation

/// An authenticator app of a test: shows the codes of a key (RFC 6238).
public struct TestAuthenticator: Hashable, Sendable {
    let secret: AppSecret

    /// An app whose key is made of `name`: the same for the same name. For users that a tenant begins with.
    public init(named name: String = "app") {
        secret = AppSecret(Data(Array(name.utf8.prefix(20)) + Array(repeating: 0, count: max(0, 20 - name.utf8.count))))
    }

    /// The app that was shown this key; nil for a key that is not base32.
    public init?(_ key: AuthenticatorKey) {
        guard let secret = AppSecret(base32: key.key) else { return nil }
        self.secret = secret
    }

    /// The code that the app shows, six digits. A code signs in once: advance the tenant's clock by 30 s before the next one.
    public func code(at time: Date) -> String {
        secret.code(at: AppSecret.step(at: time)).reveal()
    }
}

extension TestTenant {
    /// The code that the app shows at the tenant's time.
    public func code(of app: TestAuthenticator) -> String {
        app.code(at: clock.now)
    }
}
