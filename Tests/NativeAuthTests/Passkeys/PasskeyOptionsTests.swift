import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

/// A way to spoil a member of the options.
struct SpoiledMember: Sendable, CustomTestStringConvertible {
    /// Names and indices, from the outside.
    let path: [String]
    /// Nil: the member is missing.
    let value: JSONValue?
    /// The path in the error.
    let named: String

    init(_ path: String, _ value: JSONValue?, named: String? = nil) {
        self.path = path.split(separator: ".").map(String.init)
        self.value = value
        self.named = named ?? path
    }

    var testDescription: String {
        "\(path.joined(separator: ".")) = \(value.map { "\($0)" } ?? "missing")"
    }

    /// The member missing, and with a value of each type of JSON except `types`.
    static func all(_ path: String, except types: JSONValue..., named: String? = nil)
        -> [SpoiledMember]
    {
        let values: [JSONValue] = [
            .null, .boolean(false), .integer(7), .number(0.5), .string("!"), .array([.integer(1)]),
            .object(["x": .null]),
        ]
        let wrong = values.filter { value in !types.contains { $0.isLike(value) } }
        return [SpoiledMember(path, nil, named: named)]
            + wrong.map { SpoiledMember(path, $0, named: named) }
    }

    func apply(to options: JSONValue) throws -> String {
        String(decoding: try WireJSON.encode(options.replacing(path[...], by: value)), as: UTF8.self)
    }
}

extension JSONValue {
    fileprivate func isLike(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null), (.boolean, .boolean), (.integer, .integer), (.number, .number),
            (.string, .string),
            (.array, .array), (.object, .object):
            true
        case _: false
        }
    }

    fileprivate func replacing(_ path: ArraySlice<String>, by value: JSONValue?) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        switch self {
        case .object(var members):
            members[name] =
                path.count == 1 ? value : members[name]?.replacing(path.dropFirst(), by: value)
            return .object(members)
        case .array(var values):
            guard let index = Int(name), values.indices.contains(index) else { return self }
            values[index] = values[index].replacing(path.dropFirst(), by: value)
            return .array(values)
        case .null, .boolean, .integer, .number, .string: return self
        }
    }
}

private let challenge = Data((0..<32).map { UInt8($0) })
private let descriptor = JSONValue.object([
    "type": .string("public-key"), "id": .string("AQID"), "transports": .array([.string("internal")]),
])

private let creation = JSONValue.object([
    "rp": .object(["id": .string("login.example.org"), "name": .string("Example")]),
    "user": .object([
        "id": .string(Base64URL.encode([9, 8, 7])), "name": .string("dahlia@example.com"),
        "displayName": .string(""),
    ]),
    "challenge": .string(Base64URL.encode(challenge)),
    "pubKeyCredParams": .array([
        .object(["type": .string("public-key"), "alg": .integer(-8)]),
        .object(["type": .string("public-key"), "alg": .integer(-7)]),
    ]),
    "timeout": .integer(300_000),
    "excludeCredentials": .array([descriptor]),
    "authenticatorSelection": .object([
        "residentKey": .string("required"), "requireResidentKey": .boolean(true),
        "userVerification": .string("required"),
    ]),
    "attestation": .string("none"),
    "extensions": .object(["credProps": .boolean(true)]),
])

private let request = JSONValue.object([
    "challenge": .string(Base64URL.encode(challenge)), "rpId": .string("login.example.org"),
    "timeout": .integer(300_000), "userVerification": .string("required"),
    "allowCredentials": .array([descriptor]),
])

private let hosts = [
    "", ".", "Example.org", "example..org", "-a.org", "exa mple.org", "192.0.2.1", "éa.org", "a.org/",
]
private let short = JSONValue.string(Base64URL.encode(Array(repeating: 1, count: 15)))
private let tooLong = JSONValue.string(Base64URL.encode(Array(repeating: 1, count: 129)))

