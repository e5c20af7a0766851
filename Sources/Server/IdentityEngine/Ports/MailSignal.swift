/// Tells the outbox worker that there is mail.
///
/// The engine signals after the commit, so that a mail is sent at once and no request waits for it (`SEC-MAIL-1`). A
/// signal without a waiting worker is kept; several signals become one. The signal carries no data: the worker asks the
/// store.
///
/// One signal serves one worker for the worker's lifetime: cancelling the worker ends the signal.
package struct MailSignal: Sendable {
    /// The stream of signals.
    package let wakeUps: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the worker; returns at once.
    package func notify() {
        continuation.yield()
    }
}
