import Crypto
import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// Shows a page in a browser and waits for the address that ends it. Apps use the one of the system; tests and other
/// user agents bring their own (``NativeAuthConfiguration/webAuthenticator``).
public protocol WebAuthenticator: Sendable {
    /// Shows ``WebAuthenticationRequest/url``, and returns the address that the browser was sent to at the end, which
    /// begins with ``WebAuthenticationRequest/callback``.
    ///
    /// When its task is cancelled it must close the page. The caller does not wait for that, and drops a late result.
    ///
    /// - Throws: ``WebAuthenticationError``.
    func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL
}

/// A page to show. Its description is empty, because its addresses contain secrets (`SDK-LOG-1`).
public struct WebAuthenticationRequest: Sendable {
    /// The redirect URI: the address that ends the page.
    public let callback: URL
    /// Whether the browser keeps its cookies for itself.
    public let session: WebSession
    private let page: URL
    private let query: @Sendable (_ callback: URL) -> FormFields
    private let state: Secret<String>

    init(
        page: URL, callback: URL, session: WebSession, state: Secret<String>,
        query: @escaping @Sendable (_ callback: URL) -> FormFields
    ) {
        self.page = page
        self.callback = callback
        self.session = session
        self.state = state
        self.query = query
    }

    /// The page to show.
    public var url: URL { page.adding(query(callback)) ?? page }

    /// The same request with its answer at another port. Only for a callback on this machine: servers accept any port
    /// there (RFC 8252 §7.3).
    public func moved(toPort port: Int) -> WebAuthenticationRequest {
        var components = URLComponents(url: callback, resolvingAgainstBaseURL: true)
        components?.port = port
        return WebAuthenticationRequest(
            page: page, callback: components?.url ?? callback, session: session, state: state, query: query)
    }

    /// Whether `url` answers this request: it is the callback's address, and has the `state` of this request, which
    /// other programs cannot guess. A receiver that they can reach, such as a port or a custom scheme, ignores any other
    /// address and continues to wait.
    public func isAnswer(_ url: URL) -> Bool {
        guard url.isAddress(of: callback) else { return false }
        do {
            return try AuthorizationAnswer(url: url).state.map(state.matches) ?? false
        } catch {
            return false
        }
    }
}

extension WebAuthenticationRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "WebAuthenticationRequest" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a ``WebAuthenticator`` returned no address.
public enum WebAuthenticationError: Error, Hashable, Sendable {
    /// The user closed the page, or its task was cancelled.
    case cancelled
    /// The user did not finish in time.
    case timedOut
    /// The page could not be shown, for the reason in the text, which is for developers.
    case couldNotShow(String)
}

/// Whether a browser shares its cookies, and so its sign-ins, with the user's other pages.
public enum WebSession: Hashable, Sendable {
    /// A session that ends with the page. On Apple's systems the user is not asked for permission first. A browser of
    /// another system has no such session: there this is the same as ``shared``.
    case ephemeral
    /// The session of the user's browser: a user who is signed in there need not sign in again.
    case shared
}

extension URL {
    /// Whether both have the same scheme, host, port and path (RFC 8252 §8.10); on the web, an empty path is `/`.
    func isAddress(of callback: URL, anyPort: Bool = false) -> Bool {
        func parts(_ url: URL) -> [String?]? {
            guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
                components.user == nil, components.password == nil
            else { return nil }
            let scheme = components.scheme?.lowercased()
            let path = components.percentEncodedPath
            let isWeb = scheme == "https" || scheme == "http"
            let port = components.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
            return [
                scheme, components.encodedHost?.lowercased(), anyPort ? nil : port.map { String($0) },
                path.isEmpty && isWeb ? "/" : path,
            ]
        }
        guard let own = parts(self) else { return false }
        return own == parts(callback)
    }

    /// Whether the address is http on this machine.
    var isLoopback: Bool {
        scheme?.lowercased() == "http" && Authority.isLoopback(host(percentEncoded: true)?.lowercased() ?? "")
    }
}

extension Secret where Value == String {
    /// Compares in constant time, because the other side may try values.
    func matches(_ other: Secret<String>) -> Bool {
        // The digests have one length, and neither side can choose them.
        SHA256.hash(data: Data(reveal().utf8)) == SHA256.hash(data: Data(other.reveal().utf8))
    }
}

/// The secrets of one attempt (`SDK-WEB-5`).
struct WebAttempt: Sendable {
    /// The PKCE verifier: 43 characters of 32 random bytes (RFC 7636 §4.1).
    let verifier: Secret<String>
    let state: Secret<String>
    let nonce: Secret<String>

    init(random: @Sendable (Int) -> [UInt8]) {
        func secret() -> Secret<String> { Secret(Base64URL.encode(random(32))) }
        verifier = secret()
        state = secret()
        nonce = secret()
    }

    /// The method `S256` (RFC 7636 §4.2).
    var challenge: String { Base64URL.encode(SHA256.hash(data: Data(verifier.reveal().utf8))) }
}

/// A user agent that reports by calling a function: the first call counts, later ones have no effect (`SDK-WEB-3`).
package struct CallbackAuthenticator: WebAuthenticator {
    package typealias Completion = @Sendable (Result<URL, WebAuthenticationError>) -> Void
    private let begin: @Sendable (WebAuthenticationRequest, @escaping Completion) async -> @Sendable () -> Void

    /// - Parameter begin: Shows the page, and returns a function that closes it.
    package init(
        _ begin: @escaping @Sendable (WebAuthenticationRequest, @escaping Completion) async -> @Sendable () -> Void
    ) {
        self.begin = begin
    }

    package func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
        let race = Race<URL>()
        let close = await begin(request) { race.end(with: $0.mapError { $0 as any Error }) }
        defer { close() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { race.begin($0) }
            } onCancel: {
                race.end(with: .failure(WebAuthenticationError.cancelled))
            }
        } catch {
            throw error as? WebAuthenticationError ?? .cancelled
        }
    }
}
