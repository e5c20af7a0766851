import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Objects of several kinds by their ids.
extension OperatorDesk {
    private enum Kind: String, CaseIterable {
        case user, group, application, servicePrincipal
    }

    private static let vendorsKinds: Set<String> = [
        "administrativeunit", "device", "directoryrole", "directoryroletemplate", "contract", "orgcontact",
    ]
    private static let mostObjects = 1_000

    /// Those of the objects that exist, in the order of the ids.
    func readObjects(_ request: Request, _ trace: Trace) async throws -> Response {
        let (ids, kinds) = try Self.ids(of: try await OperatorCodec.object(of: request))
        var known: [String: [String: JSONValue]] = [:]
        func add(_ objects: [[String: JSONValue]], _ kind: Kind) {
            guard kinds.contains(kind) else { return }
            for object in objects { known[object["id"]?.string ?? ""] = Self.typed(object, kind) }
        }
        add(applications(), .application)
        add(GrantCodec.principals(of: entry).map(GrantCodec.object), .servicePrincipal)
        if kinds.contains(.group) { add(try await groups().map(GroupCodec.object), .group) }
        var found: [JSONValue] = []
        for id in ids {
            if let object = known[id.text] {
                found.append(.object(object))
            } else if kinds.contains(.user), let account = try await engine.account(UserID(id), in: tenant.id),
                account.deletedAt == nil
            {
                let user = try OperatorCodec.user(profile(of: account), of: account, select: nil)
                found.append(.object(Self.typed(user, .user)))
            }
        }
        return try json(
            ["@odata.context": .string("\(root)/$metadata#directoryObjects"), "value": JSONValue.array(found)], trace)
    }

    private static func typed(_ object: [String: JSONValue], _ kind: Kind) -> [String: JSONValue] {
        object.merging(["@odata.type": .string("#microsoft.graph.\(kind.rawValue)")]) { $1 }
    }

    /// Each id once, and the wanted kinds.
    private static func ids(
        of body: [String: JSONValue]
    ) throws(DirectoryFailure) -> (ids: [UUID], kinds: Set<Kind>) {
        var members = BodyMembers(body)
        guard case .array(let items)? = members.value("ids"), items.count <= mostObjects else {
            throw .wrong("ids", "a list of at most \(mostObjects) ids")
        }
        let types = try members.list("types")
        try members.end()
        var (ids, seen): ([UUID], Set<UUID>) = ([], [])
        for item in items {
            guard let id = item.string.flatMap({ UUID(text: $0) }) else { throw .wrong("ids", "a list of UUIDs") }
            if seen.insert(id).inserted { ids.append(id) }
        }
        guard let types else { return (ids, Set(Kind.allCases)) }
        var kinds: Set<Kind> = []
        for type in types {
            guard let word = type.string?.lowercased() else { throw DirectoryFailure(.invalidValue("types")) }
            let named =
                word == "directoryobject" ? Kind.allCases : Kind.allCases.filter { $0.rawValue.lowercased() == word }
            // Kinds that the vendor has and this server does not have no objects.
            guard !named.isEmpty || vendorsKinds.contains(word) else {
                throw .wrong(
                    "types", "a list of user, group, application, servicePrincipal or directoryObject")
            }
            kinds.formUnion(named)
        }
        return (ids, kinds)
    }
}
