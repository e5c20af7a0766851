import Foundation
import NIOCore
import SoftPasskeys

/// A user of codes by mail with an authenticator app.
struct AppMember: Sendable {
    let address: String
    var app: SoftApp
}

/// The parts that the journeys of authenticator apps share.
private enum AppForm {
    static let types = "challenge_type=totp%20oob%20redirect"
    static let capabilities = "capabilities=mfa_required%20registration_required"
    /// A context that needs two factors.
    static let demand =
        "scope=openid%20offline_access&claims=%7B%22access_token%22%3A%7B%22acrs%22%3A%7B%22essential%22%3Atrue%2C%22value%22%3A%22c1%22%7D%7D%7D"

    static func request(_ step: String, _ path: String, _ token: String, _ form: String) -> LoadRequest {
        LoadRequest(
            step: step, path: "/contoso/\(path)",
            form: "client_id=\(BenchCast.codeApp)&\(form)" + (token.isEmpty ? "" : "&continuation_token=\(token)"))
    }

    /// The token of a reply; of a demand for a second factor, too.
    static func token(of reply: LoadReply?, _ what: String) throws(JourneyFailure) -> String {
        guard let reply else { return "" }
        if reply.status == 400, let token = reply.text("continuation_token"), reply.text("suberror") != nil {
            return token
        }
        return try SignUpJourney.token(of: reply, what)
    }
}

/// A sign-up with a code whose sign-in demands a second factor: an app is registered in it.
struct AppSignUpJourney: Journey {
    let cast: BenchCast
    private var step = 0
    private let address: String
    private var app: SoftApp?

    init(cast: BenchCast) {
        self.cast = cast
        address = cast.newcomer()
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let token = try AppForm.token(of: reply, "app sign-up step \(step)")
        defer { step += 1 }
        switch step {
        case 0:
            return AppForm.request(
                "sign-up start", "signup/v1.0/start", token,
                "username=\(address)&\(AppForm.types)&\(AppForm.capabilities)")
        case 1: return AppForm.request("sign-up challenge", "signup/v1.0/challenge", token, AppForm.types)
        case 2:
            return AppForm.request(
                "sign-up continue", "signup/v1.0/continue", token, "grant_type=oob&oob=\(BenchCast.code)")
        case 3:
            return AppForm.request(
                "token after sign-up", "oauth2/v2.0/token", token,
                "grant_type=continuation_token&username=\(address)&\(AppForm.demand)")
        case 4: return AppForm.request("app key", "register/v1.0/challenge", token, "challenge_type=totp")
        case 5:
            guard let key = reply?.text("secret"), var app = SoftApp(key: key) else {
                throw JourneyFailure(text: "there is no key of an app")
            }
            let code = app.code(at: .now)
            self.app = app
            return AppForm.request("app code", "register/v1.0/continue", token, "grant_type=totp&totp=\(code)")
        case 6:
            return AppForm.request(
                "token with an app", "oauth2/v2.0/token", token, "grant_type=continuation_token&\(AppForm.demand)")
        case _:
            if let app { cast.put(appMember: AppMember(address: address, app: app)) }
            return nil
        }
    }
}

/// A sign-in with a code by mail, and then a code of the app. A user signs in once in a load: each code works once.
struct AppSignInJourney: Journey {
    let cast: BenchCast
    var member: AppMember
    private var step = 0

    init(cast: BenchCast, member: AppMember) {
        self.cast = cast
        self.member = member
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let token = try AppForm.token(of: reply, "app sign-in step \(step)")
        defer { step += 1 }
        switch step {
        case 0:
            return AppForm.request(
                "sign-in initiate", "oauth2/v2.0/initiate", token,
                "username=\(member.address)&\(AppForm.types)&\(AppForm.capabilities)")
        case 1: return AppForm.request("sign-in challenge", "oauth2/v2.0/challenge", token, AppForm.types)
        case 2:
            return AppForm.request(
                "token by code", "oauth2/v2.0/token", token,
                "grant_type=oob&oob=\(BenchCast.code)&\(AppForm.demand)")
        case 3: return AppForm.request("methods", "oauth2/v2.0/introspect", token, "")
        case 4:
            guard let method = reply?.text("id") else { throw JourneyFailure(text: "there is no method to choose") }
            return AppForm.request("app challenge", "oauth2/v2.0/challenge", token, "id=\(method)")
        case 5:
            return AppForm.request(
                "token by app", "oauth2/v2.0/token", token,
                "grant_type=mfa_oob&oob=\(member.app.code(at: .now))&\(AppForm.demand)")
        case _: return nil
        }
    }
}
