import PortableFoundation

/// Parses a filter by recursive descent with one token of look-ahead: `or` binds loosest, then `and`, then `not`.
/// Keywords, functions and properties have no letter case.
struct ODataParser {
    private(set) var tokens: ODataTokens
    private var terms = 0

    init(_ text: String) throws(ODataFault) {
        tokens = try ODataTokens(text)
    }

    mutating func filter() throws(ODataFault) -> ODataFilter {
        let filter = try disjunction(depth: 0)
        guard tokens.current == .end else { throw unexpected }
        return filter
    }

    private var unexpected: ODataFault { .malformed(at: tokens.position) }

    private mutating func disjunction(depth: Int) throws(ODataFault) -> ODataFilter {
        let first = try conjunction(depth: depth)
        var all = [first]
        while try take(keyword: "or") { all.append(try conjunction(depth: depth)) }
        return all.count == 1 ? first : .any(all)
    }

    private mutating func conjunction(depth: Int) throws(ODataFault) -> ODataFilter {
        let first = try negation(depth: depth)
        var all = [first]
        while try take(keyword: "and") { all.append(try negation(depth: depth)) }
        return all.count == 1 ? first : .all(all)
    }

    private mutating func negation(depth: Int) throws(ODataFault) -> ODataFilter {
        guard depth <= ODataFilter.maximumDepth else { throw .tooMuch }
        if try take(keyword: "not") { return .not(try negation(depth: depth + 1)) }
        if try take(.open) {
            let inner = try disjunction(depth: depth + 1)
            try expect(.close)
            return inner
        }
        return try term(depth: depth)
    }

    private mutating func term(depth: Int) throws(ODataFault) -> ODataFilter {
        var path = ODataPath(try name())
        if try take(.open) { return try call(path.property) }
        while try take(.slash) {
            let name = try name()
            if try take(.open) {
                guard let quantifier = ODataQuantifier(rawValue: name.lowercased()) else {
                    throw .unsupported(property: path.property)
                }
                return try lambda(path, quantifier, depth: depth)
            }
            path.names.append(name)
        }
        let position = tokens.position
        let word = try name().lowercased()
        if let comparison = ODataOperator(rawValue: word) { return .comparison(path, comparison, try literal()) }
        switch word {
        case "in": return .isOneOf(path, try list())
        case "has": throw .unsupported(property: path.property)
        case _: throw .malformed(at: position)
        }
    }

    /// After the parenthesis.
    private mutating func call(_ name: String) throws(ODataFault) -> ODataFilter {
        guard let function = ODataFunction(rawValue: name.lowercased()) else { throw .unsupported(property: name) }
        try count()
        var path = ODataPath(try self.name())
        while try take(.slash) { path.names.append(try self.name()) }
        try expect(.comma)
        guard case .text(let text) = tokens.current else { throw unexpected }
        try tokens.advance()
        try expect(.close)
        return .call(function, path, text)
    }

    /// After the parenthesis.
    private mutating func lambda(
        _ path: ODataPath, _ quantifier: ODataQuantifier, depth: Int
    ) throws(ODataFault) -> ODataFilter {
        try count()
        // Whether there is any item at all.
        if tokens.current == .close { throw .unsupported(property: path.property) }
        let variable = try name()
        try expect(.colon)
        let body = try disjunction(depth: depth + 1)
        try expect(.close)
        return .lambda(path, quantifier, variable: variable, body)
    }

    private mutating func list() throws(ODataFault) -> [ODataLiteral] {
        try expect(.open)
        var items = [try literal()]
        while try take(.comma) { items.append(try literal()) }
        try expect(.close)
        return items
    }

    private mutating func literal() throws(ODataFault) -> ODataLiteral {
        try count()
        let literal: ODataLiteral?
        switch tokens.current {
        case .text(let text): literal = .text(text)
        case .bare(let text): literal = ODataLiteral(bare: text)
        case .name(let name):
            literal =
                switch name.lowercased() {
                case "null": .null
                case "true": .flag(true)
                case "false": .flag(false)
                case _: nil
                }
        case .open, .close, .comma, .slash, .colon, .end: literal = nil
        }
        guard let literal else { throw unexpected }
        try tokens.advance()
        return literal
    }

    private mutating func name() throws(ODataFault) -> String {
        guard case .name(let name) = tokens.current else { throw unexpected }
        try tokens.advance()
        return name
    }

    private mutating func take(keyword: String) throws(ODataFault) -> Bool {
        guard case .name(let name) = tokens.current, name.lowercased() == keyword else { return false }
        try tokens.advance()
        return true
    }

    private mutating func take(_ token: ODataTokens.Token) throws(ODataFault) -> Bool {
        guard tokens.current == token else { return false }
        try tokens.advance()
        return true
    }

    private mutating func expect(_ token: ODataTokens.Token) throws(ODataFault) {
        guard try take(token) else { throw unexpected }
    }

    private mutating func count() throws(ODataFault) {
        terms += 1
        guard terms <= ODataFilter.maximumTerms else { throw .tooMuch }
    }
}
