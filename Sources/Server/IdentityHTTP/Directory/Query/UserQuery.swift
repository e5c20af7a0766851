import Hummingbird
import IdentityEngine
import NativeAuthWire
import PortableFoundation

/// The query of a list of users, checked (docs/protocol.md §18.6).
struct UserQuery: Hashable, Sendable {
    /// The users to list; nil: all.
    var condition: UserCondition?
    /// The names of `$select` as sent, each one once; nil: the usual members. They may be unknown.
    var select: [String]?
    /// The most users on a page, 1 to ``largestPage``.
    var top = 100
    /// Nil: the order of the index that finds the users.
    var order: UserOrder?
    /// Whether the first page tells how many users there are.
    var counts = false
    /// Where the page begins, as sent; nil: at the beginning.
    var skipToken: String?
    /// A digest of condition and order, to which a skip token is bound. Not of `$top` and `$select`.
    private(set) var fingerprint: Data
    private let options: ListOptions

    static let largestPage = 999

    init(_ request: Request, of users: UserProperties) throws(DirectoryFailure) {
        let level = request.headers[IdentityHeader.consistencyLevel]
        try self.init(request.uri.query ?? "", isEventual: level?.lowercased() == "eventual", of: users)
    }

    /// - Parameters:
    ///   - text: The part of the address behind the question mark, as sent: percent-encoded, a blank also as `+`.
    ///   - isEventual: Whether the request has the header `ConsistencyLevel: eventual`.
    init(_ text: String, isEventual: Bool, of users: UserProperties) throws(DirectoryFailure) {
        options = try ListOptions(text, of: ListOptions.Option.allCases)
        select = try options.names()
        top = try options.top(usually: top, atMost: Self.largestPage)
        if let order = options[.orderby] { self.order = try Self.order(order) }
        if let flag = options[.count] { counts = try Self.flag(flag) && isEventual }
        skipToken = options[.skiptoken]
        // Clients do not repeat the header; the token shows that the first page had it.
        if options[.search] != nil, !isEventual, skipToken == nil {
            throw DirectoryFailure(
                status: .badRequest, code: .unsupportedQuery,
                message: "The query option $search needs the header ConsistencyLevel: eventual.")
        }
        let filter = try options.condition(.filter) { (text) throws(ODataFault) in
            try users.condition(ODataFilter(text))
        }
        let search = try options.condition(.search) { (text) throws(ODataFault) in
            try UserSearch.condition(text, of: users)
        }
        switch (filter, search) {
        case (let filter?, let search?): condition = .all([filter, search])
        case (let one, nil), (nil, let one): condition = one
        }
        fingerprint = Vault.fingerprint(
            [options[.filter] ?? "", options[.search] ?? "", order?.rawValue ?? ""].map { Data($0.utf8) })
    }

    /// The query of the next page's address.
    func next(_ skipToken: String) -> String { options.next(skipToken) }

    private static func order(_ text: String) throws(DirectoryFailure) -> UserOrder {
        let words = text.lowercased().split(separator: " ")
        switch (words.first, words.dropFirst().first ?? "asc", words.count) {
        case ("id", "asc", ...2): return .id
        case ("createddatetime", "asc", ...2): return .createdAscending
        case ("createddatetime", "desc", ...2): return .createdDescending
        case (let name?, _, _):
            throw DirectoryFailure(
                status: .badRequest, code: .unsupportedQuery,
                message: "Users are ordered by id, or by createdDateTime with asc or desc.",
                target: DirectoryFailure.shown(String(name)))
        case (nil, _, _): throw DirectoryFailure(badOption: .orderby)
        }
    }

    private static func flag(_ text: String) throws(DirectoryFailure) -> Bool {
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        case _: throw DirectoryFailure(badOption: .count)
        }
    }
}
