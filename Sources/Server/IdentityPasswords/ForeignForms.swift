package import IdentityEngine
package import PortableFoundation

/// Makes stored records of the forms in which other systems write password hashes. Computes no hash.
package enum ForeignForms {
    /// A method whose salt and cost stand beside the hash.
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case pbkdf2SHA1 = "pbkdf2-sha1"
        case pbkdf2SHA256 = "pbkdf2-sha256"
        case pbkdf2SHA512 = "pbkdf2-sha512"
        /// One digest over the salt and then the password.
        case sha256SaltFirst = "sha256-salt-first"
        case sha512SaltFirst = "sha512-salt-first"
        /// One digest over the password and then the salt.
        case sha256SaltLast = "sha256-salt-last"
        case sha512SaltLast = "sha512-salt-last"
    }

    /// The parameters of a Firebase project's passwords.
    package struct FirebaseParameters: Hashable, Sendable {
        package var signerKey: Data
        package var saltSeparator: Data
        package var rounds: Int
        package var memoryCost: Int

        package init(signerKey: Data, saltSeparator: Data, rounds: Int, memoryCost: Int) {
            self.signerKey = signerKey
            self.saltSeparator = saltSeparator
            self.rounds = rounds
            self.memoryCost = memoryCost
        }
    }

    /// The record of a text that names its method: a PHC string, bcrypt's text, that of passlib or Django for PBKDF2, a
    /// directory's `{SSHA256}` and `{SSHA512}`, ASP.NET Identity's version 3.
    ///
    /// - Returns: Nil for another text, and for a record that sign-ins would refuse (`SEC-PWD-10`).
    package static func hash(_ text: String) -> PasswordHash? {
        guard text.utf8.count <= 1024 else { return nil }
        if Argon2idRecord(phc: text) != nil || ForeignRecord(phc: text) != nil { return PasswordHash(phc: text) }
        let phc: String? =
            if text.hasPrefix("$pbkdf2") {
                pbkdf2(phc: text)
            } else if text.hasPrefix("pbkdf2_") {
                django(text)
            } else if text.hasPrefix("{SSHA") {
                directory(text)
            } else {
                aspNet(text)
            }
        return phc.flatMap(accepted)
    }

    /// Whether the text begins as one of the supported kinds does, or may be base64 of ASP.NET Identity's version 3.
    package static func isOfKnownKind(_ text: String) -> Bool {
        let kinds = [
            "$argon2id$", "$argon2i$", "$scrypt$", "$firebase-scrypt$", "$2a$", "$2b$", "$2y$", "$pbkdf2", "pbkdf2_",
            "{SSHA256}", "{SSHA512}", "$salted-sha", "AQAAAA",
        ]
        return kinds.contains { text.hasPrefix($0) }
    }

    /// The record of a hash with its salt beside it.
    ///
    /// - Parameter iterations: Of PBKDF2 only.
    package static func hash(
        _ algorithm: Algorithm, digest: Data, salt: Data, iterations: Int?
    ) -> PasswordHash? {
        let costs: String
        switch algorithm {
        case .pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512:
            guard let iterations else { return nil }
            return accepted(phc(algorithm.rawValue, "i=\(iterations)", salt, digest))
        case .sha256SaltFirst, .sha512SaltFirst: costs = "o=first"
        case .sha256SaltLast, .sha512SaltLast: costs = "o=last"
        }
        // Tables of hashes without a salt are everywhere.
        guard !salt.isEmpty else { return nil }
        return accepted(phc("salted-\(algorithm.rawValue.prefix(6))", costs, salt, digest))
    }

    /// The record of Keycloak's Argon2.
    ///
    /// - Parameter type: `id` or `i`.
    package static func argon2(
        type: String, memoryKiB: Int, passes: Int, lanes: Int, salt: Data, tag: Data
    ) -> PasswordHash? {
        guard ["id", "i"].contains(type) else { return nil }
        return accepted(
            "$argon2\(type)$v=19$m=\(memoryKiB),t=\(passes),p=\(lanes)$\(base64(salt))$\(base64(tag))")
    }

    /// The record of Firebase's own scrypt.
    ///
    /// Firebase's hash is the signer key, encrypted in counter mode under the key that the password gives. The keystream is
    /// kept in its place: it verifies the password as well, and the signer key is not stored.
    package static func firebase(
        digest: Data, salt: Data, _ parameters: FirebaseParameters
    ) -> PasswordHash? {
        guard digest.count == parameters.signerKey.count else { return nil }
        let keystream = Data(zip(digest, parameters.signerKey).map { $0 ^ $1 })
        return accepted(
            phc(
                "firebase-scrypt", "ln=\(parameters.memoryCost),r=\(parameters.rounds),p=1",
                salt + parameters.saltSeparator, keystream))
    }

    /// Bytes of base64, also in its form for URLs, with or without padding.
    package static func bytes(base64 text: String) -> Data? {
        let plain = text.filter { $0 != "=" }.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }

    private static func accepted(_ phc: String) -> PasswordHash? {
        Argon2idRecord(phc: phc) != nil || ForeignRecord(phc: phc) != nil ? PasswordHash(phc: phc) : nil
    }

    private static func phc(_ name: String, _ costs: String, _ salt: Data, _ tag: Data) -> String {
        "$\(name)$\(costs)$\(base64(salt))$\(base64(tag))"
    }

    private static func base64(_ bytes: Data) -> String {
        String(bytes.base64EncodedString().prefix { $0 != "=" })
    }

    /// `$pbkdf2-sha256$29000$salt$tag` of passlib, with a dot for each plus sign and SHA-1 unnamed; and `i=…,l=…`.
    private static func pbkdf2(phc text: String) -> String? {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5, let salt = bytes(base64: fields[3].replacing(".", with: "+")),
            let tag = bytes(base64: fields[4].replacing(".", with: "+"))
        else { return nil }
        var costs = fields[2].split(separator: ",").map(String.init)
        if costs.count == 2, costs[1] == "l=\(tag.count)" { costs.removeLast() }
        guard costs.count == 1, let iterations = Int(costs[0].replacing("i=", with: "")),
            costs[0].hasSuffix("=\(iterations)") || costs[0] == "\(iterations)"
        else { return nil }
        return phc(fields[1] == "pbkdf2" ? "pbkdf2-sha1" : fields[1], "i=\(iterations)", salt, tag)
    }

    /// `pbkdf2_sha256$iterations$salt as text$tag`.
    private static func django(_ text: String) -> String? {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 4, ["pbkdf2_sha256", "pbkdf2_sha1"].contains(fields[0]), let iterations = Int(fields[1]),
            let tag = bytes(base64: fields[3])
        else { return nil }
        return phc(fields[0].replacing("_", with: "-"), "i=\(iterations)", Data(fields[2].utf8), tag)
    }

    /// `{SSHA256}` and base64 of the digest and then the salt, over the password and then the salt.
    private static func directory(_ text: String) -> String? {
        guard let end = text.firstIndex(of: "}"), let bytes = bytes(base64: String(text[text.index(after: end)...]))
        else { return nil }
        let (name, length) =
            switch text[...end] {
            case "{SSHA256}": ("salted-sha256", 32)
            case "{SSHA512}": ("salted-sha512", 64)
            case _: ("", Int.max)
            }
        guard bytes.count > length else { return nil }
        return phc(name, "o=last", Data(bytes.dropFirst(length)), Data(bytes.prefix(length)))
    }

    /// Base64 of: 1, three numbers of four bytes (function, iterations, length of the salt), salt, tag.
    private static func aspNet(_ text: String) -> String? {
        guard let bytes = Data(base64Encoded: text), bytes.count > 13, bytes.first == 1 else { return nil }
        let numbers = (0..<3).map { part in
            bytes.dropFirst(1 + 4 * part).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        let rest = bytes.dropFirst(13)
        let names = ["pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"]
        guard names.indices.contains(numbers[0]), numbers[2] < rest.count else { return nil }
        return phc(
            names[numbers[0]], "i=\(numbers[1])", Data(rest.prefix(numbers[2])), Data(rest.dropFirst(numbers[2])))
    }
}
