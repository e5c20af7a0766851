import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The answer of a receiver (docs/protocol.md §20.3).
struct HookReply {
    /// The name of the one action, in lower case and without the vendor's prefix.
    let action: String
    private let members: Action
    private let nonce: String?

    /// Reads the body of an answer.
    init(_ body: Data) throws(HookFailure) {
        guard !body.isEmpty else { throw .empty }
        let reply: Reply
        do {
            reply = try WireJSON.decode(Reply.self, from: body)
        } catch {
            // Do not pass the error on: it quotes the answer.
            throw .body
        }
        guard reply.data.actions.count == 1, let action = reply.data.actions.first else { throw .numberOfActions }
        members = action
        nonce = reply.data.nonce
        // The vendor's own texts differ in letter case (“setPreFillValues”).
        self.action = action.type.lowercased().replacing("microsoft.graph.", with: "", maxReplacements: 1)
    }

    /// The claims of `provideClaimsForToken`: texts, or lists of texts.
    func claims() throws(HookFailure) -> [String: ClaimValue] {
        guard action == "tokenissuancestart.provideclaimsfortoken" else { throw .unknownAction }
        guard let claims = members.claims else { throw .body }
        guard !claims.keys.contains("") else { throw .claimWithoutName }
        return claims.mapValues(\.value)
    }

    func collectionStart() throws(HookFailure) -> CollectionStartAnswer {
        switch action {
        case "attributecollectionstart.continuewithdefaultbehavior": return .proceed
        case "attributecollectionstart.setprefillvalues":
            guard let inputs = members.inputs else { throw .body }
            return .prefill(inputs)
        case "attributecollectionstart.showblockpage": return .block(reason())
        case _: throw .unknownAction
        }
    }

    func collectionSubmit() throws(HookFailure) -> CollectionSubmitAnswer {
        switch action {
        case "attributecollectionsubmit.continuewithdefaultbehavior": return .proceed
        case "attributecollectionsubmit.modifyattributevalues":
            guard let attributes = members.attributes else { throw .body }
            return .modify(attributes)
        case "attributecollectionsubmit.showvalidationerror":
            let errors = (members.attributeErrors ?? [:]).sorted { $0.key < $1.key }
            let details = errors.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
            return .refuse(attributes: errors.map(\.key), reason: reason(details))
        case "attributecollectionsubmit.showblockpage": return .block(reason())
        case _: throw .unknownAction
        }
    }

    func delivery() throws(HookFailure) {
        guard action == "otpsend.continuewithdefaultbehavior" else { throw .unknownAction }
    }

    /// - Parameter nonce: What the answer must return.
    func password(returning nonce: String) throws(HookFailure) -> PasswordSubmitAnswer {
        guard self.nonce == nonce else { throw .nonce }
        switch action {
        case "passwordsubmit.migratepassword": return .migrate
        case "passwordsubmit.updatepassword": return .update
        case "passwordsubmit.retry": return .retry
        case "passwordsubmit.block": return .block(reason(otherwise: "The system behind this sign-in refuses it."))
        case _: throw .unknownAction
        }
    }

    /// The receiver's text for the user, as one line of at most 500 characters.
    private func reason(
        _ details: String = "", otherwise fallback: String = "The system behind this sign-up refuses it."
    ) -> String {
        let message = [members.message ?? "", details].filter { !$0.isEmpty }.joined(separator: " ")
        let text = message.isEmpty ? members.title ?? "" : message
        var line = ""
        for scalar in text.unicodeScalars.prefix(500) {
            line.unicodeScalars.append(Self.isHarmless(scalar) ? scalar : " ")
        }
        return line.isEmpty ? fallback : line
    }

    /// Not a line end, a control character, or one that changes the direction of the text after it.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case _: true
        }
    }

    // MARK: -

    private struct Reply: Decodable {
        let data: Content

        struct Content: Decodable {
            let actions: [Action]
            let nonce: String?
        }
    }

    private struct Action: Decodable {
        let type: String
        let claims: [String: Claim]?
        let inputs: [String: AttributeValue]?
        let attributes: [String: AttributeValue]?
        let attributeErrors: [String: String]?
        let title: String?
        let message: String?

        enum CodingKeys: String, CodingKey {
            case type = "@odata.type"
            case claims, inputs, attributes, attributeErrors, title, message
        }
    }

    private struct Claim: Decodable {
        let value: ClaimValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                value = .one(.string(try container.decode(String.self)))
            } catch {
                value = .texts(try container.decode([String].self))
            }
        }
    }
}
