import Foundation
import Testing

/// The commands of `native-auth user` that create, find, change and delete users, beside a running server.
@Suite("Users of an operator", .timeLimit(.minutes(3)))
struct UserManagementTests {
    private static let old = "Tulip-Harbour-42"
    private static let new = "Velvet-Orbit-77"

    /// The members of a printed user that these tests read.
    private struct Printed: Decodable {
        var id: String
        var mail: String
        var city: String?
        var accountEnabled: Bool
        var nativeAuthHasPassword: Bool
        var nativeAuthChanged: [String]?
    }

    private struct Event: Decodable {
        var event: String
        var detail: String?
        var user: String?
    }

    private struct Notice: Decodable {
        var to: String
        var subject: String
    }

    /// A server, and the commands on its data.
    private struct Site {
        let server: NativeAuthServer
        let api: NativeAPI
        let data: URL

        /// Runs a command that must end with `status`.
        ///
        /// - Returns: Its output; what it said on standard error when it was to fail.
        func run(
            _ arguments: String..., status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> String {
            let result = try await NativeAuthProcess.run(["user"] + arguments + ["--data", data.path])
            #expect(result.status == status, "\(arguments) \(result.errors)", sourceLocation: sourceLocation)
            return status == 0 ? result.output : result.errors
        }

        func create(_ email: String, _ application: NativeAPI.Application, _ more: String...) async throws -> Printed {
            let arguments = ["user", "create", email, "--application", application.rawValue, "--json"] + more
            let result = try await NativeAuthProcess.run(arguments + ["--data", data.path])
            #expect(result.status == 0, "\(result.errors)")
            return try decoded(result.output)
        }

        /// The events of the audit trail that an operator caused, of one user.
        func events(_ user: String) async throws -> [String] {
            let listed = try await NativeAuthProcess.run(["audit", "list", "--data", data.path]).output
            let events: [Event] = try listed.split(separator: "\n").map { try decoded(String($0)) }
            return events.filter { $0.user == user && $0.detail?.contains("operator") == true }.map(\.event)
        }

        /// Waits for a notice: a server sends the mails of a command within half a minute.
        func notice(to email: String, _ subject: String) async throws -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                let mails: [Notice] = try decoded(try await api.get("/dev/inbox.json?to=\(email)").body)
                if mails.contains(where: { $0.subject.contains(subject) }) { return true }
                try await Task.sleep(for: .milliseconds(200))
            }
            return false
        }

        /// The codes in the inbox for an address.
        private func codes(for email: String) async throws -> [String] {
            let mails: [NativeAPI.Mail] = try decoded(try await api.get("/dev/inbox.json?to=\(email)").body)
            return mails.compactMap(\.code)
        }

        /// The code that `asking` makes the server send.
        private func code(for email: String, _ asking: () async throws -> Void) async throws -> String {
            let before = Set(try await codes(for: email))
            try await asking()
            while true {
                if let code = try await codes(for: email).first(where: { !before.contains($0) }) { return code }
                try await Task.sleep(for: .milliseconds(50))
            }
        }

        /// Signs in with a mailed code, or with a password.
        func signIn(_ email: String, password: String? = nil) async throws -> NativeAPI.Reply {
            let api = password == nil ? api : api.using(.password)
            let kinds = "oob password redirect"
            let started = try await api.post(
                "oauth2/v2.0/initiate", ["username": email, "challenge_type": kinds])
            guard let token = started.body.continuationToken else { return started }
            var form = ["scope": "openid offline_access"]
            func challenge() async throws {
                form["continuation_token"] = try await api.post(
                    "oauth2/v2.0/challenge", ["continuation_token": token, "challenge_type": kinds]
                ).token("challenge")
            }
            if let password {
                try await challenge()
                form.merge(["grant_type": "password", "password": password]) { $1 }
            } else {
                form.merge(["grant_type": "oob", "oob": try await code(for: email, challenge)]) { $1 }
            }
            return try await api.post("oauth2/v2.0/token", form)
        }

