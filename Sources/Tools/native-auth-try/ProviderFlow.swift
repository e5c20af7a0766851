import NativeAuth
import NativeAuthCore
import PortableFoundation

/// Accounts at an identity provider. The development server plays one, Sample ID, which signs in any user without a proof.
extension TryConversation {
    static let providerName = "Sample ID"

    /// Signs a user in, or up, by an account at the provider.
    ///
    /// - Parameter email: The address at the provider; empty: the dialog asks for it.
    mutating func signInWithProvider(email: String = "") async throws(TryEnd) {
        dialog.begin("Sign in with \(Self.providerName)")
        let email = email.isEmpty ? try await addressAtProvider() : email
        let (client, provider) = (place.client, SampleIdentity(place, email: email))
        let subject = TrySubject(activity: "sign-in", name: email)
        let start = try await begin(subject) { () async throws(ProviderSignInError) in
            try await client.signIn(with: provider)
        }
        switch consume start {
        case .success(let step): try await goOn(from: step, subject)
        case .failure(.signIn(let error)): throw end(error, subject)
        case .failure(let error): try dialog.refused(words(error, subject))
        }
    }

    private func addressAtProvider() async throws(TryEnd) -> String {
        dialog.note("\(Self.providerName) asks for no proof here. Who are you there?")
        return try await dialog.address("Address at \(Self.providerName)")
    }

    private mutating func goOn(
        from step: consuming ProviderSignInStep, _ subject: TrySubject
    ) async throws(TryEnd) {
        let end: Result<Account, SignInError>
        var news = "\(Self.providerName) said who you are, and counts as one factor."
        switch consume step {
        case .completed(let account): end = .success(account)
        case .mfaRequired(let step): end = try await proveSecondFactor(step, subject)
        case .registrationRequired(let step): end = try await registerMethod(step, subject)
        case .linkRequired(let step):
            dialog.note(
                "There is an account with this address. Prove once that it is yours.")
            news = "\(Self.providerName) is connected. From now on it signs you in."
            try await expectCode()
            let start = try await act(step, subject) { (step: consuming LinkRequired) async throws(SignInError) in
                try await step.prove()
            }
            switch consume start {
            case .success(.next(let next)): end = try await proceed(from: .success(next), subject)
            case .success(.retry(_, let refusal)): end = .failure(.service(refusal))
            case .failure(let error): end = .failure(error)
            }
        case .mailboxRequired(let step): return try await proveMailbox(step, subject)
        case .attributesRequired(let step):
            let filled = try await giveAttributes(step, SignUpForm(), subject)
            guard case .success(.completed(let done)) = consume filled else {
                throw .failed("The server does not go on with this sign-up. Start again.")
            }
            end = .success(try await signIn(after: done, subject))
        }
        switch end {
        case .success(let account):
            self.account = account
            dialog.note(news)
            dialog.signedIn(account, .afterSignIn)
        case .failure(let error): throw self.end(error, subject)
        }
    }

    private mutating func proveMailbox(
        _ step: consuming MailboxRequired, _ subject: TrySubject
    ) async throws(TryEnd) {
        dialog.note(
            "\(Self.providerName) does not speak for this address. Type the address of your mailbox; a code goes there."
        )
        var subject = subject
        try await expectCode()
        let sent = try await submit(step, subject) { (_) async throws(TryEnd) in
            subject.name = try await dialog.address("Your address")
            return subject.name
        } by: { (step: consuming MailboxRequired, address) async throws(SignInError) in
            try await step.requestCode(to: address)
        }
        switch consume sent {
        case .failure(let error): throw end(error, subject)
        case .success(let step):
            let next = try await enter(step, subject) {
                (step: consuming MailboxCodeRequired, code) async throws(SignInError) in
                try await step.submit(code: code)
            } resend: { (step: consuming MailboxCodeRequired) async throws(SignInError) in
                try await step.resend()
            }
            switch consume next {
            case .success(let step): try await goOn(from: step, subject)
            case .failure(let error): throw end(error, subject)
            }
        }
    }

    // MARK: On the account screen

