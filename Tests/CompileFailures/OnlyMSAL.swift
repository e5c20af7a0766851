// Compiles: `import MSAL` alone re-exports Foundation, as the vendor's module does and its samples require.
import MSAL

final class Screen: NSObject {
    var address: URL?
    let made = Date()

    func authority(_ text: String) throws -> MSALCIAMAuthority {
        guard let url = URL(string: text) else { throw NSError(domain: MSALErrorDomain, code: 0) }
        address = url
        return try MSALCIAMAuthority(url: url)
    }
}