        func reset(_ email: String, to password: String) async throws {
            let api = api.using(.password)
            let started = try await api.post(
                "resetpassword/v1.0/start", ["username": email, "challenge_type": "oob redirect"]
            ).token("start")
            var asked = ""
            let code = try await code(for: email) {
                asked = try await api.post(
                    "resetpassword/v1.0/challenge", ["continuation_token": started, "challenge_type": "oob redirect"]
                ).token("challenge")
            }
            let proven = try await api.post(
                "resetpassword/v1.0/continue", ["continuation_token": asked, "grant_type": "oob", "oob": code]
            ).token("continue")
            _ = try await api.post(
                "resetpassword/v1.0/submit", ["continuation_token": proven, "new_password": password]
            ).token("submit")
        }

        func refresh(_ token: String, _ application: NativeAPI.Application) async throws -> Int {
            try await api.using(application).post(
                "oauth2/v2.0/token", ["grant_type": "refresh_token", "refresh_token": token]
            ).status
        }
    }

    private func onSite(_ body: (Site) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let data = folder.url.appending(path: "data")
            let server = try await NativeAuthServer.start(dataFolder: data)
            try await body(Site(server: server, api: NativeAPI(baseURL: server.baseURL), data: data))
            #expect(await server.terminate() == 0)
        }
    }

    @Test("A created user signs in with a code, or sets a password by a reset; a second one of the name is refused")
    func created() async throws {
        try await onSite { site in
            let otto = try await site.create(
                "Otto@example.com", .oneTimePasscode, "--alias", "otto", "--set", "city=Ribe")
            #expect(otto.mail == "Otto@example.com" && otto.city == "Ribe" && !otto.nativeAuthHasPassword)
            #expect(try await site.signIn("otto@example.com").body.refreshToken != nil)

            let dana = try await site.create("dana@example.com", .password)
            #expect(dana.nativeAuthHasPassword)
            #expect(try await site.signIn("dana@example.com", password: Self.old).status == 400)
            try await site.reset("dana@example.com", to: Self.old)
            #expect(try await site.signIn("dana@example.com", password: Self.old).body.accessToken != nil)

            let codes = NativeAPI.Application.oneTimePasscode.rawValue
            let strict = NativeAPI.Application.passwordAndAttributes.rawValue
            for (arguments, word) in [
                (["otto@EXAMPLE.com", "--application", codes], "Another user has this e-mail address"),
                (["new@example.com", "--application", codes, "--alias", "OTTO"], "Another user has this alias"),
                (["new@example.com", "--application", strict, "--set", "city=Ribe"], "country"),
                (["new@example.com", "--application", codes, "--set", "colour=red"], "no attribute colour"),
                (["new@example.com", "--application", codes, "--alias", "a b"], "flatusername"),
                (["not an address", "--application", codes], "no e-mail address"),
                (["new@example.com"], "--application"),
                (["new@example.com", "--application", "none"], "\(strict) (Password with attributes)"),
                (["new@example.com", "--application", codes, "--remove", "city"], "--remove"),
                (["new@example.com", "--application", codes, "--set", "city"], "NAME=VALUE"),
            ] {
                let result = try await NativeAuthProcess.run(
                    ["user", "create"] + arguments + ["--data", site.data.path])
                #expect(result.status == 64 && result.errors.contains(word), "\(arguments) \(result.errors)")
            }
            #expect(try await !site.api.isTaken("new@example.com"))
            #expect(try await site.events(otto.id) == ["account.created"])
        }
    }

    @Test("Users are listed in pages, and found by address, state, time and id")
    func listed() async throws {
        try await onSite { site in
            for name in ["ada", "adam", "bob"] { _ = try await site.create("\(name)@example.com", .oneTimePasscode) }
            _ = try await site.run("disable", "adam@example.com")
            func found(_ arguments: String...) async throws -> [Printed] {
                let result = try await NativeAuthProcess.run(
                    ["user", "list", "--json"] + arguments + ["--data", site.data.path])
                #expect(result.status == 0, "\(result.errors)")
                return try result.output.split(separator: "\n").map { try decoded(String($0)) }
            }
            let all = try await found()
            #expect(Set(all.map(\.mail)) == ["ada@example.com", "adam@example.com", "bob@example.com"])
            #expect(all.map(\.id) == all.map(\.id).sorted())
            #expect(try await found("--email", "Ada").count == 2)
            #expect(try await found("--disabled").map(\.mail) == ["adam@example.com"])
            #expect(try await found("--enabled", "--email", "ada").map(\.mail) == ["ada@example.com"])
            #expect(try await found("--created-after", "2020-01-01").count == 3)
            #expect(try await found("--created-after", "2120-01-01T00:00:00Z").isEmpty)

            let first = try await NativeAuthProcess.run(
                ["user", "list", "--limit", "2", "--data", site.data.path])
            #expect(first.output.split(separator: "\n").count == 2 && first.output.contains(all[0].mail))
            #expect(first.errors.contains("--after \(all[1].id)"), "\(first.errors)")
            #expect(try await found("--limit", "2", "--after", all[1].id).map(\.id) == [all[2].id])
            #expect(try await site.run("show", all[2].id).contains(all[2].mail))
            for odd in [["--limit", "0"], ["--after", "ada"], ["--created-after", "soon"]] {
                let refused = try await NativeAuthProcess.run(["user", "list"] + odd + ["--data", site.data.path])
                #expect(refused.status == 64, "\(odd)")
            }
        }
    }

    @Test("An update changes attributes and names, or nothing; a new address ends the sessions and tells the old one")
    func updated() async throws {
        try await onSite { site in
            let dana = try await site.create("dana@example.com", .oneTimePasscode, "--alias", "dana")
            let signedIn = try await site.signIn("dana@example.com")
            let session = try #require(signedIn.body.refreshToken, "\(signedIn.text)")

            let attributes: Printed = try decoded(
                try await site.run("update", "dana", "--set", "city=Ribe", "--set", "jobTitle=Nurse", "--json"))
            #expect(attributes.nativeAuthChanged == ["city", "jobTitle"] && attributes.city == "Ribe")
            #expect(try await site.refresh(session, .oneTimePasscode) == 200)
            let same: Printed = try decoded(try await site.run("update", "dana", "--set", "city=Ribe", "--json"))
            #expect(same.nativeAuthChanged == [])

            _ = try await site.create("otto@example.com", .oneTimePasscode)
            #expect(
                try await site.run("update", "dana", "--email", "otto@example.com", "--set", "city=Odense", status: 64)
                    .contains("Another user has this e-mail address"))
            #expect(try await site.run("update", "dana", "--set", "unknown=1", status: 64).contains("unknown"))
            #expect(try await site.run("update", "dana", status: 64).contains("--email"))
            // Some of the applications require it.
            #expect(try await site.run("update", "dana", "--remove", "city", status: 64).contains("city"))
            #expect(try await site.run("show", "dana").contains("city: Ribe"))

            let moved = try await site.run(
                "update", "dana", "--email", "dana@new.example", "--alias", "", "--remove", "jobTitle")
            #expect(moved.contains("changed        mail, jobTitle, flatusername") && moved.contains("dana@new.example"))
            #expect(try await site.refresh(session, .oneTimePasscode) == 400)
            #expect(try await site.signIn("dana@new.example").body.accessToken != nil)
            // Kept for the user a while, so that the operator can put it back.
            #expect(
                try await site.run(
                    "update", "otto@example.com", "--email", "dana@example.com", status: 64
                ).contains("a short time ago"))
            #expect(try await site.notice(to: "dana@example.com", "was changed"))
            #expect(
                try await site.run("update", dana.id, "--email", "dana@example.com").contains("changed        mail"))
            #expect(
                try await site.events(dana.id) == [
                    "account.created", "profile.changed", "email.changed", "profile.changed", "email.changed",
                ])
        }
    }

    @Test("After reset-password the old password and the sessions are void, and a reset gives a new password")
    func passwordsAreReset() async throws {
        try await onSite { site in
            _ = try await site.api.using(.password).signUp("dana@example.com", password: Self.old)
            let signedIn = try await site.signIn("dana@example.com", password: Self.old)
            let session = try #require(signedIn.body.refreshToken, "\(signedIn.text)")
            #expect(try await site.run("sessions", "dana@example.com").contains("Password"))
            let listed = try await site.run("sessions", "dana@example.com", "--json")
            #expect(listed.contains(#""appDisplayName":"Password""#) && listed.contains(#""isCurrent":false"#))
            #expect(try await site.run("methods", "dana@example.com").hasPrefix("password"))
            #expect(
                try await site.run("methods", "dana@example.com", "--json").contains("passwordAuthenticationMethod"))

            let told: Printed = try decoded(try await site.run("reset-password", "dana@example.com", "--json"))
            #expect(try await site.run("show", "dana@example.com").contains("a password that only a reset gives"))
            #expect(try await site.refresh(session, .password) == 400)
            #expect(try await site.signIn("dana@example.com", password: Self.old).status == 400)
            #expect(try await site.run("sessions", "dana@example.com").isEmpty)
            #expect(try await site.events(told.id) == ["reset.started"])
            #expect(try await site.notice(to: "dana@example.com", "Choose a new password"))
            try await site.reset("dana@example.com", to: Self.new)
            #expect(try await site.signIn("dana@example.com", password: Self.new).body.accessToken != nil)

            _ = try await site.create("otto@example.com", .oneTimePasscode)
            #expect(try await site.run("reset-password", "otto@example.com", status: 64).contains("no password"))
        }
    }

    @Test("A user is exported and deleted: nothing of the user is left but the audit trail")
    func deleted() async throws {
        try await onSite { site in
            let dana = try await site.create(
                "dana@example.com", .oneTimePasscode, "--set", "city=Ribe", "--alias", "dana")
            let signedIn = try await site.signIn("dana@example.com")
            let session = try #require(signedIn.body.refreshToken, "\(signedIn.text)")
            let document = try await site.run("export", "dana@example.com")
            for member in [#""city":"Ribe""#, #""appDisplayName":"One-time passcode""#, #""event":"account.created""#] {
                #expect(document.contains(member), "\(document)")
            }

            #expect(try await site.run("delete", "dana@example.com", status: 64).contains("--yes"))
            #expect(try await site.run("delete", "dana", "--yes").contains("dana@example.com"))
            #expect(try await site.run("delete", "dana@example.com", "--yes", status: 64).contains("No user"))
            #expect(try await site.refresh(session, .oneTimePasscode) == 400)
            #expect(try await !site.api.isTaken("dana@example.com"))
            #expect(try await site.run("deletions").split(separator: "\n").count == 1)
            #expect(try await site.notice(to: "dana@example.com", "was deleted"))
            for table in ["users", "identifiers", "attributes", "refresh_families", "strong_methods", "known_networks"]
            {
                #expect(try await Database(of: site.data).rows("SELECT tenant FROM \(table)").isEmpty, "\(table)")
            }
            #expect(try await site.events(dana.id) == ["account.created", "account.exported", "account.deleted"])
            // The name is another user's now, except the alias, which rests.
            _ = try await site.create("dana@example.com", .oneTimePasscode)
            #expect(
                try await site.run("update", "dana@example.com", "--alias", "dana", status: 64)
                    .contains("a short time ago"))
        }
    }
}

private func decoded<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
}
