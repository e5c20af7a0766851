import Dispatch
import Foundation
import MSAL
import NativeAuth
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

private let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"

private func url(_ text: String) throws -> URL {
    try #require(URL(string: text))
}

/// The ways to make an application object, and the values beside the flows.
@Suite(.timeLimit(.minutes(1)))
struct ConfigurationTests {
    @Test(arguments: [
        ("https://contoso.ciamlogin.com", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
        ("https://Contoso.ciamlogin.com/", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
        (
            "https://contoso.ciamlogin.com/aaaabbbb-0000-cccc-1111-dddd2222eeee?x=1#y",
            "https://contoso.ciamlogin.com/aaaabbbb-0000-cccc-1111-dddd2222eeee"
        ),
    ])
    func anAuthorityOfAnExternalTenantIsNormalised(_ given: String, _ expected: String) throws {
        #expect(try MSALCIAMAuthority(url: url(given)).url.absoluteString == expected)
    }

    @Test(arguments: [
        "https://login.example.com/contoso", "http://contoso.ciamlogin.com", "ftp://contoso.ciamlogin.com",
        "https://user:hunter2@contoso.ciamlogin.com", "contoso.ciamlogin.com", "https://ciamlogin.com",
    ])
    func anotherAuthorityIsRefused(_ given: String) throws {
        let error = #expect(throws: (any Error).self) { try MSALCIAMAuthority(url: url(given)) }
        #expect((error as NSError?)?.domain == MSALErrorDomain)
        #expect((error as NSError?)?.userInfo[MSALErrorDescriptionKey] is String)
        #expect(error?.localizedDescription.contains("hunter2") == false)
    }

    @Test(arguments: ["https://login.example.com/contoso", "http://127.0.0.1:8765/contoso", "http://localhost/t"])
    func anyHostIsAcceptedWithoutTheCheckOfTheFormat(_ given: String) throws {
        let authority = try MSALCIAMAuthority(url: url(given), validateFormat: false)
        let configuration = MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, authority: authority, challengeTypes: .OOB)
        _ = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
    }

    @Test("An authority without a tenant in its path is refused, with a sentence that says what to add")
    func anAuthorityWithoutATenantIsRefused() throws {
        for text in ["https://login.example.com", "http://127.0.0.1:8765/"] {
            let error = #expect(throws: (any Error).self) {
                try MSALCIAMAuthority(url: url(text), validateFormat: false)
            }
            #expect((error as NSError?)?.domain == MSALErrorDomain)
            #expect(
                (error as NSError?)?.userInfo[MSALErrorDescriptionKey] as? String
                    == "The authority names no tenant: end it with the tenant's subdomain, domain or id.")
        }
    }

    @Test func plainHTTPIsForThisMachineOnly() throws {
        #expect(throws: (any Error).self) {
            try MSALCIAMAuthority(url: url("http://login.example.com/contoso"), validateFormat: false)
        }
    }

    @Test func anAuthorityOfAnotherKindIsRefusedByTheApplication() throws {
        let refused = [
            try MSALAuthority(url: url("https://login.microsoftonline.com/common")),
            try MSALAADAuthority(url: url("https://login.microsoftonline.com/common")),
            try MSALAADAuthority(url: url("https://contoso.ciamlogin.com")),
            try MSALB2CAuthority(url: url("https://contoso.b2clogin.com/tfp/contoso/policy")),
        ]
        for authority in refused {
            let configuration = MSALNativeAuthPublicClientApplicationConfig(
                clientId: clientID, authority: authority, challengeTypes: [.OOB])
            #expect(throws: (any Error).self) {
                try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
            }
        }
    }

    @Test(arguments: [
        "https://contoso.ciamlogin.com/", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com",
        "https://contoso.ciamlogin.com/aaaabbbb-0000-cccc-1111-dddd2222eeee",
    ])
    func theThreeFormsOfAnAuthorityAreTakenFromEitherClass(_ text: String) throws {
        for authority in [try MSALAuthority(url: url(text)), try MSALCIAMAuthority(url: url(text))] {
            _ = try MSALNativeAuthPublicClientApplication(
                nativeAuthConfiguration: MSALNativeAuthPublicClientApplicationConfig(
                    clientId: clientID, authority: authority, challengeTypes: [.OOB]))
        }
    }

    @Test @MainActor func theDataCentreOfASliceIsInEveryAddress() async throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: [.OOB])
        configuration.sliceConfig = MSALSliceConfig(slice: "testslice", dc: "ESTS-PUB-1")
        let server = ScriptedTransport([.token("a"), .code("b")])
        let app = try MSALNativeAuthPublicClientApplication(configuration, transport: server)
        let delegate = FullDelegate()
        app.signIn(parameters: .init(username: "dana@example.com"), delegate: delegate)
        #expect(try await delegate.mailbox.next().name == "onSignInCodeRequired")
        #expect(await server.requests.map(\.url.query) == ["dc=ESTS-PUB-1", "dc=ESTS-PUB-1"])
        #expect(MSALSliceConfig(slice: nil, dc: nil) == nil)
    }

    @Test(arguments: ["", " \n"])
    func aBlankClientIDIsRefused(_ clientID: String) throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: [.OOB])
        #expect(throws: (any Error).self) {
            try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
        }
    }

    @Test(arguments: ["", "a.b", "a/b", "a b", "evil.example.com#", "a:b@c", "-a", "user@contoso"])
    func aSubdomainThatIsNoLabelIsRefused(_ subdomain: String) {
        #expect(throws: (any Error).self) {
            try MSALNativeAuthPublicClientApplicationConfig(
                clientId: clientID, tenantSubdomain: subdomain, challengeTypes: [.OOB])
        }
    }

    @Test("A certificate that is not trusted is told as that, with the reason")
    @MainActor func aCertificateThatIsNotTrusted() async throws {
        struct Expired: HTTPTransport {
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                throw URLError(.serverCertificateHasBadDate)
            }
        }
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: [.OOB])
        let app = try MSALNativeAuthPublicClientApplication(configuration, transport: Expired())
        let delegate = FullDelegate()
        app.signIn(parameters: .init(username: "dana@example.com"), delegate: delegate)
        let error = try #require(await delegate.mailbox.next().error)
        #expect(error.errorDescription == "The server's certificate is not trusted: it has expired.")
    }

    @Test @MainActor func challengeTypesAndCapabilitiesAreSent() async throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: [.OOB, .password])
        configuration.capabilities = [.registrationRequired, .mfaRequired]
        let (form, _) = try await firstRequest(configuration)
        #expect(form["client_id"] == clientID)
        #expect(form["challenge_type"] == "oob password redirect")
        #expect(form["capabilities"] == "mfa_required registration_required")
    }

    @Test @MainActor func anInterceptorAddsHeaders() async throws {
        final class Headers: NSObject, MSALNativeAuthRequestInterceptor {
            func addAdditionalHeaderFields(
                _ requestUrl: URL?,
                completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock
            ) {
                DispatchQueue.global().async {
                    completionBlock(["x-shop": requestUrl?.lastPathComponent ?? "", "x-ms-taken": "1", "cookie": "2"])
                    completionBlock(["x-shop": "a second answer does not count"])
                }
            }
        }
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: .OOB)
        configuration.requestInterceptor = Headers()
        let (_, headers) = try await firstRequest(configuration)
        #expect(headers["x-shop"] == "start")
        #expect(headers["x-ms-taken"] == nil)
        #expect(headers["cookie"] == nil)
    }

    @Test @MainActor func anInterceptorThatForgetsItsBlockDoesNotStopTheFlow() async throws {
        final class Forgetful: NSObject, MSALNativeAuthRequestInterceptor {
            func addAdditionalHeaderFields(
                _ requestUrl: URL?,
                completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock
            ) {}
        }
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: .OOB)
        configuration.requestInterceptor = Forgetful()
        let (form, _) = try await firstRequest(configuration)
        #expect(form["username"] == "dana@example.com")
    }

    @Test @MainActor func allApplicationObjectsOfOneClientShareTheAccount() async throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: UUID().uuidString, tenantSubdomain: "contoso", challengeTypes: .OOB)
        let server = ScriptedTransport([.token("a"), .code("b"), .token("c"), .tokens()])
        let first = try MSALNativeAuthPublicClientApplication(configuration, transport: server)
        let second = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
        let delegate = FullDelegate()
        first.signUp(parameters: MSALNativeAuthSignUpParameters(username: "dana@example.com"), delegate: delegate)
        let waiting = try #require(try await delegate.mailbox.next().state as? SignUpCodeRequiredState)
        waiting.submitCode(code: "12345678", delegate: delegate)
        let done = try #require(try await delegate.mailbox.next().state as? SignInAfterSignUpState)
        done.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        _ = try await delegate.mailbox.next()
        let account = try #require(second.getNativeAuthUserAccount())
        #expect(account.account.username == "dana@example.com")
        account.signOut()
        #expect(first.getNativeAuthUserAccount() == nil)
    }

    /// The first request of an app with these settings.
    @MainActor
    private func firstRequest(
        _ configuration: MSALNativeAuthPublicClientApplicationConfig
    ) async throws -> (form: [String: String], headers: [String: String]) {
        let server = ScriptedTransport([.error("user_already_exists")])
        let app = try MSALNativeAuthPublicClientApplication(configuration, transport: server)
        let delegate = FullDelegate()
        app.signUp(parameters: MSALNativeAuthSignUpParameters(username: "dana@example.com"), delegate: delegate)
        _ = try await delegate.mailbox.next()
        return (await server.form(), await server.requests[0].headers)
    }

    @Test func channelTypesCompareLikeEachGenerationDoes() async throws {
        let (_, state) = try await Fixture.waitingForCode([
            .ok(
                #"{"challenge_type":"oob","continuation_token":"b","challenge_channel":"SMS","#
                    + #""challenge_target_label":"+45***","code_length":6}"#)
        ])
        final class Reader: SignUpResendCodeDelegate {
            let (channels, found) = AsyncStream<MSALNativeAuthChannelType>.makeStream()

            func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
                found.finish()
            }

            func onSignUpResendCodeCodeRequired(
                newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
                codeLength: Int
            ) {
                found.yield(channelTargetType)
            }
        }
        let reader = Reader()
        state.resendCode(delegate: reader)
        var iterator = reader.channels.makeAsyncIterator()
        let channel = try #require(await iterator.next())
        #expect(channel.value == "SMS")
        #expect(channel.isSMSType && channel.isPhoneType && !channel.isEmailType)
        #expect(channel == .sms && channel == .phone && channel != .email)
        #expect(channel.hash == MSALNativeAuthChannelType.sms.hash)
        switch channel {
        case .email: Issue.record("The channel is not e-mail")
        case .phone: break
        default: Issue.record("The channel is the phone")
        }
        #expect(MSALNativeAuthChannelType.email.isEmailType)
    }

    @Test func aClaimsRequestIsAJSONObject() {
        var error: NSError?
        #expect(MSALClaimsRequest(jsonString: #"{"id_token":{}}"#, error: &error).jsonString() == #"{"id_token":{}}"#)
        #expect(error == nil)
        #expect(MSALClaimsRequest().jsonString() == nil)
        for wrong in ["", "[]", "{", "text"] {
            error = nil
            #expect(MSALClaimsRequest(jsonString: wrong, error: &error).jsonString() == nil)
            #expect(error?.domain == MSALErrorDomain)
        }
        #expect(MSALClaimsRequest(jsonString: "[]", error: nil).jsonString() == nil)
    }

    @Test func claimsAreRequestedOneByOne() throws {
        let request = MSALClaimsRequest()
        #expect(request.claimsRequests(for: .accessToken) == nil)
        let context = MSALIndividualClaimRequest(name: "acrs")
        context.additionalInfo = MSALIndividualClaimRequestAdditionalInfo()
        context.additionalInfo?.essential = NSNumber(value: true)
        context.additionalInfo?.value = "c1"
        try request.requestClaim(context, for: .accessToken)
        let level = MSALIndividualClaimRequest(name: "level")
        level.additionalInfo = MSALIndividualClaimRequestAdditionalInfo()
        level.additionalInfo?.values = [1, 2.5, "three", false, NSNull(), ["four": [5]]] as [Any]
        try request.requestClaim(level, for: .accessToken)
        try request.requestClaim(MSALIndividualClaimRequest(name: "nickname"), for: .idToken)
        #expect(
            request.jsonString() == #"{"access_token":{"acrs":{"essential":true,"value":"c1"},"#
                + #""level":{"values":[1,2.5,"three",false,null,{"four":[5]}]}},"id_token":{"nickname":null}}"#)

        let read = MSALClaimsRequest(jsonString: try #require(request.jsonString()), error: nil)
        let claims = try #require(read.claimsRequests(for: .accessToken))
        #expect(claims.map(\.name) == ["acrs", "level"])
        #expect(claims[0].additionalInfo?.essential == NSNumber(value: true))
        #expect(claims[0].additionalInfo?.value as? String == "c1")
        #expect(claims[1].additionalInfo?.values?.count == 6)
        #expect(read.claimsRequests(for: .idToken)?.first?.additionalInfo == nil)

        try read.removeClaimRequest(withName: "nickname", target: .idToken)
        #expect(read.claimsRequests(for: .idToken) == nil)
        #expect(throws: (any Error).self) { try read.removeClaimRequest(withName: "nickname", target: .idToken) }
        let huge = NSNumber(value: UInt64(Int.max) + 1)
        for value in [Date(), UInt64.max, huge, Double.infinity, NSNumber(value: Double.nan)] as [Any] {
            level.additionalInfo?.value = value
            #expect(throws: (any Error).self) { try read.requestClaim(level, for: .idToken) }
        }
        #expect(read.claimsRequests(for: .idToken) == nil)
    }

    @Test func aNumberOfAClaimKeepsItsKind() throws {
        let claim = MSALIndividualClaimRequest(name: "n")
        claim.additionalInfo = MSALIndividualClaimRequestAdditionalInfo()
        claim.additionalInfo?.values = [
            NSNumber(value: true), NSNumber(value: Int8(1)), NSNumber(value: UInt64(7)), NSNumber(value: -3),
            NSNumber(value: 0.5), NSNumber(value: Float(0.25)),
        ]
        let request = MSALClaimsRequest()
        try request.requestClaim(claim, for: .idToken)
        #expect(request.jsonString() == #"{"id_token":{"n":{"values":[true,1,7,-3,0.5,0.25]}}}"#)
    }

    @Test func settingsOfAppsWithABrowserCompile() throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientID, tenantSubdomain: "contoso", challengeTypes: .OOB)
        #expect(configuration.knownAuthorities.isEmpty && !configuration.bypassRedirectURIValidation)
        #expect(configuration.tokenExpirationBuffer == 300)
        configuration.knownAuthorities = [try #require(configuration.authority)]
        configuration.bypassRedirectURIValidation = true
        configuration.tokenExpirationBuffer = 600
        configuration.cacheConfig.keychainSharingGroup = MSALCacheConfig.defaultKeychainSharingGroup()
        #expect(configuration.cacheConfig.keychainSharingGroup == "")
        _ = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
    }

    @Test("SEC-LOG-1: parameters and results that name a person or contain a password show none of it in a dump")
    @MainActor
    func aDumpShowsNoPersonAndNoPassword() async throws {
        final class Reader: RegisterStrongAuthChallengeDelegate {
            let (results, found) = AsyncStream<MSALNativeAuthRegisterStrongAuthVerificationRequiredResult>.makeStream()

            func onRegisterStrongAuthChallengeError(
                error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?
            ) {
                found.finish()
            }

            func onRegisterStrongAuthVerificationRequired(
                result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
            ) {
                found.yield(result)
            }
        }
        let (_, state, method) = try await Fixture.registering([.registrationCode("x")])
        let contact = MSALNativeAuthChallengeAuthMethodParameters(
            authMethod: method, verificationContact: "dana@work.example")
        let reader = Reader()
        state.challengeAuthMethod(parameters: contact, delegate: reader)
        var iterator = reader.results.makeAsyncIterator()
        let result = try #require(await iterator.next())
        #expect(result.sentTo.contains("@"))
        let signUp = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        signUp.password = "correct horse"
        let signIn = MSALNativeAuthSignInParameters(username: "dana@example.com")
        signIn.password = "correct horse"
        let reset = MSALNativeAuthResetPasswordParameters(username: "dana@example.com")
        let token = MSALTokenParameters(scopes: [])
        token.extraQueryParameters = ["login_hint": "dana@example.com"]
        for value in [result, contact, signUp, signIn, reset, token] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            for secret in ["dana", result.sentTo, "correct horse"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func claimsOfOtherPlacesAreKept() throws {
        let request = MSALClaimsRequest(jsonString: #"{"userinfo":{"email":null},"id_token":{"a":null}}"#, error: nil)
        try request.removeClaimRequest(withName: "a", target: .idToken)
        #expect(request.jsonString() == #"{"userinfo":{"email":null}}"#)
    }

    @Test("SEC-LOG-1: no line of the log shows a password, code, token or address") @MainActor
    func theLogShowsNoSecret() async throws {
        /// Takes lines from any thread.
        final class Lines: @unchecked Sendable {
            // Every access holds the lock.
            private let lock = NSLock()
            private var lines: [(MSALLogLevel, String, Bool)] = []
            func add(_ level: MSALLogLevel, _ line: String?, _ isPersonal: Bool) {
                lock.withLock { lines.append((level, line ?? "", isPersonal)) }
            }
            var all: [(MSALLogLevel, String, Bool)] { lock.withLock { lines } }
        }
        let lines = Lines()
        let logger = MSALGlobalConfig.loggerConfig
        logger.logLevel = .verbose
        #expect(logger.logMaskingLevel == .settingsMaskAllPII)
        logger.logMaskingLevel = .settingsMaskSecretsOnly
        logger.setLogCallback { lines.add($0, $1, $2) }
        #expect(logger.callback() != nil)

        let fixture = try Fixture(.error("invalid_grant", "password_banned"))
        _ = try await fixture.start(password: "correct horse")
        _ = try await Fixture.signedIn([])
        try reportBrokenSession(of: "oid-dana.tid-7")
        #expect(lines.all.contains { $0.1 == "The token cache has a problem: setAside" && $0.0 == .error })

        let mine = lines.all.filter { $0.1.contains(Fixture.correlationID.uuidString) }
        #expect(mine.contains { $0.0 == .error && $0.1.contains("signUp") })
        #expect(mine.contains { $0.0 == .info && $0.1.contains("submitCode") })
        for (_, line, isPersonal) in lines.all {
            #expect(!isPersonal)
            for secret in ["correct horse", "12345678", "ct-", "at-1", "rt-1", "dana", "said", "aside-"] {
                #expect(!line.contains(secret), "\(line)")
            }
        }
        logger.logLevel = .nothing
        let count = lines.all.count
        logger.setLogCallback { lines.add($0, $1, $2) }
        _ = fixture.app.getNativeAuthUserAccount()
        #expect(lines.all.count == count)
        logger.logLevel = .info
        logger.logMaskingLevel = .settingsMaskAllPII
    }

    /// Finds a session that cannot be read in the token cache of the process.
    private func reportBrokenSession(of account: String) throws {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: UUID().uuidString, tenantSubdomain: "contoso", challengeTypes: .OOB)
        let application = "\(configuration.clientId.lowercased())|\(try #require(configuration.authority).url)"
        try InMemoryTokenCache.shared.withItems(of: application) { $0[account] = Data("broken".utf8) }
        let app = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
        #expect(app.getNativeAuthUserAccount() == nil)
    }
}
