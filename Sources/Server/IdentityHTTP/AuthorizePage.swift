import HTTPTypes
import Hummingbird
import NIOCore

// The authorization endpoint, which clients of the discovery document require (docs/protocol.md §1.3).
extension IdentityRoutes {
    /// Answers that users do not sign in with a browser here. It reads no parameter and never redirects, so a link that
    /// a page or a mail has prepared has no effect (RFC 9700 section 4.11).
    func authorize(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        _ = try await tenant(context)
        return Response(
            status: .badRequest,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: Self.noBrowserSignIn)))
    }

    private static let noBrowserSignIn = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>No sign-in in the browser</title>
        <style>:root{color-scheme:light dark}body{margin:15vh auto;max-width:34em;padding:0 20px;font:16px/1.55 system-ui,sans-serif}</style>
        </head><body><main><h1>No sign-in in the browser</h1>
        <p>This server does not sign users in through a browser. Go back to the app and sign in there.</p>
        <p>If the app brought you here, tell its makers: the app sent a request to the authorization endpoint, which this server does
        not have yet.</p></main></body></html>

        """
}
