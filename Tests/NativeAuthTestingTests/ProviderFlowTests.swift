import Crypto
import Foundation
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

/// Sign-in by providers of other organisations through the SDK, against the server in this process.
@Suite("Providers: the SDK", .timeLimit(.minutes(1)))
struct ProviderFlowTests {
    private struct Unexpected: Error {}

    /// A provider whose tokens say something else.
    private struct Forger: IdentityTokenProvider {
        let provider: TestIdentityProvider
        var claims: [String: JSONValue] = [:]
        var header: [String: JSONValue] = [:]
        var key: P256.Signing.PrivateKey?
        var nonce: String?
        var id: String { provider.id }

        func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
            ProviderCredential(
                idToken: try provider.idToken(nonce: self.nonce ?? nonce, claims: claims, header: header, key: key))
        }
    }

    private func tenant(
        _ providers: [TestIdentityProvider], _ applications: [TestTenant.Application] = [.emailOneTimePasscode],
        _ adjust: (inout TestTenant.Settings) -> Void = { _ in }
    ) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = applications
            settings.providers = providers
            adjust(&settings)
        }
    }

    private func account(_ step: consuming ProviderSignInStep) throws -> Account {
        guard case .completed(let account) = step else { throw Unexpected() }
        return account
    }

    private func refusal(
        _ tenant: TestTenant, _ provider: some IdentityTokenProvider
    ) async -> ProviderSignInError? {
        do throws(ProviderSignInError) {
            _ = try await tenant.client.signIn(with: provider)
            return nil
        } catch {
            return error
        }
    }

    private func isNotAccepted(_ error: ProviderSignInError?) -> Bool {
        guard case .notAccepted? = error else { return false }
        return true
    }

    // MARK: - New users

    @Test("SEC-FED-7: A new user has an account at once, and the same account by the same identity")
    func newUser() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        let first = try account(try await tenant.client.signIn(with: apple))
        #expect(first.username == dana)
        let stored = try #require(try await tenant.storedUser(dana))
        #expect(!stored.hasPassword)
        // The address changes at the provider: that changes nothing here.
        apple.person.email = "other@example.com"
        let second = try account(try await tenant.client.signIn(with: apple))
        #expect(second.homeAccountID == first.homeAccountID && second.username == dana)
        // Apple may name no address later.
        apple.person.email = nil
        #expect(try account(try await tenant.client.signIn(with: apple)).homeAccountID == first.homeAccountID)
        // No mail but the provider's word proved the address, and the user can have a code by mail, too.
        guard case .codeRequired(let code) = try await tenant.client.signIn(username: dana),
            case .next(.completed(let byCode)) = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        #expect(byCode.homeAccountID == first.homeAccountID)
    }

    @Test("SEC-FED-7: The same subject at two providers is two people")
    func twoProviders() async throws {
        let (one, other) = (TestIdentityProvider(.apple), TestIdentityProvider(.google))
        other.person.email = "erik@gmail.com"
        let tenant = try tenant([one, other])
        let first = try account(try await tenant.client.signIn(with: one))
        let second = try account(try await tenant.client.signIn(with: other))
        #expect(first.homeAccountID != second.homeAccountID)
    }

    @Test("Missing attributes are an ordinary next step, with the provider's names filled in")
    func attributes() async throws {
        let apple = TestIdentityProvider(.apple)
        (apple.person.givenName, apple.person.familyName) = ("Dana", "Holm")
        let tenant = try tenant([apple], [.emailOneTimePasscodeWithAttributes])
        guard case .attributesRequired(let step) = try await tenant.client.signIn(with: apple) else {
            throw Unexpected()
        }
        #expect(step.info.map(\.name) == ["country", "city"])
        #expect(try await tenant.storedUser(dana) == nil)
        guard case .next(.completed(let done)) = try await step.submit(["country": "Denmark", "city": "Aarhus"]),
            case .next(.completed(let account)) = try await done.signIn()
        else { throw Unexpected() }
        #expect(account.username == dana)
        let stored = try #require(try await tenant.storedUser(dana))
        #expect(stored.attributes["givenName"] == "Dana" && stored.attributes["surname"] == "Holm")
    }

    @Test(
        "SEC-FED-15: What Apple says once survives a sign-up that was broken off, for a day and for this identity alone"
    )
    func namesOnce() async throws {
        let apple = TestIdentityProvider(.apple)
        (apple.person.givenName, apple.person.familyName) = ("Dana", "Holm")
        let tenant = try tenant([apple], [.emailOneTimePasscodeWithAttributes])
        guard case .attributesRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        (apple.person.givenName, apple.person.familyName, apple.person.email) = (nil, nil, nil)
        // Another person at Apple has said nothing.
        let own = apple.person.subject
        apple.person.subject = "another"
        guard case .mailboxRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        apple.person.subject = own
        tenant.clock.advance(by: .seconds(86_399))
        guard case .attributesRequired(let step) = try await tenant.client.signIn(with: apple),
            case .next(.completed) = try await step.submit(["country": "Denmark", "city": "Aarhus"])
        else { throw Unexpected() }
        let stored = try #require(try await tenant.storedUser(dana))
        #expect(stored.attributes["givenName"] == "Dana" && stored.attributes["surname"] == "Holm")
        #expect(try await tenant.server.rows("SELECT content FROM identity_names").isEmpty)
    }

    @Test("SEC-FED-15: A proof of the address ages, also when names are said anew")
    func proofAges() async throws {
        let apple = TestIdentityProvider(.apple)
        apple.person.givenName = "Dana"
        let tenant = try tenant([apple], [.emailOneTimePasscodeWithAttributes])
        guard case .attributesRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        apple.person.email = nil
        for _ in 0..<2 {
            tenant.clock.advance(by: .seconds(40_000))
            guard case .attributesRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        }
        tenant.clock.advance(by: .seconds(40_000))
        guard case .mailboxRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
    }

    @Test("SEC-FED-15: After a day what Apple said is forgotten, and it is in no readable form before")
    func namesForgotten() async throws {
        let apple = TestIdentityProvider(.apple)
        apple.person.givenName = "Dana"
        let tenant = try tenant([apple], [.emailOneTimePasscodeWithAttributes])
        guard case .attributesRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        let kept = try await tenant.server.rows("SELECT hex(content) FROM identity_names")
        let readable = Data("Dana".utf8).map { String($0, radix: 16, uppercase: true) }.joined()
        #expect(kept.count == 1 && kept[0][0]?.contains(readable) == false)
        (apple.person.givenName, apple.person.email) = (nil, nil)
        tenant.clock.advance(by: .seconds(86_400))
        guard case .mailboxRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        _ = try await tenant.server.engine.removeExpired(now: tenant.clock.now)
        #expect(try await tenant.server.rows("SELECT content FROM identity_names").isEmpty)
    }

    @Test("SEC-FED-8: An address that the provider cannot speak for is proven by a code of our own")
    func foreignAddress() async throws {
        let other = TestIdentityProvider(.openID("harbour", domains: ["harbour.example"]))
        other.person.email = "dana@example.com"
        let tenant = try tenant([other])
        let client = tenant.client
        guard case .mailboxRequired(let step) = try await client.signIn(with: other) else { throw Unexpected() }
        guard case .retry(let again, .invalidContact) = try await step.requestCode(to: "no address") else {
            throw Unexpected()
        }
        let key = ResumeKey()
        let kept: MailboxRequired = try client.resume(try again.saved(with: key), with: key)
        guard case .next(let sent) = try await kept.requestCode(to: dana) else { throw Unexpected() }
        let code: MailboxCodeRequired = try client.resume(try sent.saved(with: key), with: key)
        guard case .retry(let wrong, .incorrectCode) = try await code.submit(code: "00000000"),
            case .next(let resent) = try await wrong.resend(),
            case .next(.completed(let account)) = try await resent.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        #expect(account.username == dana)
        #expect(try self.account(try await tenant.client.signIn(with: other)).homeAccountID == account.homeAccountID)
    }

    @Test(
        "SEC-FED-8: Whose word proves an address",
        arguments: [
            (TestIdentityProvider.Kind.apple, "dana@example.com", nil, true, true),
            (.apple, "dana@example.com", nil, false, false), (.google, "dana@gmail.com", nil, true, true),
            (.google, "dana@gmail.com", nil, false, false), (.google, "dana@example.com", nil, true, false),
            (.google, "dana@example.com", "example.com", true, true),
            (.google, "dana@example.com", "example.org", true, false),
            (.google, "dana@sub.example.com", "example.com", true, false),
            (.openID("harbour"), "dana@example.com", nil, true, false),
            (.openID("harbour", domains: ["example.com"]), "dana@example.com", nil, true, true),
            (.openID("harbour", domains: ["example.com"]), "dana@EXAMPLE.com", nil, true, true),
            (.openID("harbour", domains: ["example.com"]), "dana@example.com", nil, false, false),
            (.openID("harbour", domains: ["example.com"]), "dana@example.com.evil.example", nil, true, false),
            (.openID("harbour", domains: ["example.com"]), "dana@notexample.com", nil, true, false),
        ] as [(TestIdentityProvider.Kind, String, String?, Bool, Bool)])
    func authority(
        _ kind: TestIdentityProvider.Kind, _ email: String, _ domain: String?, _ isVerified: Bool, _ isProof: Bool
    ) async throws {
        let provider = TestIdentityProvider(kind)
        provider.person.email = email
        provider.person.isEmailVerified = isVerified
        provider.person.hostedDomain = domain
        let tenant = try tenant([provider])
        if case .mailboxRequired = try await tenant.client.signIn(with: provider) {
            #expect(!isProof)
        } else {
            #expect(try await tenant.storedUser(email) != nil && isProof)
        }
    }

    @Test("An application without sign-up makes no account")
    func noSignUp() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple]) { $0.applications[0].allowsSignUp = false }
        guard case .signUpNotAllowed? = await refusal(tenant, apple) else { throw Unexpected() }
        #expect(try await tenant.storedUser(dana) == nil)
    }

    // MARK: - Existing accounts

    @Test("SEC-FED-9: An account is linked after its password, and its owner is told")
    func linkByPassword() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { $0.users = [.init(dana, password: goodPassword)] }
        let client = tenant.client
        guard case .linkRequired(let first) = try await client.signIn(with: apple) else { throw Unexpected() }
        // Nothing is linked before the proof.
        guard case .linkRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        let key = ResumeKey()
        let step: LinkRequired = try client.resume(try first.saved(with: key), with: key)
        guard case .next(.passwordRequired(let password)) = try await step.prove(),
            case .retry(let again, .incorrectPassword) = try await password.submit(password: "Wrong-Harbour-42")
        else { throw Unexpected() }
        guard case .linkRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        guard case .next(.completed(let account)) = try await again.submit(password: goodPassword) else {
            throw Unexpected()
        }
        #expect(account.username == dana)
        let mail = try #require(try await tenant.mailbox.mails(for: dana).first)
        #expect(mail.purpose == .methodRegistered)
        let byApple = try self.account(try await tenant.client.signIn(with: apple))
        #expect(byApple.homeAccountID == account.homeAccountID)
        // The password still works.
        guard case .completed = try await tenant.client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
    }

    @Test(
        "SEC-FED-16: An identity is listed in the account, proves a fresh sign-in, and is removed; codes by mail stay")
    func account() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        let account = try account(try await tenant.client.signIn(with: apple))
        let method = try #require(try await account.methods().first { $0.kind == .identity })
        #expect(method.name == "Apple" && !method.isSuspended)
        tenant.clock.advance(by: .seconds(601))
        do {
            try await account.remove(method)
            Issue.record("an old sign-in removed a method")
        } catch {
            guard case .proofRequired(let demand, _) = error else { throw error }
            #expect(
                try self.account(try await account.signInAgain(for: demand, with: apple)).homeAccountID
                    == account.homeAccountID)
        }
        try await account.remove(method)
        #expect(try await account.methods().isEmpty)
        guard case .linkRequired = try await tenant.client.signIn(with: apple),
            case .codeRequired = try await tenant.client.signIn(username: dana)
        else { throw Unexpected() }
    }

    @Test(
        "SEC-ENR-4, SEC-FED-10: An account whose mailbox was never proven asks for a code, and keeps no password of a stranger"
    )
    func unproven() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { $0.users = [.init(dana, password: goodPassword)] }
        // As an account that an operator made, or that an import brought: a stranger may have chosen its password and begun a
        // session.
        let stranger = tenant.client
        guard case .completed(let theirs) = try await stranger.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        _ = try await tenant.server.rows("UPDATE identifiers SET proven_at = NULL")
        guard case .linkRequired(let step) = try await tenant.client.signIn(with: apple),
            case .next(.codeRequired(let code)) = try await step.prove(),
            case .next(.completed(let account)) = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        #expect(account.homeAccountID == theirs.homeAccountID)
        #expect(try #require(try await tenant.storedUser(dana)).hasPassword == false)
        #expect(try await account.accessToken(policy: .force).value.isEmpty == false)
        do {
            _ = try await theirs.accessToken(policy: .force)
            Issue.record("the stranger's session lives")
        } catch {}
        // It is proven now: the next identity of the same address asks for a code again, and the account keeps what it has.
        #expect(try self.account(try await tenant.client.signIn(with: apple)).homeAccountID == account.homeAccountID)
    }

    @Test("SEC-FED-11: Nothing but the token says who a user is")
    func onlyTheToken() async throws {
        struct Liar: IdentityTokenProvider {
            let provider: TestIdentityProvider
            var id: String { provider.id }
            func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
                ProviderCredential(
                    idToken: try provider.idToken(nonce: nonce), givenName: "erik@example.com",
                    familyName: "\u{202E}evil")
            }
        }
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        #expect(try account(try await tenant.client.signIn(with: Liar(provider: apple))).username == dana)
        let stored = try #require(try await tenant.storedUser(dana))
        #expect(stored.attributes["surname"] == nil)
    }

    @Test("SEC-FED-18: Whether an address has an account is told to its owner alone", arguments: [true, false])
    func noOracle(exists: Bool) async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        let tenant = try tenant([harbour]) { $0.users = exists ? [.init(dana)] : [] }
        // The provider cannot speak for the address: the same answer, whether it has an account.
        guard case .mailboxRequired(let step) = try await tenant.client.signIn(with: harbour),
            case .next(let code) = try await step.requestCode(to: dana),
            case .retry = try await code.submit(code: "00000000")
        else { throw Unexpected() }
    }

    @Test("SEC-FED-9: An account of codes is linked after a code")
    func linkByCode() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple]) { $0.users = [.init(dana)] }
        guard case .linkRequired(let step) = try await tenant.client.signIn(with: apple),
            case .next(.codeRequired(let code)) = try await step.prove(),
            case .next(.completed(let account)) = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        #expect(try self.account(try await tenant.client.signIn(with: apple)).homeAccountID == account.homeAccountID)
    }

    @Test("SEC-FED-9: A mailbox that a new user names may be that of an account: its proof links both")
    func linkByNamedMailbox() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = nil
        for password in [nil, goodPassword] {
            let tenant = try tenant([harbour], [.emailPassword]) { $0.users = [.init(dana, password: password)] }
            guard case .mailboxRequired(let step) = try await tenant.client.signIn(with: harbour),
                case .next(let code) = try await step.requestCode(to: dana),
                case .next(let next) = try await code.submit(code: tenant.mailbox.code(for: dana))
            else { throw Unexpected() }
            let linked: Account
            if password == nil {
                // The mailbox is all that the account has.
                linked = try account(next)
            } else {
                guard case .linkRequired(let link) = next,
                    case .next(.passwordRequired(let step)) = try await link.prove(),
                    case .next(.completed(let account)) = try await step.submit(password: goodPassword)
                else { throw Unexpected() }
                linked = account
            }
            #expect(
                try account(try await tenant.client.signIn(with: harbour)).homeAccountID == linked.homeAccountID)
        }
    }

    @Test("SEC-FED-9: A proof links the identity that the flow began with, and no other")
    func linkIsBound() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { $0.users = [.init(dana, password: goodPassword)] }
        apple.person.subject = "first"
        guard case .linkRequired(let step) = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        apple.person.subject = "second"
        guard case .linkRequired(let other) = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        _ = consume other
        guard case .next(.passwordRequired(let password)) = try await step.prove(),
            case .next(.completed(let account)) = try await password.submit(password: goodPassword)
        else { throw Unexpected() }
        // The second one is still a stranger.
        guard case .linkRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        apple.person.subject = "first"
        #expect(try self.account(try await tenant.client.signIn(with: apple)).homeAccountID == account.homeAccountID)
    }

    @Test("SEC-FED-17: A second factor is required after an identity, as after every first factor")
    func secondFactor() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users = [.init(dana, password: goodPassword, secondFactors: ["dana@example.org"])]
        }
        guard case .linkRequired(let step) = try await tenant.client.signIn(with: apple),
            case .next(.passwordRequired(let password)) = try await step.prove(),
            case .next(.mfaRequired(let factor)) = try await password.submit(password: goodPassword)
        else { throw Unexpected() }
        // Not linked before both factors.
        guard case .linkRequired = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        let method = try #require(factor.info.first)
        guard case .next(let code) = try await factor.requestCode(by: method),
            case .next = try await code.submit(code: tenant.mailbox.code(for: "dana@example.org"))
        else { throw Unexpected() }
        guard case .mfaRequired(let again) = try await tenant.client.signIn(with: apple) else { throw Unexpected() }
        #expect(again.info.count == 1)
    }

    @Test(
        "SEC-FED-13: An identity and the mailbox that its provider speaks for are one factor, whatever the token names")
    func oneFactor() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users = [.init(dana, password: goodPassword, secondFactors: [dana])]
        }
        guard case .linkRequired(let step) = try await tenant.client.signIn(with: apple),
            case .next(.passwordRequired(let password)) = try await step.prove(),
            case .next(.mfaRequired(let factor)) = try await password.submit(password: goodPassword)
        else { throw Unexpected() }
        let method = try #require(factor.info.first)
        guard case .next(let code) = try await factor.requestCode(by: method),
            case .next = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        for email in [dana, nil, "other@example.net"] {
            apple.person.email = email
            guard case .signIn(.browserRequired)? = await refusal(tenant, apple) else {
                Issue.record("\(email ?? "no address"): a code to the same mailbox is asked for")
                continue
            }
        }
    }

    @Test("SEC-ENR-7: The mailbox for a moment links an identity, and owns no account by it")
    func mailboxForAMoment() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = nil
        let tenant = try tenant([harbour], [.emailPassword]) { $0.users = [.init(dana)] }
        // The account is there before the identity.
        guard case .mailboxRequired = try await tenant.client.signIn(with: harbour) else { throw Unexpected() }
        tenant.clock.advance(by: .seconds(60))
        guard case .mailboxRequired(let step) = try await tenant.client.signIn(with: harbour),
            case .next(let code) = try await step.requestCode(to: dana),
            case .next(.completed) = try await code.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        let thief = try account(try await tenant.client.signIn(with: harbour))
        func isHeld(_ call: () async throws(AccountError) -> Void) async -> Bool {
            do {
                try await call()
                return false
            } catch {
                guard case .proofRequired = error else { return false }
                return true
            }
        }
        #expect(await isHeld { () async throws(AccountError) in _ = try await thief.delete() })
        #expect(
            await isHeld { () async throws(AccountError) in _ = try await thief.changeEmail(to: "thief@example.net") })
        #expect(
            await isHeld { () async throws(AccountError) in
                try await thief.changePassword(from: nil, to: goodPassword)
            })
        // The owner was told, and has the mailbox.
        #expect(try await tenant.mailbox.mails(for: dana).contains { $0.purpose == .methodRegistered })
        guard case .codeRequired(let own) = try await tenant.client.signIn(username: dana),
            case .next(.completed(let owner)) = try await own.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        try await owner.remove(try #require(try await owner.methods().first { $0.kind == .identity }))
        guard case .mailboxRequired = try await tenant.client.signIn(with: harbour) else { throw Unexpected() }
    }

    @Test(
        "SEC-FED-13: What the old mailbox linked rests when the address changes, and comes back by a proof of the account"
    )
    func changedAddress() async throws {
        let harbour = TestIdentityProvider(.openID("harbour"))
        harbour.person.email = nil
        let tenant = try tenant([harbour]) { $0.users = [.init(dana)] }
        // The account is there before the identity.
        guard case .mailboxRequired = try await tenant.client.signIn(with: harbour) else { throw Unexpected() }
        tenant.clock.advance(by: .seconds(60))
        guard case .mailboxRequired(let step) = try await tenant.client.signIn(with: harbour),
            case .next(let code) = try await step.requestCode(to: dana),
            case .next(.completed) = try await code.submit(code: tenant.mailbox.code(for: dana)),
            case .codeRequired(let own) = try await tenant.client.signIn(username: dana),
            case .next(.completed(let owner)) = try await own.submit(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        let change = try await owner.changeEmail(to: "safe@example.net")
        guard case .next(.completed) = try await change.submit(code: tenant.mailbox.code(for: "safe@example.net"))
        else { throw Unexpected() }
        guard case .linkRequired(let link) = try await tenant.client.signIn(with: harbour),
            case .next(.codeRequired(let again)) = try await link.prove(),
            case .next(.completed(let back)) = try await again.submit(
                code: tenant.mailbox.code(for: "safe@example.net"))
        else { throw Unexpected() }
        #expect(try account(try await tenant.client.signIn(with: harbour)).homeAccountID == back.homeAccountID)
        #expect(try await back.methods().count { $0.kind == .identity } == 1)
    }

    @Test("SEC-ENR-13: Six links that began together give five identities")
    func fiveIdentities() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple], [.emailPassword]) { $0.users = [.init(dana, password: goodPassword)] }
        var begun: [Kept<SignInPasswordRequired>] = []
        for number in 0..<6 {
            apple.person.subject = "subject-\(number)"
            guard case .linkRequired(let link) = try await tenant.client.signIn(with: apple),
                case .next(.passwordRequired(let step)) = try await link.prove()
            else { throw Unexpected() }
            begun.append(step.kept())
        }
        var linked = 0
        for kept in begun {
            guard let step = kept.take() else { throw Unexpected() }
            do {
                guard case .next(.completed) = try await step.submit(password: goodPassword) else { continue }
                linked += 1
            } catch {}
        }
        #expect(linked == 5)
    }

    @Test("SEC-FED-17: A disabled account is not entered by its identity")
    func disabled() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        _ = try account(try await tenant.client.signIn(with: apple))
        try await tenant.setDisabled(true, dana)
        guard case .signIn(let error)? = await refusal(tenant, apple) else { throw Unexpected() }
        #expect(error.details.errorCodes == [50_057])
    }

    // MARK: - Forged tokens

    private static let forged: [(String, [String: JSONValue], [String: JSONValue])] = [
        ("issuer", ["iss": .string("https://evil.test")], [:]),
        ("issuer with a slash", ["iss": .string("https://appleid.apple.com/")], [:]),
        ("issuer without a scheme", ["iss": .string("appleid.apple.com")], [:]),
        ("issuer in capitals", ["iss": .string("HTTPS://appleid.apple.com")], [:]),
        ("issuer as a list", ["iss": .array([.string("https://appleid.apple.com")])], [:]),
        ("no issuer", ["iss": .null], [:]), ("another app", ["aud": .string("com.example.other")], [:]),
        ("an app in capitals", ["aud": .string("COM.EXAMPLE.APP")], [:]),
        ("no app", ["aud": .null], [:]), ("an empty list of apps", ["aud": .array([])], [:]),
        (
            "two apps and no party",
            ["aud": .array([.string("com.example.app"), .string("com.example.other")])], [:]
        ),
        (
            "two apps and another party",
            [
                "aud": .array([.string("com.example.app"), .string("com.example.other")]),
                "azp": .string("com.example.other"),
            ], [:]
        ),
        ("an end long ago", ["exp": .integer(1_799_990_000)], [:]),
        ("an end just now", ["exp": .integer(1_799_999_939)], [:]),
        ("no end", ["exp": .null], [:]), ("an end as text", ["exp": .string("1800000600")], [:]),
        ("a beginning to come", ["iat": .integer(1_800_000_100)], [:]),
        ("an old beginning", ["iat": .integer(1_799_999_399)], [:]), ("no beginning", ["iat": .null], [:]),
        ("not yet valid", ["nbf": .integer(1_800_000_100)], [:]), ("no nonce", ["nonce": .null], [:]),
        ("an empty nonce", ["nonce": .string("")], [:]), ("a nonce as a number", ["nonce": .integer(1)], [:]),
        ("no subject", ["sub": .null], [:]), ("an empty subject", ["sub": .string("")], [:]),
        ("a long subject", ["sub": .string(String(repeating: "a", count: 256))], [:]),
        ("a subject with a blank", ["sub": .string("00 1")], [:]), ("a subject as a number", ["sub": .integer(1)], [:]),
        ("a subject of other letters", ["sub": .string("dänä")], [:]),
        ("a subject with a line end", ["sub": .string("1\n2")], [:]),
        ("no algorithm", [:], ["alg": .string("none")]), ("an empty algorithm", [:], ["alg": .string("")]),
        ("HS256", [:], ["alg": .string("HS256")]), ("RS256 for a key of P-256", [:], ["alg": .string("RS256")]),
        ("EdDSA for a key of P-256", [:], ["alg": .string("EdDSA")]), ("ES384", [:], ["alg": .string("ES384")]),
        ("an algorithm in small letters", [:], ["alg": .string("es256")]), ("alg missing", [:], ["alg": .null]),
        ("another key", [:], ["kid": .string("other")]), ("a key as a number", [:], ["kid": .integer(1)]),
        ("a key set of its own", [:], ["jku": .string("https://evil.test/keys")]),
        ("a key of its own", [:], ["jwk": .object(["kty": .string("EC")])]),
        ("a certificate of its own", [:], ["x5u": .string("https://evil.test/cert")]),
        ("a chain of its own", [:], ["x5c": .array([.string("MIIB")])]),
        ("a rule to know", [:], ["crit": .array([.string("b64")])]),
        ("a verified address as a number", ["email_verified": .integer(1)], [:]),
        ("an address as a list", ["email": .array([.string(dana)])], [:]),
        ("a name as a number", ["given_name": .integer(1)], [:]),
    ]

    @Test("SEC-FED-1, SEC-FED-2, SEC-FED-4: A token with a wrong claim or header proves nothing", arguments: forged)
    func forgery(_ name: String, _ claims: [String: JSONValue], _ header: [String: JSONValue]) async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        let forger = Forger(provider: apple, claims: claims, header: header)
        let refusal = await refusal(tenant, forger)
        #expect(isNotAccepted(refusal), "\(name)")
        #expect(try await tenant.storedUser(dana) == nil, "\(name)")
    }

    @Test("SEC-FED-2: The same token without a fault is accepted, also at the edges of its time")
    func unforged() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        let edges: [[String: JSONValue]] = [
            [:], ["exp": .integer(1_799_999_941)], ["iat": .integer(1_799_999_400)], ["iat": .integer(1_800_000_060)],
            ["nbf": .integer(1_800_000_060)],
            ["aud": .array([.string("com.example.app")])],
            [
                "aud": .array([.string("com.example.other"), .string("com.example.app")]),
                "azp": .string("com.example.app"),
            ],
        ]
        for claims in edges {
            let forger = Forger(provider: apple, claims: claims)
            #expect(await refusal(tenant, forger) == nil, "\(claims)")
        }
        // Without the name of a key, every key of the provider may be meant.
        #expect(await refusal(tenant, Forger(provider: apple, header: ["kid": .null])) == nil)
    }

    @Test("SEC-FED-1: A key that is not the provider's signs nothing, whatever the header says")
    func foreignKey() async throws {
        let (apple, google) = (TestIdentityProvider(.apple), TestIdentityProvider(.google))
        let tenant = try tenant([apple, google])
        #expect(isNotAccepted(await refusal(tenant, Forger(provider: apple, key: P256.Signing.PrivateKey()))))
        // A token of another provider of the tenant, with the nonce of this flow.
        struct Swapped: IdentityTokenProvider {
            let asked, asking: TestIdentityProvider
            var id: String { asking.id }
            func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
                try await asked.credential(nonce: nonce)
            }
        }
        google.person.email = "dana@gmail.com"
        #expect(isNotAccepted(await refusal(tenant, Swapped(asked: google, asking: apple))))
        #expect(isNotAccepted(await refusal(tenant, Swapped(asked: apple, asking: google))))
        #expect(await refusal(tenant, google) == nil)
    }

    @Test("SEC-FED-3: A token belongs to one flow, once, for ten minutes")
    func nonce() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        // The token of another flow.
        final class Recorder: IdentityTokenProvider {
            let provider: TestIdentityProvider
            let recorded = Locked<ProviderCredential?>(nil)
            let clock: ManualClock
            let wait: Duration
            var id: String { provider.id }
            init(_ provider: TestIdentityProvider, _ clock: ManualClock, wait: Duration = .zero) {
                (self.provider, self.clock, self.wait) = (provider, clock, wait)
            }
            func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
                clock.advance(by: wait)
                let credential = try await provider.credential(nonce: nonce)
                recorded.withLock { $0 = credential }
                return credential
            }
        }
        struct Replayed: IdentityTokenProvider {
            let id: String
            let credential: ProviderCredential
            func credential(nonce: String) async throws(ProviderError) -> ProviderCredential { credential }
        }
        let recorder = Recorder(apple, tenant.clock)
        #expect(await refusal(tenant, recorder) == nil)
        guard let stolen = recorder.recorded.withLock(\.self) else { throw Unexpected() }
        #expect(isNotAccepted(await refusal(tenant, Replayed(id: apple.id, credential: stolen))))
        // The nonce of another flow in a fresh token.
        #expect(isNotAccepted(await refusal(tenant, Forger(provider: apple, nonce: String(repeating: "A", count: 43)))))
        // Too late.
        #expect(await refusal(tenant, Recorder(apple, tenant.clock, wait: .seconds(599))) == nil)
        #expect(isNotAccepted(await refusal(tenant, Recorder(apple, tenant.clock, wait: .seconds(600)))))
    }

    // MARK: - Keys

    @Test("SEC-FED-12: Keys are fetched once; a new key is found, and an unknown one is looked for every five minutes")
    func rotation() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        for _ in 0..<5 { #expect(await refusal(tenant, apple) == nil) }
        #expect(apple.looks == 1)
        tenant.clock.advance(by: .seconds(301))
        apple.changeKey()
        #expect(await refusal(tenant, apple) == nil)
        #expect(apple.looks == 2)
        for _ in 0..<50 {
            #expect(
                isNotAccepted(
                    await refusal(
                        tenant, Forger(provider: apple, header: ["kid": .string("\(Int.random(in: 0..<1_000_000))")]))))
        }
        #expect(apple.looks == 2)
        tenant.clock.advance(by: .seconds(301))
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    _ = await refusal(tenant, Forger(provider: apple, header: ["kid": .string("\(number)")]))
                }
            }
        }
        #expect(apple.looks == 3)
        #expect(await refusal(tenant, apple) == nil)
    }

    @Test("SEC-FED-12: A provider that is down is told apart, and other ways work")
    func down() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple]) { $0.users = [.init("erik@example.com")] }
        apple.isDown = true
        guard case .providerUnavailable? = await refusal(tenant, apple) else { throw Unexpected() }
        guard case .codeRequired = try await tenant.client.signIn(username: "erik@example.com") else {
            throw Unexpected()
        }
        apple.isDown = false
        // It is asked again after a moment.
        guard case .providerUnavailable? = await refusal(tenant, apple) else { throw Unexpected() }
        tenant.clock.advance(by: .seconds(11))
        #expect(await refusal(tenant, apple) == nil)
        // The keys of yesterday are used while it is down, those of last week are not.
        apple.isDown = true
        tenant.clock.advance(by: .seconds(6 * 86_400))
        #expect(await refusal(tenant, apple) == nil)
        tenant.clock.advance(by: .seconds(2 * 86_400))
        guard case .providerUnavailable? = await refusal(tenant, apple) else { throw Unexpected() }
    }

    // MARK: - The app

    @Test("A person who closes the sheet, and a tenant without the provider")
    func app() async throws {
        let apple = TestIdentityProvider(.apple)
        let tenant = try tenant([apple])
        apple.whenAsked = .cancel
        guard case .provider(.cancelled, _)? = await refusal(tenant, apple) else { throw Unexpected() }
        apple.whenAsked = .fail(.unreachable)
        guard case .provider(.unreachable, _)? = await refusal(tenant, apple) else { throw Unexpected() }
        apple.whenAsked = .agree
        guard case .signIn? = await refusal(try self.tenant([]), apple) else { throw Unexpected() }
        #expect(!"\(try await apple.credential(nonce: "n"))".contains("ey"))
    }
}
