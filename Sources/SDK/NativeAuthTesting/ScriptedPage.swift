import NativeAuth
public import PortableFoundation

/// A page that a ``ScriptedBrowser`` shows to the test's function.
public struct ScriptedPage: Sendable {
    /// The text of `<title>`.
    public let title: String
    /// The text of the page, without markup and with single blanks.
    public let text: String
    /// The address.
    public let url: URL
    /// The HTTP status.
    public let status: Int
    /// The names of the fields of the page's forms that are not hidden, in order.
    public let fields: [String]
    private let forms: [Form]
    private let links: [(text: String, url: URL)]
    private var values: [String: String?] = [:]
    private var choice = Choice.submit

    private enum Choice {
        case submit
        case press(Form, Button)
        case follow(URL)
        case close
    }

    struct Form: Sendable {
        var action: URL
        var isPost: Bool
        var fields: [Field] = []
        var buttons: [Button] = []
    }

    struct Field: Sendable {
        var name: String
        var value: String
        var isHidden: Bool
        /// A box or a radio button: sent only when it is checked.
        var isBox: Bool
        var isChecked: Bool
        /// Whether it is sent when nothing changes.
        var isSent: Bool { !isBox || isChecked }
    }

    struct Button: Sendable {
        var name: String?
        var value: String
        var text: String
        /// Its own target, instead of the form's.
        var action: URL?
    }

    /// The value of a field that the function sets or reads. Setting a field that the page does not have has no effect;
    /// a checkbox takes its own value, or nil to be cleared.
    public subscript(name: String) -> String? {
        get { values[name] ?? forms.lazy.flatMap(\.fields).first { $0.name == name && $0.isSent }?.value }
        set { if fields.contains(name) { values[name] = .some(newValue) } }
    }

    /// Whether the page has this field.
    public func has(_ field: String) -> Bool { fields.contains(field) }

    /// Sends the form with this button: by its text, its value, or `name=value`.
    ///
    /// - Throws: ``ScriptedBrowserError/missing(_:page:)``.
    public mutating func press(_ button: String) throws {
        for form in forms {
            let found = form.buttons.first {
                $0.text == button || $0.value == button || "\($0.name ?? "")=\($0.value)" == button
            }
            if let found {
                choice = .press(form, found)
                return
            }
        }
        throw ScriptedBrowserError.missing("button \(button)", page: title)
    }

    /// Opens the link with this text instead of sending the form.
    ///
    /// - Throws: ``ScriptedBrowserError/missing(_:page:)``.
    public mutating func follow(_ link: String) throws {
        guard let found = links.first(where: { $0.text == link }) else {
            throw ScriptedBrowserError.missing("link \(link)", page: title)
        }
        choice = .follow(found.url)
    }

    /// Closes the page, as a user who closes the window does.
    public mutating func close() {
        choice = .close
    }

    /// The request that follows.
    func next() throws -> PageRequest {
        switch choice {
        case .close: throw WebAuthenticationError.cancelled
        case .follow(let url): return PageRequest(url: url)
        case .submit:
            // A page may have a form for its language besides.
            let filled = forms.first { $0.fields.contains { values[$0.name] != nil } }
            guard let form = filled ?? forms.first else { throw ScriptedBrowserError.nothingToSend(page: title, text) }
            return form.request(values, pressing: form.buttons.first)
        case .press(let form, let button):
            return form.request(values, pressing: button)
        }
    }

    /// The request of a page that only posts the answer to the address of `isCallback`.
    func answer(_ isCallback: (URL) -> Bool) -> PageRequest? {
        forms.first { isCallback($0.action) }?.request([:], pressing: nil)
    }
}

extension ScriptedPage.Form {
    func request(_ values: [String: String?], pressing button: ScriptedPage.Button?) -> PageRequest {
        var pairs: [(name: String, value: String)] = []
        for field in fields {
            if let value = values[field.name] {
                // Of several boxes with one name, one is sent.
                if let value, !pairs.contains(where: { $0.name == field.name }) { pairs.append((field.name, value)) }
            } else if field.isSent {
                pairs.append((field.name, field.value))
            }
        }
        if let button, let name = button.name { pairs.append((name, button.value)) }
        let body = pairs.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
        let url = button?.action ?? action
        guard !isPost else { return PageRequest(url: url, body: body) }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.percentEncodedQuery = body
        return PageRequest(url: components?.url ?? url)
    }

    private static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                encoded.append(Character(UnicodeScalar(byte)))
            case _:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

// MARK: - Reading HTML

extension ScriptedPage {
    /// Reads a page: title, text, links and the first form. Tolerant, because the pages are checked elsewhere.
    init(_ response: TransportResponse, at url: URL) {
        self.url = url
        status = response.status
        var reader = HTMLReader(String(decoding: response.body, as: UTF8.self), base: url)
        reader.read()
        title = reader.title.collapsed
        text = reader.text.collapsed
        links = reader.links.map { ($0.text.collapsed, $0.url) }
        forms = reader.forms
        fields = reader.forms.flatMap(\.fields).filter { !$0.isHidden }.map(\.name)
    }
}
