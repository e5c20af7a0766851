import Crypto
package import NativeAuthCore
import PortableFoundation

/// Where a gateway for texts is, and the account there: `https://ACCOUNT:SECRET@HOST`, with a path where the gateway has one.
package struct TextGatewayAddress: Hashable, Sendable {
    /// Without credentials and without a slash at the end.
    package let base: String
    package let account: String
    package let secret: Secret<String>

    /// Nil when the text is no such address. `http` is for this machine alone.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            scheme == "https" || scheme == "http" && ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host),
            !host.isEmpty, parts.port.map((1...65_535).contains) ?? true, parts.query == nil, parts.fragment == nil,
            !parts.path.contains("@"),
            let account = parts.user, let secret = parts.password, !secret.isEmpty,
            (1...64).contains(account.utf8.count),
            account.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
        else { return nil }
        var base = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "") + parts.path
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        self.account = account
        self.secret = Secret(secret)
    }

    /// Whether a report comes from the gateway: the signature is HMAC-SHA-1 over the address that the gateway was given and the
    /// sorted fields, each name with its value, under the secret, in base64 (`SEC-SMS-12`).
    package func signed(_ url: String, _ fields: [(name: String, value: String)], as signature: String) -> Bool {
        guard let mac = Data(base64Encoded: signature) else { return false }
        let sorted = fields.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        let text = url + sorted.map { $0.name + $0.value }.joined()
        return HMAC<Insecure.SHA1>.isValidAuthenticationCode(
            mac, authenticating: Data(text.utf8), using: SymmetricKey(data: Data(secret.reveal().utf8)))
    }
}
