import Testing

@testable import IdentityHTTP

/// The spellings of a path.
@Suite("Paths of the directory") struct DirectoryPathTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var path: String
        var template: String
        var keys: [String]
        var testDescription: String { path }

        init(_ path: String, _ template: String, _ keys: String...) {
            (self.path, self.template, self.keys) = (path, template, keys)
        }
    }

    private static let id = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
    static let rows: [Row] = [
        .init("users", "users"), .init("USERS", "users"), .init("me", "me"),
        .init("Me/ChangePassword", "me/changepassword"),
        .init("users/\(id)", "users/{id}", id), .init("Users/ABC", "users/{id}", "ABC"),
        .init("users('\(id)')", "users/{id}", id), .init("users(\(id))", "users/{id}", id),
        .init("users%28%27\(id)%27%29", "users/{id}", id),
        .init("users/\(id)@contoso.onmicrosoft.com", "users/{id}", "\(id)@contoso.onmicrosoft.com"),
        .init("users/\(id)%40contoso.onmicrosoft.com", "users/{id}", "\(id)@contoso.onmicrosoft.com"),
        .init("users('o''neil@x')", "users/{id}", "o'neil@x"), .init("users/o'neil@x", "users/{id}", "o'neil@x"),
        .init("users('\(id)')/revokeSignInSessions", "users/{id}/revokesigninsessions", id),
        .init("users/\(id)/microsoft.graph.revokeSignInSessions()", "users/{id}/revokesigninsessions", id),
        .init("users/\(id)/authentication/methods/1", "users/{id}/authentication/methods/{id}", id, "1"),
        .init("users/\(id)/authentication/methods('1')", "users/{id}/authentication/methods/{id}", id, "1"),
        .init("users/$count", "users/$count"), .init("users/delta", "users/delta"),
        .init("users/delta()", "users/delta"),
        .init("users/microsoft.graph.delta", "users/delta"), .init("users/microsoft.graph.delta()", "users/delta"),
        .init("users/validatePassword", "users/validatepassword"),
        .init("directory/deletedItems/microsoft.graph.user", "directory/deleteditems/graph.user"),
        .init("directory/deletedItems/Graph.User", "directory/deleteditems/graph.user"),
        .init("directory/deletedItems/graph.user/\(id)", "directory/deleteditems/graph.user/{id}", id),
        .init("directory/deletedItems/\(id)", "directory/deleteditems/{id}", id),
        .init("directory/deletedItems/\(id)/microsoft.graph.user", "directory/deleteditems/{id}/graph.user", id),
        .init("directory/deletedItems/\(id)/restore", "directory/deleteditems/{id}/restore", id),
        .init("applications(appId='\(id)')", "applications/appid={id}", id),
        .init(
            "servicePrincipals(AppId='\(id)')/appRoleAssignments", "serviceprincipals/appid={id}/approleassignments", id
        ),
        .init("directoryObjects/getByIds", "directoryobjects/getbyids"),
        .init("users/me-token-to-replace", "me"),
        .init("users/me-token-to-replace/authentication/methods", "me/authentication/methods"),
        .init("users/delta@x", "users/{id}", "delta@x"), .init("$batch", "$batch"),
        .init("users/\(id)/nativeAuth.keepAccount", "users/{id}/nativeauth.keepaccount", id),
    ]

    @Test("Each spelling of a path has one normal form", arguments: rows)
    func aPathHasANormalForm(_ row: Row) throws {
        let path = try #require(DirectoryPath(row.path))
        #expect(path.template == row.template)
        #expect(path.keys == row.keys)
    }

    @Test(
        "A path with a trick in it is no path",
        arguments: [
            "", "/", "/users", "users/", "users//1", "//users", "users/.", "users/..", "users/../me", "./users",
            "users/%2e%2e/me", "users/%2E", "users/.%2e", "users/...", "users%2f1", "users/1%2F2", "users/1%5c2",
            "users/1\\2", "users/%252f", "users/%25", "users/%", "users/%4", "users/%zz", "users/%00", "users/%0a",
            "users/\u{7F}", "users/%ff", "users/%c0%ae", "users;x=1", "users/1;x=1", "users/1%3bx", "users/1?x",
            "users/1#x",
            "users(", "users)", "users('", "users(')", "users('')", "users('a'b')", "users('a'", "users('a')b",
            "users('a'')",
            "users(a b)", "users(a,b)", "applications(appId=)", "applications(appId='')", "applications(appId=x)",
            "applications(appId='x',name='y')", "applications(='x')", "applications(a b='x')", "users 1", "üsers",
            "users/delta('x", "microsoft.graph.graph.user", "microsoft.graph.", "users((1))", "ме",
            String(repeating: "a", count: 257),
            String(repeating: "a/", count: 20) + "a",
            "users/" + String(repeating: "%61", count: 1_000),
        ])
    func tricksAreNoPath(_ path: String) {
        #expect(DirectoryPath(path) == nil)
    }

    @Test("A normal form is its own normal form, and 20 000 random paths never trap")
    func randomPathsEnd() throws {
        let words = [
            "users", "/", "//", "(", ")", "'", "''", "%", "%2f", "%27", "%40", ".", "..", "=", ",", "appId", "me",
            "delta",
            "graph.user", "microsoft.graph.", "$count", "a", "é", "\0", "methods", "users('a')", "deletedItems",
        ]
        var random = Seeded(state: 5)
        var found = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...10, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            guard let path = DirectoryPath(text) else { continue }
            found += 1
            #expect(
                !path.segments.isEmpty && path.keys.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0x2F) }, "\(text)")
            guard path.keys.isEmpty else { continue }
            #expect(DirectoryPath(path.template) == path, "\(text)")
        }
        #expect(found > 100)
    }
}
