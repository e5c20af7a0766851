import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore

/// Puts a document in force: shows the changes and asks for confirmation, so that no tenant with users is removed by
/// mistake.
struct TenantChange: ParsableArguments {
    @OptionGroup var place: DatabaseLocation
    @Flag(help: "Do not ask; needed where standard input is no terminal.") var yes = false
    @Option(
        name: .customLong("remove"),
        help: "A tenant with users that the document drops: its id, domain or subdomain; may be repeated.")
    var removals: [String] = []
    @Option(
        name: .customLong("void-passkeys"),
        help: """
            A tenant with users whose passkeys get another domain, or none, and stop working: its id, domain or subdomain; may be \
            repeated.
            """)
    var voids: [String] = []

    /// Puts `text` in force.
    ///
    /// - Parameters:
    ///   - text: The document.
    ///   - file: The parsed document.
    func put(_ text: String, _ file: TenantFile, in opened: OpenedDatabase) async throws {
        for warning in file.warnings { Terminal.complain("warning: \(warning)") }
        if opened.document?.text == text {
            return say("version \(opened.document?.version ?? 0): \(file.directory.summary); nothing changes")
        }
        if opened.document == nil {
            say("No document is in force yet. What servers have with it:")
        } else if opened.directory == nil {
            say("The document in force does not read; all of it is replaced.")
        }
        let users = try await opened.store.userCounts()
        let difference = TenantDifference(
            from: opened.compared(with: file.directory, users: users), to: file.directory, users: users)
        if difference.lines.isEmpty { say("The tenants stay as they are; the text changes.") }
        for line in difference.lines { say(line) }
        try checkRemovals(opened.dropped(by: file.directory, users: users), users)
        try checkPasskeys(from: opened.directory?.entries.map(\.tenant) ?? [], to: file.directory, users)
        if !difference.lines.isEmpty { try await confirm() }
        let applied = try await opened.store.apply(
            text, naming: file.directory.entries.map(\.tenant.id), over: opened.document?.version ?? 0, at: opened.now)
        guard let applied else {
            throw StartFailure.unavailable(
                "Another document came into force meanwhile, so nothing was changed; try again.")
        }
        say("version \(applied.version): \(file.directory.summary)")
    }

    private func checkRemovals(_ dropped: [KnownTenant], _ users: [TenantID: Int]) throws(StartFailure) {
        var problems = removals.filter { name in !dropped.contains { $0.answers(to: name) } }.map {
            "--remove \(Terminal.harmless($0)) names no tenant that the document drops."
        }
        for tenant in dropped where !removals.contains(where: { tenant.answers(to: $0) }) {
            guard let count = users[tenant.id] else { continue }
            problems.append(
                """
                The document drops the tenant \(tenant.name), which has \(counted(count, "user")); its users could not sign in. \
                Pass --remove \(tenant.name) to drop it.
                """)
        }
        if !problems.isEmpty { throw .usage(problems) }
    }

    /// A change of the domain makes every passkey of the tenant unusable (`SEC-PK-4`).
    private func checkPasskeys(
        from old: [Tenant], to new: TenantDirectory, _ users: [TenantID: Int]
    ) throws(StartFailure) {
        let changes = old.compactMap { before -> (tenant: KnownTenant, from: String, to: String?)? in
            guard let domain = before.passkeys?.relyingPartyID,
                let after = new.entries.first(where: { $0.tenant.id == before.id })?.tenant,
                after.passkeys?.relyingPartyID != domain
            else { return nil }
            return (KnownTenant(before), domain, after.passkeys?.relyingPartyID)
        }
        var problems = voids.filter { name in !changes.contains { $0.tenant.answers(to: name) } }.map {
            "--void-passkeys \(Terminal.harmless($0)) names no tenant whose passkeys get another domain."
        }
        for (tenant, from, to) in changes where !voids.contains(where: { tenant.answers(to: $0) }) {
            guard let count = users[tenant.id], count > 0 else { continue }
            problems.append(
                """
                The passkeys of the tenant \(tenant.name), which has \(counted(count, "user")), belong to \(from); the document \
                has \(to ?? "none"). They would stop working. To do it, pass --void-passkeys \(tenant.name).
                """)
        }
        if !problems.isEmpty { throw .usage(problems) }
    }

    private func confirm() async throws(StartFailure) {
        if yes { return }
        guard Terminal.isInteractive else {
            throw .usage(["Nothing was changed. Pass --yes to put this in force."])
        }
        let answer = await Terminal.line(prompt: "Put this in force? [y/N] ")
        guard ["y", "yes"].contains(answer?.lowercased() ?? "") else { throw .usage(["Nothing was changed."]) }
    }
}

/// A current tenant, which a new document does not have, or changes.
private struct KnownTenant {
    var id: TenantID
    /// The name in messages: the subdomain, or the id when only that is known.
    var name: String
    /// All names, in lower case.
    var names: Set<String>

    func answers(to name: String) -> Bool { names.contains(name.lowercased()) }
}

extension KnownTenant {
    fileprivate init(_ tenant: Tenant) {
        self.init(
            id: tenant.id, name: tenant.subdomain,
            names: Set([tenant.id.description, tenant.domain, tenant.subdomain].map { $0.lowercased() }))
    }
}

extension OpenedDatabase {
    /// What `new` is compared with. Without a document the development tenant is there for those who try the server: unless it has
    /// users, or is one of the new tenants, there is nothing to say of it.
    fileprivate func compared(with new: TenantDirectory, users: [TenantID: Int]) -> TenantDirectory {
        let old = directory?.entries ?? []
        guard document == nil else { return TenantDirectory(old) }
        let samples = TenantDirectory.development.entries.map(\.tenant.id)
        return TenantDirectory(
            old.filter { entry in
                !samples.contains(entry.tenant.id) || (users[entry.tenant.id] ?? 0) > 0
                    || new.entries.contains { $0.tenant.id == entry.tenant.id }
            })
    }

    /// The tenants that `new` drops. When the current document is invalid, any tenant with users may be in use.
    fileprivate func dropped(by new: TenantDirectory, users: [TenantID: Int]) -> [KnownTenant] {
        let kept = Set(new.entries.map(\.tenant.id))
        var known = (directory?.entries ?? []).map { KnownTenant($0.tenant) }
        if document == nil || directory == nil {
            for id in users.keys.sorted(by: { $0.description < $1.description })
            where !known.contains(where: { $0.id == id }) {
                known.append(KnownTenant(id: id, name: id.description, names: [id.description]))
            }
        }
        return known.filter { !kept.contains($0.id) }
    }
}
