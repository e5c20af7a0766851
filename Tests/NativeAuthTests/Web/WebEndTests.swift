import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

/// How a sign-in in a browser ends: by the user, by the app, by a second one, and at a sign-out.
@Suite("Ends of a sign-in in a browser") struct WebEndTests {
    private func failure(_ client: NativeAuthClient) async throws -> WebSignInError {
        try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
    }

    @Test("a closed page, a late user and a page that cannot be shown have their cases (SDK-WEB-8)")
    func theEndsOfAPage() async throws {
        let ends: [(WebAuthenticationError, String)] = [
            (.cancelled, "cancelled"), (.timedOut, "cancelled"), (.couldNotShow("why"), "couldNotShow"),
        ]
        for (end, expected) in ends {
            try await withWeb(with: WebSetup(answer: { _ in throw end })) { client, server in
                let found = try await failure(client)
                #expect(kind(found) == expected)
                if case .cancelled(let by, _) = found { #expect(by == .user) }
                if case .couldNotShow(let details) = found { #expect(details.message == "why") }
                #expect(try server.redemptions.isEmpty)
            }
        }
    }

    @Test("a second sign-in while one runs is busy at once, and shows nothing (SDK-WEB-2)")
    func oneAtATime() async throws {
        let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
        let (closing, close) = AsyncStream.makeStream(of: Void.self)
        try await withWeb(
            with: WebSetup(answer: { page in
                isOpen.yield()
                for await _ in closing { break }
                return page.code()
            })
        ) { client, server in
            async let first = client.signInWithBrowser()
            for await _ in opened { break }
            let kinds = await withTaskGroup(of: String.self) { group in
                for _ in 0..<49 {
                    group.addTask {
                        do throws(WebSignInError) {
                            _ = try await client.signInWithBrowser()
                            return "done"
                        } catch {
                            return kind(error)
                        }
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(kinds == ["busy"] && server.pages.count == 1)
            close.finish()
            _ = try await first
            _ = try await client.signInWithBrowser()
            #expect(server.pages.count == 2, "the next one may begin")
        }
    }

    @Test("a cancelled task ends within 100 ms and stores nothing, also when the browser does not react (SDK-WEB-3)")
    func cancellation() async throws {
        let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
        let (closing, close) = AsyncStream.makeStream(of: Void.self)
        try await withWeb(
            with: WebSetup(answer: { page in
                isOpen.yield()
                // Ignores the cancellation.
                await Task { for await _ in closing { break } }.value
                return page.code()
            })
        ) { client, server in
            let task = Task { try await failure(client) }
            for await _ in opened { break }
            let clock = ContinuousClock()
            let begin = clock.now
            task.cancel()
            let ended = try await task.value
            // 100 ms on an idle machine.
            #expect(clock.now - begin < .milliseconds(1000))
            if case .cancelled(let by, _) = ended { #expect(by == .program) } else { Issue.record("\(ended)") }
            close.finish()
            #expect(try server.redemptions.isEmpty && client.accounts().isEmpty)
        }
    }

    @Test("no, two or three calls from any thread, also after the end, give one result (SDK-WEB-3)", arguments: 0...3)
    func callbacks(_ count: Int) async throws {
        let url = try #require(URL(string: "\(webRedirect)?code=1"))
        let isClosed = Mutex(0)
        let authenticator = CallbackAuthenticator { _, completion in
            for number in 0..<count {
                Thread.detachNewThread { completion(number == 0 ? .success(url) : .success(url)) }
            }
            return {
                isClosed.withLock { $0 += 1 }
                completion(.failure(.timedOut))
            }
        }
        let request = WebAuthenticationRequest(
            page: url, callback: webRedirect, session: .shared, state: Secret("s")
        ) { _ in FormFields() }
        let task = Task { try await authenticator.authenticate(request) }
        if count == 0 {
            task.cancel()
            await #expect(throws: WebAuthenticationError.cancelled) { try await task.value }
        } else {
            #expect(try await task.value == url)
        }
        #expect(isClosed.withLock(\.self) == 1)
    }

    // MARK: Sign-out

    @Test("a sign-out removes the account first, then shows the page with the hint, the callback and the state")
    func signingOut() async throws {
        try await withWeb(with: WebSetup(answer: { $0["post_logout_redirect_uri"].isEmpty ? $0.code() : $0.callback }))
        {
            client, server in
            let account = try await client.signInWithBrowser()
            try await client.signOutWithBrowser(account)
            #expect(client.accounts().isEmpty)
            let page = try #require(server.pages.last)
            #expect(page.url.absoluteString.hasPrefix("\(WebServer.origin)/TID/oauth2/v2.0/logout?"))
            #expect(page["client_id"] == clientID && page["post_logout_redirect_uri"] == webRedirect.absoluteString)
            #expect(
                page["id_token_hint"] == account.idToken && page["state"].utf8.count == 43 && page.session == .shared)
            try await client.signOutWithBrowser(account, session: .ephemeral)
            #expect(server.pages.count == 2, "nothing is left in an ephemeral session")
        }
    }

    @Test("a user who closes the page of the sign-out is signed out all the same")
    func closingTheSignOut() async throws {
        try await withWeb(
            with: WebSetup(answer: { page in
                guard page["post_logout_redirect_uri"].isEmpty else { throw WebAuthenticationError.cancelled }
                return page.code()
            })
        ) { client, _ in
            let account = try await client.signInWithBrowser()
            try await client.signOutWithBrowser(account)
            #expect(client.accounts().isEmpty)
        }
    }
}
