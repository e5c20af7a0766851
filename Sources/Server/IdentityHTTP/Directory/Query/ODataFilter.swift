package import PortableFoundation

/// A `$filter` as a tree, before its properties are known (OData 4.01, Part 2: URL Conventions, section 5.1.1).
package indirect enum ODataFilter: Hashable, Sendable {
    /// Two or more.
    case all([ODataFilter])
    /// Two or more.
    case any([ODataFilter])
    case not(ODataFilter)
    case comparison(ODataPath, ODataOperator, ODataLiteral)
    /// `path in (…)`, with one literal or more.
    case isOneOf(ODataPath, [ODataLiteral])
    /// `startsWith(path,'…')` and its like.
    case call(ODataFunction, ODataPath, String)
    /// `path/any(variable:body)`.
    case lambda(ODataPath, ODataQuantifier, variable: String, ODataFilter)

    /// The longest filter, in bytes of UTF-8.
    package static let maximumLength = 8 * 1024
    /// How deep parentheses, `not` and lambdas may be nested.
    package static let maximumDepth = 10
    /// The largest number of comparisons, items of lists, calls and lambdas.
    package static let maximumTerms = 50

    /// Parses a filter in linear time.
    package init(_ text: String) throws(ODataFault) {
        var parser = try ODataParser(text)
        self = try parser.filter()
    }
}

/// A property, or a property of a property: names in any letter case, as sent. One or more.
package struct ODataPath: Hashable, Sendable {
    package var names: [String]

    package init(_ names: String...) {
        self.names = names
    }

    /// The property of the user.
    package var property: String { names.first ?? "" }
}

package enum ODataOperator: String, Hashable, Sendable, CaseIterable {
    case eq, ne, gt, ge, lt, le
}

package enum ODataFunction: String, Hashable, Sendable, CaseIterable {
    case startsWith = "startswith"
    case endsWith = "endswith"
    case contains
}

package enum ODataQuantifier: String, Hashable, Sendable, CaseIterable {
    case any, all
}

package enum ODataLiteral: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case text(String)
    case date(Date)
    case guid(UUID)
}

/// Why a filter or a search is refused.
package enum ODataFault: Error, Hashable, Sendable {
    /// It cannot be read from this byte on.
    case malformed(at: Int)
    /// It is longer, deeper or has more terms than allowed.
    case tooMuch
    /// The server has no such property, no index for the question, or the literal has another type than the property.
    case unsupported(property: String)
}
