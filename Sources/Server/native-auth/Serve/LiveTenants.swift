import IdentityEngine
import IdentityStoreSQL
import Logging
import NativeAuthCore
import ServiceLifecycle
import Synchronization

/// The current tenants: those of the database's document if there is one, otherwise those of `--config`.
final class LiveTenants: ClientStore {
    private let state: Mutex<(directory: TenantDirectory, version: Int)>
    /// Warnings for the operator about the tenants at the start, one sentence each.
    let warnings: [String]
    private let profile: ServeSettings.Profile

    /// - Throws: ``ServeSettings/Invalid`` when the document in the database is invalid.
    init(_ settings: ServeSettings, _ document: TenantDocument?) throws(ServeSettings.Invalid) {
        let file = try document.map { document throws(ServeSettings.Invalid) in try document.file() }
        profile = settings.profile
        let directory = file?.directory ?? settings.directory
        state = Mutex(
            (settings.profile == .development ? directory.withDevelopmentParts : directory, document?.version ?? 0))
        warnings = file?.warnings ?? settings.tenantWarnings
    }

    /// The tenants at this moment.
    var directory: TenantDirectory { state.withLock { $0.directory } }
    /// The version of the document; 0 when there is none.
    var version: Int { state.withLock { $0.version } }

    func tenant(named name: String) async throws(StoreError) -> Tenant? {
        try await directory.tenant(named: name)
    }

    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        try await directory.client(id, in: tenant)
    }

    func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
        try await directory.entry(of: tenant)
    }

    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        try await directory.daemon(id, in: tenant)
    }

    func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
        try await directory.hasPages(ofOrigin: origin)
    }

    func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
        try await directory.tenant(ofPasskeysAt: host)
    }

    /// Adopts a document that is newer than the one in force; an invalid one changes nothing, and is not read again.
    ///
    /// - Throws: ``ServeSettings/Invalid``.
    func take(_ document: TenantDocument) throws(ServeSettings.Invalid) {
        let isNewer = state.withLock { state in
            guard document.version > state.version else { return false }
            state.version = document.version
            return true
        }
        guard isNewer else { return }
        let read = try document.file().directory
        let directory = profile == .development ? read.withDevelopmentParts : read
        // While it was read, a still newer one may have come into force.
        state.withLock { if $0.version == document.version { $0.directory = directory } }
    }
}

extension TenantDirectory {
    /// With the secret of the development tenant's daemon and the provider that the server plays, which no document can have: in
    /// the development profile both stay when the first change writes a document.
    fileprivate var withDevelopmentParts: TenantDirectory {
        guard let development = TenantDirectory.development.entries.first else { return self }
        return TenantDirectory(
            entries.map { entry in
                var entry = entry
                guard entry.tenant.id == development.tenant.id else { return entry }
                if !entry.tenant.providers.contains(where: { $0.id == IdentityProvider.sample.id }) {
                    entry.tenant.providers.append(.sample)
                }
                for daemon in development.daemons {
                    for index in entry.daemons.indices
                    where entry.daemons[index].id == daemon.id
                        && !entry.daemons[index].secrets.contains(where: { daemon.secrets.map(\.id).contains($0.id) })
                    {
                        entry.daemons[index].secrets = daemon.secrets + entry.daemons[index].secrets
                    }
                }
                return entry
            })
    }
}

extension TenantDocument {
    func file() throws(ServeSettings.Invalid) -> TenantFile {
        try TenantFile(text, named: "tenant document \(version)")
    }
}

/// Looks for a newer document every two seconds, so that all servers of a database have it within five.
struct TenantWatch: Service {
    let tenants: LiveTenants
    let store: any SQLStore
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(seconds: 2).cancelOnGracefulShutdown() {
            do {
                guard let document = try await store.tenantDocument(newerThan: tenants.version) else { continue }
                let version: Logger.MetadataValue = .stringConvertible(document.version)
                do {
                    try tenants.take(document)
                    logger.notice("tenant document taken over", metadata: ["version": version])
                } catch {
                    logger.error(
                        "tenant document not understood; the one before stays in force",
                        metadata: ["version": version, "problems": "\(error.problems.joined(separator: " "))"])
                }
            } catch {
                logger.error("the tenant document could not be looked for", metadata: ["cause": "\(error.logText)"])
            }
        }
    }
}
