import NativeAuthCore
import NativeAuthWire
import Testing

@Suite("Parameters of forms")
struct FormParameterTests {
    private static let types: [any FormRequest.Type] =
        V1Endpoint.allCases.map(\.requestType) + [RevocationRequest.self, TokenIntrospectionRequest.self]

    @Test("Each parameter is read by a request, and written under its own name")
    func eachParameterIsRead() throws {
        // A daemon's request writes its own grant type, so it is not among those of the test below.
        let read = try (Self.types + [ClientCredentialsRequest.self]).flatMap { try $0.parameters }
        #expect(Set(read) == Set(FormParameter.allCases).subtracting([.capability]))
    }

    @Test(
        "A request reads all that it writes, and nothing else: a form without one parameter gives a request without it")
    func eachParameterIsIndependent() throws {
        for type in Self.types {
            let parameters = try type.parameters
            for left in parameters {
                var form = FormFields()
                for other in FormParameter.allCases where other != left && other != .capability {
                    form.append(other.rawValue, "x")
                }
                let names = try type.init(form: form).form.names
                #expect(Set(names) == Set(parameters.map(\.rawValue)).subtracting([left.rawValue]), "\(type) \(left)")
            }
        }
    }

    @Test("docs/protocol.md §4.7, §21.3: the parameters of a token request")
    func theParametersOfATokenRequest() throws {
        let expected: Set<FormParameter> = [
            .clientID, .grantType, .continuationToken, .refreshToken, .password, .oob, .credential, .scope, .username,
            .challengeType, .clientInfo, .claims, .code, .redirectURI, .codeVerifier, .deviceCode, .subjectToken,
            .subjectTokenType, .requestedTokenType, .audience, .codeChallenge, .idToken, .providerUser,
            .authorizationCode, .deviceProof, .rememberDevice,
        ]
        #expect(try Set(V1.TokenRequest.parameters) == expected)
    }
}
