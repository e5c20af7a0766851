/// Tells the worker of the outbox that there is mail.
///
/// The engine notifies after the commit, so that a mail leaves at once and no request waits for it (`SEC-MAIL-1`). A
/// notice that nobody waits for is kept, several are one. The signal carries no work: the worker asks the store.
///
/// One signal serves one worker, for the worker's life: cancelling the worker ends it.
package struct MailSignal: Sendable {
    /// The notices.
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
