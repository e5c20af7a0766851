import Crypto
import CryptoExtras
import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

@Suite struct TokenTests {
    static let tenant = "aaaabbbb-0000-cccc-1111-dddd2222ee01"
    static let client = "aaaabbbb-0000-cccc-1111-dddd2222ee02"
    static let user = "aaaabbbb-0000-cccc-1111-dddd2222ee03"
    static let tokenID = "aaaabbbb-0000-cccc-1111-dddd2222ee09"

    @Test("SEC-TOK-1: an access token has the claims of the schema and no others")
    func anAccessTokenHasTheClaimsOfTheSchema() async throws {
        let parts = try TokenParts(await KeyRing.fixture().sign(.fixture()).accessToken)
        #expect(parts.header == #"{"alg":"ES256","kid":"\#(try parts.kid)","typ":"at+jwt"}"#)
        #expect(
            try parts.payload == #"{"amr":["pwd","otp"],"aud":"api://orders","auth_time":1700000001,"#
                + #""azp":"\#(Self.client)","cred_ver":3,"exp":1700003609,"iat":1700000010,"#
                + #""iss":"https://contoso.example/\#(Self.tenant)/v2.0","jti":"\#(Self.tokenID)","#
                + #""nbf":1700000010,"oid":"\#(Self.user)","scp":"Orders.Read Orders.Write","#
                + #""sub":"\#(parts.claims.sub)","tid":"\#(Self.tenant)","uti":"\#(Self.tokenID)","ver":"2.0"}"#)
    }

