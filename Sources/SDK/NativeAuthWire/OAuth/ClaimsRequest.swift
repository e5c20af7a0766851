/// The parameter `claims`: the claims that a client requests in its tokens (OpenID Connect Core 1.0 §5.5). Only `acrs`
/// of the access token has an effect here (docs/protocol.md §4.7).
package struct ClaimsRequest: Hashable, Sendable, Decodable {
    /// The requests by claim; nil for a claim that is requested without a condition.
    package var accessToken: [String: Claim?]?
    /// The requests by claim; only checked for well-formedness.
    package var idToken: [String: Claim?]?

    /// The request for one claim.
    package struct Claim: Hashable, Sendable, Decodable {
        package var isEssential: Bool?
        package var value: String?
        package var values: [String]?

        private enum CodingKeys: String, CodingKey {
            case isEssential = "essential"
            case value, values
        }
    }

    /// The authentication contexts that the access token must state, without duplicates.
    package var demandedContexts: [String] {
        guard case .some(.some(let claim)) = accessToken?["acrs"], claim.isEssential == true else { return [] }
        var contexts: [String] = []
        for context in (claim.value.map { [$0] } ?? []) + (claim.values ?? []) where !contexts.contains(context) {
            contexts.append(context)
        }
        return contexts
    }

    /// Whether `word` is `c1` to `c99`.
    package static func isContext(_ word: String) -> Bool {
        guard word.utf8.first == UInt8(ascii: "c"), (2...3).contains(word.utf8.count) else { return false }
        let digits = word.utf8.dropFirst()
        return digits.first != UInt8(ascii: "0") && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case idToken = "id_token"
    }
}
