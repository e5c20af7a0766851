import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

extension OperatorOperation {
    var httpMethod: HTTPRequest.Method { DirectoryOperation.httpMethod(method) }

    /// The path below `graph/` as ``DirectoryPath`` writes it, with the version in front.
    var template: String {
        let parts = path.dropFirst("graph/".count).split(separator: "/", maxSplits: 1)
        return "\(parts[0])/\(DirectoryPath(String(parts[1]))?.template ?? "")"
    }

    private static let byTemplate = Dictionary(grouping: allCases, by: \.template)

    /// The operations of a path.
    static func of(_ path: DirectoryPath, version: String) -> [OperatorOperation] {
        byTemplate["\(version)/\(path.template)"] ?? []
    }
}

// The directory API for operators (docs/protocol.md §18.6).
extension IdentityRoutes {
    /// A request below `/graph` that is for no operation of a signed-in user.
    func operatorDirectory(
        _ request: Request, _ context: IdentityRequestContext, _ store: any DirectoryStore, baseURL: String,
        isInBatch: Bool = false
    ) async throws -> Response {
        let (version, path) = try Self.directoryPath(request.uri.path)
        let operations = OperatorOperation.of(path, version: version)
        guard !operations.isEmpty else {
            throw Self.isMissing(path) ? DirectoryFailure.missing : RequestFault.unknownPath as any Error
        }
        guard let operation = operations.first(where: { $0.httpMethod == request.method }) else {
            throw RequestFault.wrongMethod(
                allowed: operations.map(\.method.rawValue).sorted().joined(separator: ", "))
        }
        guard let token = Self.bearer(of: request) else { throw DirectoryFailure(.invalidToken) }
        let caller: DaemonCaller
        switch try await engine.daemonCaller(token, now: context.trace.at) {
        case .accepted(let found): caller = found
        case .refused(let refusal): throw DirectoryFailure(refusal)
        }
        guard !operation.roles.isDisjoint(with: caller.roles) else { throw DirectoryFailure(.insufficientScope) }
        try context.admit(.daemonRequest, of: caller.limitKey)
        if operation.method != .get, operation != .batch { try context.admit(.daemonChange, of: caller.limitKey) }
        if operation.changesDocument { try context.admit(.documentChange, of: caller.limitKey) }
        if operation == .batch {
            // A batch in a batch would be without limits.
            guard !isInBatch else { throw DirectoryFailure(inBatch: "A request in a batch cannot be a batch.", "url") }
            return try await operatorBatch(request, context, store, baseURL: baseURL)
        }
        let desk = OperatorDesk(
            engine: engine, store: store, caller: caller,
            entry: try await engine.entry(of: caller.tenant),
            actor: Operator(daemon: caller.daemon.id, source: context.source?.forEngine), context: context,
            searches: searches, baseURL: baseURL, editor: editor)
        return try await desk.answer(operation, path.keys, request, context.trace)
    }

    /// Whether the vendor's directory could have the path. No object has a name such as `$` in the place of an id.
    private static func isMissing(_ path: DirectoryPath) -> Bool {
        guard case .name(let first)? = path.segments.first else { return false }
        return OperatorOperation.missing.contains(first) && !path.hasNameForKey
    }

    /// The version and the path below it.
    private static func directoryPath(_ path: String) throws -> (version: String, path: DirectoryPath) {
        for version in ["v1.0", "beta"] {
            let prefix = "/graph/\(version)/"
            guard path.hasPrefix(prefix), let found = DirectoryPath(String(path.dropFirst(prefix.count))) else {
                continue
            }
            return (version, found)
        }
        throw RequestFault.unknownPath
    }
}

extension DirectoryFailure {
    /// The change would break rules of the tenant file.
    static func againstTheRules(_ problems: [String]) -> DirectoryFailure {
        DirectoryFailure(
            status: .badRequest, code: .badRequest,
            message: problems.isEmpty
                ? "The rules of the tenant file do not allow this." : problems.joined(separator: " "))
    }

    /// The vendor has the resource, and this server does not.
    static let missing = DirectoryFailure(
        status: .notImplemented, code: .notSupported, message: "This server does not have this part of the directory.")
}
