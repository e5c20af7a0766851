import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Statement text with its values.
struct SQLText {
    var sql: String
    var values: [any StoredValue]

    init(_ sql: String, _ values: [any StoredValue] = []) {
        self.sql = sql
        self.values = values
    }

    static func joined(_ parts: [SQLText], by separator: String) -> SQLText {
        SQLText(parts.map(\.sql).joined(separator: separator), parts.flatMap(\.values))
    }
}

/// How a page of users is read: the index that leads through them, and what is checked for each user.
///
/// The text of a request appears in values only; all statement text stands here (`SEC-ADM-7`).
struct UserPlan {
    /// The index, in whose order the users come.
    private enum Lead {
        case ids
        case creation(isDescending: Bool)
        /// A few users that other indexes name.
        case list(UserCondition)
        case address(prefix: Data)
        case attribute(String, UserCondition.TextMatch)
        case disabled

        /// Whether the users come in the order of their ids.
        var isByID: Bool {
            switch self {
            case .ids, .list, .disabled, .attribute(_, .equals): true
            case .creation, .address, .attribute(_, .begins): false
            }
        }
    }

    private let lead: Lead
    private let checks: [UserCondition]
    private let tenant: TenantID
    private let isDeleted: Bool
    private let dialect: SQLDialect

    init(_ condition: UserCondition?, order: UserOrder?, isDeleted: Bool, in tenant: TenantID, _ dialect: SQLDialect) {
        self.tenant = tenant
        self.isDeleted = isDeleted
        self.dialect = dialect
        var parts = condition.map(Self.parts) ?? []
        let best = parts.indices.min { Self.rank(parts[$0]) < Self.rank(parts[$1]) }
        if order == .createdAscending || order == .createdDescending {
            lead = .creation(isDescending: order == .createdDescending)
        } else if let best, let found = Self.lead(for: parts[best]) {
            lead = order == .id && !found.isByID ? .list(parts[best]) : found
            parts.remove(at: best)
        } else if order == nil, parts.contains(where: Self.isAboutCreation) {
            lead = .creation(isDescending: false)
        } else {
            lead = .ids
        }
        checks = parts
    }

    /// The conditions that all must hold.
    private static func parts(_ condition: UserCondition) -> [UserCondition] {
        if case .all(let parts) = condition { parts.flatMap(Self.parts) } else { [condition] }
    }

    /// How few users a condition finds, as a rule: 0 for the fewest.
    private static func rank(_ condition: UserCondition) -> Int {
        switch condition {
        case .hasID, .mail(.equals), .signsIn, .hasIdentity: 0
        case .any(let parts): max(1, parts.map(rank).max() ?? 9)
        case .attribute(_, .equals): 2
        case .mail(.begins): 3
        case .attribute(_, .begins): 4
        case .isEnabled(false): 5
        case .createdSince, .createdUntil: 8
        case .all, .not, .everyone, .isEnabled(true), .attributeIs, .lacksAttribute: 9
        }
    }

    private static func isAboutCreation(_ condition: UserCondition) -> Bool {
        switch condition {
        case .createdSince, .createdUntil: true
        case .all, .any, .not, .everyone, .hasID, .mail, .signsIn, .hasIdentity, .isEnabled, .attribute, .attributeIs,
            .lacksAttribute:
            false
        }
    }

    /// The index for a condition; nil when none finds its users.
    private static func lead(for condition: UserCondition) -> Lead? {
        switch condition {
        case .hasID, .mail(.equals), .signsIn, .hasIdentity: .list(condition)
        case .any(let parts) where parts.allSatisfy { lead(for: $0) != nil && rank($0) < 5 }: .list(condition)
        case .mail(.begins(let prefix)): .address(prefix: folded(prefix))
        case .attribute(let name, let match): .attribute(name, match)
        case .isEnabled(false): .disabled
        case .all, .any, .not, .everyone, .isEnabled(true), .createdSince, .createdUntil, .attributeIs, .lacksAttribute:
            nil
        }
    }

    // MARK: - Statements

    /// The columns and tables, and what holds for every user that is found.
    private var source: SQLText {
        let (columns, table, condition): (String, String, SQLText) =
            switch lead {
            case .ids: ("", "", SQLText(""))
            case .creation: (", u.created_at", "", SQLText(""))
            case .disabled: ("", "", SQLText("AND u.disabled_at IS NOT NULL"))
            case .list(let list):
                ("", "", .joined([SQLText("AND u.id IN ("), ids(of: list), SQLText(")")], by: ""))
            case .address(let prefix):
                (
                    ", d.key", "identifiers AS d CROSS JOIN ",
                    SQLText(
                        "AND \(Self.joined) AND d.kind = 'email' AND d.key >= ? AND d.key < ?",
                        [tenant, prefix, prefix + [0xFF]])
                )
            case .attribute(let name, let match):
                (
                    ", \(folded("d")) AS value", "attributes AS d \(dialect.attributesByValue) CROSS JOIN ",
                    .joined(
                        [SQLText("AND \(Self.joined) AND d.name = ?", [tenant, name]), compared(match, in: "d")],
                        by: " AND ")
                )
            }
        return SQLText(
            """
            SELECT u.id\(columns) FROM \(table)users AS u
            WHERE u.tenant = ? AND u.deleted_at IS \(isDeleted ? "NOT " : "")NULL
            """ + " " + condition.sql, [tenant] + condition.values)
    }

