import IdentityEngine
import IdentityHooks
import NativeAuthCore
import PortableFoundation

/// What the clients at identity providers prove themselves with: values of the server's environment, which tenant documents
/// name (docs/operate/providers.md).
enum ProviderSecrets {
    /// The value of a variable.
    static let ofProcess: @Sendable (String) -> Secret<String>? = { name in
        ProcessInfo.processInfo.environment[name].map { Secret($0) }
    }

    /// A sentence for each provider whose secret or key is not there, or is no key: its button fails, and nothing is revoked.
    static func warnings(
        of tenants: [Tenant], secret: (String) -> Secret<String>? = ofProcess
    ) -> [String] {
        tenants.flatMap { tenant in
            tenant.providers.compactMap { provider in
                guard let variable = provider.variable else { return nil }
                let place = "tenant \(tenant.subdomain), provider \(provider.id): the environment variable \(variable)"
                guard let value = secret(variable) else {
                    return provider.web == nil
                        ? "\(place) is not set: nothing is revoked when an account is deleted"
                        : "\(place) is not set: no user can sign in by its button"
                }
                guard let name = provider.key else { return nil }
                return AppleClientSecret(value, name) == nil
                    ? "\(place) has no private key, as Apple's .p8 file" : nil
            }
        }
    }
}
