package import NativeAuthCore
package import PortableFoundation

/// Why the tenants stay as they are.
package enum TenantEditFault: Error, Hashable, Sendable {
    /// Another document came into force since the caller read one.
    case changedMeanwhile
    /// There is no such tenant, application, daemon or secret.
    case notFound
    /// The caller may not change this.
    case notAllowed
    /// The rules of the tenant file that the change would break, one sentence each.
    case invalid([String])
}

/// Changes the tenants' document, which is the one place that says what tenants have: a change through this port is a new
/// version of the document, under the same rules as `native-auth tenant apply` (docs/operate/tenant-file.md).
package protocol TenantEditor: Sendable {
    /// The version of the document in force; 0 when there is none, and the tenants come from a file or the program.
    var version: Int { get }
    /// Takes over the newest document, so that ``version`` is that of the database.
    func refresh() async throws(EngineError)
    /// Changes a tenant, all or nothing, in force on this node when the call returns.
    ///
    /// - Parameters:
    ///   - version: The version that the caller has read.
    ///   - actor: Who does it, for the audit trail.
    ///   - edit: The change of the tenant as it is now.
    func edit(
        _ tenant: TenantID, over version: Int, as actor: Operator, now: Date,
        _ edit: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws(EngineError) -> Result<Void, TenantEditFault>
}