    /// Connects the user's account at the provider, or ends the connection.
    mutating func changeIdentity(of account: Account) async throws(TryEnd) {
        guard let methods = try await call({ () async throws(AccountError) in try await account.methods() }) else {
            return
        }
        if let linked = methods.first(where: { $0.kind == .identity }) {
            guard try await dialog.consents(to: "\(Self.providerName) is connected. Disconnect it?", isUsual: false),
                try await call({ () async throws(AccountError) in try await account.remove(linked) }) != nil
            else { return }
            return dialog.note("\(Self.providerName) signs you in no longer.")
        }
        let email = account.username
        // A code can be there before the answer.
        try await expectCode()
        let next = try await call { () async throws(AccountError) in
            try await account.addIdentity(at: SampleIdentity.id)
        }
        guard let next else { return }
        let subject = TrySubject(activity: "change", name: account.username)
        switch consume next {
        case .identityRequired(let step): try await link(step, email, subject)
        case .codeRequired(let step):
            let proven = try await enter(step, subject) {
                (step: consuming IdentityMailboxCodeRequired, code) async throws(AccountError) in
                try await step.submit(code: code)
            } resend: { (step: consuming IdentityMailboxCodeRequired) async throws(AccountError) in
                try await step.resend()
            }
            switch consume proven {
            case .success(let step): try await link(step, email, subject)
            case .failure(let error): try dialog.refused(words(error, subject))
            }
        }
    }

    private mutating func link(
        _ step: consuming NewIdentityRequired, _ email: String, _ subject: TrySubject
    ) async throws(TryEnd) {
        let provider = SampleIdentity(place, email: email)
        let linked = try await act(step, subject) { (step: consuming NewIdentityRequired) async throws(AccountError) in
            try await step.link(with: provider)
        }
        switch consume linked {
        case .success(.next):
            dialog.note("From now on, \(Self.providerName) signs you in as \(email). Your mailbox was told.")
        case .success(.retry(_, let refusal)): try dialog.refused(words(refusal, subject))
        case .failure(let error): try dialog.refused(words(error, subject))
        }
    }
}

/// Sample ID as an app has its providers: in place of a sheet, a request to the development server.
struct SampleIdentity: IdentityTokenProvider {
    static let id = "sample"

    private let url: String
    private let email: String

    var id: String { Self.id }

    init(_ place: TryPlace, email: String) {
        url = place.baseURL + "/dev/provider/token"
        self.email = email
    }

    func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
        var form = URLComponents()
        form.queryItems = [URLQueryItem(name: "email", value: email), URLQueryItem(name: "nonce", value: nonce)]
        // A plus sign would be a blank.
        let body = (form.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        guard let url = URL(string: url) else { throw .unsupported }
        let response: TransportResponse
        do {
            response = try await URLSessionTransport().send(
                TransportRequest(
                    method: "POST", url: url, headers: ["content-type": "application/x-www-form-urlencoded"],
                    body: Data(body.utf8)))
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unreachable
        }
        guard response.status != 400 else {
            throw .failed("\(TryConversation.providerName) does not accept this address.")
        }
        guard response.status == 200 else { throw .failed("The server answered with status \(response.status).") }
        do {
            return ProviderCredential(idToken: try JSONDecoder().decode(Reply.self, from: response.body).idToken)
        } catch {
            throw .failed("The server's answer has no token.")
        }
    }

    private struct Reply: Decodable {
        let idToken: String

        private enum CodingKeys: String, CodingKey { case idToken = "id_token" }
    }
}

extension ProviderError {
    fileprivate var sentence: String {
        switch self {
        case .cancelled: "\(TryConversation.providerName) was left."
        case .unreachable: "\(TryConversation.providerName) cannot be reached."
        case .unsupported: "\(TryConversation.providerName) cannot be used here."
        case .failed(let reason): Terminal.harmless(reason)
        }
    }
}

extension ProviderSignInError: TryFailure {
    var service: ServiceError? { if case .signIn(.service(let error)) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .provider(let error, _): error.sentence
        case .notAccepted: "The server did not accept the provider's token."
        case .providerUnavailable: "The server cannot reach the provider. Use another way."
        case .signUpNotAllowed: "There is no account for you here."
        case .signIn(let error): error.words(subject, place)
        }
    }
}

extension IdentityRefusal: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .provider(let error, _): error.sentence
        case .notAccepted: "The server did not accept the provider's token."
        case .service(let error): error.words(subject, place)
        }
    }
}