    private static let joined = #"d.tenant = ? AND u.id = d."user""#

    private var conditions: SQLText {
        .joined([source] + checks.map(check), by: " AND ")
    }

    /// A query for the ids of a page; read its rows with ``position(of:)``.
    ///
    /// - Parameter position: Of another plan's order: it counts as none.
    func page(after position: UserPosition?, limit: Int) -> SQLText {
        var query = conditions
        if let later = position.flatMap(later) { query = .joined([query, later], by: " AND ") }
        return SQLText("\(query.sql) ORDER BY \(order) LIMIT ?", query.values + [limit])
    }

    var count: SQLText {
        let query = conditions
        return SQLText("SELECT COUNT(*) AS count FROM (\(query.sql)) AS found", query.values)
    }

    private var order: String {
        switch lead {
        case .ids, .list, .disabled: "u.id"
        case .creation(isDescending: false): "u.created_at, u.id"
        case .creation(isDescending: true): "u.created_at DESC, u.id DESC"
        case .address: "d.key"
        case .attribute(_, .equals): #"d."user""#
        case .attribute(_, .begins): #"\#(folded("d")), d."user""#
        }
    }

    private func later(than position: UserPosition) -> SQLText? {
        switch (lead, position) {
        case (.ids, .id(let id)), (.list, .id(let id)), (.disabled, .id(let id)): SQLText("u.id > ?", [id])
        case (.creation(let isDescending), .creation(let date, let id)):
            SQLText("(u.created_at, u.id) \(isDescending ? "<" : ">") (?, ?)", [date, id])
        case (.address, .address(let key)): SQLText("d.key > ?", [key])
        case (.attribute(_, .equals), .id(let id)): SQLText(#"d."user" > ?"#, [id])
        case (.attribute(_, .begins), .text(let text, let id)):
            SQLText(#"(\#(folded("d")), d."user") > (?, ?)"#, [text, id])
        case (.ids, _), (.list, _), (.disabled, _), (.creation, _), (.address, _), (.attribute, _): nil
        }
    }

    func position(of row: StoredRow) throws -> UserPosition {
        let id: UserID = try row.value("id")
        return switch lead {
        case .ids, .list, .disabled: .id(id)
        case .creation: .creation(try row.value("created_at"), id)
        case .address: .address(try row.value("key"))
        case .attribute(_, .equals): .id(id)
        case .attribute(_, .begins): .text(try row.value("value"), id)
        }
    }

    // MARK: - Conditions

    /// A query for the ids of the users that meet a condition which an index answers.
    private func ids(of condition: UserCondition) -> SQLText {
        switch condition {
        case .any(let parts): .joined(parts.map(ids), by: " UNION ")
        case .hasID(let id): SQLText("SELECT ?\(dialect == .postgres ? "::bytea" : "")", [id])
        case .mail(.equals(let address)): names("kind = 'email' AND key = ?", [Self.key(address)])
        case .mail(.begins(let prefix)):
            names("kind = 'email' AND key >= ? AND key < ?", [Self.folded(prefix), Self.folded(prefix) + [0xFF]])
        case .signsIn(as: let name, let type):
            switch type {
            case .local: names("key = ?", [Self.key(name)])
            case .code:
                SQLText(
                    """
                    SELECT i."user" FROM identifiers AS i, users AS p WHERE i.tenant = ? AND i.kind = 'email' AND i.key = ?
                    AND p.tenant = i.tenant AND p.id = i."user" AND p.password_hash IS NULL
                    """, [tenant, Self.key(name)])
            }
        case .hasIdentity(let key):
            SQLText(
                #"SELECT "user" FROM strong_methods WHERE tenant = ? AND kind = ? AND credential = ?"#,
                [tenant, StrongMethod.identityName, key])
        case .attribute(let name, let match):
            .joined(
                [
                    SQLText(
                        #"SELECT a."user" FROM attributes AS a WHERE a.tenant = ? AND a.name = ?"#, [tenant, name]),
                    compared(match, in: "a"),
                ], by: " AND ")
        case .all, .not, .everyone, .isEnabled, .createdSince, .createdUntil, .attributeIs, .lacksAttribute:
            // None of them leads (see ``lead(for:)``); as a list it would name no user.
            SQLText(#"SELECT "user" FROM identifiers WHERE 1 = 0"#)
        }
    }

    private func names(_ condition: String, _ values: [any StoredValue]) -> SQLText {
        SQLText(#"SELECT "user" FROM identifiers WHERE tenant = ? AND \#(condition)"#, [tenant] + values)
    }

    /// Whether a user that was found meets a condition, through the keys of that user's rows.
    private func check(_ condition: UserCondition) -> SQLText {
        switch condition {
        case .all(let parts): bracketed(parts, by: " AND ")
        case .any(let parts): bracketed(parts, by: " OR ")
        case .not(let part): .joined([SQLText("NOT ("), check(part), SQLText(")")], by: "")
        case .everyone(let isEveryone): SQLText(isEveryone ? "1 = 1" : "1 = 0")
        case .hasID(let id): SQLText("u.id = ?", [id])
        case .isEnabled(let isEnabled): SQLText("u.disabled_at IS \(isEnabled ? "" : "NOT ")NULL")
        case .createdSince(let date): SQLText("u.created_at >= ?", [date])
        case .createdUntil(let date): SQLText("u.created_at <= ?", [date])
        case .mail(let match):
            switch match {
            case .equals(let address): hasName("c.kind = 'email' AND c.key = ?", [Self.key(address)])
            case .begins(let prefix):
                hasName(
                    "c.kind = 'email' AND c.key >= ? AND c.key < ?",
                    [Self.folded(prefix), Self.folded(prefix) + [0xFF]])
            }
        case .signsIn(as: let name, let type):
            switch type {
            case .local: hasName("c.key = ?", [Self.key(name)])
            case .code:
                hasName("c.kind = 'email' AND c.key = ? AND u.password_hash IS NULL", [Self.key(name)])
            }
        case .hasIdentity(let key):
            SQLText(
                """
                EXISTS (SELECT 1 FROM strong_methods AS c WHERE c.tenant = u.tenant AND c."user" = u.id AND c.kind = ?
                AND c.credential = ?)
                """, [StrongMethod.identityName, key])
        case .attribute(let name, let match):
            has(.joined([SQLText("c.name = ?", [name]), compared(match, in: "c")], by: " AND "))
        case .attributeIs(let name, let value):
            has(SQLText("c.name = ? AND c.value = ?", [name, value]))
        case .lacksAttribute(let name):
            .joined([SQLText("NOT "), has(SQLText("c.name = ?", [name]))], by: "")
        }
    }

    private func bracketed(_ parts: [UserCondition], by separator: String) -> SQLText {
        let joined = SQLText.joined(parts.map(check), by: separator)
        return SQLText("(\(joined.sql))", joined.values)
    }

    private func has(_ condition: SQLText) -> SQLText {
        SQLText(
            #"EXISTS (SELECT 1 FROM attributes AS c WHERE c.tenant = u.tenant AND c."user" = u.id AND \#(condition.sql))"#,
            condition.values)
    }

    private func hasName(_ condition: String, _ values: [any StoredValue]) -> SQLText {
        SQLText(
            """
            EXISTS (SELECT 1 FROM identifiers AS c \(dialect.identifiersByUser)
            WHERE c.tenant = u.tenant AND c."user" = u.id AND \(condition))
            """, values)
    }

    /// The text of an attribute as `attributes_by_value` has it: the first 128 characters, A to Z lowered.
    private func folded(_ alias: String) -> String {
        switch dialect {
        case .sqlite: "substr(lower(\(alias).value), 1, 128)"
        case .postgres: #"substr(lower(\#(alias).value COLLATE "C"), 1, 128)"#
        }
    }

    /// The same for a text of a request, which the database lowers, too.
    private var foldedValue: String {
        switch dialect {
        case .sqlite: "substr(lower(?), 1, 128)"
        case .postgres: #"substr(lower(?::text COLLATE "C"), 1, 128)"#
        }
    }

    private func compared(_ match: UserCondition.TextMatch, in alias: String) -> SQLText {
        let value = folded(alias)
        return switch match {
        // Longer texts must agree beyond the index, too.
        case .equals(let text):
            SQLText(
                "\(value) = \(foldedValue) AND lower(\(alias).value) = lower(?\(dialect == .postgres ? "::text" : ""))",
                [AttributeValue.string(text), AttributeValue.string(text)])
        case .begins(let text):
            // The greatest character ends the range of the texts that begin alike.
            SQLText(
                "\(value) >= \(foldedValue) AND \(value) < \(foldedValue)",
                [Beginning(text), Beginning(text, "\u{10FFFF}")])
        }
    }

    /// The stored form of the texts that begin with this: the JSON of a text, without its end.
    private struct Beginning: StoredValue {
        let text: String
        let end: String

        init(_ text: String, _ end: String = "") {
            self.text = text
            self.end = end
        }

        var stored: SQLValue {
            get throws {
                guard case .text(let json) = try AttributeValue.string(text).stored else {
                    throw StoreError.corrupt("attributes")
                }
                return .text(json.dropLast() + end)
            }
        }

        static func restore(_ value: SQLValue) -> Beginning? { nil }
    }

    /// The normal form of a whole login name; a text that is none has a form that no account has.
    private static func key(_ name: String) -> Data {
        (EmailAddress(name)?.key ?? Alias(name)?.key)?.bytes ?? Data()
    }

    /// The normal form of the beginning of an address: ASCII in lower case.
    private static func folded(_ name: String) -> Data {
        Data(name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
    }
}
