package import NativeAuthCore
package import PortableFoundation

/// Which users an operator asks for: the `$filter` of the directory, checked, with a type for each question that the
/// store answers through an index (docs/protocol.md §18.6).
///
/// Texts are compared without letter case: a store lowers the letters A to Z on both sides.
package indirect enum UserCondition: Hashable, Sendable {
    /// Each condition holds. Two or more.
    case all([UserCondition])
    /// At least one condition holds. Two or more.
    case any([UserCondition])
    case not(UserCondition)
    /// Every user, or none: for a property that is the same for all users.
    case everyone(Bool)
    case hasID(UserID)
    /// The user's e-mail address.
    case mail(TextMatch)
    /// A login name of the user, an address or an alias.
    case signsIn(as: String, SignInType)
    /// Has the account at a provider with this key (``LinkedIdentity/key``), suspended ones included.
    case hasIdentity(Data)
    case isEnabled(Bool)
    /// Created at this time or later.
    case createdSince(Date)
    /// Created at this time or earlier.
    case createdUntil(Date)
    /// An attribute with this value.
    case attribute(String, TextMatch)
    /// An attribute with this number or flag.
    case attributeIs(String, AttributeValue)
    /// No value of the attribute.
    case lacksAttribute(String)

    package enum TextMatch: Hashable, Sendable {
        case equals(String)
        /// One character or more.
        case begins(String)
    }

    /// What a login name in a filter may be.
    package enum SignInType: Hashable, Sendable {
        /// The address or the alias of a user with or without a password: the issuer does not count.
        case local
        /// The address of a user who signs in with codes: the issuer `mail`.
        case code
    }
}
