import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Groups as the vendor's directory has them (docs/protocol.md §18.8): security groups with users in them.
enum GroupCodec {
    static func object(_ group: UserGroup) -> [String: JSONValue] {
        [
            "@odata.type": .string("#microsoft.graph.group"), "id": .string(group.id.text),
            "displayName": .string(group.displayName),
            "description": group.description.isEmpty ? .null : .string(group.description),
            "createdDateTime": .string(group.createdAt.ISO8601Format()), "securityEnabled": .boolean(true),
            "mailEnabled": .boolean(false), "mail": .null, "groupTypes": .array([]),
        ]
    }

    /// What a body says of a group.
    static func change(
        _ body: [String: JSONValue]
    ) throws(DirectoryFailure) -> (displayName: String?, description: String?) {
        var members = BodyMembers(body)
        let name = try members.text("displayName", 1...256)
        let description = try members.text("description", 0...1_024)
        let (mail, security) = (try members.flag("mailEnabled"), try members.flag("securityEnabled"))
        try members.accept("mailEnabled", only: false, mail)
        try members.accept("securityEnabled", only: true, security)
        let types = try members.list("groupTypes")
        try members.accept("groupTypes", only: [], types)
        // Required by the vendor; unused here, because a group has no mailbox.
        _ = try members.text("mailNickname")
        try members.refuse("id", "createdDateTime", "mail", "visibility")
        try members.end()
        return (name, description)
    }

    /// The user that the body of a reference names.
    static func member(_ body: [String: JSONValue]) throws(DirectoryFailure) -> UserID {
        let fault = DirectoryFailure.wrong("@odata.id", "a URL that ends with /users/ID or /directoryObjects/ID")
        guard body.count == 1, body.first?.key.lowercased() == "@odata.id", let address = body.first?.value.string,
            address.utf8.count <= 512, let last = address.split(separator: "/").last,
            ["directoryobjects", "users"].contains(address.split(separator: "/").dropLast().last?.lowercased()),
            let id = UUID(uuidString: String(last))
        else { throw fault }
        return UserID(id)
    }
}

/// The last user of a page of members.
struct MemberPosition: Codable, Hashable, Sendable {
    var user: UUID
}

extension OperatorDesk {
    private static let filter = ObjectFilter(names: ["id", "displayname"])

    func groups() async throws(EngineError) -> [UserGroup] {
        try await searched { () throws(StoreError) in try await store.groups(in: tenant.id) }
    }

    func group(_ keys: [String]) async throws -> UserGroup {
        guard let id = keys.first.flatMap({ UUID(uuidString: $0) }),
            let found = try await groups().first(where: { $0.id == id })
        else { throw DirectoryFailure(.notFound) }
        return found
    }

    func listGroups(_ request: Request, _ trace: Trace) async throws -> Response {
        try await list(try await groups().map(GroupCodec.object), "groups", Self.filter, request, trace)
    }

    func listUserGroups(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let id = try await user(keys, isDeleted: false).user.id
        let groups = try await engine.groups(of: id, in: tenant.id)
        return try await list(groups.map(GroupCodec.object), "users/\(id)/memberOf", Self.filter, request, trace)
    }

    func createGroup(_ request: Request, _ trace: Trace) async throws -> Response {
        let body = try GroupCodec.change(try await OperatorCodec.object(of: request))
        guard let name = body.displayName else { throw DirectoryFailure.absent("displayName") }
        let group = UserGroup(
            id: engine.ports.randomness.uuid(), displayName: name, description: body.description ?? "", createdAt: now)
        _ = try await apply(.create(group), trace)
        return try created(GroupCodec.object(group), "groups", group.id.text, trace)
    }

    func changeGroup(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let body = try GroupCodec.change(try await OperatorCodec.object(of: request))
        let id = try await group(keys).id
        guard body.displayName != nil || body.description != nil else { return done(trace) }
        return try await apply(.edit(id, displayName: body.displayName, description: body.description), trace)
    }

    /// Makes the change, with its line in the audit trail.
    func apply(_ change: GroupChange, _ trace: Trace) async throws -> Response {
        if case .delete(let id) = change, tenant.isInALevel(id) { throw DirectoryFailure.groupInUse }
        let event = engine.groupEvent(change, in: tenant, as: actor, now: now)
        let result = try await searched { () throws(StoreError) in
            try await store.change(change, in: tenant.id, recording: event)
        }
        switch result {
        case .done, .unchanged: return done(trace)
        case .notFound: throw DirectoryFailure(.notFound)
        case .full:
            switch change {
            case .create, .edit, .delete: throw DirectoryFailure.tooManyGroups
            case .add, .remove: throw DirectoryFailure.inTooManyGroups
            }
        }
    }

    // MARK: - Members

    func addMember(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let user = try GroupCodec.member(try await OperatorCodec.object(of: request))
        return try await apply(.add(user, to: try await group(keys).id), trace)
    }

    func removeMember(_ keys: [String], _ trace: Trace) async throws -> Response {
        guard let user = keys.last.flatMap({ UUID(uuidString: $0) }) else { throw DirectoryFailure(.notFound) }
        return try await apply(.remove(UserID(user), from: try await group(keys).id), trace)
    }

    func listMembers(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let group = try await group(keys)
        let options = try ListOptions(request.uri.query ?? "", of: [.select, .top, .skiptoken])
        let names = try options.names()
        let top = try options.top(usually: 100, atMost: UserQuery.largestPage)
        let fingerprint = Vault.fingerprint(["members", group.id.text].map { Data($0.utf8) })
        var after: UserID?
        if let token = options[.skiptoken] {
            let position = await engine.skipTokens.open(
                token, as: MemberPosition.self, of: fingerprint, tenant: tenant.id, now: now)
            guard let position else { throw DirectoryFailure.expiredPageToken }
            after = UserID(position.user)
        }
        let start = after
        let found = try await searched { () throws(StoreError) in
            try await store.members(of: group.id, after: start, limit: top + 1, in: tenant.id)
        }
        let page = found.prefix(top)
        var members: [JSONValue] = []
        for id in page {
            guard let account = try await engine.account(id, in: tenant.id), account.deletedAt == nil else { continue }
            var member = try OperatorCodec.user(profile(of: account), of: account, select: names)
            member["@odata.type"] = .string("#microsoft.graph.user")
            members.append(.object(member))
        }
        let path = "groups/\(group.id.text)/members"
        var reply: [String: JSONValue] = [
            "@odata.context": .string("\(root)/$metadata#directoryObjects"), "value": .array(members),
        ]
        if found.count > top, let last = page.last {
            let token = try engine.skipTokens.seal(MemberPosition(user: last.uuid), of: fingerprint, tenant: tenant.id)
            reply["@odata.nextLink"] = .string("\(root)/\(path)?\(options.next(token))")
        }
        return try json(reply, trace)
    }
}

extension DirectoryFailure {
    static let tooManyGroups = DirectoryFailure(
        status: .badRequest, code: .badRequest,
        message: "A tenant has at most \(UserGroup.maximumCount) groups.")
    static let groupInUse = DirectoryFailure(
        status: .badRequest, code: .badRequest,
        message: "A rule of levels in the tenant's document names this group; change the rule first.")
    static let inTooManyGroups = DirectoryFailure(
        status: .badRequest, code: .badRequest, message: "A user is in at most \(UserGroup.maximumPerUser) groups.")
}
