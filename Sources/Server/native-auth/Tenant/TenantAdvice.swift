import IdentityEngine

extension ReadTenant {
    /// Adds warnings for the operator about valid settings: policies that cancel each other, and settings that suit
    /// only a development server.
    func advise(_ advice: YAMLFaults) {
        if tenant.enrolment == .compatible {
            advice.add(
                """
                enrolment is compatible: who has a user's password and nothing else can enrol a second factor of their own. Use \
                proven in production.
                """, line: members.line(of: "enrolment"))
        }
        for application in applications {
            for scope in application.scopes where scope.text == ConfiguredScope.any {
                advice.add(
                    "the scope * lets \(name(application)) have any scope of any API; name its scopes in production.",
                    line: scope.line)
            }
        }
        adviseEnumeration(advice)
        adviseSecondFactor(advice)
    }

    /// Applications of a tenant share their accounts: one application can reveal what another hides.
    private func adviseEnumeration(_ advice: YAMLFaults) {
        let modes = applications.map { $0.client.enumeration ?? tenant.enumeration }
        guard let hiding = zip(applications, modes).first(where: { $1 == .strict })?.0 else { return }
        for (application, mode) in zip(applications, modes) where mode != .strict {
            let telling = mode.map { "says \($0.rawValue)" } ?? "says nothing"
            let own = application.client.enumeration == nil ? hiding : application
            advice.add(
                """
                enumeration contradicts itself: \(name(hiding)) is strict and hides who has an account, and \(name(application)) \
                \(telling), so that a stranger learns it there.
                """, line: own.members.line(of: "enumeration"))
        }
    }

    /// A scope that needs a second factor in one application can be available without one in another.
    private func adviseSecondFactor(_ advice: YAMLFaults) {
        let open = applications.filter { !$0.client.userFlow.requiresSecondFactor }
        for guarded in applications where guarded.client.userFlow.requiresSecondFactor {
            for other in open {
                let common = other.scopes.first { scope in
                    guarded.scopes.contains { ConfiguredScope.meet($0.text, scope.text) && !isOpenID($0.text) }
                        && !isOpenID(scope.text)
                }
                guard let common else { continue }
                advice.add(
                    """
                    requiresSecondFactor contradicts itself: \(name(guarded)) requires a second factor, and \(name(other)) may have \
                    \(common.text) without one; the API then cannot rely on it, unless it asks for an authentication context.
                    """, line: common.line)
            }
        }
    }

    private func isOpenID(_ scope: String) -> Bool {
        ["openid", "profile", "email", "offline_access"].contains(scope)
    }

    private func name(_ application: Application) -> String { "“\(application.client.displayName)”" }
}
