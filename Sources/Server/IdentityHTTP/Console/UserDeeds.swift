import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What an operator can do to a user, each after a second look.
enum Deed: String, Hashable, Sendable, CaseIterable {
    case reset, endSessions, disable, enable, restore, delete, purge

    var look: ConsoleRoute {
        switch self {
        case .reset: .resetLook
        case .endSessions: .endSessionsLook
        case .disable: .disableLook
        case .enable: .enableLook
        case .restore: .restoreLook
        case .delete: .deleteLook
        case .purge: .purgeLook
        }
    }

    var route: ConsoleRoute {
        switch self {
        case .reset: .reset
        case .endSessions: .endSessions
        case .disable: .disable
        case .enable: .enable
        case .restore: .restore
        case .delete: .delete
        case .purge: .purge
        }
    }

    /// The text of the button.
    var title: String {
        switch self {
        case .reset: "Reset the password"
        case .endSessions: "End all sessions"
        case .disable: "Disable"
        case .enable: "Enable"
        case .restore: "Restore"
        case .delete: "Delete"
        case .purge: "Delete permanently"
        }
    }

    /// Whether it takes away something that is not given back by a click.
    var isGrave: Bool { self == .delete || self == .purge }

    /// Whether the operator types the address first.
    var needsTyping: Bool { isGrave }

    /// What happens, a sentence each.
    var effects: [String] {
        switch self {
        case .reset:
            [
                "The password stops working, and all sessions end.",
                "The user gets a mail, and sets a new password by a reset.",
                "You do not see and do not choose a password.",
            ]
        case .endSessions:
            ["The user is signed out everywhere at once.", "The user can sign in again."]
        case .disable:
            ["The user cannot sign in, and all sessions end.", "Nothing is deleted. You can enable the user again."]
        case .enable: ["The user can sign in again."]
        case .restore: ["The user comes back as before. A disabled user stays disabled."]
        case .delete:
            [
                "The user cannot sign in, all sessions end, and a mail says so.",
                "For 30 days the user can be restored. After that, all data about the user are deleted.",
            ]
        case .purge: ["The server deletes all data of the user now. The audit trail stays.", "You cannot undo this."]
        }
    }

    /// Whether it is of use for this user.
    func fits(_ account: UserAccount) -> Bool {
        guard account.deletedAt == nil else { return self == .restore || self == .purge }
        switch self {
        case .reset: return account.passwordHash != nil
        case .endSessions, .delete: return true
        case .disable: return account.disabledAt == nil
        case .enable: return account.disabledAt != nil
        case .restore, .purge: return false
        }
    }
}

extension Console {
    func look(_ deed: Deed, _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil) async throws
        -> HTML
    {
        let tenant = try tenant(context).tenant
        let account = try await found(context, in: tenant)
        guard deed.fits(account) else { throw ConsoleFault.changedMeanwhile }
        let user = account.user
        let waits = deed == .reset ? try await waitingSentence() : []
        return confirmation(
            title: "\(deed.title): \(user.email)", effects: deed.effects + waits, button: deed.title,
            isGrave: deed.isGrave,
            typed: deed.needsTyping ? user.email : nil, action: Self.path(deed.route, tenant, user: user.id),
            back: (user.email, Self.path(.user, tenant, user: user.id)), .users, tenant, visitor, problem: problem)
    }

