import Foundation
import Testing

/// `native-auth import` and `native-auth export` as an operator uses them.
@Suite("Import and export of users", .timeLimit(.minutes(3)))
struct ImportCommandTests {
    private struct Place {
        let folder: TemporaryFolder
        let data: URL
        let server: NativeAuthServer

        var api: NativeAPI { NativeAPI(baseURL: server.baseURL) }

        init() async throws {
            folder = try TemporaryFolder()
            data = folder.url.appending(path: "data")
            server = try await NativeAuthServer.start(dataFolder: data)
        }

        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.url.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }

        func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
            try await NativeAuthProcess.run(arguments + ["--data", data.path])
        }

        func load(
            _ text: String, _ name: String, _ options: [String] = [],
            application: NativeAPI.Application = .password
        ) async throws -> (status: Int32, output: String, errors: String) {
            try await run(
                ["import", "users", try write(text, name), "--application", application.rawValue] + options)
        }

        func signIn(_ name: String, _ password: String) async throws -> NativeAPI.Reply {
            let api = api.using(.password)
            let kinds = "oob password redirect"
            let started = try await api.post("oauth2/v2.0/initiate", ["username": name, "challenge_type": kinds])
            let challenged = try await api.post(
                "oauth2/v2.0/challenge",
                ["continuation_token": try started.token("initiate"), "challenge_type": kinds])
            return try await api.post(
                "oauth2/v2.0/token",
                [
                    "continuation_token": try challenged.token("challenge"), "grant_type": "password",
                    "password": password, "scope": "openid",
                ])
        }

        func rows(_ sql: String) async throws -> [[String]] { try await Database(of: data).rows(sql) }

        func users() async throws -> Int { Int(try await rows("SELECT COUNT(*) FROM users")[0][0]) ?? -1 }

        func hash(of email: String) async throws -> String {
            try await rows(
                """
                SELECT u.password_hash FROM users AS u JOIN identifiers AS i ON i.tenant = u.tenant AND i."user" = u.id
                WHERE i.display = '\(email)'
                """
            ).first?.first ?? "no user"
        }

        func end() async {
            await server.terminate()
            folder.remove()
        }
    }

    // Python's bcrypt 5.0: bcrypt.hashpw("Xk7#pQ2m-vT9ü".encode(), bcrypt.gensalt(5))
    private static let password = "Xk7#pQ2m-vT9\u{FC}"
    private static let bcrypt = "$2b$05$eDKigFJGnU2PLgBlhZKiUueBZ3YXc7lRWPJfxthH2oBEMcqht3gcG"

    @Test("SEC-PWD-7: a user of a CSV file signs in with the password of before, whose hash is replaced then")
    func signIn() async throws {
        let place = try await Place()
        let result = try await place.load(
            "email,emailVerified,passwordHash\ndana@example.com,true,\(Self.bcrypt)\n", "users.csv")
        #expect(result.status == 0 && result.output.contains("created 1"), "\(result)")
        #expect(try await place.hash(of: "dana@example.com") == Self.bcrypt)
        let wrong = try await place.signIn("dana@example.com", "Xk7#pQ2m-vT9u")
        #expect(wrong.status == 400 && wrong.body.errorCodes == [50_126], "\(wrong.text)")
        #expect(try await place.hash(of: "dana@example.com") == Self.bcrypt)
        // Two at once: each is answered, and one record is written.
        async let one = place.signIn("dana@example.com", Self.password)
        async let other = place.signIn("dana@example.com", Self.password)
        for reply in [try await one, try await other] {
            #expect(reply.status == 200 && reply.body.accessToken != nil, "\(reply.text)")
        }
        #expect(try await place.hash(of: "dana@example.com").hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await place.signIn("dana@example.com", Self.password).status == 200)
        let audit = try await place.run(["audit", "list"])
        #expect(audit.output.contains("users.imported"), "\(audit)")
        await place.end()
    }

    @Test("SEC-PWD-7: the exports of other systems are read, and their users sign in")
    func presets() async throws {
        let place = try await Place()
        // Made as ForeignRecordTests tells.
        let firebase = """
            {"users": [
              {"localId": "l1", "email": "fire@example.com", "emailVerified": true, "displayName": "Fire",
               "passwordHash": "VEBc0IZNpIbCjHrMuKTGACOqPmTiuiPLZyGat4QY3GDSU1z1pNra51mJlcL/RSq90JNlCoWWAX/xgwA21ylpRg==",
               "salt": "MjM0NTY3ODk6Ow==", "createdAt": "1700000000000", "providerUserInfo": []},
              {"localId": "l2", "email": "off@example.com", "emailVerified": true, "disabled": true, "createdAt": "1700000000000"}
            ]}
            """
        let config = try place.write(
            """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGiow==,
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: 12,
            }
            """, "hash.txt")
        var result = try await place.load(firebase, "firebase.json", ["--from", "firebase", "--hash-config", config])
        #expect(result.status == 0 && result.output.contains("created 2"), "\(result)")
        result = try await place.load(
            """
            {"_id":{"$oid":"5dea9f9c82dd7c0e76e4ec93"},"email":"zero@example.com","email_verified":true,"passwordHash":"\(Self.bcrypt)","tenant":"t","connection":"c","_tmp_is_unique":true}
            {"_id":{"$oid":"5dea9f9c82dd7c0e76e4ec94"},"passwordHash":"\(Self.bcrypt)","identifiers":[{"type":"email","value":"listed@example.com","verified":true}]}
            """, "auth0.json", ["--from", "auth0"])
        #expect(result.status == 0 && result.output.contains("created 2"), "\(result)")
        result = try await place.load(
            #"""
            {"realm": "r", "roles": {"realm": [{"name": "users"}]}, "users": [
              {"id": "0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a001", "username": "keykim", "email": "key@example.com", "emailVerified": true,
               "enabled": true, "createdTimestamp": 1700000000000, "firstName": "Kim", "attributes": {"town": ["Ribe"]},
               "credentials": [{"type": "password",
                 "secretData": "{\"value\":\"jL1rHQXtgpBVL3jLCo91Kl2yQ44IxzCR+0cvhZk48y8=\",\"salt\":\"AAECAwQFBgcICQoLDA0ODw==\",\"additionalParameters\":{}}",
                 "credentialData": "{\"hashIterations\":1,\"algorithm\":\"pbkdf2-sha256\",\"additionalParameters\":{}}"}]},
              {"id": "0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a002", "username": "argo@example.com", "email": "argo@example.com", "emailVerified": true,
               "enabled": true, "createdTimestamp": 1700000000000,
               "credentials": [{"type": "password",
                 "secretData": "{\"value\":\"Ri95NF2uEA0R9yY9nPcS2SRqU8ez77T280PLQY4aMmQ=\",\"salt\":\"AAECAwQFBgcICQoLDA0ODw==\",\"additionalParameters\":{}}",
                 "credentialData": "{\"hashIterations\":5,\"algorithm\":\"argon2\",\"additionalParameters\":{\"hashLength\":[\"32\"],\"memory\":[\"7168\"],\"type\":[\"id\"],\"version\":[\"1.3\"],\"parallelism\":[\"1\"]}}"}]}
            ]}
            """#, "keycloak.json",
            ["--from", "keycloak", "--mapping", try place.write("attributes.city: attributes.town\n", "mapping.yaml")])
        #expect(result.status == 0 && result.output.contains("created 2"), "\(result)")
        result = try await place.load(
            """
            id,email,encrypted_password,email_confirmed_at,raw_user_meta_data,created_at,banned_until
            0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a003,supa@example.com,\(Self.bcrypt),2024-01-02 03:04:05.678+00,"{""a"": ""b,c""}",2024-01-01 03:04:05+00,
            """, "supabase.csv", ["--from", "supabase"])
        #expect(result.status == 0 && result.output.contains("created 1"), "\(result)")
        result = try await place.load(
            """
            {"Users": [{"Username": "u", "Attributes": [{"Name": "sub", "Value": "0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a004"},
              {"Name": "email", "Value": "cog@example.com"}, {"Name": "email_verified", "Value": "true"}, {"Name": "given_name", "Value": "Cog"}],
              "UserCreateDate": "2024-01-02T03:04:05.678000+00:00", "Enabled": true, "UserStatus": "CONFIRMED"}]}
            """, "cognito.json", ["--from", "cognito"])
        #expect(result.status == 0 && result.output.contains("created 1"), "\(result)")
        let passwords = [
            "fire@example.com", "zero@example.com", "listed@example.com", "key@example.com", "keykim",
            "argo@example.com", "supa@example.com",
        ]
        for name in passwords {
            let reply = try await place.signIn(name, Self.password)
            #expect(reply.status == 200, "\(name): \(reply.text)")
            #expect(try await place.signIn(name, Self.password + "x").status == 400)
        }
        let shown = try await place.run(["user", "show", "key@example.com"])
        #expect(
            shown.output.contains("0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a001") && shown.output.contains("city: Ribe"),
            "\(shown)")
        #expect(try await place.run(["user", "show", "off@example.com"]).output.contains("disabled since"))
        #expect(try await place.run(["user", "show", "cog@example.com"]).output.contains("2024-01-02T03:04:05Z"))
        await place.end()
    }

    @Test("SEC-ID-9: a password beside an address that is not verified does not come in; the mailbox's owner resets it")
    func unverified() async throws {
        let place = try await Place()
        let file = """
            email,emailVerified,passwordHash
            not@example.com,false,\(Self.bcrypt)
            unknown@example.com,,\(Self.bcrypt)
            """
        let result = try await place.load(file, "users.csv")
        #expect(result.status == 0 && result.output.contains("passwords 2"), "\(result)")
        for name in ["not@example.com", "unknown@example.com"] {
            #expect(try await place.hash(of: name).hasPrefix("$argon2id$"))
            #expect(try await place.signIn(name, Self.password).status == 400)
            #expect(try await place.rows("SELECT proven_at FROM identifiers WHERE display = '\(name)'") == [[""]])
        }
        let assumed = try await place.load(
            file.replacing("unknown@", with: "assumed@").replacing("not@", with: "never@"), "more.csv",
            ["--assume-verified"])
        #expect(assumed.output.contains("passwords 1"), "\(assumed)")
        #expect(try await place.signIn("assumed@example.com", Self.password).status == 200)
        #expect(try await place.signIn("never@example.com", Self.password).status == 400)
        await place.end()
    }

    @Test(
        "SEC-ID-9: of a record whose address is not verified nothing comes in that a stranger may have filled in, and it changes no user"
    )
    func squatter() async throws {
        let place = try await Place()
        let record = { (name: String, isVerified: Bool, city: String) in
            #"{"email":"\#(name)@example.com","emailVerified":\#(isVerified),"alias":"\#(name).h","attributes":{"city":"\#(city)"},"secondFactor":["evil@example.net"],"requiresSecondFactor":true,"passwordHash":"\#(Self.bcrypt)"}"#
        }
        let made = try await place.load(
            record("victim", false, "Mine") + "\n" + record("owner", true, "Ribe"), "a.jsonl")
        #expect(
            made.status == 0
                && made.output.contains("left out  aliases, attributes, second factors, identities and passkeys of 1:"),
            "\(made)")
        let victim = try await place.run(["user", "show", "victim@example.com"]).output
        #expect(!victim.contains("Mine") && !victim.contains("evil") && !victim.contains("victim.h"), "\(victim)")
        #expect(try await place.run(["user", "show", "owner@example.com"]).output.contains("city: Ribe"))
        let changed = try await place.load(record("owner", false, "Mine"), "b.jsonl", ["--duplicates", "update"])
        #expect(
            changed.status == 65 && changed.output.contains("email is not verified, so the user who has it"),
            "\(changed)")
        #expect(try await place.run(["user", "show", "owner@example.com"]).output.contains("city: Ribe"))
        let kept = try await place.load(record("owner", true, "Esbjerg"), "c.jsonl", ["--duplicates", "update"])
        #expect(kept.status == 0, "\(kept)")
        let lines = try await place.rows(
            #"SELECT detail FROM audit WHERE kind = 'users.imported' AND "user" IS NOT NULL"#)
        #expect(lines == [["attributes by operator"]], "\(lines)")
        await place.end()
    }

    @Test("Each record with a fault is named with its line and member, and changes nothing; a dry run says the same")
    func faults() async throws {
        let place = try await Place()
        _ = try await place.api.signUp("taken@example.com")
        let lines = [
            (#"{"email":"good@example.com","emailVerified":true,"alias":"good","attributes":{"city":"Ribe"}}"#, nil),
            (#"{"email":"no address"}"#, "email is no address"),
            (#"{"alias":"nobody"}"#, "email is missing"),
            (#"{"email":"a1@example.com","alias":"ad"}"#, "alias is no alias"),
            (#"{"email":"a2@example.com","attributes":{"shoe":"44"}}"#, "attributes.shoe is no attribute"),
            (#"{"email":"a3@example.com","attributes":{"city":{"a":1}}}"#, "attributes.city is no text"),
            (
                #"{"email":"a4@example.com","passwordHash":"$2b$31$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq","emailVerified":true}"#,
                "passwordHash is damaged, or costs more"
            ),
            (#"{"email":"a5@example.com","emailVerified":"perhaps"}"#, "emailVerified is none of true, yes"),
            (#"{"email":"a6@example.com","createdDateTime":"yesterday"}"#, "createdDateTime is no date"),
            (#"{"email":"a7@example.com","id":"7"}"#, "id is no UUID"),
            (#"{"email":"a8@example.com","colour":"red"}"#, "colour is no member"),
            (#"{"email":"a9@example.com","#, "The record is no JSON object"),
            (#"["email"]"#, "The record is no JSON object"),
            (#"{"email":"TAKEN@example.com"}"#, "email is the address of a user already"),
            (
                #"{"email":"a10@example.com","emailVerified":true,"alias":"Good"}"#,
                "alias is that of the record in line 1 already"
            ),
            (#"{"email":"good@example.com"}"#, "email is that of the record in line 1 already"),
            (
                #"{"email":"a15@example.com","secondFactor":["A15@example.com"]}"#,
                "secondFactor is the address of the account"
            ),
            (
                #"{"email":"a16@example.com","id":"11112222-bbbb-3333-cccc-4444dddd5555"}"#,
                "id is the id of an application"
            ),
            (#"{"email":"a17@example.com","id":"00000000-0000-0000-0000-000000000000"}"#, "id is the id of"),
            (#"{"email":"a11@example.com","secondFactor":["x"]}"#, "secondFactor is no address"),
            (
                #"{"email":"a16@example.com","secondFactor":[{"phoneNumber":"0151 23456789"}]}"#,
                "secondFactor is no address and no telephone number"
            ),
            (
                #"{"email":"a17@example.com","secondFactor":["+15555550123","+1 555 555 0123"]}"#,
                "secondFactor has one address or number twice"
            ),
            (
                #"{"email":"a18@example.com","secondFactor":["+15555550123","+15555550124","+15555550125"]}"#,
                "secondFactor has more than 2 telephone numbers"
            ),
            (
                #"{"email":"a12@example.com","secondFactor":[{"email":"b@example.com","enrolledUnder":"sun"}]}"#,
                "secondFactor.enrolledUnder is none"
            ),
            (
                #"{"email":"a13@example.com","createdDateTime":"2999-01-01T00:00:00Z"}"#,
                "createdDateTime lies in the future"
            ),
            (
                #"{"email":"a14@example.com","secondFactor":[{"email":"b@example.com","name":"a\u0000b"}]}"#,
                "secondFactor has a name"
            ),
            (
                #"{"email":"a18@example.com","authenticatorApps":["1234"]}"#,
                "authenticatorApps has a value that is no key"
            ),
            (
                #"{"email":"a19@example.com","authenticatorApps":"otpauth://totp/A?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8"}"#,
                "authenticatorApps has a value that is no key"
            ),
            (
                #"{"email":"a20@example.com","emailVerified":true,"authenticatorApps":7}"#,
                "authenticatorApps is no key and no list"
            ),
            (
                #"{"email":"a21@example.com","emailVerified":true,"authenticatorApps":["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ","gezd gnbv gy3t qojq gezd gnbv gy3t qojq"]}"#,
                "authenticatorApps has one key twice"
            ),
            (
                #"{"email":"a22@example.com","emailVerified":true,"authenticatorApps":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
                "authenticatorApps has a key that is not random"
            ),
            (
                #"{"email":"a23@example.com","emailVerified":true,"authenticatorApps":"otpauth://totp/A?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&secret=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"}"#,
                "authenticatorApps has a value that is no key"
            ),
        ]
        let text = lines.map(\.0).joined(separator: "\n") + "\n\n"
        let dry = try await place.load(text, "users.jsonl", ["--dry-run"])
        #expect(try await place.users() == 1)
        let real = try await place.load(text, "users.jsonl")
        for (result, name) in [(dry, "dry"), (real, "real")] {
            #expect(result.status == 65, "\(name) \(result)")
            for (number, line) in lines.enumerated() {
                guard let fault = line.1 else { continue }
                #expect(
                    result.output.contains("users.jsonl:\(number + 1): \(fault)"),
                    "\(name) \(number + 1)\n\(result.output)")
            }
            #expect(!result.output.contains("abcdefghijklm"), "no value of a record is printed")
        }
        for result in [dry, real] {
            #expect(
                result.output.contains("created 1, updated 0, skipped 0, refused \(lines.count - 1)"),
                "\(result.output)")
            #expect(result.errors.contains("--duplicates skip"), "\(result.errors)")
        }
        #expect(try await place.users() == 2)
        await place.end()
    }

    @Test("A mapped name that the file does not have is told; how many records come with a password is always told")
    func mappings() async throws {
        let place = try await Place()
        let map = try place.write(
            "email: mail\nemailVerified: proven\npasswordHash: pasword_hash\nattributes.city: town\n", "map.yaml")
        let csv = "mail,proven,password_hash,town\na@example.com,true,\(Self.bcrypt),Ribe\nb@example.com,true,,Ribe\n"
        let typo = try await place.load(csv, "users.csv", ["--mapping", map])
        #expect(
            typo.status == 64 && typo.errors.contains("map.yaml:3: the file has no column pasword_hash."), "\(typo)")
        #expect(try await place.users() == 0)
        let lines = """
            {"mail":"c@example.com","proven":true,"password_hash":"\(Self.bcrypt)","town":"Ribe"}
            {"mail":"d@example.com","proven":true}
            """
        let warned = try await place.load(lines, "users.jsonl", ["--mapping", map])
        #expect(warned.status == 0 && warned.output.contains("with a password 0 of 2"), "\(warned)")
        #expect(
            warned.errors.contains("map.yaml:3: no record has pasword_hash.") && !warned.errors.contains("town"),
            "\(warned)")
        _ = try place.write("email: mail\nemailVerified: proven\npasswordHash: password_hash\n", "map.yaml")
        let right = try await place.load(csv, "users.csv", ["--mapping", map])
        #expect(right.status == 0 && right.output.contains("with a password 1 of 2") && right.errors == "", "\(right)")
        let shoe = try await place.load("email,attributes.shoe\n", "shoe.csv")
        #expect(shoe.status == 64 && shoe.errors.contains("no application has an attribute shoe"), "\(shoe)")
        let other = try await place.run(["import", "users", map, "--application", "1234"])
        #expect(other.status == 64 && other.errors.contains("no application 1234"), "\(other)")
        let none = try await place.load("email\n", "none.csv")
        #expect(none.status == 0 && none.errors.contains("none.csv has no records"), "\(none)")
        await place.end()
    }

    @Test("A file that ends within a record: the records before it are imported and counted, and their faults told")
    func cutFile() async throws {
        let place = try await Place()
        let text =
            "email,alias\ngood@example.com,\nno address,\nalso@example.com,\ncut@example.com,\"x\nnext@example.com,\n"
        let cut = try await place.load(text, "users.csv")
        #expect(cut.status == 65 && cut.output.contains("users.csv:3: email is no address"), "\(cut)")
        #expect(cut.output.contains("created 2, updated 0, skipped 0, refused 1"), "\(cut)")
        #expect(
            cut.errors.contains("the record that begins in line 5 has no end, and nothing after it was read"), "\(cut)")
        #expect(try await place.users() == 2)
        let array = try await place.load("[{\"email\":\"a@example.com\"}]", "users.json")
        #expect(array.status == 65 && array.errors.contains("jq -c '.[]'"), "\(array)")
        await place.end()
    }

    @Test("Of an export of another system each record is one of that system; what does not fit here is counted or told")
    func presetFaults() async throws {
        let place = try await Place()
        let keycloak =
            #"{"users": [{"username": "ab", "email": "short@example.com", "emailVerified": true}, {"localId": "1", "email": "fire@example.com"}]}"#
        let names = try await place.load(keycloak, "keycloak.json", ["--from", "keycloak"])
        #expect(
            names.output.contains("keycloak.json:1: The record is not of keycloak: it has no username."), "\(names)")
        #expect(names.output.contains("created 1") && names.output.contains("aliases 1"), "\(names)")
        let firebase = try await place.load(
            #"{"users": [{"localId": "1", "email": "fire@example.com", "passwordHash": "AAAA", "salt": "AA=="}]}"#,
            "firebase.json", ["--from", "firebase"])
        #expect(firebase.output.contains("needs the project's hash parameters: give --hash-config"), "\(firebase)")
        let supabase = try await place.load(
            "id,email,encrypted_password,email_confirmed_at,deleted_at\n,gone@example.com,,,2024-01-01 03:04:05+00\n,here@example.com,,,\n",
            "supabase.csv", ["--from", "supabase"])
        #expect(supabase.status == 0 && supabase.output.contains("created 1, updated 0, skipped 1"), "\(supabase)")
        let foreign = try await place.load("id,email\n", "other.csv", ["--from", "supabase"])
        #expect(foreign.status == 64 && foreign.errors.contains("is not of supabase"), "\(foreign)")
        await place.end()
    }

    @Test("Duplicates are refused, skipped, or give the user their attributes and nothing else")
    func duplicates() async throws {
        let place = try await Place()
        let first =
            #"{"email":"dana@example.com","emailVerified":true,"alias":"dana","attributes":{"city":"Ribe"},"passwordHash":"\#(Self.bcrypt)"}"#
        let again = first.replacing("Ribe", with: "Aarhus").replacing("$2b$05$e", with: "$2b$05$f").replacing(
            "\"alias\":\"dana\"", with: "\"enabled\":false")
        #expect(try await place.load(first, "1.jsonl").status == 0)
        #expect(try await place.load(again, "2.jsonl").status == 65)
        let skipped = try await place.load(again, "2.jsonl", ["--duplicates", "skip"])
        #expect(skipped.status == 0 && skipped.output.contains("skipped 1"), "\(skipped)")
        #expect(try await place.run(["user", "show", "dana"]).output.contains("city: Ribe"))
        let updated = try await place.load(again, "2.jsonl", ["--duplicates", "update"])
        #expect(updated.status == 0 && updated.output.contains("updated 1"), "\(updated)")
        let shown = try await place.run(["user", "show", "dana"])
        #expect(shown.output.contains("city: Aarhus") && shown.output.contains("enabled"), "\(shown)")
        #expect(try await place.signIn("dana", Self.password).status == 200)
        await place.end()
    }

    @Test("Authenticator apps of another system are the user's, and an address that is not verified brings none")
    func authenticatorApps() async throws {
        let place = try await Place()
        let users = """
            {"email":"dana@example.com","emailVerified":true,"passwordHash":"\(Self.bcrypt)","authenticatorApps":[{"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ","name":"Phone"}]}
            {"email":"erik@example.com","emailVerified":true,"passwordless":true,"authenticatorApps":"otpauth://totp/Old:erik?secret=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"}
            {"email":"eve@example.com","passwordHash":"\(Self.bcrypt)","authenticatorApps":"MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LA"}
            """
        let loaded = try await place.load(users, "users.jsonl")
        #expect(loaded.status == 0 && !loaded.output.contains("GEZDGNBV"), "\(loaded)")
        for (name, hasApp) in [("dana@example.com", true), ("erik@example.com", true), ("eve@example.com", false)] {
            let shown = try await place.run(["user", "methods", name])
            #expect(shown.output.contains("Authenticator app") == hasApp, "\(shown)")
        }
        await place.end()
    }

    @Test("Accounts at providers and passkeys come in and go out, also from the files of other systems")
    func identitiesAndPasskeys() async throws {
        let place = try await Place()
        let config = try place.write(
            """
            tenants:
              - id: 0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10
                subdomain: fabrikam
                domain: fabrikam.example.com
                displayName: Fabrikam
                passkeys:
                  domain: fabrikam.example.com
                providers:
                  - kind: google
                    nativeClients: [4711.apps.googleusercontent.com]
                applications:
                  - clientId: 11112222-bbbb-3333-cccc-4444dddd5555
                    displayName: App
                    signIn: emailPassword
            """, "tenants.yaml")
        func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
            try await place.run(arguments + ["--config", config])
        }
        // A COSE key of ES256: the generator of P-256 (SEC 2, 2.4.2).
        let key =
            "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
        let passkey = """
            {"credentialId":"AAECAwQFBgcICQoLDA0ODw","publicKey":"\(key)","userHandle":"BwgJ","relyingPartyId":"fabrikam.example.com","signCount":3,"backupEligible":true,"backedUp":true,"aaguid":"00000000-0000-0000-0000-000000000001","transports":["internal","hybrid"],"enrolledUnder":"twoFactors","name":"Phone","createdDateTime":"2026-01-02T03:04:05Z"}
            """
        let users = """
            {"email":"dana@example.com","emailVerified":true,"createdDateTime":"2025-01-02T03:04:05Z","identities":[{"provider":"google","subject":"1001","email":"dana@gmail.com","linkedDateTime":"2026-01-02T03:04:05Z","name":"Work"}],"passkeys":[\(passkey)]}
            {"email":"erik@example.com","emailVerified":true,"identities":"google:1002"}
            {"email":"eve@example.com","identities":"google:1003"}
            """
        let loaded = try await run(["import", "users", try place.write(users, "users.jsonl")])
        #expect(loaded.status == 0 && loaded.output.contains("created 3"), "\(loaded)")
        for (name, method) in [("dana@example.com", "Google"), ("erik@example.com", "Google")] {
            let shown = try await run(["user", "methods", name])
            #expect(shown.output.contains(method), "\(shown)")
        }
        #expect(try await !run(["user", "methods", "eve@example.com"]).output.contains("Google"))
        let made = place.folder.url.appending(path: "made")
        #expect(try await run(["export", "users", made.path, "--plain"]).status == 0)
        let lines = try String(contentsOf: made, encoding: .utf8).split(separator: "\n")
        let dana = try #require(lines.first { $0.contains("dana@example.com") })
        for part in [
            #""subject":"1001""#, #""issuer":"https://accounts.google.com""#, #""provider":"google""#,
            #""linkedDateTime":"2026-01-02T03:04:05"#, #""email":"dana@gmail.com""#, "\"publicKey\":\"\(key)\"",
            #""credentialId":"AAECAwQFBgcICQoLDA0ODw""#, #""signCount":3"#, #""enrolledUnder":"twoFactors""#,
            #""aaguid":"00000000-0000-0000-0000-000000000001""#, #""transports":["internal","hybrid"]"#,
        ] {
            #expect(dana.contains(part), "\(part): \(dana)")
        }
        #expect(dana.contains(#""passwordless":true"#), "a user of a provider has no password here")
        // Faults of the file, each with its line.
        let wrong = try place.write(
            """
            {"email":"a@example.com","emailVerified":true,"identities":"google:1001"}
            {"email":"b@example.com","emailVerified":true,"identities":"google"}
            {"email":"c@example.com","emailVerified":true,"identities":"apple:1"}
            {"email":"d@example.com","emailVerified":true,"passkeys":"key"}
            {"email":"e@example.com","emailVerified":true,"passkeys":[{"credentialId":"AAECAwQFBgcICQoLDA0ODw"}]}
            {"email":"f@example.com","emailVerified":true,"identities":"google:2001"}
            {"email":"g@example.com","emailVerified":true,"identities":"google:2001"}
            """, "wrong.jsonl")
        for options in [["--dry-run"], []] {
            let faults = try await run(["import", "users", wrong] + options)
            #expect(faults.status == 65 && faults.output.contains("created 1"), "\(faults)")
            for line in [
                "wrong.jsonl:1: identities has one that another user has.",
                "wrong.jsonl:2: identities has a value without a colon after the provider.",
                "wrong.jsonl:3: identities names a provider that the tenant does not have.",
                "wrong.jsonl:4: passkeys is no list.",
                "wrong.jsonl:5: passkeys lacks credentialId, publicKey, userHandle or relyingPartyId.",
                "wrong.jsonl:7: identities has one that the record in line 6 has.",
            ] {
                #expect(faults.output.contains(line), "\(line): \(faults)")
            }
        }
        // Files of other systems: what the tenant has comes in, what it lacks is counted.
        let firebase = try place.write(
            """
            {"users": [{"localId": "l1", "email": "fire@example.com", "emailVerified": true, "createdAt": "1700000000000",
              "providerUserInfo": [{"providerId": "google.com", "rawId": "3001", "email": "fire@gmail.com"},
                {"providerId": "facebook.com", "rawId": "3002"}, {"providerId": "oidc.google", "rawId": "1001"}, {"providerId": "password", "rawId": "fire@example.com"}]}]}
            """, "firebase.json")
        let fire = try await run(["import", "users", firebase, "--from", "firebase"])
        #expect(fire.status == 0 && fire.output.contains("left out  accounts of 1 users at providers"), "\(fire)")
        let cognito = try place.write(
            #"""
            {"Users": [{"Username": "u", "Attributes": [{"Name": "sub", "Value": "0b9e8f3e-2b64-4f7e-9a51-3b1de1f0a004"},
              {"Name": "email", "Value": "cog@example.com"}, {"Name": "email_verified", "Value": "true"},
              {"Name": "identities", "Value": "[{\"userId\":\"4001\",\"providerName\":\"Google\",\"providerType\":\"Google\"}]"}],
              "UserCreateDate": "2024-01-02T03:04:05.678000+00:00", "Enabled": true}]}
            """#, "cognito.json")
        #expect(try await run(["import", "users", cognito, "--from", "cognito"]).status == 0)
        let keycloak = try place.write(
            #"""
            {"users": [{"username": "keykim", "email": "key@example.com", "emailVerified": true, "enabled": true,
              "createdTimestamp": 1700000000000,
              "federatedIdentities": [{"identityProvider": "google", "userId": "5001", "userName": "key@gmail.com"}]}]}
            """#, "keycloak.json")
        #expect(try await run(["import", "users", keycloak, "--from", "keycloak"]).status == 0)
        for name in ["fire@example.com", "cog@example.com", "key@example.com"] {
            let shown = try await run(["user", "methods", name])
            #expect(shown.output.contains("Google"), "\(shown)")
        }
        await place.end()
    }

    @Test(
        "Exported users are the same users in another server, with their hashes; a plain file is plain only when asked")
    func roundTrip() async throws {
        let (one, other) = (try await Place(), try await Place())
        let users = """
            {"email":"Dana@example.com","emailVerified":true,"alias":"Dana.H","attributes":{"city":"Ribe, \\"old\\"","displayName":"Dana Ø"},"passwordHash":"\(Self.bcrypt)","createdDateTime":"2020-02-03T04:05:06.789Z","secondFactor":[{"email":"second@example.com","enrolledUnder":"twoFactors","name":"Work","provenDateTime":"2021-01-01T00:00:00Z"},"third@example.com",{"phoneNumber":"+49 151 23456789","provenDateTime":"2021-02-01T00:00:00Z"},{"phoneNumber":"+1 555 555 0123","enrolledUnder":"twoFactors","provenDateTime":"2021-03-01T00:00:00Z"}],"requiresSecondFactor":true}
            {"email":"off@example.com","enabled":false,"passwordless":true}
            {"email":"plain@example.com","emailVerified":true}
            """
        #expect(try await one.load(users, "users.jsonl").status == 0)
        _ = try await one.api.signUp("own@example.com")
        let (sealed, plain) = (one.folder.url.appending(path: "sealed"), one.folder.url.appending(path: "plain"))
        let made = try await one.run(["export", "users", sealed.path, "--with-hashes"])
        #expect(made.status == 0 && made.output.contains("users 4"), "\(made)")
        #expect(try await one.run(["export", "users", plain.path, "--with-hashes", "--plain"]).status == 0)
        #expect(try await one.run(["export", "users", plain.path, "--plain"]).status == 64, "it replaces no file")
        let bytes = try Data(contentsOf: sealed)
        #expect(!bytes.contains("example.com") && bytes.starts(with: Data("native-auth users 1\n".utf8)))
        // The other server has another master key.
        let foreign = try await other.run([
            "import", "users", sealed.path, "--application", NativeAPI.Application.password.rawValue,
        ])
        #expect(foreign.status == 74 && foreign.errors.contains("another master key"), "\(foreign)")
        let moved = try await other.run([
            "import", "users", plain.path, "--application", NativeAPI.Application.password.rawValue,
        ])
        #expect(moved.status == 0 && moved.output.contains("created 4"), "\(moved)")
        let again = other.folder.url.appending(path: "again")
        #expect(try await other.run(["export", "users", again.path, "--with-hashes", "--plain"]).status == 0)
        #expect(try String(contentsOf: again, encoding: .utf8) == String(contentsOf: plain, encoding: .utf8))
        let text = try String(contentsOf: plain, encoding: .utf8)
        #expect(text.contains("2020-02-03T04:05:06.789Z") && text.contains(#""enrolledUnder":"twoFactors""#), "\(text)")
        #expect(
            text.contains(#""phoneNumber":"+4915123456789""#) && text.contains(#""phoneNumber":"+15555550123""#),
            "\(text)")
        #expect(
            text.contains(#""enrolledUnder":"mailbox""#),
            "an enrolment that a file does not tell counts as the mailbox: \(text)")
        // Sealed, into the same server after its users are gone.
        for name in ["dana@example.com", "off@example.com", "plain@example.com", "own@example.com"] {
            #expect(try await one.run(["user", "delete", name, "--yes"]).status == 0)
        }
        let back = try await one.run([
            "import", "users", sealed.path, "--application", NativeAPI.Application.password.rawValue,
        ])
        #expect(back.status == 65 && back.output.contains("id is the id of a user who was deleted"), "\(back)")
        let hashless = other.folder.url.appending(path: "hashless")
        #expect(try await other.run(["export", "users", hashless.path, "--plain"]).status == 0)
        #expect(try !String(contentsOf: hashless, encoding: .utf8).contains("passwordHash"))
        let audit = try await one.run(["audit", "list"])
        #expect(audit.output.contains("users.exported"), "\(audit)")
        await one.end()
        await other.end()
    }

    @Test("An import that was ended in the middle goes on with the same command, and imports no user twice")
    func interrupted() async throws {
        let place = try await Place()
        let count = 6_000
        let file = try place.write(
            "email,emailVerified,passwordHash\n"
                + (0..<count).map { "user\($0)@example.com,true,\(Self.bcrypt)\n" }.joined(), "users.csv")
        let command = ["import", "users", file, "--application", NativeAPI.Application.password.rawValue]
        var (interruptions, beside) = (0, 0)
        var whole: (status: Int32, output: String, errors: String)?
        for _ in 0..<3 {
            let before = try await place.users()
            let running = Task { try await place.run(command) }
            while try await place.users() < min(before + 400, count) {}
            running.cancel()
            let ended = try await running.value
            _ = try await place.api.signUp("beside\(before)@example.com")
            beside += 1
            guard ended.status != 0 else {
                // It was over before the signal came; once more would be another import.
                whole = ended
                break
            }
            interruptions += 1
        }
        #expect(interruptions > 0)
        let last = if let whole { whole } else { try await place.run(command) }
        #expect(last.status == 0 && last.output.contains("created \(count)"), "\(last)")
        #expect(last.errors.contains("goes on after record") || interruptions == 0, "\(last)")
        #expect(try await place.users() == count + beside)
        #expect(try await place.rows("SELECT COUNT(*) FROM imports") == [["0"]])
        await place.end()
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
