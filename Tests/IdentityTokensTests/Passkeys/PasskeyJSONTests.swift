import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The JSON of a response (WebAuthn section 5.1). Its shape, its sizes and its base64url are checked before all else.
@Suite("JSON of passkeys") struct PasskeyJSONTests {
    private static let id = Base64URL.encode(P256Authenticator.shared.credentialID)
    private static let client = Base64URL.encode(RegistrationDraft().common.clientBytes)
    private static let object = Base64URL.encode(Data(RegistrationDraft().encodedObject))
    private static let useClient = Base64URL.encode(AssertionDraft().common.clientBytes)
    private static let data = Base64URL.encode(AssertionDraft().authenticatorBytes)
    private static let signature = Base64URL.encode(Data(repeating: 0x30, count: 70))
    private static let handle = Base64URL.encode(Ceremony.userHandle)

    private static func registration(
        id: String = id, rawID: String? = nil, type: String = "public-key", client: String = client,
        object: String = object, transports: [String] = ["internal"]
    ) -> String {
        ResponseJSON.registration(
            id: id, rawID: rawID, type: type, clientData: client, attestationObject: object, transports: transports)
    }

    private static func assertion(
        id: String = id, rawID: String? = nil, type: String = "public-key", client: String = useClient,
        data: String = data, signature: String = signature, handle: String? = handle
    ) -> String {
        ResponseJSON.assertion(
            id: id, rawID: rawID, type: type, clientData: client, authenticatorData: data, signature: signature,
            userHandle: handle)
    }

    private static func bytes(_ count: Int) -> String { Base64URL.encode(Data(repeating: 0x31, count: count)) }

    @Test("a response is read into its bytes")
    func reads() throws {
        let registration = try PasskeyRegistration(json: Self.registration())
        #expect(registration.credentialID == P256Authenticator.shared.credentialID)
        #expect(registration.clientData == RegistrationDraft().common.clientBytes)
        #expect(registration.attestationObject == Data(RegistrationDraft().encodedObject))
        #expect(registration.transports == ["internal"])
        #expect(registration.challenge == Ceremony.challenge)
        let assertion = try PasskeyAssertion(json: Self.assertion())
        #expect(assertion.credentialID == P256Authenticator.shared.credentialID)
        #expect(assertion.clientData == AssertionDraft().common.clientBytes)
        #expect(assertion.authenticatorData == AssertionDraft().authenticatorBytes)
        #expect(assertion.signature == Data(repeating: 0x30, count: 70))
        #expect(assertion.userHandle == Ceremony.userHandle)
        #expect(assertion.challenge == Ceremony.challenge)
        #expect(try PasskeyAssertion(json: Self.assertion(handle: nil)).userHandle == nil)
    }

    @Test("a null user handle is none, as browsers write it")
    func readsNullHandle() throws {
        let json = Self.assertion().replacing("\"userHandle\":\"\(Self.handle)\"", with: "\"userHandle\":null")
        #expect(try PasskeyAssertion(json: json).userHandle == nil)
    }

    @Test("members that newer browsers add are skipped")
    func skipsNewMembers() {
        let json = Self.registration().replacing(
            "\"attestationObject\"", with: "\"publicKey\":\"AAAA\",\"publicKeyAlgorithm\":-7,\"attestationObject\"")
        #expect(throws: Never.self) { _ = try PasskeyRegistration(json: json) }
    }

    @Test(
        "the challenge of client data that cannot be read is none",
        arguments: [
            "{", "[]", #"{"challenge":1}            "#, #"{"challenge":"="}          "#, #"{"type":"webauthn.create"}"#,
        ])
    func hasNoChallenge(_ client: String) throws {
        let padded = client + String(repeating: " ", count: max(0, 20 - client.utf8.count))
        let response = try PasskeyRegistration(json: Self.registration(client: Base64URL.encode(Data(padded.utf8))))
        #expect(response.challenge == nil)
    }

    @Test("SEC-PK-7: a registration of another shape or size is refused", arguments: registrations)
    func refusesRegistration(_ name: String, _ json: String, _ fault: PasskeyFault) {
        #expect(throws: fault, "\(name)") { _ = try PasskeyRegistration(json: json) }
    }

