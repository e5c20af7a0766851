import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The directory API: what a signed-in user does with the own account (docs/protocol.md §18).
extension IdentityRoutes {
    /// `GET /me`: the profile; `PATCH /me`: changes of it.
    func me(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        guard let token = Self.bearer(of: request) else { throw DirectoryFailure(.invalidToken) }
        let isChange = request.method == .patch
        let scopes: Set<String> = isChange ? ["User.ReadWrite"] : ["User.Read", "User.ReadWrite"]
        let caller = try Self.accepted(
            try await engine.directoryCaller(token, anyOf: scopes, now: context.trace.at))
        if isChange { return try await changeMe(caller, request, context) }
        let profile = engine.profile(of: caller)
        let user = try DirectoryCodec.user(
            profile, select: Self.query("select", of: request), baseURL: engine.settings.baseURL)
        return DirectoryCodec.response(
            .ok, body: try WireJSON.encode(user), version: profile.version, trace: context.trace)
    }

    private func changeMe(
        _ caller: DirectoryCaller, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        try context.admit(.profileChange, of: caller.limitKey)
        guard MediaType.isJSON(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        let changes = try DirectoryCodec.changes(try await RequestGuard.body(of: request))
        let profile = try Self.accepted(
            try await engine.updateProfile(
                of: caller, changes, ifVersion: Self.version(of: request), from: context.source?.forEngine,
                now: context.trace.at))
        return DirectoryCodec.response(.noContent, body: nil, version: profile.version, trace: context.trace)
    }

    private static func accepted<Value>(_ answer: DirectoryAnswer<Value>) throws(DirectoryFailure) -> Value {
        switch answer {
        case .accepted(let value): return value
        case .refused(let refusal): throw DirectoryFailure(refusal)
        }
    }

    /// The version in `If-Match`; nil for no header and for `*` (RFC 9110 section 13.1.1). A list has no version, so it
    /// never matches.
    private static func version(of request: Request) -> String? {
        guard let tag = request.headers[.ifMatch], tag != "*" else { return nil }
        let bare = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return bare.count >= 2 && bare.first == "\"" && bare.last == "\"" ? String(bare.dropFirst().dropLast()) : ""
    }

    /// A query option, with or without `$`.
    private static func query(_ name: String, of request: Request) -> String? {
        let parameters = request.uri.queryParameters
        return (parameters["$\(name)"] ?? parameters["\(name)"]).map { String($0) }
    }
}
