import IdentityEngine
import Synchronization

/// Groups writes: items that come while a write is under way are written together by the next one.
final class SharedWrites<Item: Sendable>: Sendable {
    /// What a waiting caller does next.
    private enum Turn {
        /// It writes its own item and those of the others.
        case lead([Waiting])
        case done(Result<Void, StoreError>)
    }

    private struct Waiting {
        let item: Item
        let caller: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var isWriting = false
        var waiting: [Waiting] = []
    }

    private let write: @Sendable ([Item]) async throws(StoreError) -> Void
    private let state = Mutex(State())

    /// - Parameter write: Writes all items or none.
    init(_ write: @escaping @Sendable ([Item]) async throws(StoreError) -> Void) {
        self.write = write
    }

    /// The number of items that wait for the next write.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when the item is written.
    ///
    /// - Throws: The error of the write, which is that of all items that shared it.
    func add(_ item: Item) async throws(StoreError) {
        switch await turn(of: item) {
        case .done(let result): try result.get()
        case .lead(let others):
            let result: Result<Void, StoreError>
            do throws(StoreError) {
                result = .success(try await write([item] + others.map(\.item)))
            } catch {
                result = .failure(error)
            }
            // The next write does not wait for the callers of this one.
            startNextWrite()
            for other in others { other.caller.resume(returning: .done(result)) }
            try result.get()
        }
    }

    private func turn(of item: Item) async -> Turn {
        await withCheckedContinuation { continuation in
            let leads = state.withLock { state in
                guard state.isWriting else {
                    state.isWriting = true
                    return true
                }
                state.waiting.append(Waiting(item: item, caller: continuation))
                return false
            }
            if leads { continuation.resume(returning: .lead([])) }
        }
    }

    /// Lets the first waiting caller write the items of all that wait; with none, no write is under way.
    private func startNextWrite() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isWriting = !state.waiting.isEmpty
            return state.waiting
        }
        waiting.first?.caller.resume(returning: .lead(Array(waiting.dropFirst())))
    }
}
