import NativeAuthWire

extension V1Endpoint {
    /// The endpoint in the document.
    func documented() throws(FormError) -> DocumentedOperation {
        DocumentedOperation(
            id: "\(self)", method: .post, path: "/{tenant}/\(rawValue)", tag: tag, summary: summary,
            parameters: [.tenant, .acceptLanguage, .clientRequestID], body: .form(try formSchema),
            answers: AnswerName.answers(of: self).map(\.documented))
    }

    private var tag: DocumentedOperation.Tag {
        switch self {
        case .signUpStart, .signUpChallenge, .signUpContinue: .signUp
        case .signInInitiate, .signInChallenge, .signInIntrospect: .signIn
        case .token: .tokens
        case .resetPasswordStart, .resetPasswordChallenge, .resetPasswordContinue, .resetPasswordSubmit,
            .resetPasswordPollCompletion:
            .passwordReset
        case .registerIntrospect, .registerChallenge, .registerContinue: .registration
        }
    }

    private var summary: String {
        switch self {
        case .signUpStart: "Begins a sign-up"
        case .signUpChallenge: "Sends a code, or asks for the password"
        case .signUpContinue: "Submits a code, a password or attributes"
        case .signInInitiate: "Begins a sign-in"
        case .signInChallenge: "Sends a code, or asks for the password"
        case .signInIntrospect: "Lists the methods of the second factor"
        case .token: "Issues tokens"
        case .resetPasswordStart: "Begins a password reset"
        case .resetPasswordChallenge: "Sends a code"
        case .resetPasswordContinue: "Submits the code"
        case .resetPasswordSubmit: "Submits the new password"
        case .resetPasswordPollCompletion: "Asks whether the password is changed"
        case .registerIntrospect: "Lists the methods that can be registered"
        case .registerChallenge: "Sends a code to the contact, or asks for a passkey"
        case .registerContinue: "Submits the code or the passkey, or continues without one"
        }
    }
}

