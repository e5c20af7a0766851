import NativeAuthCore

/// A time limit for waiting, and the error to throw after it.
struct TimeLimit: Sendable {
    var duration: Duration
    var error: any Error
    /// Returns when the time is over.
    var wait: @Sendable (Duration) async throws -> Void
}

/// Runs `operation`, and stops waiting for it when the caller is cancelled (`SDK-CANCEL-1`) or the time is over.
///
/// `operation` runs in a separate task, which is cancelled too. An app's transport or interceptor may react late or
/// hang; its late result is dropped.
///
/// - Throws: `CancellationError` when the caller is cancelled, the error of `limit`, or the error of `operation`.
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
                // The race has ended, which cancels the wait.
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
    // A result that arrives together with the cancellation counts as too late.
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

/// Resumes one waiter with the first of several results, in either order.
final class Race<Value: Sendable>: Sendable {
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
