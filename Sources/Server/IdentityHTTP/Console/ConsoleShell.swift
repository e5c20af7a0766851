import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// What all pages have around them. The classes are those of `Assets/console.css`.
extension Console {
    /// Where a page is in the navigation.
    enum Place: String, Sendable, CaseIterable {
        case overview, users, groups, applications, userFlows, events, operators, server

        var title: String {
            switch self {
            case .overview: "Overview"
            case .users: "Users"
            case .groups: "Groups"
            case .applications: "Applications"
            case .userFlows: "User flows"
            case .events: "Events"
            case .operators: "Operators"
            case .server: "Server"
            }
        }

        var route: ConsoleRoute {
            switch self {
            case .overview: .overview
            case .users: .users
            case .groups: .groups
            case .applications: .applications
            case .userFlows: .userFlows
            case .events: .events
            case .operators: .operators
            case .server: .server
            }
        }

        /// Whether the page is about one tenant.
        var isOfTenant: Bool { route.path.contains("{tenant}") }
    }

    /// A page of a visitor who is signed in.
    ///
    /// - Parameters:
    ///   - tenant: The tenant in the path; nil for a page about the server.
    ///   - isBelow: Whether the page is below the place, such as a user below the users.
    func shell(
        _ title: String, _ place: Place, isBelow: Bool = false, of tenant: Tenant?, for visitor: Visitor,
        _ content: HTML
    ) -> HTML {
        let all = tenants().entries.map(\.tenant)
        let chosen = tenant ?? all.first
        let end: [String] = [title] + (tenant.map { [$0.displayName] } ?? []) + ["native-auth"]
        func links(_ ofTenant: Bool) -> [HTML] {
            Place.allCases.filter { $0.isOfTenant == ofTenant && visitor.may($0.route) }.map { one in
                let path = chosen.map { Self.path(one.route, $0) } ?? one.route.path
                guard one == place, chosen == tenant || tenant == nil else {
                    return "<li><a href=\"\(path)\">\(one.title)</a></li>"
                }
                return "<li><a href=\"\(path)\" aria-current=\"\(isBelow ? "true" : "page")\">\(one.title)</a></li>"
            }
        }
        let chooser: HTML? = chosen.map { chosen in
            guard all.count > 1 else { return "<p class=\"tenant\">\(chosen.displayName)</p>" }
            let options: [HTML] = all.map {
                "<option value=\"\($0.subdomain)\"\($0.id == chosen.id ? " selected" : "")>\($0.displayName)</option>"
            }
            return """
                <form class="tenant" method="get" action="/console">
                <label for="tenant">Tenant</label>
                <select id="tenant" name="tenant">\(options)</select>
                <button class="button small without-script">Switch</button>
                </form>
                """
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(end.joined(separator: " – "))</title>
            <link rel="stylesheet" href="/console/console.css">
            <script src="/console/console.js"></script>
            </head>
            <body class="console">
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top">
            <a class="brand" href="/console">native-auth</a>
            \(isDevelopment ? Self.developmentBadge : nil)
            \(chooser)
            <nav class="main" aria-label="Main">
            <ul>\(links(true))</ul>
            <ul>\(links(false))\(isDevelopment ? "<li><a href=\"/\">First steps</a></li><li><a href=\"/dev/inbox\">Inbox</a></li>" : nil)</ul>
            </nav>
            \(who(visitor))
            </header>
            <main id="main">
            \(content)
            </main>
            <footer class="foot"><p>native-auth \(ProductVersion.current) · Times: <span data-zone>UTC</span></p></footer>
            </body>
            </html>
            """
    }

    private static let developmentBadge: HTML = "<p class=\"profile badge warn\">Development profile</p>"

    private func who(_ visitor: Visitor) -> HTML? {
        guard let email = visitor.email, let role = visitor.role else { return nil }
        return """
            <div class="who">
            <p><span class="name">\(email)</span> <span class="badge plain">\(role.title)</span></p>
            <form method="post" action="/console/sign-out">\(hidden(visitor))<button class="button quiet small">Sign out</button></form>
            </div>
            """
    }

    /// The field of each form that says whose page sent it.
    func hidden(_ visitor: Visitor) -> HTML { "<input type=\"hidden\" name=\"form\" value=\"\(visitor.formToken)\">" }

    /// A page in the middle of the window: sign-in, code, invitation, messages.
    static func gate(
        _ title: String, isDevelopment: Bool = false, isError: Bool = false, _ card: HTML, aside: HTML? = nil
    ) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(isError ? "Error: " : "")\(title) – native-auth</title>
        <link rel="stylesheet" href="/console/console.css">
        <script src="/console/console.js"></script>
        </head>
        <body class="gate">
        <main id="main">
        <p class="brand">native-auth</p>
        \(isDevelopment ? developmentBadge : nil)
        <div class="card">
        \(card)
        </div>
        \(aside.map { aside -> HTML in "<p class=\"aside\">\(aside)</p>" })
        </main>
        </body>
        </html>
        """
    }

    /// The page of an error.
    static func error(_ status: HTTPResponse.Status, _ title: String, _ sentence: String) -> Response {
        page(
            gate(
                title, isError: true,
                """
                <p class="status-code">\(status.code)</p>
                <h1>\(title)</h1>
                <p class="lead">\(sentence)</p>
                <p><a class="button" href="/console">To the console</a></p>
                """), status)
    }

    // MARK: - Parts

    /// The path of a route of a tenant, with ids in place.
    static func path(
        _ route: ConsoleRoute, _ tenant: Tenant, user: UserID? = nil, other: String = "", secret: String? = nil
    ) -> String {
        route.path.replacing("{tenant}", with: tenant.subdomain).replacing("{id}", with: user?.description ?? "")
            .replacing("{method}", with: secret ?? other).replacing("{application}", with: other)
            .replacing("{flow}", with: other).replacing("{attribute}", with: other).replacing("{group}", with: other)
    }

    static func crumbs(_ parent: (title: String, path: String), _ name: String) -> HTML {
        """
        <nav class="crumbs" aria-label="Breadcrumbs"><ol>
        <li><a href="\(parent.path)">\(parent.title)</a></li><li aria-current="page">\(name)</li>
        </ol></nav>
        """
    }

    static func head(_ title: HTML, lead: String? = nil, actions: HTML? = nil) -> HTML {
        """
        <div class="head">
        <div><h1>\(title)</h1>\(lead.map { lead -> HTML in "<p class=\"lead\">\(lead)</p>" })</div>
        \(actions)
        </div>
        """
    }

    static func badge(_ text: String, _ kind: String) -> HTML { "<span class=\"badge \(kind)\">\(text)</span>" }

    static func time(_ date: Date) -> HTML {
        let text = date.ISO8601Format()
        return "<time datetime=\"\(text)\">\(text.replacing("T", with: " ").replacing("Z", with: " UTC"))</time>"
    }

    /// Name and value, without the pairs that have no value.
    static func facts(_ pairs: [(String, HTML?)]) -> HTML {
        let rows: [HTML] = pairs.compactMap { name, value in
            value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
        }
        return "<dl class=\"facts\">\(rows)</dl>"
    }

    /// A note that an action leaves on the page after it.
    static func note(_ text: String?, isGood: Bool = true) -> HTML? {
        text.map { text in
            isGood
                ? "<p class=\"note good\" role=\"status\">\(text)</p>"
                : "<p class=\"note bad\" role=\"alert\" tabindex=\"-1\">\(text)</p>"
        }
    }

    /// A text field.
    static func field(
        _ name: String, _ label: String, type: String = "text", value: String = "", hint: String? = nil,
        autocomplete: String = "off", isRequired: Bool = false, isCode: Bool = false
    ) -> HTML {
        let hinted: HTML? = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\($0)</p>" }
        let described: HTML? = hint.map { _ in " aria-describedby=\"\(name)-hint\"" }
        let code: HTML? = isCode ? " class=\"code\" inputmode=\"numeric\" maxlength=\"16\"" : nil
        let given: HTML? = type == "password" || value.isEmpty ? nil : " value=\"\(value)\""
        return """
            <div class="field">
            <label for="\(name)">\(label)\(isRequired ? nil : " <span class=\"optional\">optional</span>")</label>
            \(hinted)
            <input id="\(name)" name="\(name)" type="\(type)"\(code)\(given) autocomplete="\(autocomplete)"\(described)\(isRequired ? " required" : "")>
            </div>
            """
    }

    /// A list as a table that becomes cards on a small screen. The first cell of a row names it.
    struct Column {
        var title: String
        var kind = ""
    }

    struct Row {
        var id: String
        var head: HTML
        var cells: [HTML?]
    }

    static func table(_ caption: String, _ first: String, _ columns: [Column], _ rows: [Row]) -> HTML {
        let heads: [HTML] = columns.map {
            $0.kind == "do"
                ? "<th scope=\"col\"><span class=\"sr-only\">\($0.title)</span></th>"
                : "<th scope=\"col\"\(kind($0))>\($0.title)</th>"
        }
        let lines: [HTML] = rows.map { row in
            let cells: [HTML] = zip(columns, row.cells).map { column, cell in
                column.kind == "do"
                    ? "<td class=\"do\">\(cell)</td>" : "<td data-label=\"\(column.title)\"\(kind(column))>\(cell)</td>"
            }
            return "<tr id=\"\(row.id)\"><th scope=\"row\">\(row.head)</th>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)">
            <table class="list cards">
            <caption class="sr-only">\(caption)</caption>
            <thead><tr><th scope="col">\(first)</th>\(heads)</tr></thead>
            <tbody>
            \(lines)</tbody>
            </table>
            </div>
            """
    }

    private static func kind(_ column: Column) -> HTML? {
        column.kind.isEmpty ? nil : " class=\"\(column.kind)\""
    }

    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3), digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}

extension OperatorRole {
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
