import Foundation
import MSAL

/// A scenario of a tutorial.
@MainActor
struct Scenario {
    let tutorial: String
    let name: String
    let screen: @MainActor () -> Screen
    let connect: @MainActor (URL, Client) throws -> MSALNativeAuthPublicClientApplication
    let run: @MainActor (Person) async throws -> Void
}

@MainActor var scenarios: [Scenario] {
    let newest = tutorial("000", Tutorial000.self, connect: byAuthority, onePasscode + passwordAndAttributes)
    let alias = tutorial("000", Tutorial000Alias.self, connect: byAuthority, aliases)
    let dutch = tutorial("001", Tutorial001.self, connect: byAuthority, onePasscode + passwordAndAttributes)
    let oldest = tutorial("002", Tutorial002.self, connect: bySubdomain, onePasscode)
    let french = tutorial("003", Tutorial003.self, connect: byOldConfiguration, onePasscode + passwordAndAttributes)
    let japanese = tutorial("004", Tutorial004.self, connect: byAuthority, onePasscode + passwordAndAttributes)
    return oldest + french + japanese + dutch + newest + alias + series
}

@MainActor
func tutorial(
    _ name: String, _ screen: Screen.Type,
    connect: @escaping @MainActor (URL, Client) throws -> MSALNativeAuthPublicClientApplication,
    _ steps: [(String, @MainActor (Person) async throws -> Void)]
) -> [Scenario] {
    steps.map { Scenario(tutorial: name, name: $0.0, screen: { screen.init() }, connect: connect, run: $0.1) }
}

/// The newest tutorial with the application of a set-up script, whose user flow asks for the city and for a number.
@MainActor
func madeByScript(clientID: String, attribute: String) -> Scenario {
    Scenario(
        tutorial: "000", name: "an application that a script has made",
        screen: { Tutorial000() },
        connect: { base, _ in
            let authority = try MSALCIAMAuthority(
                url: base.appending(path: "contoso.onmicrosoft.com"), validateFormat: false)
            let configuration = MSALNativeAuthPublicClientApplicationConfig(
                clientId: clientID, authority: authority, challengeTypes: [.OOB])
            return try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
        },
        run: { person in
            try await person.start(.code, attributes: [attribute: "12"], refused: "bad attributes: [\"\(attribute)\"]")
            try await person.start(.code, attributes: ["city": "Oslo"])
            try await person.submitCode(sees: "attributes wanted")
            try await person.submitAttributes([attribute: "123456"], sees: "signed up")
            try await person.signIn()
        })
}

// MARK: - The ways to point the SDK at a server

func challengeTypes(of client: Client) -> MSALNativeAuthChallengeTypes {
    switch client {
    case .code, .codeAndAttributes: [.OOB]
    case .password, .passwordAndAttributes: [.OOB, .password]
    }
}

@MainActor
func byAuthority(_ base: URL, _ client: Client) throws -> MSALNativeAuthPublicClientApplication {
    let authority = try MSALCIAMAuthority(url: base.appending(path: "contoso.onmicrosoft.com"), validateFormat: false)
    let configuration = MSALNativeAuthPublicClientApplicationConfig(
        clientId: client.rawValue, authority: authority, challengeTypes: challengeTypes(of: client))
    return try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
}

@MainActor
private func byOldConfiguration(_ base: URL, _ client: Client) throws -> MSALNativeAuthPublicClientApplication {
    let authority = try MSALCIAMAuthority(url: base.appending(path: "contoso.onmicrosoft.com"), validateFormat: false)
    let configuration = MSALPublicClientApplicationConfig(
        clientId: client.rawValue, redirectUri: nil, authority: authority)
    return try MSALNativeAuthPublicClientApplication(
        configuration: configuration, challengeTypes: challengeTypes(of: client))
}

/// Unmodified app code: the environment variable NATIVE_AUTH_EMULATOR directs it to the local server.
@MainActor
func bySubdomain(_ base: URL, _ client: Client) throws -> MSALNativeAuthPublicClientApplication {
    try MSALNativeAuthPublicClientApplication(
        clientId: client.rawValue, tenantSubdomain: "contoso", challengeTypes: challengeTypes(of: client))
}

// MARK: - The scenarios

