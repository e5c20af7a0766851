import Hummingbird
package import IdentityEngine
package import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

extension Console {
    /// What the console shows and does about the keys that sign a tenant's tokens.
    package struct Keys: Sendable {
        package struct Line: Hashable, Sendable {
            package enum State: Hashable, Sendable {
                case next, signing, retired
            }

            var id: String
            var algorithm: String
            var state: State
            /// When the key begins to sign, or began to, or when it is no longer published.
            var date: Date

            package init(id: String, algorithm: String, state: State, date: Date) {
                self.id = id
                self.algorithm = algorithm
                self.state = state
                self.date = date
            }
        }

        let list: @Sendable (TenantID) async throws -> [Line]
        /// Publishes a new key, which signs in a day; the operator is for the audit trail.
        let announce: @Sendable (TenantID, Operator) async throws -> Void

        package init(
            list: @escaping @Sendable (TenantID) async throws -> [Line],
            announce: @escaping @Sendable (TenantID, Operator) async throws -> Void
        ) {
            self.list = list
            self.announce = announce
        }
    }

    /// What this node runs, and the keys of all tenants.
    func server(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> HTML {
        let facts = await facts()
        var groups: [String] = []
        for fact in facts where !groups.contains(fact.group) { groups.append(fact.group) }
        let panels: [HTML] = groups.map { group in
            let pairs = facts.filter { $0.group == group }.map { fact -> (String, HTML?) in
                switch fact.state {
                case .good: (fact.name, "\(Self.badge("Good", "good")) \(fact.value)")
                case .bad: (fact.name, "\(Self.badge("Bad", "bad")) \(fact.value)")
                case .neutral: (fact.name, fact.date.map(Self.time) ?? "\(fact.value)")
                }
            }
            return "<section class=\"panel\"><h2>\(group)</h2>\(Self.facts(pairs))</section>\n"
        }
        var keyPanels: [HTML] = []
        for entry in tenants().entries {
            let tenant = entry.tenant
            let rows = try await keys.list(tenant.id).map { key -> Row in
                let (state, meaning): (HTML, String) =
                    switch key.state {
                    case .next: (Self.badge("Next", "plain"), "signs from")
                    case .signing: (Self.badge("Signs", "good"), "since")
                    case .retired: (Self.badge("Retired", "warn"), "published until")
                    }
                return Row(
                    id: "k-\(key.id)", head: "<code>\(key.id)</code>",
                    cells: ["\(key.algorithm)", state, "\(meaning) \(Self.time(key.date))"])
            }
            let rotate: HTML? =
                visitor.may(.rotateKeyLook)
                ? "<p class=\"actions\"><a class=\"button small\" href=\"\(Self.path(.rotateKeyLook, tenant))\">New key<span class=\"sr-only\"> of \(tenant.displayName)</span></a></p>"
                : nil
            let table: HTML =
                rows.isEmpty
                ? "<p class=\"muted\">The first sign-in makes a key.</p>"
                : Self.table(
                    "Keys of \(tenant.displayName)", "Key id",
                    [Column(title: "Algorithm"), Column(title: "State"), Column(title: "When", kind: "time")], rows)
            keyPanels.append(
                "<section class=\"panel\"><div class=\"panel-head\"><h2>Signing keys of \(tenant.displayName)</h2>\(rotate)</div>\(table)</section>\n"
            )
        }
        return shell(
            "Server", .server, of: nil, for: visitor,
            """
            \(Self.head("Server", lead: "What the node that answered this request runs."))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <div class="grid">\(panels)</div>
            \(keyPanels)
            """)
    }

    func rotateKeyLook(_ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let tenant = try tenant(context).tenant
        return confirmation(
            title: "A new signing key for \(tenant.displayName)",
            effects: [
                "The server publishes the key now and uses it after one day. By then, resource servers have it.",
                "Tokens of the present key stay good. The server also does this every 90 days.",
                "If an attacker may have a key, revoke it: native-auth key revoke.",
            ], button: "Publish a new key", isGrave: false, typed: nil, action: Self.path(.rotateKey, tenant),
            back: ("Server", ConsoleRoute.server.path), .server, nil, visitor)
    }

    func rotateKey(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        _ = try await form(of: request, by: visitor)
        try await keys.announce(tenant.id, actor(visitor, context))
        return Self.redirect(to: "\(ConsoleRoute.server.path)?done=rotated")
    }
}
