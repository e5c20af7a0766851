import NativeAuthCore
import PortableFoundation

/// Lets few searches run at a time, so that they never take all connections of a database, and one of each caller, so that no
/// daemon and no operator keeps the others out. A search waits up to two seconds for its place.
struct SearchGate: Sendable {
    private static let most = 2
    /// How many searches of one caller may wait.
    private static let mostWaiting = 4

    private struct State {
        var running: Set<Data> = []
        var waiting: [Data: Int] = [:]
    }

    private let state = Locked(State())

    /// - Parameter caller: The daemon or the operator.
    /// - Throws: ``RequestFault/unavailable(retryAfter:)`` when there is no place in time.
    func callAsFunction<Value>(of caller: Data, _ search: () async throws -> Value) async throws -> Value {
        try await enter(caller)
        defer { state.withLock { _ = $0.running.remove(caller) } }
        return try await search()
    }

    private func enter(_ caller: Data) async throws {
        if takesPlace(caller) { return }
        let mayWait = state.withLock { state in
            guard state.waiting[caller, default: 0] < Self.mostWaiting else { return false }
            state.waiting[caller, default: 0] += 1
            return true
        }
        guard mayWait else { throw RequestFault.unavailable(retryAfter: 1) }
        defer {
            state.withLock { state in
                state.waiting[caller, default: 0] -= 1
                if state.waiting[caller] == 0 { state.waiting[caller] = nil }
            }
        }
        for _ in 0..<80 {
            try await Task.sleep(for: .milliseconds(25))
            if takesPlace(caller) { return }
        }
        throw RequestFault.unavailable(retryAfter: 1)
    }

    private func takesPlace(_ caller: Data) -> Bool {
        state.withLock { state in
            guard state.running.count < Self.most else { return false }
            return state.running.insert(caller).inserted
        }
    }
}