private let spoiledCreations: [SpoiledMember] =
    SpoiledMember.all("rp", except: .object([:])) + SpoiledMember.all("rp.id")
    + SpoiledMember.all("rp.name", except: .string(""))
    + hosts.map { SpoiledMember("rp.id", .string($0)) } + [SpoiledMember("rp.name", .string(""))]
    + SpoiledMember.all("user", except: .object([:])) + SpoiledMember.all("user.id")
    + SpoiledMember.all("user.name", except: .string(""))
    + SpoiledMember.all("user.displayName", except: .string(""))
    + [
        SpoiledMember("rp", .object([:]), named: "rp.id"),
        SpoiledMember("user", .object([:]), named: "user.id"), SpoiledMember("user.id", .string("")),
        SpoiledMember("user.id", .string(Base64URL.encode(Array(repeating: 1, count: 65)))),
        SpoiledMember("user.name", .string("")),
        SpoiledMember("user.name", .string(String(repeating: "n", count: 1_025))),
    ]
    + SpoiledMember.all("challenge") + [
        SpoiledMember("challenge", short), SpoiledMember("challenge", tooLong),
    ]
    + [SpoiledMember("challenge", .string(challenge.base64EncodedString()))]
    + SpoiledMember.all("pubKeyCredParams", except: .array([]))
    + [
        SpoiledMember("pubKeyCredParams", .array([])),
        SpoiledMember("pubKeyCredParams", .array([.integer(-7)]), named: "pubKeyCredParams[0]"),
    ]
    + SpoiledMember.all("pubKeyCredParams.1.type", named: "pubKeyCredParams[1].type")
    + SpoiledMember.all(
        "pubKeyCredParams.1.alg", except: .integer(0), named: "pubKeyCredParams[1].alg")
    + SpoiledMember.all("timeout", except: .integer(0))
    + [0, -1, 3_600_001].map { SpoiledMember("timeout", .integer($0)) }
    + SpoiledMember.all("excludeCredentials", except: .array([]))
    + [SpoiledMember("excludeCredentials", .array(Array(repeating: descriptor, count: 65)))]
    + SpoiledMember.all("excludeCredentials.0.type", named: "excludeCredentials[0].type")
    + SpoiledMember.all("excludeCredentials.0.id", named: "excludeCredentials[0].id")
    + SpoiledMember.all("authenticatorSelection", except: .object([:]))
    + SpoiledMember.all("authenticatorSelection.residentKey")
    + SpoiledMember.all("authenticatorSelection.requireResidentKey")
    + SpoiledMember.all("authenticatorSelection.userVerification")
    + [SpoiledMember("authenticatorSelection.userVerification", .string("preferred"))]
    + SpoiledMember.all("attestation") + [SpoiledMember("attestation", .string("direct"))]

private let spoiledRequests: [SpoiledMember] =
    SpoiledMember.all("challenge") + [
        SpoiledMember("challenge", short), SpoiledMember("challenge", tooLong),
    ]
    + SpoiledMember.all("rpId") + hosts.map { SpoiledMember("rpId", .string($0)) }
    + SpoiledMember.all("timeout", except: .integer(0)) + SpoiledMember.all("userVerification")
    + [SpoiledMember("userVerification", .string("preferred"))]
    + SpoiledMember.all("allowCredentials", except: .array([]))
    + SpoiledMember.all("allowCredentials.0.type", named: "allowCredentials[0].type")
    + SpoiledMember.all("allowCredentials.0.id", named: "allowCredentials[0].id")

@Suite("Options of passkeys")
struct PasskeyOptionsTests {
    private func text(_ options: JSONValue) throws -> String {
        String(decoding: try WireJSON.encode(options), as: UTF8.self)
    }

    @Test func creationOptionsAreRead() throws {
        let json = try text(creation)
        let options = try PasskeyCreation(json: json)
        #expect(options.relyingPartyID == "login.example.org")
        #expect(options.relyingPartyName == "Example")
        #expect(options.userHandle == Data([9, 8, 7]))
        #expect(options.username == "dahlia@example.com")
        #expect(options.displayName == "")
        #expect(options.challenge == challenge)
        #expect(options.algorithms == [-8, -7])
        #expect(options.excludedCredentials == [Data([1, 2, 3])])
        #expect(options.timeout == 300)
        #expect(options.json == json)
        #expect(!"\(options)".contains("dahlia"))
    }

    @Test func requestOptionsAreRead() throws {
        let json = try text(request)
        let options = try PasskeyRequest(json: json)
        #expect(options.relyingPartyID == "login.example.org")
        #expect(options.challenge == challenge)
        #expect(options.allowedCredentials == [Data([1, 2, 3])])
        #expect(options.timeout == 300)
        #expect(options.json == json)
    }