/// The scenarios of all five tutorials.
@MainActor private var onePasscode: [(String, @MainActor (Person) async throws -> Void)] {
    [
        (
            "one-time passcode, then sign-in",
            { person in
                try await person.start(.code)
                let code = try await person.code()
                guard code.count == person.screen.codeLength else { throw Mismatch(description: "wrong code length") }
                try await person.submitCode(code, sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "wrong code, then the right one",
            { person in
                try await person.start(.code)
                let code = try await person.code()
                let wrong = String(code.dropLast()) + (code.last == "0" ? "1" : "0")
                try await person.submitCode(wrong, sees: "wrong code")
                try await person.submitCode("", sees: "wrong code")
                try await person.submitCode(code, sees: "signed up")
            }
        ),
        (
            "new code",
            { person in
                try await person.start(.code)
                _ = try await person.code()
                try person.press(person.screen.resendPressed)
                try await person.sees("code sent again to ")
                try await person.submitCode(try await person.code(ofMail: 2), sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "user already exists",
            { person in
                try await person.start(.code)
                try await person.submitCode(sees: "signed up")
                try await person.start(.code, refused: "taken")
            }
        ),
    ]
}

/// The scenarios that the four later tutorials add.
@MainActor private var passwordAndAttributes: [(String, @MainActor (Person) async throws -> Void)] {
    let home = ["country": "Denmark", "city": "Aarhus"]
    let tooLong = ["country": "Denmark", "city": String(repeating: "a", count: 1000)]
    return [
        (
            "password, then sign-in",
            { person in
                try await person.start(.password, password: person.password)
                try await person.submitCode(sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "attributes at the start",
            { person in
                try await person.start(.codeAndAttributes, attributes: home)
                try await person.submitCode(sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "password and attributes at the start",
            { person in
                try await person.start(.passwordAndAttributes, password: person.password, attributes: home)
                try await person.submitCode(sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "invalid attributes at the start",
            { person in
                try await person.start(.codeAndAttributes, attributes: tooLong, refused: "bad attributes: [\"city\"]")
                try await person.start(.codeAndAttributes, attributes: home)
            }
        ),
        (
            "attributes after the code, one page",
            { person in
                try await person.start(.codeAndAttributes)
                try await person.submitCode(sees: "attributes wanted")
                try await person.submitAttributes(home, sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "attributes after the code, several pages",
            { person in
                try await person.start(.passwordAndAttributes, password: person.password)
                try await person.submitCode(sees: "attributes wanted")
                try await person.submitAttributes(
                    ["country": "Denmark"], sees: "more attributes wanted: [\"city\"]")
                try await person.submitAttributes(["city": "Aarhus"], sees: "signed up")
                try await person.signIn()
            }
        ),
        (
            "invalid attributes after the code",
            { person in
                try await person.start(.codeAndAttributes)
                try await person.submitCode(sees: "attributes wanted")
                try await person.submitAttributes(tooLong, sees: "bad attributes: [\"city\"]")
                try await person.submitAttributes(home, sees: "signed up")
            }
        ),
        (
            "invalid password",
            { person in
                try await person.start(.password, password: "weak", refused: "bad password")
                try await person.start(.password, password: "", refused: "bad password")
            }
        ),
        (
            "invalid username",
            { person in
                try await person.start(.code, email: "no address", refused: "bad username")
                try await person.start(.code, email: "", refused: "bad username")
            }
        ),
    ]
}

/// The scenarios that the newest tutorial adds.
@MainActor private var aliases: [(String, @MainActor (Person) async throws -> Void)] {
    func fresh() -> String { "dana" + UUID().uuidString.prefix(8).lowercased() }
    return [
        (
            "alias with a one-time passcode",
            { person in
                person.screen.usernameTextField.text = fresh()
                try await person.start(.code)
                try await person.submitCode(sees: "signed up")
            }
        ),
        (
            "alias with a password",
            { person in
                person.screen.usernameTextField.text = fresh()
                try await person.start(.password, password: person.password)
                try await person.submitCode(sees: "signed up")
            }
        ),
        (
            "malformed alias",
            { person in
                person.screen.usernameTextField.text = "dana@example.com"
                try await person.start(.code, refused: "bad alias: Invalid attributes: flatusername")
            }
        ),
        (
            "taken alias",
            { person in
                let alias = fresh()
                person.screen.usernameTextField.text = alias
                try await person.start(.code)
                try await person.submitCode(sees: "signed up")
                let other = person.another()
                other.screen.usernameTextField.text = alias.uppercased()
                try await other.start(.code, refused: "taken")
            }
        ),
    ]
}
