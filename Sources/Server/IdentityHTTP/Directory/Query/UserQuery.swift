import Hummingbird
import IdentityEngine
import NativeAuthWire
import PortableFoundation

/// The query of a list of users, checked (docs/protocol.md §18.6).
///
/// Options have a `$` in front or none, and no letter case. An unknown option with a `$` is refused, another one is
/// ignored.
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
    /// The options that are in the address of each page.
    private var repeated = FormFields()

    static let largestPage = 999

    private enum Option: String, CaseIterable {
        case filter, search, select, orderby, top, count, expand, skiptoken

        var name: String { "$\(rawValue)" }
    }

    init(_ request: Request, of users: UserProperties) throws(DirectoryFailure) {
        let level = request.headers[IdentityHeader.consistencyLevel]
        try self.init(request.uri.query ?? "", isEventual: level?.lowercased() == "eventual", of: users)
    }

    /// - Parameters:
    ///   - text: The part of the address behind the question mark, as sent: percent-encoded, a blank also as `+`.
    ///   - isEventual: Whether the request has the header `ConsistencyLevel: eventual`.
    init(_ text: String, isEventual: Bool, of users: UserProperties) throws(DirectoryFailure) {
        let options = try Self.options(text)
        if let list = options[.select] { select = try Self.names(list) }
        if let number = options[.top] { top = try Self.top(number) }
        if let order = options[.orderby] { self.order = try Self.order(order) }
        if let flag = options[.count] { counts = try Self.flag(flag) && isEventual }
        skipToken = options[.skiptoken]
        // Clients do not repeat the header; the token shows that the first page had it.
        if options[.search] != nil, !isEventual, skipToken == nil {
            throw DirectoryFailure(
                status: .badRequest, code: .unsupportedQuery,
                message: "The query option $search needs the header ConsistencyLevel: eventual.")
        }
        let filter = try Self.condition(options[.filter], .filter) { (text) throws(ODataFault) in
            try users.condition(ODataFilter(text))
        }
        let search = try Self.condition(options[.search], .search) { (text) throws(ODataFault) in
            try UserSearch.condition(text, of: users)
        }
        switch (filter, search) {
        case (let filter?, let search?): condition = .all([filter, search])
        case (let one, nil), (nil, let one): condition = one
        }
        fingerprint = Vault.fingerprint(
            [options[.filter] ?? "", options[.search] ?? "", order?.rawValue ?? ""].map { Data($0.utf8) })
        for option in Option.allCases where option != .skiptoken && option != .expand {
            repeated.append(option.name, options[option])
        }
    }

    /// The query of the next page's address.
    func next(_ skipToken: String) -> String {
        var form = repeated
        form.append(Option.skiptoken.name, skipToken)
        return form.encoded.replacing("%24", with: "$")
    }

    private static func options(_ text: String) throws(DirectoryFailure) -> [Option: String] {
        var options: [Option: String] = [:]
        do {
            let form = try FormFields(decoding: text.utf8, maximumValueLength: ODataFilter.maximumLength)
            for name in form.names {
                let isSystem = name.utf8.first == UInt8(ascii: "$")
                guard let option = Option(rawValue: (isSystem ? String(name.dropFirst()) : name).lowercased()) else {
                    guard !isSystem else {
                        throw DirectoryFailure(
                            status: .badRequest, code: .unsupportedQuery,
                            message: "The list of users has no such query option.",
                            target: DirectoryFailure.shown(String(name.dropFirst())))
                    }
                    continue
                }
                guard let value = try form.single(name), options.updateValue(value, forKey: option) == nil else {
                    throw FormError.repeated(name)
                }
                if value.isEmpty, option != .expand { throw DirectoryFailure(badOption: option.name) }
            }
        } catch let failure as DirectoryFailure {
            throw failure
        } catch {
            throw DirectoryFailure(
                status: .badRequest, code: .badRequest,
                message: "The query options are too long, repeated or badly encoded.")
        }
        return options
    }

    private static func condition(
        _ text: String?, _ option: Option, _ read: (String) throws(ODataFault) -> UserCondition
    ) throws(DirectoryFailure) -> UserCondition? {
        guard let text else { return nil }
        do throws(ODataFault) {
            return try read(text)
        } catch {
            throw DirectoryFailure(error, in: option.name)
        }
    }

    private static func names(_ list: String) throws(DirectoryFailure) -> [String] {
        var (names, seen): ([String], Set<String>) = ([], [])
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.split(separator: " ").joined(separator: " ")
            guard let shown = DirectoryFailure.shown(name), names.count < UserFlow.maximumAttributes else {
                throw DirectoryFailure(badOption: Option.select.name)
            }
            if seen.insert(shown.lowercased()).inserted { names.append(shown) }
        }
        return names
    }

    private static func top(_ text: String) throws(DirectoryFailure) -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw DirectoryFailure(badOption: Option.top.name)
        }
        // A number too long for an Int is above the limit.
        let number = min(Int(text) ?? largestPage, largestPage)
        guard number > 0 else { throw DirectoryFailure(badOption: Option.top.name) }
        return number
    }

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
        case (nil, _, _): throw DirectoryFailure(badOption: Option.orderby.name)
        }
    }

    private static func flag(_ text: String) throws(DirectoryFailure) -> Bool {
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        case _: throw DirectoryFailure(badOption: Option.count.name)
        }
    }
}

extension DirectoryFailure {
    /// The skip token was made for another list or tenant, was changed, or its key is gone.
    static let expiredPageToken = DirectoryFailure(
        status: .badRequest, code: .expiredPageToken, message: "The skip token is not valid for this list.")

    fileprivate init(badOption name: String) {
        self.init(
            status: .badRequest, code: .badRequest, message: "The query option \(name) has no valid value.",
            target: name)
    }

    /// - Parameter option: The name of the query option.
    init(_ fault: ODataFault, in option: String) {
        switch fault {
        case .malformed(let position):
            self.init(
                status: .badRequest, code: .badRequest,
                message: "Syntax error at position \(position) of the query option \(option).")
        case .tooMuch:
            self.init(
                status: .badRequest, code: .badRequest,
                message: """
                    The query option \(option) is longer than \(ODataFilter.maximumLength) bytes, deeper than \
                    \(ODataFilter.maximumDepth) levels, or has more than \(ODataFilter.maximumTerms) conditions.
                    """)
        case .unsupported(let property):
            let name = Self.shown(property)
            self.init(
                status: .badRequest, code: .unsupportedQuery,
                message: """
                    Unsupported or invalid query filter clause specified for property '\(name ?? "?")' of resource \
                    'User'.
                    """, target: name)
        }
    }
}
