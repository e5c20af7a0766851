import NativeAuth
import NativeAuthCore
import PortableFoundation

/// An installation of an app: a client, its token cache, and the flows that its screens show.
@SimulationActor final class Device {
    nonisolated let number: Int
    nonisolated let clientID: String
    nonisolated let cache: SharedCache
    private let configuration: NativeAuthConfiguration
    private(set) var client: NativeAuthClient
    var journeys: [Journey] = []
    /// The content of the cache after the last step.
    var known: [String: SharedCache.Kept?] = [:]
    /// Refresh tokens that were in the cache, oldest first.
    var oldTokens: [String] = []

    init(_ number: Int, clientID: String, cache: SharedCache, clock: SimulationClock, network: Network) throws {
        self.number = number
        self.clientID = clientID
        self.cache = cache
        guard let url = URL(string: "https://identity.test/contoso.onmicrosoft.com") else {
            throw AuthorityError.malformed
        }
        var configuration = NativeAuthConfiguration(
            clientID: clientID, authority: try Authority(url: url), challengeTypes: [.oneTimePasscode, .password],
            capabilities: [.mfaRequired, .registrationRequired])
        let randomness = SimulationRandomness(seed: UInt64(number) &+ 77)
        configuration.transport = Network.Line(network: network, device: number)
        configuration.tokenCache = cache
        configuration.acceptLanguage = "en"
        configuration.now = { clock.now }
        configuration.process = randomness.correlationID()
        configuration.makeCorrelationID = { randomness.correlationID() }
        configuration.random = { $0.lowerBound }
        configuration.sleep = { clock.advance(by: $0 / .seconds(1)) }
        configuration.wait = { _ in try await Self.waitForEver() }
        self.configuration = configuration
        client = NativeAuthClient(configuration, environment: [:])
    }

    func relaunch() {
        client = NativeAuthClient(configuration, environment: [:])
        journeys = []
    }

    /// Returns when the task is cancelled: there are no time limits here.
    private nonisolated static func waitForEver() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
    }
}

/// A step of the SDK as a screen shows it.
enum Station: Sendable {
    case signUpCode(SignUpCodeState)
    case signUpPassword(SignUpPasswordState)
    case signUpAttributes(SignUpAttributesState)
    case signUpDone(CompletedState)
    case signInCode(SignInCodeState)
    case signInPassword(SignInPasswordState)
    case methods(MFAState)
    case methodCode(MFACodeState)
    case contacts(RegistrationState)
    case contactCode(RegistrationCodeState)
    case resetCode(ResetPasswordCodeState)
    case newPassword(NewPasswordState)
    case resetDone(CompletedState)
    case signedIn(Account)

    var name: String {
        switch self {
        case .signUpCode: "signUpCode"
        case .signUpPassword: "signUpPassword"
        case .signUpAttributes: "signUpAttributes"
        case .signUpDone: "signUpDone"
        case .signInCode: "signInCode"
        case .signInPassword: "signInPassword"
        case .methods: "methods"
        case .methodCode: "methodCode"
        case .contacts: "contacts"
        case .contactCode: "contactCode"
        case .resetCode: "resetCode"
        case .newPassword: "newPassword"
        case .resetDone: "resetDone"
        case .signedIn: "signedIn"
        }
    }

    init(_ progress: SignUpNextState) {
        self =
            switch progress {
            case .passwordRequired(let state): .signUpPassword(state)
            case .attributesRequired(let state): .signUpAttributes(state)
            case .completed(let state): .signUpDone(state)
            }
    }

    init(_ start: SignInFirstState) {
        self =
            switch start {
            case .codeRequired(let state): .signInCode(state)
            case .passwordRequired(let state): .signInPassword(state)
            case .next(let progress): Station(progress)
            }
    }

    init(_ progress: SignInNextState) {
        self =
            switch progress {
            case .mfaRequired(let state): .methods(state)
            case .registrationRequired(let state): .contacts(state)
            case .completed(let account): .signedIn(account)
            }
    }

    init(_ progress: RegistrationNextState) {
        self =
            switch progress {
            case .codeRequired(let state): .contactCode(state)
            case .completed(let account): .signedIn(account)
            }
    }
}

/// A person's action on a screen.
enum Input: Hashable, Sendable {
    case code(String)
    case password(String)
    case attributes([String: AttributeValue])
    /// Another code, or the first one to a contact.
    case send(contact: String)
    case signIn
}

extension Station {
    /// Nil when the screen has no such button.
    func take(_ input: Input) async throws(NativeAuthError) -> Station? {
        switch (self, input) {
        case (.signUpCode(let state), .code(let code)): Station(try await state.submit(code: code))
        case (.signUpCode(let state), .send): .signUpCode(try await state.resend())
        case (.signUpPassword(let state), .password(let password)):
            Station(try await state.submit(password: password))
        case (.signUpAttributes(let state), .attributes(let attributes)): Station(try await state.submit(attributes))
        case (.signUpDone(let state), .signIn): Station(try await state.signIn())
        case (.signInCode(let state), .code(let code)): Station(try await state.submit(code: code))
        case (.signInCode(let state), .send): .signInCode(try await state.resend())
        case (.signInPassword(let state), .password(let password)):
            Station(try await state.submit(password: password))
        case (.methods(let state), .send): .methodCode(try await state.requestChallenge(state.methods[0]))
        case (.methodCode(let state), .code(let code)): .signedIn(try await state.submit(code: code))
        case (.methodCode(let state), .send):
            .methodCode(try await state.choice.requestChallenge(state.choice.methods[0]))
        case (.contacts(let state), .send(let contact)):
            Station(try await state.requestChallenge(state.methods[0], contact: contact))
        case (.contactCode(let state), .code(let code)): .signedIn(try await state.submit(code: code))
        case (.contactCode(let state), .send(let contact)):
            Station(try await state.choice.requestChallenge(state.choice.methods[0], contact: contact))
        case (.resetCode(let state), .code(let code)): .newPassword(try await state.submit(code: code))
        case (.resetCode(let state), .send): .resetCode(try await state.resend())
        case (.newPassword(let state), .password(let password)):
            .resetDone(try await state.submit(password: password))
        case (.resetDone(let state), .signIn): Station(try await state.signIn())
        case (_, _): nil
        }
    }

    /// Whether success spends the step, so that it can be taken once (`SDK-STATE-1`).
    func isSpent(by input: Input) -> Bool {
        if case .send = input { false } else { true }
    }

    var wantsCode: Bool {
        switch self {
        case .signUpCode, .signInCode, .methodCode, .contactCode, .resetCode: true
        case .signUpPassword, .signUpAttributes, .signUpDone, .signInPassword, .methods, .contacts, .newPassword,
            .resetDone, .signedIn:
            false
        }
    }
}

/// A flow as a person sees it: all its screens, in order.
@SimulationActor final class Journey {
    struct Place: Sendable {
        var station: Station
        var isSpent = false
        var lastInput: Input?
    }

    let username: String
    var places: [Place] = []
    /// The server's id of the flow, once a request named it.
    var flow: UUID?
    /// The password that the person chose.
    var password: String?

    init(username: String) {
        self.username = username
    }
}
