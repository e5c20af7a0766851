import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension Account {
    /// The address of the server's page about the account, where the user of this app is signed in, mostly without a question: data,
    /// e-mail address, password, second factor, sessions, deletion.
    ///
    /// It works once, for 60 seconds, from the network of this device. Open it at once in the system's browser, such as with
    /// SwiftUI's `openURL`, and keep it out of logs: until it is opened, it is a way into the account. A browser that is signed in as
    /// another user asks first; one that is signed in as the same user stays as it is. The session is for this page, and ends
    /// with that of the app; what could take the account away asks for a sign-in there.
    ///
    /// The tenant file allows it: `opensInBrowser: [account]` (docs/protocol.md §21.11).
    ///
    /// ```swift
    /// openURL(try await account.accountPage())
    /// ```
    ///
    /// - Parameter correlationID: Identifies the request in the server's log; nil for a new ID.
    /// - Throws: ``TokenError``; ``TokenError/service(_:)`` when the application may not open the page, or the server has
    ///   none.
    public func accountPage(correlationID: UUID? = nil) async throws(TokenError) -> URL {
        let id = correlationID ?? client.makeCorrelationID()
        do throws(NativeAuthError) {
            let ticket = try await client.sessions.ticket(
                homeAccountID: homeAccountID, audience: TokenExchange.accountPage, codeChallenge: nil,
                correlationID: id)
            var query = FormFields()
            query.append("ticket", ticket.reveal())
            let page = try client.api.authority(id).endpoint(TokenExchange.accountPage)
            guard let address = page.adding(query) else {
                throw .invalidConfiguration(.init(correlationID: id, message: "The authority has no pages."))
            }
            return address
        } catch {
            throw TokenError(error)
        }
    }

    /// A ticket that signs the user of this app in at another application of the tenant, in a browser.
    ///
    /// The other application begins its authorization request first, and tells this app the challenge of it (RFC 7636
    /// section 4.2). With the ticket as the parameter `ticket`, that request needs no sign-in but a click. It works once, for 60
    /// seconds, from the network of this device.
    ///
    /// The tenant file allows it: `opensInBrowser` lists the client id (docs/protocol.md §21.11).
    ///
    /// - Parameters:
    ///   - clientID: The client id of the other application.
    ///   - codeChallenge: The S256 challenge of its request: 43 characters.
    ///   - correlationID: Identifies the request in the server's log; nil for a new ID.
    /// - Throws: ``TokenError``.
    public func browserTicket(
        for clientID: String, codeChallenge: String, correlationID: UUID? = nil
    ) async throws(TokenError) -> BrowserTicket {
        let id = correlationID ?? client.makeCorrelationID()
        do throws(NativeAuthError) {
            return BrowserTicket(
                try await client.sessions.ticket(
                    homeAccountID: homeAccountID, audience: clientID, codeChallenge: codeChallenge, correlationID: id))
        } catch {
            throw TokenError(error)
        }
    }
}

/// A ticket that signs a user in, in a browser, once. Its description is redacted (`SDK-LOG-1`).
public struct BrowserTicket: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private let secret: Secret<String>

    init(_ secret: Secret<String>) {
        self.secret = secret
    }

    /// The value of the parameter `ticket`: 43 characters, which need no encoding.
    public var value: String { secret.reveal() }

    public var description: String { "BrowserTicket" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
