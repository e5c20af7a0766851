package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func leaseNotifications(
        to subscriber: UUID, in tenant: TenantID, limit: Int, now: Date, until end: Date
    ) async throws(StoreError) -> NotificationLease? {
        let (last, known) = try await read { session in
            let head = try session.rows(
                of: "audit_heads", "SELECT position FROM audit_heads WHERE tenant = ?", [tenant])
            let known = try session.rows(
                of: "notifications",
                "SELECT position, due_at FROM notifications WHERE tenant = ? AND subscriber = ?",
                [tenant, subscriber])
            return (
                try head.get().first?.value("position") ?? 0,
                try known.get().first.map {
                    (position: try $0.value("position", as: Int.self), due: try $0.value("due_at", as: Date.self))
                }
            )
        }
        guard let known else {
            try await write([]) { session in
                try session.run(
                    """
                    INSERT INTO notifications (tenant, subscriber, position, attempts, due_at, lease)
                    VALUES (?, ?, ?, 0, ?, 0) ON CONFLICT (tenant, subscriber) DO NOTHING
                    """, [tenant, subscriber, last, now])
            }
            return nil
        }
        guard known.position < last, known.due <= now else { return nil }
        return try await write([]) { session in
            let leased = try session.change(
                """
                UPDATE notifications SET due_at = ?, lease = lease + 1
                WHERE tenant = ? AND subscriber = ? AND due_at <= ?
                """, [end, tenant, subscriber, now])
            let rows = try session.rows(
                of: "notifications",
                "SELECT position, attempts, lease FROM notifications WHERE tenant = ? AND subscriber = ?",
                [tenant, subscriber])
            guard leased == 1, let row = try rows.get().first else { return nil }
            let position: Int = try row.value("position")
            let lines = try session.rows(
                of: "audit",
                """
                SELECT seq, kind, at, client, flow, "user", detail, source, profile, position FROM audit
                WHERE tenant = ? AND position > ? ORDER BY position LIMIT ?
                """, [tenant, position, limit])
            return NotificationLease(
                subscriber: subscriber, tenant: tenant, position: position, attempts: try row.value("attempts"),
                number: try row.value("lease"), lines: try lines.get().map { try $0.recordedEvent(of: tenant) })
        }
    }

    package func endNotifications(
        _ lease: NotificationLease, at position: Int, attempts: Int, due: Date
    ) async throws(StoreError) -> Bool {
        try await write([]) { session in
            try session.change(
                """
                UPDATE notifications SET position = ?, attempts = ?, due_at = ?
                WHERE tenant = ? AND subscriber = ? AND lease = ?
                """, [position, attempts, due, lease.tenant, lease.subscriber, lease.number]) == 1
        }
    }
}
