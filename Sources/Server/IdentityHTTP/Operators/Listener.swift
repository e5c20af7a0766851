package import IdentityEngine

/// Which part of the API a listener answers.
package enum Listener: Sendable {
    /// What apps and their users call.
    case users
    /// The operators' part of the directory, with the token endpoint and the health checks beside it (`SEC-ADM-2`).
    ///
    /// - `baseURL`: The address of this listener, for the links of its answers.
    case operators(any DirectoryStore, baseURL: String)
    /// Both on one listener.
    case all(any DirectoryStore)
}
