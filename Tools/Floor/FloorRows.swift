import NIOCore

/// The statements that change rows. Their text is that of both databases; PostgreSQL numbers the places of values.
///
/// A condition stands in the statement that changes the row, so that no row is read before: what a statement says about the
/// number of rows is the check.
enum Statement: UInt8, CaseIterable, Sendable {
    /// A name that a user gave up a short time ago, of this mark: no row.
    case heldName
    /// The user, with the credentials under which the flow began: one row.
    case sameCredentials
    case insertFlow
    /// Ends or advances a flow of this revision, with this digest of a code: one row.
    case advanceFlow
    case insertMail
    case finishMail
    case insertAudit
    case insertUser
    case insertIdentifier
    case insertReplay
    case insertFamily
    /// Exchanges a refresh token, whose digest is given: one row.
    case rotateFamily

    enum Expected: Sendable {
        case noRow
        case oneRow
        case oneChange
        case anything
    }

    var expected: Expected {
        switch self {
        case .heldName: .noRow
        case .sameCredentials: .oneRow
        case .advanceFlow, .rotateFamily: .oneChange
        case .insertFlow, .insertMail, .finishMail, .insertAudit, .insertUser, .insertIdentifier, .insertReplay,
            .insertFamily:
            .anything
        }
    }

    /// In SQLite's syntax.
    var sql: String {
        switch self {
        case .heldName: #"SELECT 1 FROM held_names WHERE tenant = ? AND mark = ?"#
        case .sameCredentials:
            "SELECT 1 FROM users WHERE tenant = ? AND id = ? AND credential_version = ? AND disabled_at IS NULL"
        case .insertFlow:
            """
            INSERT INTO flows (tenant, id, revision, code_digest, code_target, code_attempts, code_sent_at, code_expires_at,
                codes_sent, misuses, is_ended, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        case .advanceFlow:
            """
            UPDATE flows SET revision = revision + 1, code_digest = NULL, code_target = NULL, code_attempts = NULL,
                code_sent_at = NULL, code_expires_at = NULL, is_ended = ?
            WHERE tenant = ? AND id = ? AND revision = ? AND is_ended = 0 AND code_digest IS NOT DISTINCT FROM ?
            """
        case .insertMail:
            """
            INSERT INTO outbox (tenant, id, flow, "user", lane, state, sealed_content, attempts, due_at, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, 'pending', ?, 1, ?, ?, ?)
            """
        case .finishMail:
            """
            UPDATE outbox SET state = 'sent', sealed_content = NULL, finished_at = ?
            WHERE tenant = ? AND id = ? AND state = 'pending'
            """
        case .insertAudit:
            """
            INSERT INTO audit (tenant, kind, at, client, flow, "user", detail, source, profile, position, seal)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        case .insertUser:
            """
            INSERT INTO users (tenant, id, client, password_hash, created_at, credentials_changed_at, position)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        case .insertIdentifier:
            """
            INSERT INTO identifiers (tenant, key, kind, display, "user", proven_at, proof)
            VALUES (?, ?, 'email', ?, ?, ?, 'email one-time passcode')
            """
        case .insertReplay:
            """
            INSERT INTO replays (tenant, flow, request_digest, sealed_answer, expires_at) VALUES (?, ?, ?, ?, ?)
            """
        case .insertFamily:
            """
            INSERT INTO refresh_families (tenant, id, client, "user", scopes, methods, contexts, authenticated_at, created_at,
                expires_at, generation, token_digest, network, level) VALUES (?, ?, ?, ?, ?, ?, '[]', ?, ?, ?, 0, ?, ?, 'l1')
            """
        case .rotateFamily:
            """
            UPDATE refresh_families SET scopes = ?, expires_at = ?, generation = generation + 1, token_digest = ?,
                previous_digest = ?, previous_rotated_at = ?, previous_answer = ?, network = ?
            WHERE tenant = ? AND id = ? AND token_digest = ? AND revoked_at IS NULL
            """
        }
    }
}

/// The rows of one step: statements and their values, in one array of bytes, from which both databases read them where
/// they are.
struct StepRows: Sendable {
    enum Tag {
        static let null: UInt8 = 0
        /// Eight bytes, most significant first: PostgreSQL's form.
        static let integer: UInt8 = 1
        /// Four bytes of length, and the text.
        static let text: UInt8 = 2
        static let bytes: UInt8 = 3
        static let statement: UInt8 = 16
    }

    private(set) var encoded: [UInt8] = []

    init() {
        encoded.reserveCapacity(1_024)
    }

    /// Adds a statement with its values.
    mutating func run(_ statement: Statement, _ values: Value...) {
        encoded.append(Tag.statement + statement.rawValue)
        for value in values {
            switch value {
            case .null: encoded.append(Tag.null)
            case .integer(let number):
                encoded.append(Tag.integer)
                withUnsafeBytes(of: number.bigEndian) { encoded.append(contentsOf: $0) }
            case .text(let text): append(Tag.text, text)
            case .word(let word):
                encoded.append(Tag.text)
                withUnsafeBytes(of: UInt32(word.utf8CodeUnitCount)) { encoded.append(contentsOf: $0) }
                encoded.append(word)
            case .bytes(let bytes): append(Tag.bytes, bytes)
            }
        }
    }

    private mutating func append(_ tag: UInt8, _ bytes: [UInt8]) {
        encoded.append(tag)
        withUnsafeBytes(of: UInt32(bytes.count)) { encoded.append(contentsOf: $0) }
        encoded.append(contentsOf: bytes)
    }

    enum Value {
        case null
        case integer(Int64)
        case text([UInt8])
        case word(StaticString)
        case bytes([UInt8])

        static func optional(_ bytes: [UInt8]) -> Value { bytes.isEmpty ? .null : .bytes(bytes) }
    }
}
