public import NativeAuth
import NativeAuthCore
public import PortableFoundation

/// Walks the server's pages in the process of the test, with no port and no browser: a function of the test fills each
/// page in, and this follows links and redirects and keeps cookies.
///
/// ```swift
/// tenant.browser.fill { page in
///     page["username"] = "dana@example.com"
///     page["password"] = "Tulip-Harbour-42"
/// }
/// let account = try await client.signInWithBrowser()
/// ```
///
/// A page needs only some of the values: those for fields that it does not have are ignored. After the function
/// returns, the form of the page is sent with its first button, unless the function chose otherwise. Scripts on pages
/// do not run. Cookies stay from one sign-in to the next, as in a shared session, unless the request asks for an
/// ephemeral one.
public final class ScriptedBrowser: WebAuthenticator {
    private struct State: Sendable {
        var script: @Sendable (inout ScriptedPage) async throws -> Void = { _ in }
        var cookies = CookieJar()
        var titles: [String] = []
    }

    private let transport: any HTTPTransport
    private let state = Locked(State())
    /// Pages and redirects of one sign-in: more are a loop.
    private static let limit = 60

    /// A browser that sends its requests with `transport`. An answer with several cookies has them in one header
    /// `set-cookie`, separated by line feeds.
    public init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Sets the function that fills in each page from now on.
    public func fill(_ script: @escaping @Sendable (inout ScriptedPage) async throws -> Void) {
        state.withLock { $0.script = script }
    }

    /// The titles of the pages so far, in order.
    public var titles: [String] { state.withLock { $0.titles } }

    /// Forgets all cookies.
    public func forgetCookies() {
        state.withLock { $0.cookies = CookieJar() }
    }

    public func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
        do {
            return try await open(
                request.url, callback: request.callback, isEphemeral: request.session == .ephemeral)
        } catch {
            throw error as? WebAuthenticationError ?? .couldNotShow("\(error)")
        }
    }

    /// Walks from `url` to an address that begins with `callback`.
    ///
    /// - Throws: ``NativeAuth/WebAuthenticationError/cancelled`` when the script closed a page,
    ///   ``ScriptedBrowserError``, or the errors of the script and the transport.
    public func open(_ url: URL, callback: URL, isEphemeral: Bool = false) async throws -> URL {
        let shared = state.withLock(\.self)
        var cookies = isEphemeral ? CookieJar() : shared.cookies
        var request = PageRequest(url: url)
        for _ in 0..<Self.limit {
            if request.url.begins(callback) { return request.callbackURL }
            let response = try await transport.send(request.transportRequest(cookies: cookies.header(for: request.url)))
            cookies.learn(response.headers["set-cookie"], from: request.url)
            if !isEphemeral {
                let cookies = cookies
                state.withLock { $0.cookies = cookies }
            }
            if let next = try Self.redirect(response, from: request.url) {
                request = PageRequest(url: next)
                continue
            }
            var page = ScriptedPage(response, at: request.url)
            let title = page.title
            state.withLock { $0.titles.append(title) }
            // The page of the response mode `form_post` has nothing to fill in.
            if let answer = page.answer({ $0.begins(callback) }) {
                request = answer
                continue
            }
            try await shared.script(&page)
            request = try page.next()
        }
        throw ScriptedBrowserError.loop(titles)
    }

    /// The address that a redirect or the header `Refresh` names.
    private static func redirect(_ response: TransportResponse, from url: URL) throws -> URL? {
        var target: String?
        if (300..<400).contains(response.status) {
            target = response.headers["location"]
        } else if let refresh = response.headers["refresh"], let range = refresh.firstRange(of: "url=") {
            target = String(refresh[range.upperBound...])
        }
        guard let target else { return nil }
        guard let next = URL(string: target, relativeTo: url)?.absoluteURL else {
            throw ScriptedBrowserError.badAddress(target)
        }
        return next
    }
}

/// Why a ``ScriptedBrowser`` stopped.
public enum ScriptedBrowserError: Error, Hashable, CustomStringConvertible {
    /// The page with this title has neither a form nor a chosen link; the text is the page's.
    case nothingToSend(page: String, String)
    /// The page has no such field, button or link.
    case missing(String, page: String)
    /// A page or redirect names an address that cannot be parsed.
    case badAddress(String)
    /// The pages do not end; with their titles.
    case loop([String])

    public var description: String {
        switch self {
        case .nothingToSend(let page, let text): "The page \"\(page)\" has no form to send: \(text)"
        case .missing(let name, let page): "The page \"\(page)\" has no \(name)."
        case .badAddress(let address): "No browser can open \(address)."
        case .loop(let titles): "The pages do not end: \(titles.joined(separator: ", "))."
        }
    }
}

// MARK: - Requests

/// A request of a browser.
struct PageRequest {
    var url: URL
    /// Nil for `GET`.
    var body: String?

    /// The address with the fields of a form that was posted to it.
    var callbackURL: URL {
        guard let body, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        components.percentEncodedQuery = body
        return components.url ?? url
    }

    func transportRequest(cookies: String?) -> TransportRequest {
        var headers = ["accept": "text/html", "sec-fetch-mode": "navigate", "sec-fetch-site": "none"]
        headers["cookie"] = cookies
        if body != nil {
            headers["content-type"] = "application/x-www-form-urlencoded"
            headers["origin"] = "\(url.scheme ?? "https")://\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")"
            headers["sec-fetch-site"] = "same-origin"
        }
        return TransportRequest(
            method: body == nil ? "GET" : "POST", url: url, headers: headers, body: Data((body ?? "").utf8))
    }
}

extension URL {
    /// Whether the address is `callback`, with any query and fragment.
    fileprivate func begins(_ callback: URL) -> Bool {
        func root(_ url: URL) -> String {
            let text = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
            return text.hasSuffix("/") ? String(text.dropLast()) : String(text)
        }
        return root(self) == root(callback)
    }
}

/// The cookies of a browser, by host, path and name (RFC 6265). Times do not pass here: a cookie stays until it is
/// deleted.
private struct CookieJar: Sendable {
    private struct Key: Hashable {
        var host: String
        var path: String
        var name: String
    }

    private var values: [Key: String] = [:]

    mutating func learn(_ header: String?, from url: URL) {
        for line in (header ?? "").split(separator: "\n") {
            let parts = line.split(separator: ";").map { $0.trimmed }
            guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { continue }
            var path = "/"
            var isDeleted = false
            for attribute in parts.dropFirst() {
                let words = attribute.split(separator: "=", maxSplits: 1).map(String.init)
                switch (words.first?.lowercased(), words.dropFirst().first) {
                case ("path", let value?): path = value
                case ("max-age", let value?): isDeleted = (Int(value) ?? 1) <= 0
                case ("expires", let value?) where value.contains("1970"): isDeleted = true
                case (_, _): break
                }
            }
            let key = Key(host: url.host() ?? "", path: path, name: String(pair[..<equals]))
            values[key] = isDeleted ? nil : String(pair[pair.index(after: equals)...])
        }
    }

    func header(for url: URL) -> String? {
        let path = url.path()
        let sent = values.filter { key, _ in
            key.host == url.host() ?? ""
                && (path == key.path || path.hasPrefix(key.path.hasSuffix("/") ? key.path : key.path + "/"))
        }
        guard !sent.isEmpty else { return nil }
        return sent.map { "\($0.name)=\($1)" }.sorted().joined(separator: "; ")
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
