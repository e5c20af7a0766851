import Foundation
import NativeAuth
import NativeAuthTesting
import Observation
import Testing

@testable import SampleApp

/// The app on a device of its own, against the tenant of the running test.
@MainActor
struct Device {
    let tenant: TestTenant
    let client: NativeAuthClient
    let unfinished = UnfinishedFlow(storage: MemoryStorage(), key: ResumeKey())
    private let configuration: NativeAuthConfiguration

    init(capabilities: Set<Capability> = [.mfaRequired, .registrationRequired]) throws {
        tenant = try TestTenant.current
        configuration = tenant.configuration(capabilities: capabilities)
        client = NativeAuthClient(configuration)
    }

    /// The app as it starts, with what an earlier run has left on the device.
    func launch() -> AppModel {
        AppModel(client: NativeAuthClient(configuration), unfinished: unfinished)
    }

    func signUp(_ email: String = dana) -> SignUpModel {
        SignUpModel(client: client, unfinished: unfinished, email: email)
    }

    func signIn(_ username: String = dana) -> SignInModel {
        SignInModel(client: client, unfinished: unfinished, username: username)
    }

    func resetPassword(_ username: String = dana) -> ResetPasswordModel {
        ResetPasswordModel(client: client, unfinished: unfinished, username: username)
    }

    func profile() throws -> ProfileModel {
        ProfileModel(try #require(client.currentAccount()), client: client)
    }

    /// The code that the user reads in their mail.
    func code(for address: String = dana) async throws -> String {
        try await tenant.mailbox.code(for: address)
    }
}

let dana = "dana@example.com"
let password = "Tulip-Harbour-42"

/// Another code than `code`.
func wrong(_ code: String) -> String {
    String(code.map { $0 == "9" ? "0" : "9" })
}

@MainActor
final class MemoryStorage: StepStorage {
    private var kept: Data?
    var bytes: Data? {
        get { kept }
        set { kept = newValue }
    }
}

/// The name of the case that an enum is at.
func name(_ screen: some Any) -> String {
    Mirror(reflecting: screen).children.first?.label ?? "\(screen)"
}

/// The flow is somewhere else than the test wants it.
struct UnexpectedScreen: Error {
    let name: String
    let notice: Notice?
}

/// Returns when `condition` holds; looks again whenever something changed that it reads.
@MainActor
func until(_ condition: () -> Bool) async throws {
    while true {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        if withObservationTracking(condition, onChange: { continuation.finish() }) { return }
        for await _ in changes {}
        try Task.checkCancellation()
    }
}

extension TestTenant.Fault {
    /// The server wants the user to go on in a browser.
    static let browser = json(#"{"challenge_type":"redirect"}"#)
    /// The server has not set the new password yet.
    static let inProgress = json(#"{"status":"in_progress"}"#)

    private static func json(_ text: String) -> Self {
        let headers = ["content-type": "application/json"]
        return .reply(TransportResponse(status: 200, headers: headers, body: Data(text.utf8)))
    }
}
