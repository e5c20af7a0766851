package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

extension SQLStore {
    package func rememberedDevices(
        of user: UserID, in tenant: TenantID
    ) async throws(StoreError) -> [RememberedDevice] {
        try await read { session in
            try session.rows(
                of: "remembered_devices", #"SELECT * FROM remembered_devices WHERE tenant = ? AND "user" = ?"#,
                [tenant, user]
            ).get().compactMap { try $0.rememberedDevice() }
        }
    }
}

extension SQLSession {
    func isRemembered(_ device: UUID, of user: UserID, in tenant: TenantID) throws -> Pending<Bool> {
        try rows(
            of: "remembered_devices",
            #"SELECT id FROM remembered_devices WHERE tenant = ? AND "user" = ? AND id = ?"#, [tenant, user, device]
        ).map { !$0.isEmpty }
    }

    func remember(_ device: RememberedDevice, replacing marks: [Data], in tenant: TenantID) throws {
        for mark in Set(marks + [device.mark]) {
            try run(
                #"DELETE FROM remembered_devices WHERE tenant = ? AND "user" = ? AND client = ? AND mark = ?"#,
                [tenant, device.user, device.client, mark], expecting: nil)
            try run(
                #"UPDATE remembered_devices SET mark = ? WHERE tenant = ? AND "user" = ? AND mark = ?"#,
                [device.mark, tenant, device.user, mark], expecting: nil)
        }
        try run(
            """
            DELETE FROM remembered_devices WHERE tenant = ? AND "user" = ? AND id IN (
                SELECT id FROM remembered_devices WHERE tenant = ? AND "user" = ?
                ORDER BY created_at DESC, id DESC LIMIT \(RememberedDevice.most) OFFSET \(RememberedDevice.most - 1))
            """, [tenant, device.user, tenant, device.user], expecting: nil)
        try run(
            """
            INSERT INTO remembered_devices
                (tenant, "user", id, client, mark, level, created_at, until, used_at, model, system, network,
                credential_version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, device.user, device.id, device.client, device.mark, device.level.rawValue, device.createdAt,
                device.until, device.usedAt, device.device.model, device.device.system, device.network,
                device.credentialVersion,
            ])
    }

    func noteUse(ofDevice id: UUID, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            #"UPDATE remembered_devices SET used_at = ? WHERE tenant = ? AND "user" = ? AND id = ?"#,
            [date, tenant, user, id], expecting: nil)
    }

    /// - Parameter id: Nil for all devices of the user.
    func forgetDevices(of user: UserID, _ id: UUID? = nil, in tenant: TenantID) throws {
        try run(
            #"DELETE FROM remembered_devices WHERE tenant = ? AND "user" = ?"# + (id == nil ? "" : " AND id = ?"),
            [tenant, user] + (id.map { [$0] } ?? []), expecting: nil)
    }
}

extension StoredRow {
    /// Nil for a level that this version does not know.
    fileprivate func rememberedDevice() throws -> RememberedDevice? {
        guard let level = Assurance.Level(rawValue: try value("level")) else { return nil }
        return RememberedDevice(
            id: try value("id"), user: try value("user"), client: try value("client"), mark: try value("mark"),
            level: level, credentialVersion: try value("credential_version"), createdAt: try value("created_at"),
            until: try value("until"), usedAt: try value("used_at"),
            device: SessionDevice(model: try value("model"), system: try value("system")),
            network: try value("network"))
    }
}
