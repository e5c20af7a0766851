import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

extension OperatorCodec {
    /// What waits for another operator. A new address is in it: who confirms must see it.
    static func request(_ request: OperatorRequest) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .string(request.id.text), "action": .string(request.deed.word),
            "userId": .string(request.user.description),
            "createdDateTime": .string(request.requestedAt.ISO8601Format()),
            "expirationDateTime": .string(request.expiresAt.ISO8601Format()),
            "confirmationsNeeded": .integer(request.missing),
        ]
        members["requestedBy"] = request.requester.map { .string($0.description) }
        switch request.deed {
        case .removeMethod(let id): members["methodId"] = .string(id.text)
        case .changeEmail(let address): members["mail"] = .string(address)
        case .removeMethods, .requireReset, .trustPassword, .relaxSecondFactor: break
        }
        return members
    }
}

extension ProofDeed {
    /// Who does it, or confirms it, has one of these permissions (`SEC-ADM-4`).
    var permissions: Set<String> {
        switch self {
        case .removeMethod, .removeMethods, .trustPassword, .relaxSecondFactor:
            OperatorOperation.removeUserMethod.roles
        case .changeEmail: ["User.ReadWrite.All"]
        case .requireReset: OperatorOperation.endUserSessions.roles
        }
    }
}
