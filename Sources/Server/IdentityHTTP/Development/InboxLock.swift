import Hummingbird
package import IdentityEngine
import NIOCore
package import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Keeps the pages with the codes of all users to who has read the code in the server's terminal, for a development server that other
/// machines reach (design record 0031).
///
/// The code lasts as long as the process, as does a browser's cookie.
package final class InboxLock: Sendable {
    /// Eight digits. With an attempt a second, all of them take three years.
    package let code: Secret<String>
    private let cookie: Secret<String>
    /// The digest of the certificate, as the fragment of an app's `NATIVE_AUTH_EMULATOR`.
    package let fingerprint: String
    /// The path of the certificate, for programs on this machine.
    let certificateFile: String
    /// When the next attempt may be compared.
    private let next = Locked(ContinuousClock.now)

    /// The longest that an attempt waits for its turn, in seconds. Beyond that it is refused.
    private static let longestWait = 5

    /// - Parameters:
    ///   - fingerprint: `sha256:` and 64 hexadecimal digits.
    package init(_ randomness: any Randomness, fingerprint: String, certificateFile: String) {
        self.fingerprint = fingerprint
        self.certificateFile = certificateFile
        code = Secret(randomness.digits(8))
        cookie = Secret(Base64URL.encode(randomness.bytes(32)))
    }

    /// Whether the browser has entered the code.
    func admits(_ request: Request) -> Bool {
        request.cookie(Self.cookieName).map { isSame($0, cookie) } ?? false
    }

    /// Compares an attempt with the code, one attempt a second.
    ///
    /// - Parameter attempt: The entered text; blanks between its digits do not count.
    /// - Returns: The `Set-Cookie` field for a right code; nil for a wrong one.
    /// - Throws: ``RequestFault/throttled(retryAfter:)`` when many attempts wait already, and `CancellationError`.
    func cookieField(for attempt: String) async throws -> String? {
        let now = ContinuousClock.now
        let turn = next.withLock { next -> ContinuousClock.Instant? in
            let turn = max(now, next)
            guard turn <= now + .seconds(Self.longestWait) else { return nil }
            next = turn + .seconds(1)
            return turn
        }
        guard let turn else { throw RequestFault.throttled(retryAfter: Self.longestWait) }
        try await Task.sleep(until: turn, clock: .continuous)
        guard isSame(Secret(attempt.filter { !$0.isWhitespace }), code) else { return nil }
        return "\(Self.cookieName)=\(cookie.reveal()); Path=/; Secure; HttpOnly; SameSite=Strict"
    }

    /// The prefix lets a browser take it only by https, and from this host alone (RFC 6265bis section 4.1.3).
    private static let cookieName = "__Host-inbox"

    /// Compares digests, so that the time says nothing about the first difference.
    private func isSame(_ one: Secret<String>, _ other: Secret<String>) -> Bool {
        Vault.fingerprint([Data(one.reveal().utf8)]) == Vault.fingerprint([Data(other.reveal().utf8)])
    }
}

extension DevelopmentPages {
    /// The page that asks for the code.
    static func lockedPage(isWrong: Bool = false) -> Response {
        var response = html(
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Development inbox</title><style>\(style)
            form{display:flex;flex-wrap:wrap;gap:10px;align-items:end;margin:18px 0}label{display:grid;gap:4px}
            input,button{font:inherit;padding:9px 12px;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}
            input{font:600 22px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:2px;width:12ch}
            button{border-color:var(--accent);color:var(--accent)}[role=alert]{color:var(--accent)}
            </style></head><body><main>
            <header><h1>Development inbox</h1></header>
            <p>This page shows the codes of all users. Enter the code that <code>native-auth serve --lan</code> printed in its terminal.</p>
            \(isWrong ? "<p role=\"alert\">That is not the code. It changes when the server starts again.</p>" : "")
            <form method="post" action="/dev/inbox"><label>Code
            <input name="code" inputmode="numeric" autocomplete="off" maxlength="16" required autofocus></label>
            <button>Open the inbox</button></form>
            </main></body></html>
            """)
        response.status = .unauthorized
        return response
    }

    /// The answer to a script.
    private static var lockedDocument: Response {
        Response(
            status: .unauthorized,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    string: #"{"error":"POST the code of the server's terminal to /dev/inbox first"}"#)))
    }

    /// The answer of `page`, or the page that asks for the code.
    func unlocked(_ request: Request, _ page: () async throws -> Response) async rethrows -> Response {
        guard lock?.admits(request) ?? true else {
            let isForPrograms = [".json", "/token"].contains { request.uri.path.hasSuffix($0) }
            return isForPrograms ? Self.lockedDocument : Self.lockedPage()
        }
        return try await page()
    }

    /// Opens the lock for a browser that sends the code: POST, 303, GET.
    func unlock(_ request: Request) async throws -> Response {
        guard let lock else { throw RequestFault.wrongMethod(allowed: "GET") }
        let form = try await IdentityRoutes.form(of: request)
        let attempt: String?
        do {
            attempt = try form.single("code")
        } catch {
            throw RequestFault.malformed(error)
        }
        guard let attempt else { throw RequestFault.missing(parameter: "code") }
        guard let field = try await lock.cookieField(for: attempt) else { return Self.lockedPage(isWrong: true) }
        return Response(
            status: .seeOther, headers: [.location: "/dev/inbox", .cacheControl: "no-store", .setCookie: field])
    }
}

extension Request {
    /// The value of a cookie; nil when it was not sent, is empty, or has more than 128 bytes.
    func cookie(_ name: String) -> Secret<String>? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == name, (1...128).contains(parts[1].utf8.count) {
                    return Secret(String(parts[1]))
                }
            }
        }
        return nil
    }
}
