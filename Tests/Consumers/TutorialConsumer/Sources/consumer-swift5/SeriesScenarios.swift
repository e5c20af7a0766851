import Foundation
import MSAL

/// The scenarios of the other tutorials of the series.
@MainActor var series: [Scenario] {
    let newSignIn = tutorial("sign-in", TutorialSignIn.self, connect: byAuthority, signIn)
    let oldSignIn = tutorial("sign-in, old", TutorialSignInOld.self, connect: bySubdomain, oldSignIn)
    let reset = tutorial("reset", TutorialReset.self, connect: everySetting, reset)
    let newFactors = tutorial("second factor", TutorialFactors.self, connect: everySetting, factors)
    let oldFactors = tutorial("second factor, old", TutorialFactorsOld.self, connect: everySetting, factors)
    return newSignIn + oldSignIn + reset + newFactors + oldFactors
}

extension Person {
    fileprivate var seriesScreen: SeriesScreen {
        get throws {
            guard let screen = screen as? SeriesScreen else {
                throw Mismatch(description: "not a screen of the series")
            }
            return screen
        }
    }

    /// Creates the account on a screen of another tutorial, and returns to this one.
    fileprivate func signUp(_ client: Client, password: String? = nil) async throws -> SeriesScreen {
        let before = changed { Tutorial001() }
        try await before.start(client, password: password)
        try await before.submitCode(sees: "signed up")
        try open(client)
        let screen = try seriesScreen
        screen.emailTextField.text = email
        screen.passwordTextField.text = password
        return screen
    }

    fileprivate func wrong(_ code: String) -> String {
        String(code.dropLast()) + (code.last == "0" ? "1" : "0")
    }
}

@MainActor private var signIn: [(String, @MainActor (Person) async throws -> Void)] {
    [
        (
            "code, wrong and right and new",
            { person in
                let screen = try await person.signUp(.code)
                try person.press(screen.signInPressed)
                try await person.sees("code sent to ")
                let code = try await person.code(ofMail: 2)
                try await person.submitCode(person.wrong(code), sees: "wrong code")
                try await person.submitCode("", sees: "wrong code")
                try person.press(screen.resendPressed)
                try await person.sees("code sent again to ")
                try await person.submitCode(try await person.code(ofMail: 3), sees: "signed in: \(person.email)")
                try await person.sees("token")
                try person.checkAccount()
            }
        ),
        (
            "password at the start, new token, sign-out",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                try person.press(screen.signInPressed)
                try await person.sees("signed in: \(person.email)")
                try await person.sees("token")
                try person.press(screen.getTokenPressed)
                try await person.sees("new token")
                screen.signOutPressed(person)
                try await person.sees("signed out")
                screen.getTokenPressed(person)
                try await person.sees("no user is signed in")
            }
        ),
        (
            "password asked for, wrong and right",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                screen.passwordTextField.text = nil
                try person.press(screen.signInPressed)
                try await person.sees("password wanted")
                screen.passwordTextField.text = "wrong"
                try person.press(screen.submitPasswordPressed)
                try await person.sees("wrong password")
                screen.passwordTextField.text = person.password
                try person.press(screen.submitPasswordPressed)
                try await person.sees("signed in: \(person.email)")
                try await person.sees("token")
            }
        ),
        (
            "unknown user, empty name, wrong and empty password",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                for wrong in ["wrong", ""] {
                    screen.passwordTextField.text = wrong
                    try person.press(screen.signInPressed)
                    try await person.sees("wrong password")
                }
                for nobody in ["nobody-\(person.email)", ""] {
                    screen.emailTextField.text = nobody
                    screen.passwordTextField.text = person.password
                    try person.press(screen.signInPressed)
                    try await person.sees("no user has this name")
                }
            }
        ),
    ]
}

@MainActor private var oldSignIn: [(String, @MainActor (Person) async throws -> Void)] {
    [
        (
            "code, then a new token",
            { person in
                let screen = try await person.signUp(.code)
                try person.press(screen.signInPressed)
                try await person.sees("code sent to ")
                try await person.submitCode(try await person.code(ofMail: 2), sees: "signed in")
                try await person.sees("token")
                try person.press(screen.getTokenPressed)
                try await person.sees("token")
                try person.checkAccount()
            }
        ),
        (
            "password",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                try person.press(screen.signInPressed)
                try await person.sees("signed in")
                try await person.sees("token")
                try person.checkAccount()
            }
        ),
        (
            "reset",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                try person.press(screen.resetPasswordPressed)
                try await person.sees("code sent to ")
            }
        ),
    ]
}

@MainActor private var reset: [(String, @MainActor (Person) async throws -> Void)] {
    [
        (
            "new password, then sign-in",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                try person.press(screen.resetPasswordPressed)
                try await person.sees("code sent to ")
                let code = try await person.code(ofMail: 2)
                try await person.submitCode(person.wrong(code), sees: "wrong code")
                try await person.submitCode(code, sees: "new password wanted")
                for bad in ["weak", ""] {
                    screen.passwordTextField.text = bad
                    try person.press(screen.submitPasswordPressed)
                    try await person.sees("bad password")
                }
                screen.passwordTextField.text = "New-\(person.password)"
                try person.press(screen.submitPasswordPressed)
                try await person.sees("password reset")
                try await person.signIn()
            }
        ),
        (
            "new code, and the completion without an argument",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                try person.press(screen.resetPasswordPressed)
                try await person.sees("code sent to ")
                _ = try await person.code(ofMail: 2)
                try person.press(screen.resendPressed)
                try await person.sees("code sent again to ")
                try await person.submitCode(try await person.code(ofMail: 3), sees: "new password wanted")
                let page = NewPasswordPage(of: screen)
                screen.resetPasswordState?.submitPassword(password: "New-\(person.password)", delegate: page)
                try await person.sees("password reset")
            }
        ),
        (
            "unknown user, empty name, user without a password",
            { person in
                let screen = try await person.signUp(.code)
                try person.press(screen.resetPasswordPressed)
                try await person.sees("no password to reset")
                for nobody in ["nobody-\(person.email)", ""] {
                    screen.emailTextField.text = nobody
                    try person.press(screen.resetPasswordPressed)
                    try await person.sees("no user has this name")
                }
            }
        ),
    ]
}

/// A method is registered at the first sign-in that needs two factors, and is asked for at the next.
@MainActor private var factors: [(String, @MainActor (Person) async throws -> Void)] {
    [
        (
            "registration, then second factor",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                screen.claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
                for step in ["registration wanted", "second factor wanted"] {
                    screen.verificationContact = person.secondEmail
                    try person.press(screen.signInPressed)
                    try await person.sees(step)
                    try await person.sees("challenge sent to ")
                    let mails = step == "registration wanted" ? 1 : 2
                    let code = try await person.code(ofMail: mails, to: person.secondEmail)
                    screen.challengeTextField.text = person.wrong(code)
                    try person.press(screen.submitChallengePressed)
                    try await person.sees("wrong challenge")
                    screen.challengeTextField.text = code
                    try person.press(screen.submitChallengePressed)
                    try await person.sees("signed in")
                    try await person.sees("token")
                    try person.checkAccount()
                }
            }
        ),
        (
            "no contact",
            { person in
                let screen = try await person.signUp(.password, password: person.password)
                screen.claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
                try person.press(screen.signInPressed)
                try await person.sees("registration wanted")
                try await person.sees("bad contact")
            }
        ),
    ]
}
