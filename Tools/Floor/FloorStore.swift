import Crypto
import Dispatch
import Foundation
import NIOCore
import Synchronization

/// What a step reads before it makes anything.
enum Question: Sendable {
    /// Whether the name is free: neither a user's nor held for one.
    case nameIsFree(name: [UInt8], mark: [UInt8])
    case account(name: [UInt8])
    case accountOfID([UInt8])
    /// A session with its user.
    case family([UInt8])

    static let nameIsFreeSQL = """
        SELECT 1 FROM identifiers WHERE tenant = ?1 AND key = ?2
        UNION ALL SELECT 1 FROM held_names WHERE tenant = ?1 AND mark = ?3
        """
    static let accountOfNameSQL = """
        SELECT u.id, u.credential_version, u.password_hash, i.display FROM identifiers AS i
        JOIN users AS u ON u.tenant = i.tenant AND u.id = i."user"
        WHERE i.tenant = ?1 AND i.key = ?2 AND u.disabled_at IS NULL
        """
    static let accountOfIDSQL = """
        SELECT u.id, u.credential_version, u.password_hash, i.display FROM users AS u
        JOIN identifiers AS i ON i.tenant = u.tenant AND i."user" = u.id
        WHERE u.tenant = ?1 AND u.id = ?2 AND u.disabled_at IS NULL
        """
    static let familySQL = """
        SELECT f."user", f.client, f.authenticated_at, f.expires_at, f.token_digest, f.methods FROM refresh_families AS f
        JOIN users AS u ON u.tenant = f.tenant AND u.id = f."user"
        WHERE f.tenant = ?1 AND f.id = ?2 AND f.revoked_at IS NULL AND u.disabled_at IS NULL
        """
}

enum Answer: Sendable {
    /// There is no such row; or, of a name, it is free.
    case nothing
    case taken
    case account(id: [UInt8], credentialVersion: Int64, passwordHash: [UInt8], name: [UInt8])
    case family(Family)
}

struct Family: Sendable {
    var user: [UInt8]
    var client: [UInt8]
    var authenticatedAt: Int64
    var expiresAt: Int64
    var tokenDigest: [UInt8]
    var methods: [UInt8]
}

/// Rows that wait for the next transaction.
struct WriteJob: Sendable {
    var rows: StepRows
    /// The number of the loop that gets the result.
    var loop: Int
    /// Called on that loop, with whether the rows are durable.
    var finish: @Sendable (_ isDurable: Bool) -> Void
}

/// A database of the floor.
protocol FloorStore: Sendable {
    /// Answers on the loop, perhaps at once.
    func ask(_ question: Question, on loop: FloorLoop, _ then: @escaping (Answer) -> Void)
    /// Writes the rows with those of the other callers that wait.
    func write(_ job: WriteJob)
}

struct FloorFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The work that waits for the threads of a connection.
final class WorkQueue<Work: Sendable>: Sendable {
    private let waiting = Mutex<[Work]>([])
    private let signal = DispatchSemaphore(value: 0)

    func add(_ work: Work) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(work)
            return waiting.count == 1
        }
        if isFirst { signal.signal() }
    }

    /// All waiting work; waits for the first.
    func next() -> [Work] {
        while true {
            let work = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if !work.isEmpty { return work }
            signal.wait()
        }
    }
}

/// Tells the loops of finished jobs, each loop once.
struct Completions: Sendable {
    let loops: [any EventLoop]

    func send(_ jobs: [WriteJob], areDurable: (Int) -> Bool) {
        var finished = [[(@Sendable (Bool) -> Void, Bool)]](repeating: [], count: loops.count)
        for (number, job) in jobs.enumerated() { finished[job.loop].append((job.finish, areDurable(number))) }
        for (loop, finished) in zip(loops, finished) where !finished.isEmpty {
            loop.execute { for (finish, isDurable) in finished { finish(isDurable) } }
        }
    }
}

/// The chain over the audit trail: each line's seal covers the line before. The writer seals a line as it writes it.
struct AuditChain {
    let key: SymmetricKey
    private(set) var position: Int64
    private(set) var seal: [UInt8] = []

    init(key: SymmetricKey, position: Int64) {
        self.key = key
        self.position = position
    }

    mutating func append(_ line: UnsafeRawBufferPointer) {
        position += 1
        var mac = HMAC<SHA256>(key: key)
        mac.update(data: Array("line".utf8) + seal)
        mac.update(data: line)
        seal = Array(mac.finalize())
    }

    var anchor: [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("head \(position)".utf8) + seal, using: key))
    }
}
