import HTTPTypes
import IdentityEngine
import NativeAuthWire
import PortableFoundation

/// The options of a list's address, not yet understood (docs/protocol.md §18.6).
///
/// Options have a `$` in front or none, and no letter case. An unknown option with a `$` is refused, another one is
/// ignored.
struct ListOptions: Hashable, Sendable {
    enum Option: String, CaseIterable {
        case filter, search, select, orderby, top, count, expand, skiptoken

        var name: String { "$\(rawValue)" }
    }

    private var values: [Option: String] = [:]

    subscript(_ option: Option) -> String? { values[option] }

    /// - Parameters:
    ///   - text: The part of the address behind the question mark, as sent: percent-encoded, a blank also as `+`.
    ///   - known: The options that the list has.
    init(_ text: String, of known: [Option]) throws(DirectoryFailure) {
        do {
            let form = try FormFields(decoding: text.utf8, maximumValueLength: ODataFilter.maximumLength)
            for name in form.names {
                let isSystem = name.utf8.first == UInt8(ascii: "$")
                let option = Option(rawValue: (isSystem ? String(name.dropFirst()) : name).lowercased())
                guard let option, known.contains(option) else {
                    guard !isSystem else {
                        throw DirectoryFailure(
                            status: .badRequest, code: .unsupportedQuery,
                            message: "The list has no such query option.",
                            target: DirectoryFailure.shown(String(name.dropFirst())))
                    }
                    continue
                }
                guard let value = try form.single(name), values.updateValue(value, forKey: option) == nil else {
                    throw FormError.repeated(name)
                }
                if value.isEmpty, option != .expand { throw DirectoryFailure(badOption: option) }
            }
        } catch let failure as DirectoryFailure {
            throw failure
        } catch {
            throw DirectoryFailure(
                status: .badRequest, code: .badRequest,
                message: "The query options are too long, repeated or badly encoded.")
        }
    }

    /// The most items on a page, from 1 on; a larger number than `largest` counts as that.
    func top(usually usual: Int, atMost largest: Int) throws(DirectoryFailure) -> Int {
        guard let text = self[.top] else { return usual }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw DirectoryFailure(badOption: .top) }
        // A number too long for an Int is above the limit.
        let number = min(Int(text) ?? largest, largest)
        guard number > 0 else { throw DirectoryFailure(badOption: .top) }
        return number
    }

    /// The names of `$select` as sent, each one once; nil without it. They may be unknown.
    func names() throws(DirectoryFailure) -> [String]? {
        guard let list = self[.select] else { return nil }
        var (names, seen): ([String], Set<String>) = ([], [])
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.split(separator: " ").joined(separator: " ")
            guard let shown = DirectoryFailure.shown(name), names.count < UserFlow.maximumAttributes else {
                throw DirectoryFailure(badOption: .select)
            }
            if seen.insert(shown.lowercased()).inserted { names.append(shown) }
        }
        return names
    }

    func condition<Condition>(
        _ option: Option, resource: String = "User", _ read: (String) throws(ODataFault) -> Condition
    ) throws(DirectoryFailure) -> Condition? {
        guard let text = self[option] else { return nil }
        do throws(ODataFault) {
            return try read(text)
        } catch {
            throw DirectoryFailure(error, in: option.name, of: resource)
        }
    }

    /// The query of the next page's address.
    func next(_ skipToken: String) -> String {
        var form = FormFields()
        for option in Option.allCases where option != .skiptoken && option != .expand {
            form.append(option.name, self[option])
        }
        form.append(Option.skiptoken.name, skipToken)
        return form.encoded.replacing("%24", with: "$")
    }
}

extension DirectoryFailure {
    /// The skip token was made for another list or tenant, was changed, or its key is gone.
    static let expiredPageToken = DirectoryFailure(
        status: .badRequest, code: .expiredPageToken, message: "The skip token is not valid for this list.")

    init(badOption option: ListOptions.Option) {
        self.init(
            status: .badRequest, code: .badRequest, message: "The query option \(option.name) has no valid value.",
            target: option.name)
    }

    /// - Parameters:
    ///   - option: The name of the query option.
    ///   - resource: The vendor's name of the listed objects.
    init(_ fault: ODataFault, in option: String, of resource: String = "User") {
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
                    '\(resource)'.
                    """, target: name)
        }
    }
}