extension MetadataEndpoint {
    /// The operations of the endpoint; none for an endpoint without a route.
    func documented() throws(FormError) -> [DocumentedOperation] {
        let refused = DocumentedAnswer(401, "The header says what is missing or wrong.", headers: [.challenge])
        switch self {
        case .openIDConfiguration:
            return [
                operation(
                    .get, .metadata, "Describes the tenant to OpenID Connect clients", reply: .openIDConfiguration)
            ]
        case .jsonWebKeys: return [operation(.get, .metadata, "Lists the keys that sign tokens", reply: .keySet)]
        case .authorize:
            return [DocumentedOperation.Method.get, .post].map {
                operation(
                    $0, .metadata, "Signs a user in with hosted pages, and sends a code to the application",
                    answers: Self.pages)
            }
        case .logout:
            return [DocumentedOperation.Method.get, .post].map {
                operation($0, .metadata, "Signs a user out in the browser", answers: Self.pages)
            }
        case .pushedAuthorization:
            var pushed = operation(
                .post, .tokens, "Keeps an authorization request until the browser comes",
                answers: [
                    DocumentedAnswer(201, "The reference to the request.", .json(.named(.pushedRequest))),
                    DocumentedAnswer(
                        400, "A fault that the authorization endpoint would tell the application.",
                        .json(.named(.error))),
                ])
            pushed.body = .form(.pushedRequest)
            let own: [AnswerName] = [
                .unknownTenant, .unknownClient, .nativeAuthDisabled, .daemonWithoutProof, .severalProofs,
                .wrongSecret, .endedSecret, .unusableAssertion, .assertionOutsideItsTime, .publicClient, .invalid,
                .wrongContentType, .parametersInQuery, .foreignOrigin,
            ]
            pushed.answers += own.map(\.documented)
            return [pushed]
        case .deviceAuthorization:
            var devices = operation(
                .post, .tokens, "Begins the sign-in of a device without a browser", reply: .deviceCodes)
            devices.body = .form(.form(try DeviceAuthorizationRequest.parameters, required: [.scope]))
            let own: [AnswerName] = [
                .unknownTenant, .unknownClient, .nativeAuthDisabled, .deviceNotAllowed, .invalidScope,
                .scopeNotConsented, .daemonWithoutProof, .severalProofs, .wrongSecret, .endedSecret,
                .unusableAssertion, .assertionOutsideItsTime, .publicClient, .missing, .invalid, .wrongContentType,
                .parametersInQuery,
            ]
            devices.answers += own.map(\.documented)
            return [devices]
        case .devicePage:
            return [DocumentedOperation.Method.get, .post].map {
                operation(
                    $0, .metadata, "Asks a user for the code that a device shows", answers: Self.pages)
            }
        case .revocation:
            var revocation = operation(.post, .tokens, "Ends the session of a token")
            revocation.body = .form(.form(try RevocationRequest.parameters, required: [.clientID, .token]))
            let own: [AnswerName] = [
                .revoked, .unknownTenant, .unknownClient, .nativeAuthDisabled, .missing, .invalid, .wrongContentType,
                .parametersInQuery,
            ]
            revocation.answers += own.map(\.documented)
            return [revocation]
        case .tokenIntrospection:
            var introspection = operation(
                .post, .tokens, "Describes a token to a resource server", reply: .tokenDescription, answers: [refused])
            introspection.security = .resourceServer
            introspection.body = .form(.form(try TokenIntrospectionRequest.parameters, required: [.token]))
            let own: [AnswerName] = [.missing, .invalid, .wrongContentType, .parametersInQuery, .unknownPath]
            introspection.answers += own.map(\.documented)
            return [introspection]
        case .userInfo:
            let scope = DocumentedAnswer(
                403, "The token is for another audience, or lacks the scope openid.", headers: [.challenge])
            return [DocumentedOperation.Method.get, .post].map { method in
                var userInfo = operation(
                    method, .tokens, "The claims of the user of an access token", reply: .userInfo,
                    answers: [refused, scope])
                userInfo.security = .bearer(scopes: ["openid"])
                return userInfo
            }
        }
    }

    /// The answers to a browser.
    private static let pages = [
        DocumentedAnswer(200, "A page.", .page),
        DocumentedAnswer(303, "On to the application, or to GET."),
        DocumentedAnswer(400, "A page: the request has a fault that no application can be told.", .page),
        DocumentedAnswer(403, "A page: the form is of another site.", .page),
        DocumentedAnswer(404, "A page: there is no such tenant.", .page),
        DocumentedAnswer(413, "A page.", .page), DocumentedAnswer(414, "A page.", .page),
        DocumentedAnswer(415, "A page.", .page), DocumentedAnswer(429, "A page.", .page),
        DocumentedAnswer(503, "A page.", .page),
    ]

    private func operation(
        _ method: DocumentedOperation.Method, _ tag: DocumentedOperation.Tag, _ summary: String,
        reply: SchemaName? = nil, answers: [DocumentedAnswer] = []
    ) -> DocumentedOperation {
        let success = reply.map { [DocumentedAnswer(200, "The content.", .json(.named($0)))] } ?? []
        let common = [AnswerName.unknownTenantOfDocument] + AnswerName.ofEveryRequest
        return DocumentedOperation(
            id: "\(self)\(method == .post && hasTwoMethods ? "ByPost" : "")", method: method,
            path: "/{tenant}/\(rawValue)", tag: tag, summary: summary, parameters: [.tenant, .clientRequestID],
            answers: success + answers + common.map(\.documented))
    }

    private var hasTwoMethods: Bool {
        switch self {
        case .authorize, .logout, .devicePage, .userInfo: true
        case .openIDConfiguration, .jsonWebKeys, .pushedAuthorization, .deviceAuthorization, .revocation,
            .tokenIntrospection:
            false
        }
    }
}
