import PortableFoundation

extension String {
    var collapsed: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// Reads tags and texts in order.
struct HTMLReader {
    private var rest: Substring
    private let base: URL
    private(set) var title = ""
    private(set) var text = ""
    private(set) var links: [(text: String, url: URL)] = []
    private(set) var forms: [ScriptedPage.Form] = []
    private var isInForm = false
    private var isInTitle = false
    private var isInLink = false
    private var isInButton = false
    private var area: ScriptedPage.Field?
    private var select: String?

    init(_ html: String, base: URL) {
        rest = html[...]
        self.base = base
    }

    mutating func read() {
        while !rest.isEmpty {
            if rest.hasPrefix("<!--") {
                skip(past: "-->")
            } else if rest.first == "<" {
                readTag()
            } else {
                let text = rest.prefix { $0 != "<" }
                rest = rest.dropFirst(text.count)
                add(Self.decoded(text))
            }
        }
    }

    private mutating func skip(past end: String) {
        rest = rest.firstRange(of: end).map { rest[$0.upperBound...] } ?? ""
    }

    private mutating func add(_ part: String) {
        if isInTitle {
            title += part
            return
        }
        text += part
        if isInLink, !links.isEmpty { links[links.count - 1].text += part }
        if isInButton, isInForm, let last = forms.indices.last, !forms[last].buttons.isEmpty {
            forms[last].buttons[forms[last].buttons.count - 1].text += part
        }
        area?.value += part
    }

    private mutating func readTag() {
        rest = rest.dropFirst()
        let isEnd = rest.first == "/"
        if isEnd { rest = rest.dropFirst() }
        let name = rest.prefix { $0.isLetter || $0.isNumber }.lowercased()
        rest = rest.dropFirst(name.count)
        let attributes = readAttributes()
        if isEnd { close(name) } else { open(name, attributes) }
        // Words of neighbouring blocks are no one word.
        if !["a", "b", "strong", "em", "span", "code", "i"].contains(name) { text += " " }
        if !isEnd, name == "script" || name == "style" { skip(past: "</\(name)>") }
    }

    private mutating func readAttributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while let first = rest.first, first != ">" {
            guard !first.isWhitespace, first != "/" else {
                rest = rest.dropFirst()
                continue
            }
            let name = rest.prefix { !$0.isWhitespace && !"=/>".contains($0) }
            rest = rest.dropFirst(max(name.count, 1))
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                if let quote = rest.first, quote == "\"" || quote == "'" {
                    rest = rest.dropFirst()
                    value = Self.decoded(rest.prefix { $0 != quote })
                    rest = rest.drop { $0 != quote }.dropFirst()
                } else {
                    let word = rest.prefix { !$0.isWhitespace && $0 != ">" }
                    rest = rest.dropFirst(word.count)
                    value = Self.decoded(word)
                }
            }
            attributes[name.lowercased()] = value
        }
        rest = rest.dropFirst()
        return attributes
    }

    private func address(_ text: String?) -> URL {
        text.flatMap { $0.isEmpty ? nil : URL(string: $0, relativeTo: base)?.absoluteURL } ?? base
    }

    private mutating func open(_ tag: String, _ attributes: [String: String]) {
        switch tag {
        case "title":
            isInTitle = true
        case "a":
            guard let href = attributes["href"] else { break }
            links.append(("", address(href)))
            isInLink = true
        case "form":
            forms.append(
                .init(action: address(attributes["action"]), isPost: attributes["method"]?.lowercased() == "post"))
            isInForm = true
        case "input":
            input(attributes)
        case "button" where attributes["type"] != "button":
            button(attributes, text: "")
            isInButton = true
        case "textarea":
            area = attributes["name"].map {
                .init(name: $0, value: "", isHidden: false, isBox: false, isChecked: false)
            }
        case "select":
            select = attributes["name"]
            if let select { add(.init(name: select, value: "", isHidden: false, isBox: false, isChecked: false)) }
        case "option":
            guard select != nil, let form = forms.indices.last, let field = forms[form].fields.indices.last,
                attributes["selected"] != nil || forms[form].fields[field].value.isEmpty
            else { break }
            forms[form].fields[field].value = attributes["value"] ?? ""
        case _:
            break
        }
    }

    private mutating func close(_ tag: String) {
        switch tag {
        case "title": isInTitle = false
        case "a": isInLink = false
        case "form": isInForm = false
        case "button":
            isInButton = false
            guard let form = forms.indices.last, let button = forms[form].buttons.indices.last else { break }
            forms[form].buttons[button].text = forms[form].buttons[button].text.collapsed
        case "select": select = nil
        case "textarea":
            if let area { add(area) }
            area = nil
        case _: break
        }
    }

    private mutating func input(_ attributes: [String: String]) {
        let type = attributes["type"]?.lowercased() ?? "text"
        let value = attributes["value"] ?? ""
        switch type {
        case "submit", "image":
            button(attributes, text: value)
        case "button", "reset":
            break
        case _:
            guard let name = attributes["name"], attributes["disabled"] == nil else { break }
            let isBox = type == "checkbox" || type == "radio"
            add(
                .init(
                    name: name, value: isBox && value.isEmpty ? "on" : value, isHidden: type == "hidden", isBox: isBox,
                    isChecked: attributes["checked"] != nil))
        }
    }

    private mutating func add(_ field: ScriptedPage.Field) {
        guard isInForm, let form = forms.indices.last else { return }
        forms[form].fields.append(field)
    }

    private mutating func button(_ attributes: [String: String], text: String) {
        guard isInForm, let form = forms.indices.last else { return }
        forms[form].buttons.append(
            .init(
                name: attributes["name"], value: attributes["value"] ?? "", text: text,
                action: attributes["formaction"].map { address($0) }))
    }

    /// The text with its character references resolved.
    private static func decoded(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "]
        var decoded = ""
        var rest = text
        while let ampersand = rest.firstIndex(of: "&") {
            decoded += rest[..<ampersand]
            rest = rest[rest.index(after: ampersand)...]
            let name = rest.prefix(12).prefix { $0 != ";" }
            let end = rest.index(rest.startIndex, offsetBy: name.count)
            guard end < rest.endIndex, rest[end] == ";" else {
                decoded += "&"
                continue
            }
            var character = named[String(name)]
            if name.hasPrefix("#x") || name.hasPrefix("#X") {
                character = UInt32(name.dropFirst(2), radix: 16).flatMap(UnicodeScalar.init).map { String($0) }
            } else if name.hasPrefix("#") {
                character = UInt32(name.dropFirst()).flatMap(UnicodeScalar.init).map { String($0) }
            }
            guard let character else {
                decoded += "&"
                continue
            }
            decoded += character
            rest = rest[rest.index(after: end)...]
        }
        return decoded + rest
    }
}