    /// A page that says what will happen, and asks.
    func confirmation(
        title: String, effects: [String], button: String, isGrave: Bool, typed: String?, action: String,
        back: (title: String, path: String), _ place: Place, _ tenant: Tenant?, _ visitor: Visitor,
        problem: String? = nil, version: Int? = nil
    ) -> HTML {
        let sentences: [HTML] = effects.map { "<li>\($0)</li>" }
        let typing: HTML? = typed.map { typed in
            """
            <div class="field"><label for="typed">Type <code>\(typed)</code> to confirm</label>\
            <input id="typed" name="typed" autocomplete="off" spellcheck="false" required></div>
            """
        }
        return shell(
            title, place, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(back, button))
            \(Self.head("\(button)?"))
            \(Self.note(problem, isGood: false))
            <section class="panel \(isGrave ? "danger" : "look")" aria-labelledby="look">
            <h2 id="look">\(title)</h2>
            <p>What happens:</p>
            <ul class="effects">\(sentences)</ul>
            <form method="post" action="\(action)">
            \(hidden(visitor))
            \(version.map { version -> HTML in "<input type=\"hidden\" name=\"version\" value=\"\(version)\">" })
            \(typing)
            <div class="buttons"><button class="button \(isGrave ? "danger" : "primary")">\(button)</button>\
            <a class="button quiet" href="\(back.path)">Cancel</a></div>
            </form>
            </section>
            """)
    }

    func carryOut(
        _ deed: Deed, _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let form = try await form(of: request, by: visitor)
        let account = try await found(context, in: tenant)
        let (id, now, actor) = (account.user.id, context.trace.at, actor(visitor, context))
        if deed.needsTyping, try Self.value("typed", of: form).trimmed != account.user.email {
            return Self.page(
                try await look(deed, context, visitor, problem: "The address does not match."),
                .badRequest)
        }
        guard deed.fits(account) else { throw ConsoleFault.changedMeanwhile }
        let answer: DirectoryAnswer<Void>
        switch deed {
        case .reset:
            try admitNotice(to: id, in: tenant, context)
            let asked = try await context.admitted(isHashing: true) {
                try await engine.perform(
                    .requireReset, on: id, by: entry.operatorFlows, in: tenant, as: actor, now: now)
            }
            return Self.answer(asked, done: deed.rawValue, about: id, in: tenant)
        case .endSessions: answer = try await engine.endSessions(of: id, in: tenant, as: actor, now: now)
        case .disable, .enable:
            answer = try await engine.updateUser(
                id, UserEdit(isEnabled: deed == .enable), by: entry.operatorFlows, in: tenant, as: actor,
                now: now
            ).map { _ in }
        case .restore: answer = try await engine.restoreUser(id, in: tenant, as: actor, now: now).map { _ in }
        case .delete:
            try admitNotice(to: id, in: tenant, context)
            answer = try await engine.deleteRestorably(id, in: tenant, as: actor, now: now)
        case .purge: answer = try await engine.purgeUser(id, in: tenant, as: actor, now: now)
        }
        switch answer {
        case .accepted:
            return Self.redirect(
                to: deed == .purge
                    ? Self.path(.users, tenant) + "?done=purge"
                    : Self.path(.user, tenant, user: id) + "?done=\(deed.rawValue)")
        case .refused(let refusal): return Self.error(.conflict, "Nothing was changed", Self.sentence(refusal))
        }
    }

    private func method(_ context: IdentityRequestContext, of account: UserAccount) throws -> StrongMethod {
        let id = UUID(uuidString: try context.parameters.require("method"))
        guard let found = account.strongMethods.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        return found
    }

    func removeMethodLook(_ context: IdentityRequestContext, _ visitor: Visitor) async throws -> HTML {
        let tenant = try tenant(context).tenant
        let account = try await found(context, in: tenant)
        let method = try method(context, of: account)
        let user = account.user
        let waits = try await waitingSentence()
        return confirmation(
            title: "Remove the code to \(method.label) from \(user.email)",
            effects: [
                "The user has one second factor less, and all sessions end.", "Each mailbox of the user gets a notice.",
            ] + waits, button: "Remove", isGrave: true, typed: nil,
            action: Self.path(.removeMethod, tenant, user: user.id, other: method.id.text),
            back: (user.email, Self.path(.user, tenant, user: user.id)), .users, tenant, visitor)
    }

    func removeMethod(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        _ = try await form(of: request, by: visitor)
        let account = try await found(context, in: tenant)
        let method = try method(context, of: account)
        let id = account.user.id
        try admitNotice(to: id, in: tenant, context)
        let asked = try await engine.perform(
            .removeMethod(method.id), on: id, by: entry.operatorFlows, in: tenant, as: actor(visitor, context),
            now: context.trace.at)
        return Self.answer(asked, done: "method", about: id, in: tenant)
    }

    /// The sentence that an action leaves on the page after it. The address bar has a word of a fixed list.
    static func done(_ query: FormFields) throws -> String? {
        switch try value("done", of: query) {
        case "created": "The user was created."
        case "saved": "The changes are saved."
        case "reset": "The user gets a mail, and must set a new password."
        case "endSessions": "All sessions have ended."
        case "disable": "The user is disabled."
        case "enable": "The user can sign in again."
        case "restore": "The user was restored."
        case "delete": "The user is deleted, and can be restored for 30 days."
        case "purge": "The user was deleted permanently."
        case "method": "The method was removed."
        case "waiting": "Nothing is changed yet: another operator must confirm it within 24 hours."
        case "requestConfirmed": "You confirmed it. Another operator must confirm it, too."
        case "requestDone": "You confirmed it, and it is done."
        case "requestWithdrawn": "The request was withdrawn."
        case "role": "The role is changed."
        case "withdrawn": "The invitation was withdrawn."
        case "removed": "The operator was removed."
        case "application": "The application was created."
        case "applicationDeleted": "The application was deleted."
        case "group": "The group was created."
        case "groupDeleted": "The group was deleted."
        case "member": "The user is in the group."
        case "memberRemoved": "The user is not in the group any more."
        case "newRole": "The role was created."
        case "roleDeleted": "The role was deleted."
        case "userFlow": "The user flow was created. Edit an application to give it the flow."
        case "userFlowDeleted": "The user flow was deleted."
        case "attribute": "The attribute was created. Edit a user flow to ask for it."
        case "attributeDeleted": "The attribute was deleted."
        case "secret": "The secret was removed."
        case "rotated": "The new key is published. The server uses it after one day."
        case _: nil
        }
    }

    /// The query of a page as fields.
    static func queryFields(of request: Request) throws -> FormFields {
        do {
            return try FormFields(decoding: (request.uri.query ?? "").utf8)
        } catch {
            throw RequestFault.malformed(error)
        }
    }
}