    @Test("docs/protocol.md §6.3: an ID token has the claims that clients read")
    func anIDTokenHasTheClaimsThatClientsRead() async throws {
        let tokens = try await KeyRing.fixture().sign(.fixture())
        let parts = try TokenParts(#require(tokens.idToken))
        #expect(parts.header == #"{"alg":"ES256","kid":"\#(try parts.kid)","typ":"JWT"}"#)
        #expect(
            try parts.payload == #"{"amr":["pwd","otp"],"aud":"\#(Self.client)","auth_time":1700000001,"#
                + #""email":"ana@example.org","exp":1700003609,"family_name":"Berg","given_name":"Ana","#
                + #""iat":1700000010,"iss":"https://contoso.example/\#(Self.tenant)/v2.0","name":"Ana B","#
                + #""nbf":1700000010,"oid":"\#(Self.user)","preferred_username":"ana@example.org","#
                + #""sub":"\#(parts.claims.sub)","tid":"\#(Self.tenant)","uti":"\#(Self.tokenID)","ver":"2.0"}"#)
    }

    @Test("The application's own claims stand beside the server's, each with its type, in the token that they are for")
    func ownClaims() async throws {
        let subject = TokenSubject.fixture(
            openIDScopes: ["openid"], idClaims: ["city": "Ribe", "name": "Ana B"],
            accessClaims: [
                "https://example.com/a/b": .string("a\"b\\c/d\u{2028}é🚢"), "least": .integer(.min),
                "most": .integer(.max), "no": false, "one": "1", "yes": true, "Ver": "é",
            ])
        let ring = KeyRing.fixture()
        let tokens = try await ring.sign(subject)
        let access = try TokenParts(tokens.accessToken).payload
        for member in [
            #""https://example.com/a/b":"a\"b\\c/d\#u{2028}é🚢""#, #""least":-9223372036854775808"#,
            #""most":9223372036854775807"#, #""no":false"#, #""one":"1""#, #""yes":true"#, #""Ver":"é""#,
            #""ver":"2.0""#,
        ] {
            #expect(access.contains(member), "\(member) \(access)")
        }
        #expect(!access.contains("city"))
        // What is signed is also read: no value makes a token that the server itself refuses.
        #expect(try await ring.verify(tokens.accessToken).user == subject.user.id)
        let id = try TokenParts(#require(tokens.idToken)).payload
        #expect(id.contains(#""city":"Ribe""#) && id.contains(#""name":"Ana B""#) && !id.contains("least"))
    }

    @Test func withoutProfileAndEmailAnIDTokenNamesNobody() async throws {
        let tokens = try await KeyRing.fixture().sign(.fixture(openIDScopes: ["openid"]))
        let parts = try TokenParts(#require(tokens.idToken))
        #expect(
            try parts.payload == #"{"amr":["pwd","otp"],"aud":"\#(Self.client)","auth_time":1700000001,"#
                + #""exp":1700003609,"iat":1700000010,"iss":"https://contoso.example/\#(Self.tenant)/v2.0","#
                + #""nbf":1700000010,"sub":"\#(parts.claims.sub)","tid":"\#(Self.tenant)","#
                + #""uti":"\#(Self.tokenID)","ver":"2.0"}"#)
    }

    @Test func withoutOpenIDThereIsNoIDToken() async throws {
        let tokens = try await KeyRing.fixture().sign(.fixture(openIDScopes: ["profile", "offline_access"]))
        #expect(tokens.idToken == nil)
    }

    @Test(
        "The name is the display name, else what there is of given name and surname",
        arguments: [
            (["displayName": "Ana B", "givenName": "Ana"], "Ana B"),
            (["displayName": "", "givenName": "Ana", "surname": "Berg"], "Ana Berg"),
            (["surname": "Berg"], "Berg"), (["city": "Aarhus"], nil),
        ] as [([String: AttributeValue], String?)])
    func theNameComesFromWhatThereIs(attributes: [String: AttributeValue], name: String?) async throws {
        let tokens = try await KeyRing.fixture().sign(.fixture(attributes: attributes))
        #expect(try TokenParts(#require(tokens.idToken)).claims.name == name)
    }

    @Test func aTokenForNoResourceCarriesTheOpenIDScopes() async throws {
        let token = try await KeyRing.fixture().sign(.fixture(scopes: [])).accessToken
        #expect(try TokenParts(token).claims.scp == "openid profile offline_access email")
    }

    @Test("SEC-TOK-1: sub is one user's in one application, and another in each other application, user or tenant")
    func subIsPairwise() async throws {
        let ring = KeyRing.fixture()
        func sub(_ subject: TokenSubject) async throws -> String {
            let tokens = try await ring.sign(subject)
            let sub = try TokenParts(tokens.accessToken).claims.sub
            #expect(try TokenParts(#require(tokens.idToken)).claims.sub == sub)
            return sub
        }
        let first = try await sub(.fixture())
        #expect(first.utf8.count == 43, "32 bytes in base64url")
        #expect(try await sub(.fixture(scopes: [])) == first)
        #expect(try await sub(.fixture(client: 4)) != first)
        #expect(try await sub(.fixture(user: 4)) != first)
        #expect(try await sub(.fixture(tenant: 4)) != first)
        #expect(try await sub(.fixture(client: 3, user: 2)) != first)
    }

    @Test("docs/protocol.md §6.3: satisfied contexts stand in the access token, the session in both tokens")
    func contextsAndSession() async throws {
        let session = UUID.fixture(7)
        let tokens = try await KeyRing.fixture().sign(.fixture(contexts: ["c4", "c1"], sessionID: session))
        let access = try TokenParts(tokens.accessToken).claims
        let id = try TokenParts(#require(tokens.idToken)).claims
        #expect(access.acrs == ["c4", "c1"])
        #expect(id.acrs == nil)
        #expect(access.sid == "aaaabbbb-0000-cccc-1111-dddd2222ee07" && id.sid == access.sid)
    }

    @Test(
        "SEC-MFA-3: amr lists the methods, and acr states two factors only where they were two",
        arguments: [
            (["otp"], [], nil), (["pwd", "otp"], [], nil), (["otp"], ["c4"], nil), (["pwd", "otp", "mfa"], [], "mfa"),
            (["pwd", "otp", "mfa"], ["c4"], "mfa"),
        ] as [([String], [String], String?)])
    func acrStatesTwoFactorsOnlyWhereTheyWereTwo(
        methods: [String], contexts: [String], acr: String?
    ) async throws {
        let tokens = try await KeyRing.fixture().sign(.fixture(methods: methods, contexts: contexts))
        for token in [tokens.accessToken, try #require(tokens.idToken)] {
            let claims = try TokenParts(token).claims
            #expect(claims.amr == methods)
            #expect(claims.acr == acr)
        }
    }

    @Test(
        "SEC-TOK-2: both signatures verify with the published key, through jwt-kit and without it; a changed token does not",
        arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func signaturesVerifyWithThePublishedKey(algorithm: SigningKeyRecord.Algorithm) async throws {
        let ring = KeyRing.fixture(algorithm: algorithm)
        let subject = TokenSubject.fixture()
        let tokens = try await ring.sign(subject)
        let jwks = try await ring.jwks(for: subject.tenant)
        let resourceServer = try await JWTKeyCollection().add(jwksJSON: String(decoding: jwks, as: UTF8.self))
        for token in [tokens.accessToken, try #require(tokens.idToken)] {
            let parts = try TokenParts(token)
            let seen = try await resourceServer.verify(token.reveal(), as: Claims.self)
            #expect(try seen.sub == parts.claims.sub)

            let key = try #require(KeySet(jwks).keys.first { $0.kid == (try? parts.kid) })
            #expect(try Self.isValid(parts.signature, for: parts.signingInput, under: key))
            var changed = parts.signingInput
            changed[changed.endIndex - 1] ^= 1
            #expect(try !Self.isValid(parts.signature, for: changed, under: key))
        }
    }

    @Test(
        "docs/protocol.md §6.3: header and claims are JSON objects, the signature is not UTF-8, so iOS skips it",
        arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func onlyTheSignatureIsNotText(algorithm: SigningKeyRecord.Algorithm) async throws {
        let tokens = try await KeyRing.fixture(algorithm: algorithm).sign(.fixture())
        let parts = try TokenParts(#require(tokens.idToken))
        for text in [parts.header, parts.payload] {
            #expect(text.hasPrefix("{") && text.hasSuffix("}"))
        }
        #expect(parts.signature.count == (algorithm == .rs256 ? 256 : 64))
        #expect(String(validating: parts.signature, as: UTF8.self) == nil)
    }

    @Test("SEC-TOK-1: no claim of an application has the name or takes the place of one of the server's")
    func theServersNames() async throws {
        var subject = TokenSubject.fixture(methods: ["pwd", "otp", "mfa"], contexts: ["c1"], sessionID: .fixture(7))
        subject.logoutID = .fixture(8)
        subject.nonce = "n"
        subject.groups = [.fixture(6)]
        subject.idRoles = ["reader"]
        subject.accessRoles = ["writer"]
        subject.key = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
        let ring = KeyRing.fixture()
        func members(_ subject: TokenSubject) async throws -> (access: [String: JSONValue], id: [String: JSONValue]) {
            let tokens = try await ring.sign(subject)
            func object(_ token: Secret<String>) throws -> [String: JSONValue] {
                try JSONDecoder().decode([String: JSONValue].self, from: Data(TokenParts(token).payload.utf8))
            }
            return (try object(tokens.accessToken), try object(#require(tokens.idToken)))
        }
        let own = try await members(subject)
        let names = Set(own.access.keys).union(own.id.keys)
        #expect(names.isSuperset(of: ["fam", "sid", "cnf", "groups", "roles", "acrs", "nonce", "email", "name"]))
        for name in names {
            let claim = ApplicationClaim(name: name, attribute: "city")
            #expect(!ApplicationClaim.faults(of: [claim], with: AttributeDefinition.builtIn).isEmpty, "\(name)")
        }
        subject.accessClaims = Dictionary(uniqueKeysWithValues: names.map { ($0, .one("stolen")) })
        subject.idClaims = Dictionary(uniqueKeysWithValues: names.map { ($0, .texts(["stolen"])) })
        let attacked = try await members(subject)
        for (name, value) in own.access { #expect(attacked.access[name] == value, "\(name)") }
        for (name, value) in own.id { #expect(attacked.id[name] == value, "\(name)") }
    }

    @Test("SEC-TOK-3: the types of claims that are signed cannot be decoded")
    func signedClaimsCannotBeReadBack() {
        let types: [any JSONObjectWritable.Type] = [
            AccessTokenClaims.self, IDTokenClaims.self, DaemonTokenClaims.self, LogoutTokenClaims.self,
        ]
        for type in types { #expect(!(type is any Decodable.Type), "\(type)") }
    }

    @Test func rs256GivesTheSameBytesForTheSameSubject() async throws {
        let ring = KeyRing.fixture(algorithm: .rs256)
        let first = try await ring.sign(.fixture())
        let second = try await ring.sign(.fixture())
        #expect(first.accessToken == second.accessToken)
        #expect(first.idToken == second.idToken)
    }

    /// Checks a signature as RFC 7518 section 3 says, with the numbers of a JSON Web Key and no JWT library.
    private static func isValid(_ signature: Data, for input: Data, under key: KeySet.Key) throws -> Bool {
        let digest = SHA256.hash(data: input)
        switch key.alg {
        case "RS256":
            let modulus = try #require(key.n.flatMap(Base64URL.decode))
            let exponent = try #require(key.e.flatMap(Base64URL.decode))
            return try _RSA.Signing.PublicKey(n: modulus, e: exponent).isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case "ES256":
            let x = try #require(key.x.flatMap(Base64URL.decode))
            let y = try #require(key.y.flatMap(Base64URL.decode))
            return try P256.Signing.PublicKey(rawRepresentation: x + y).isValidSignature(
                P256.Signing.ECDSASignature(rawRepresentation: signature), for: digest)
        default:
            return false
        }
    }
}