    private static func shape(_ name: String, _ json: String) -> (String, String, PasskeyFault) {
        (name, json, .malformedResponse)
    }
    private static func syntax(_ name: String, _ json: String) -> (String, String, PasskeyFault) {
        (name, json, .malformedJSON)
    }
    private static func size(_ name: String, _ json: String) -> (String, String, PasskeyFault) {
        (name, json, .wrongSize)
    }

    private static let registrations: [(String, String, PasskeyFault)] = [
        syntax("nothing", ""), shape("a list", "[]"), shape("a text", "\"public-key\""), shape("null", "null"),
        shape("an empty object", "{}"), syntax("cut off", String(registration().dropLast())),
        syntax("two objects", registration() + registration()), syntax("a zero behind", registration() + "\u{0}"),
        syntax("a member twice", registration().replacing("{\"id\"", with: "{\"id\":\"\(id)\",\"id\"")),
        syntax(
            "client data twice",
            registration().replacing("\"response\":{", with: "\"response\":{\"clientDataJSON\":\"\(client)\",")),
        shape("no id", registration().replacing("\"id\":\"\(id)\",", with: "")),
        shape("no rawId", registration().replacing("\"rawId\":\"\(id)\",", with: "")),
        shape("no type", registration().replacing("\"type\":\"public-key\",", with: "")),
        shape("a null id", registration().replacing("\"id\":\"\(id)\"", with: "\"id\":null")),
        shape("a number for the id", registration().replacing("\"id\":\"\(id)\"", with: "\"id\":1")),
        shape("no response", registration().replacing("\"response\"", with: "\"reply\"")),
        shape("a null response", registration().replacing(/"response":\{[^}]*\}/, with: "\"response\":null")),
        shape("a text response", registration().replacing(/"response":\{[^}]*\}/, with: "\"response\":\"{}\"")),
        shape("no client data", registration().replacing("\"clientDataJSON\"", with: "\"clientData\"")),
        shape("no attestation object", registration().replacing("\"attestationObject\"", with: "\"attestation\"")),
        shape("another type", registration(type: "password")),
        shape("type in capitals", registration(type: "Public-Key")),
        shape("no type text", registration(type: "")),
        shape(
            "text transports", registration().replacing(/"transports":\[[^\]]*\]/, with: "\"transports\":\"usb\"")),
        shape("transports as numbers", registration().replacing(/"transports":\[[^\]]*\]/, with: "\"transports\":[1]")),

        shape("a transport with a blank", registration(transports: ["u b"])),
        shape("a transport with markup", registration(transports: ["<b>usb</b>"])),
        shape("a transport with an umlaut", registration(transports: ["\u{FC}sb"])),

        ("another rawId", registration(rawID: bytes(32)), .differentIDs),
        ("a longer rawId", registration(rawID: id + "AA"), .differentIDs),
        ("rawId in capitals", registration(rawID: id.uppercased()), .differentIDs),

        shape("an id with padding", registration(id: id + "=")),
        shape("an id with a blank", registration(id: id + " ")),
        shape("an id with a line break", registration(id: id + #"\n"#)),
        shape("an id with stray bits", registration(id: RegistrationRefusalTests.stray(id))),
        shape("an id in the other alphabet", registration(id: "++++//" + id.dropFirst(6))),
        shape("an id of one character too many", registration(id: bytes(33) + "A")),
        shape("client data with padding", registration(client: client + "==")),
        shape("client data with a dot", registration(client: "." + client.dropFirst())),
        shape("client data in the other alphabet", registration(client: "e+/e" + client.dropFirst(4))),
        shape("client data with wide digits", registration(client: "\u{FF11}" + client.dropFirst())),
        shape("an object with stray bits", registration(object: RegistrationRefusalTests.stray(bytes(100)))),
        shape("an object with a percent sign", registration(object: "%3D" + object.dropFirst(3))),

        ("an id of 15 bytes", registration(id: bytes(15)), .wrongCredentialID),
        ("an id of 1,024 bytes", registration(id: bytes(1_024)), .wrongCredentialID),
        ("no id bytes", registration(id: ""), .wrongCredentialID),
        size("no client data bytes", registration(client: "")),
        size("client data of 19 bytes", registration(client: bytes(19))),
        size("client data of 4,097 bytes", registration(client: bytes(4_097))),
        size("no object bytes", registration(object: "")),
        size("an object of 12,289 bytes", registration(object: bytes(12_289))),
        size("nine transports", registration(transports: Array(repeating: "usb", count: 9))),
        size("a transport of 17 bytes", registration(transports: [String(repeating: "u", count: 17)])),
        size("17 KiB of JSON", registration() + String(repeating: " ", count: 17_000)),
        size(
            "17 KiB of outputs",
            registration().replacing("\"rk\":true", with: "\"rk\":\"\(String(repeating: "x", count: 17_000))\"")),
        size("deep and long", String(repeating: "[", count: 100_000)),
    ]

    @Test("SEC-PK-7: JSON that is very deep, but not large, is refused", arguments: ["[", #"{"id":"#])
    func refusesDeep(_ opening: String) {
        let json = String(repeating: opening, count: 16_000 / opening.utf8.count)
        #expect(throws: PasskeyFault.self) { _ = try PasskeyRegistration(json: json) }
        let closed = Self.registration().replacing(
            "\"rk\":true", with: "\"rk\":\(String(repeating: "[", count: 5_000))\(String(repeating: "]", count: 5_000))"
        )
        // Outputs of extensions are skipped, however deep: a refusal is as good, a trap is not.
        _ = try? PasskeyRegistration(json: closed)
    }

    @Test("SEC-PK-7: an assertion of another shape or size is refused", arguments: assertions)
    func refusesAssertion(_ name: String, _ json: String, _ fault: PasskeyFault) {
        #expect(throws: fault, "\(name)") { _ = try PasskeyAssertion(json: json) }
    }

    private static let assertions: [(String, String, PasskeyFault)] = [
        shape("a list", "[]"), syntax("cut off", String(assertion().dropLast())),
        shape("another type", assertion(type: "")),
        shape("no authenticator data", assertion().replacing("\"authenticatorData\"", with: "\"authData\"")),
        shape("no signature", assertion().replacing("\"signature\"", with: "\"sig\"")),
        shape("a null signature", assertion().replacing("\"signature\":\"\(signature)\"", with: "\"signature\":null")),
        shape(
            "a number for the handle", assertion().replacing("\"userHandle\":\"\(handle)\"", with: "\"userHandle\":7")),
        shape("a signature with padding", assertion(signature: signature + "==")),
        shape("a handle with stray bits", assertion(handle: RegistrationRefusalTests.stray(handle))),
        shape("data in the other alphabet", assertion(data: "+/+/" + data.dropFirst(4))),
        ("another rawId", assertion(rawID: bytes(32)), .differentIDs),
        size("data of 36 bytes", assertion(data: bytes(36))),
        size("data of 1,025 bytes", assertion(data: bytes(1_025))),
        size("no data", assertion(data: "")), size("a signature of 7 bytes", assertion(signature: bytes(7))),
        size("a signature of 513 bytes", assertion(signature: bytes(513))),
        size("no signature bytes", assertion(signature: "")),
        size("no handle bytes", assertion(handle: "")), size("a handle of 65 bytes", assertion(handle: bytes(65))),
        ("an id of 1,024 bytes", assertion(id: bytes(1_024)), .wrongCredentialID),
        ("an id of 15 bytes", assertion(id: bytes(15)), .wrongCredentialID),
        size("client data of 19 bytes", assertion(client: bytes(19))),
        size("client data of 4,097 bytes", assertion(client: bytes(4_097))),
        size("17 KiB of JSON", assertion() + String(repeating: " ", count: 17_000)),
    ]

    @Test("the largest and smallest sizes are read")
    func readsBounds() {
        for json in [
            Self.assertion(data: Self.bytes(37)), Self.assertion(data: Self.bytes(1_024)),
            Self.assertion(signature: Self.bytes(8)), Self.assertion(signature: Self.bytes(512)),
            Self.assertion(handle: Self.bytes(1)), Self.assertion(handle: Self.bytes(64)),
            Self.assertion(id: Self.bytes(16)), Self.assertion(id: Self.bytes(1_023)),
            Self.assertion(client: Self.bytes(20)), Self.assertion(client: Self.bytes(4_096)),
        ] {
            #expect(throws: Never.self) { _ = try PasskeyAssertion(json: json) }
        }
        for json in [
            Self.registration(id: Self.bytes(1_023)),
            Self.registration(client: Self.bytes(4_096), object: Self.bytes(100)),
            Self.registration(transports: Array(repeating: String(repeating: "u", count: 16), count: 8)),
        ] {
            #expect(throws: Never.self) { _ = try PasskeyRegistration(json: json) }
        }
    }
}
