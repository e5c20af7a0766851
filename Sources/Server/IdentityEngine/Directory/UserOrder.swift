/// In which order an operator lists users: the `$orderby` of the directory. Users who were created at the same time are
/// in the order of their ids.
package enum UserOrder: String, Hashable, Sendable, CaseIterable {
    case id
    /// The oldest first.
    case createdAscending
    /// The newest first.
    case createdDescending
}
