package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func add(_ device: WaitingDevice, most: Int) async throws(StoreError) -> DeviceAddition {
        try await write([]) { session in
            let waiting = try session.rows(
                of: "devices", "SELECT COUNT(*) AS number FROM devices WHERE tenant = ? AND until > ?",
                [device.tenant, device.createdAt])
            guard try waiting.get().first?.value("number", as: Int.self) ?? 0 < most else { return .full }
            let added = try session.change(
                """
                INSERT INTO devices (tenant, digest, user_code, client, session, state, created_at, until)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, user_code) DO NOTHING
                """,
                [
                    device.tenant, device.digest, device.userCode, device.client, device.session, try device.state(),
                    device.createdAt, device.until,
                ])
            return added == 1 ? .added : .userCodeTaken
        }
    }

    package func device(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice? {
        try await read { try $0.device("digest", digest, in: tenant) }
    }

    package func device(ofUserCode digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice? {
        try await read { try $0.device("user_code", digest, in: tenant) }
    }

    package func updateDevice<Answer: Sendable>(
        _ digest: Data, in tenant: TenantID,
        decide: @escaping @Sendable (DeviceFacts) -> (device: WaitingDevice?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write([.code(digest, in: tenant)]) { session in
            let device = try session.device("digest", digest, in: tenant)
            // Locked: a sign-out waits for the redemption, and finds its family, or comes first.
            let signIn = try device?.session.flatMap {
                try session.browserSignIn("id", $0, in: tenant, locking: session.dialect.lockingRows).get()
            }
            let (changed, effects, answer) = decide(DeviceFacts(device: device, signIn: signIn))
            if let changed {
                try session.run(
                    "UPDATE devices SET session = ?, state = ? WHERE tenant = ? AND digest = ?",
                    [changed.session, try changed.state(), tenant, digest])
            }
            for effect in effects { try session.apply(effect, in: tenant) }
            return answer
        }
    }
}

extension SQLSession {
    /// - Parameter column: `digest` or `user_code`.
    fileprivate func device(_ column: String, _ digest: Data, in tenant: TenantID) throws -> WaitingDevice? {
        let rows = try rows(
            of: "devices", "SELECT * FROM devices WHERE tenant = ? AND \(column) = ?", [tenant, digest])
        guard let row = try rows.get().first else { return nil }
        return WaitingDevice(
            tenant: tenant, digest: try row.value("digest"), userCode: try row.value("user_code"),
            client: try row.value("client"), createdAt: try row.value("created_at"), until: try row.value("until"),
            state: try row.value("state"))
    }
}
