import NativeAuthCore
import PortableFoundation

/// The JSON texts of WebAuthn. They are written here and not by `JSONEncoder`, which can throw: these cannot fail.
enum PasskeyJSON {
    /// The answer of an authenticator. `response` is a JSON object.
    static func credential(_ identifier: Data, response: String) -> String {
        let identifier = Base64URL.encode(identifier)
        return """
            {"id":"\(identifier)","rawId":"\(identifier)","type":"public-key",\
            "response":\(response),"clientExtensionResults":{}}
            """
    }
}

extension String {
    /// The text as a JSON text, escaped as `CCDToString` of WebAuthn Level 3 section 5.8.1.1 says.
    package var quotedAsJSON: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0..<0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
