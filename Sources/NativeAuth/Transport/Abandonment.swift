import NativeAuthCore

/// When to stop waiting, and what to throw then.
struct TimeLimit: Sendable {
    var duration: Duration
    var error: any Error
    /// Returns when the time is over.
    var wait: @Sendable (Duration) async throws -> Void
}

/// Runs `operation`, but stops waiting for it as soon as the caller is cancelled (`SDK-CANCEL-1`), or the time is over.
///
/// `operation` runs in a task of its own, which is cancelled too. It may be an app's own transport or interceptor, which may
/// be slow to notice, or hang; what it brings then is dropped.
///
/// - Throws: `CancellationError` when the caller is cancelled, the error of `limit`, or what `operation` throws.
func abandonable<Value: Sendable>(
    within limit: TimeLimit? = nil, _ operation: @escaping @concurrent @Sendable () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    let race = Race<Value>()
    let task = Task { race.end(with: await Result.catching(operation)) }
    let timer = limit.map { limit in
        Task {
            do {
                try await limit.wait(limit.duration)
            } catch {
                // It was told to stop, as the race has ended.
                return
            }
            race.end(with: .failure(limit.error))
            task.cancel()
        }
    }
    defer { timer?.cancel() }
    let value = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { race.begin($0) }
    } onCancel: {
        race.end(with: .failure(CancellationError()))
        task.cancel()
    }
    // What arrives in the same moment as the cancellation counts as too late.
    try Task.checkCancellation()
    return value
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: @concurrent @Sendable () async throws -> Success) async -> Self {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}

/// One waiter and the first of several results, in either order.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
        case delivered
    }

    private let state = Locked(State.open)

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            guard case .ended(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .delivered
            return result
        }
        if let result { continuation.resume(with: result) }
    }

    func end(with result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .delivered
                return continuation
            case .ended, .delivered:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
