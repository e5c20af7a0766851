import IdentityEngine
import NativeAuthCore

/// The first lines of an app for one application, to copy.
struct Snippets {
    let swift: String
    let curl: String

    /// - Parameters:
    ///   - baseURL: The address of the listener for apps.
    ///   - trust: Options of curl that let it trust the server, with a blank at the end; empty for a certificate that it trusts already.
    init(for client: Client, of tenant: Tenant, baseURL: String, trust: String = "") {
        let authority = "\(baseURL)/\(tenant.domain)"
        let (swiftTypes, wireTypes) =
            switch client.userFlow.method {
            case .emailOneTimePasscode: (".OOB", "oob redirect")
            case .emailPassword: (".OOB, .password", "oob password redirect")
            }
        swift = """
            import MSAL

            let authority = try MSALCIAMAuthority(
                url: URL(string: "\(authority)")!, validateFormat: false)
            let nativeAuth = try MSALNativeAuthPublicClientApplication(
                nativeAuthConfiguration: .init(
                    clientId: "\(client.id)",
                    authority: authority, challengeTypes: [\(swiftTypes)]))

            let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
            nativeAuth.signUp(parameters: parameters, delegate: self)
            """
        curl = """
            curl -s \(trust)\(authority)/signup/v1.0/start \\
              -d client_id=\(client.id) \\
              -d 'challenge_type=\(wireTypes)' -d username=dana@example.com
            """
    }
}
