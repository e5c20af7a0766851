import ArgumentParser
import IdentityEngine
import IdentityPasswords
import PortableFoundation

/// The export of another system, whose records become ones with the names of this program.
enum ImportPreset: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// `firebase auth:export`, JSON.
    case firebase
    /// The export of password hashes that Auth0's support sends, JSON lines.
    case auth0
    /// `aws cognito-idp list-users`, JSON: Cognito gives no hashes.
    case cognito
    /// `kc.sh export --users same_file`, JSON.
    case keycloak
    /// The rows of `auth.users`, CSV.
    case supabase

    var form: RecordFrames.Form {
        switch self {
        case .firebase, .keycloak: .jsonArray("users")
        case .cognito: .jsonArray("Users")
        case .auth0: .jsonLines
        case .supabase: .csv
        }
    }

    /// Members of which a record of this system has at least one.
    var signs: Set<String> {
        switch self {
        case .firebase: ["localId"]
        case .auth0: ["_id", "alt_id", "identifiers"]
        case .cognito: ["Attributes"]
        case .keycloak: ["username"]
        case .supabase: ["encrypted_password", "email_confirmed_at"]
        }
    }

    /// What a file or record without any of ``signs`` is, as the end of a sentence.
    var lack: String { "is not of \(rawValue): it has no \(signs.sorted().joined(separator: " and no "))" }

    /// The record with names of ours. Members that are not known are left out.
    func translated(_ value: ImportValue) throws(ImportFault) -> ImportValue {
        guard case .members = value else { throw ImportFault("The record", "is no JSON object") }
        let members =
            switch self {
            case .firebase: firebase(value)
            case .auth0: auth0(value)
            case .cognito: try cognito(value)
            case .keycloak: try keycloak(value)
            case .supabase: supabase(value)
            }
        return .members(members)
    }

    private func taken(_ value: ImportValue, _ names: [String: String]) -> [String: ImportValue] {
        names.reduce(into: [:]) { $0[$1.key] = value.given($1.value) }
    }

    private func firebase(_ value: ImportValue) -> [String: ImportValue] {
        var members = taken(
            value,
            [
                "email": "email", "emailVerified": "emailVerified", "createdDateTime": "createdAt",
                "passwordHash": "passwordHash", "passwordSalt": "salt", "attributes.displayName": "displayName",
                "attributes.externalId": "localId",
            ])
        if value.given("disabled")?.truth == true { members["enabled"] = .truth(false) }
        if case .list(let accounts)? = value["providerUserInfo"] {
            members["identities"] = identities(accounts, provider: "providerId", subject: "rawId")
        }
        return members
    }

    /// Accounts at providers, under the ids that this server gives Apple and Google. What has no subject is none.
    private func identities(_ accounts: [ImportValue], provider: String, subject: String) -> ImportValue {
        let known = [
            "google.com": "google", "apple.com": "apple", "Google": "google", "SignInWithApple": "apple",
        ]
        return .list(
            accounts.compactMap { account in
                guard let name = account[provider]?.text, let subject = account[subject]?.text,
                    !["password", "phone", "emailLink"].contains(name)
                else { return nil }
                // A project gives its own names after “oidc.”: one of them is never Google or Apple.
                let own = name.hasPrefix("oidc.") ? String(name.dropFirst(5)) : name
                let id = known[name] ?? (own != name && known.values.contains(own) ? name : own)
                var members: [String: ImportValue] = ["provider": .text(id), "subject": .text(subject)]
                members["email"] = account["email"]
                return .members(members)
            })
    }

    private func auth0(_ value: ImportValue) -> [String: ImportValue] {
        var members = taken(
            value,
            [
                "email": "email", "emailVerified": "email_verified", "passwordHash": "passwordHash",
                "alias": "username", "attributes.externalId": "_id.$oid", "attributes.displayName": "name",
                "attributes.givenName": "given_name", "attributes.surname": "family_name",
                "createdDateTime": "created_at",
            ])
        if let other = value.given("alt_id") { members["attributes.externalId"] = other }
        if members["email"] == nil, case .list(let identifiers)? = value["identifiers"],
            let email = identifiers.first(where: { $0["type"] == .text("email") })
        {
            members["email"] = email["value"]
            members["emailVerified"] = email["verified"]
        }
        if value.given("blocked")?.truth == true { members["enabled"] = .truth(false) }
        return members
    }

    private func cognito(_ value: ImportValue) throws(ImportFault) -> [String: ImportValue] {
        var attributes: [String: ImportValue] = [:]
        guard case .list(let list)? = value["Attributes"] else { throw ImportFault("Attributes", "is no list") }
        for attribute in list {
            if let name = attribute["Name"]?.text { attributes[name] = attribute["Value"] }
        }
        var members = taken(
            .members(attributes),
            [
                "email": "email", "emailVerified": "email_verified", "id": "sub", "attributes.displayName": "name",
                "attributes.givenName": "given_name", "attributes.surname": "family_name",
                "alias": "preferred_username",
            ])
        members["createdDateTime"] = value.given("UserCreateDate")
        members["enabled"] = value.given("Enabled")
        if let text = attributes["identities"]?.text {
            guard case .list(let accounts) = try json(text, "Attributes.identities") else {
                throw ImportFault("Attributes.identities", "is no list")
            }
            members["identities"] = identities(accounts, provider: "providerName", subject: "userId")
        }
        return members
    }

    private func keycloak(_ value: ImportValue) throws(ImportFault) -> [String: ImportValue] {
        var members = taken(
            value,
            [
                "id": "id", "email": "email", "emailVerified": "emailVerified", "enabled": "enabled",
                "createdDateTime": "createdTimestamp", "attributes.givenName": "firstName",
                "attributes.surname": "lastName",
            ])
        // A realm may take addresses as user names; an alias has no “@”.
        if let name = value.given("username")?.text, !name.contains("@") { members["alias"] = .text(name) }
        if case .list(let accounts)? = value["federatedIdentities"] {
            members["identities"] = identities(accounts, provider: "identityProvider", subject: "userId")
        }
        guard case .list(let credentials)? = value["credentials"],
            let password = credentials.first(where: { $0["type"] == .text("password") })
        else { return members }
        let (secret, data) = (
            try json(password["secretData"]?.text, "credentials.secretData"),
            try json(password["credentialData"]?.text, "credentials.credentialData")
        )
        guard let digest = secret["value"]?.text, let salt = secret["salt"]?.text,
            let algorithm = data["algorithm"]?.text
        else { throw ImportFault("credentials", "has a password without its parts") }
        if algorithm == "argon2" {
            members["passwordHash"] = .text(try argon2(digest, salt, data))
            return members
        }
        members["passwordHash"] = .text(digest)
        members["passwordSalt"] = .text(salt)
        members["passwordIterations"] = data["hashIterations"]
        members["passwordAlgorithm"] = .text(algorithm == "pbkdf2" ? "pbkdf2-sha1" : algorithm)
        return members
    }

    private func argon2(_ digest: String, _ salt: String, _ data: ImportValue) throws(ImportFault) -> String {
        let parameters = data["additionalParameters"]
        guard let tag = ForeignForms.bytes(base64: digest), let salt = ForeignForms.bytes(base64: salt),
            let passes = data["hashIterations"]?.integer, let memory = parameters?["memory"]?.integer,
            let lanes = parameters?["parallelism"]?.integer, let type = parameters?["type"]?.text,
            parameters?["version"]?.text ?? "1.3" == "1.3",
            let hash = ForeignForms.argon2(
                type: type, memoryKiB: memory, passes: passes, lanes: lanes, salt: salt, tag: tag)
        else {
            throw ImportFault(
                "credentials", "has an Argon2 password that is not supported, or would cost too much work")
        }
        return hash.phc
    }

    /// The object that stands in a text.
    private func json(_ text: String?, _ name: String) throws(ImportFault) -> ImportValue {
        do {
            return try JSONDecoder().decode(ImportValue.self, from: Data((text ?? "").utf8))
        } catch {
            throw ImportFault(name, "is no JSON")
        }
    }

    private func supabase(_ value: ImportValue) -> [String: ImportValue] {
        var members = taken(
            value,
            [
                "id": "id", "email": "email", "passwordHash": "encrypted_password", "createdDateTime": "created_at",
                "emailProvenDateTime": "email_confirmed_at",
            ])
        members["emailVerified"] = .truth(members["emailProvenDateTime"] != nil)
        if value.given("banned_until") != nil { members["enabled"] = .truth(false) }
        return members
    }
}

extension ForeignForms.FirebaseParameters {
    /// The text that Firebase's console shows: `hash_config { algorithm: SCRYPT, base64_signer_key: …, … }`.
    init?(text: String) {
        let marks = Set(",{} \t\r\n\"'")
        let words = text.split(whereSeparator: marks.contains).map(String.init)
        func value(_ name: String) -> String? {
            words.firstIndex(of: name + ":").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        guard value("algorithm") == "SCRYPT",
            let key = value("base64_signer_key").flatMap({ ForeignForms.bytes(base64: $0) }),
            let separator = value("base64_salt_separator").flatMap({ ForeignForms.bytes(base64: $0) }),
            let rounds = value("rounds").flatMap({ Int($0) }), let cost = value("mem_cost").flatMap({ Int($0) })
        else { return nil }
        self.init(signerKey: key, saltSeparator: separator, rounds: rounds, memoryCost: cost)
    }
}