    @Test func aRequestMayAllowEveryPasskey() throws {
        let json = try SpoiledMember("allowCredentials", .array([])).apply(to: request)
        #expect(try PasskeyRequest(json: json).allowedCredentials.isEmpty)
    }

    @Test func unusedMembersAreIgnored() throws {
        for value in [nil, JSONValue.object(["prf": .object([:])])] {
            _ = try PasskeyCreation(json: SpoiledMember("extensions", value).apply(to: creation))
            _ = try PasskeyRequest(json: SpoiledMember("hints", value).apply(to: request))
        }
    }

    @Test(
        "SEC-PK-22: a missing or malformed member of the options for a new passkey is an error, never a default",
        arguments: spoiledCreations)
    func spoiledCreation(_ member: SpoiledMember) throws {
        let json = try member.apply(to: creation)
        #expect(throws: PasskeyError.unusableOptions(member.named)) { try PasskeyCreation(json: json) }
    }

    @Test("SEC-PK-18, SEC-PK-22: options with a question are none for a silent passkey, and the other way round")
    func upgrades() throws {
        let silent = try SpoiledMember("authenticatorSelection.userVerification", .string("preferred"))
            .apply(to: creation)
        #expect(try PasskeyCreation(json: silent, style: .conditional).json == silent)
        let error = PasskeyError.unusableOptions("authenticatorSelection.userVerification")
        #expect(throws: error) { try PasskeyCreation(json: silent) }
        let asking = try text(creation)
        #expect(throws: error) { try PasskeyCreation(json: asking, style: .conditional) }
    }

    @Test(
        "SEC-PK-22: a missing or malformed member of the options for a sign-in is an error, never a default",
        arguments: spoiledRequests)
    func spoiledRequest(_ member: SpoiledMember) throws {
        let json = try member.apply(to: request)
        #expect(throws: PasskeyError.unusableOptions(member.named)) { try PasskeyRequest(json: json) }
    }

    @Test(
        "SEC-PK-22: options that are no JSON object of up to 64 KiB are an error",
        arguments: [
            "", "null", "[]", "\"rp\"", "{", "{}x", "{\"rpId\":\"a.org\0\"}",
            String(repeating: "[", count: 100),
            "{\"rpId\":\"\(String(repeating: "a", count: 65_536))\"}",
        ])
    func noObject(_ json: String) {
        #expect(throws: PasskeyError.unusableOptions("options")) { try PasskeyCreation(json: json) }
        #expect(throws: PasskeyError.unusableOptions("options")) { try PasskeyRequest(json: json) }
    }

    @Test func aRegistrationIsWrittenAsTheServerReadsIt() throws {
        let registration = PasskeyRegistration(
            credentialID: Data([1, 2, 3]), clientDataJSON: Data("{}".utf8),
            attestationObject: Data([0xA0]),
            transports: ["internal", "a\"b\n"])
        #expect(
            try WireJSON.decode(from: Data(registration.json.utf8))
                == JSONValue.object([
                    "id": .string("AQID"), "rawId": .string("AQID"), "type": .string("public-key"),
                    "response": .object([
                        "clientDataJSON": .string("e30"), "attestationObject": .string("oA"),
                        "transports": .array([.string("internal"), .string("a\"b\n")]),
                    ]),
                    "clientExtensionResults": .object([:]),
                ]))
    }

    @Test(arguments: [nil, Data([7])])
    func anAssertionIsWrittenAsTheServerReadsIt(_ handle: Data?) throws {
        let assertion = PasskeyAssertion(
            credentialID: Data([1, 2, 3]), clientDataJSON: Data("{}".utf8), authenticatorData: Data([1]),
            signature: Data([2]), userHandle: handle)
        var response: [String: JSONValue] = [
            "clientDataJSON": .string("e30"), "authenticatorData": .string("AQ"),
            "signature": .string("Ag"),
        ]
        if handle != nil { response["userHandle"] = .string("Bw") }
        #expect(
            try WireJSON.decode(from: Data(assertion.json.utf8))
                == JSONValue.object([
                    "id": .string("AQID"), "rawId": .string("AQID"), "type": .string("public-key"),
                    "response": .object(response), "clientExtensionResults": .object([:]),
                ]))
        #expect("\(assertion)" == "PasskeyAssertion")
    }
}
