internal import Foundation
internal import NativeAuth

/// Stores the name of the callback that the app left out, for its default implementation.
@MainActor
enum MissingCallback {
    /// Nil unless a default implementation has run since the last reset.
    static var name: String?

    /// The name of the callback that `call` needed and the app does not implement; nil when the app implements it.
    ///
    /// Callbacks are synchronous and on the main actor, so only `call` can set the name meanwhile.
    static func during(_ call: () -> Void) -> String? {
        name = nil
        call()
        defer { name = nil }
        return name
    }
}

/// A delegate on its way to the main actor.
///
/// Delegates are plain classes and not `Sendable`; requiring that would break app code in Swift 6 mode.
struct Handover<Delegate>: @unchecked Sendable {
    // Sendable is safe for this use: the delegate is stored here, and accessed again only on the main actor.
    let delegate: Delegate
}

/// Runs `work` outside the main actor, then calls one callback of the delegate on the main actor.
///
/// The call returns at once, and the callback always comes later. The delegate is held until the callback is over.
///
/// - Parameters:
///   - operation: The name of the app's call, for the log.
///   - correlationID: The identifier of the request, for the log and for the error about a callback that is left out.
///   - delegate: The object that is called.
///   - work: The operation.
///   - succeed: Calls the callback that fits the outcome.
///   - fail: Calls the callback that fits the error. Also called, with a general error, when the delegate does not
///     implement the callback that was called first.
func perform<Delegate, Value: Sendable>(
    _ operation: String, correlationID: UUID, for delegate: Delegate,
    work: @escaping @concurrent @Sendable () async throws(NativeAuthError) -> Value,
    succeed: @escaping @MainActor @Sendable (Delegate, Value) -> Void,
    fail: @escaping @MainActor @Sendable (Delegate, NativeAuthError) -> Void
) {
    let handover = Handover(delegate: delegate)
    Task { @MainActor in
        let logger = MSALGlobalConfig.loggerConfig
        logger.log(.info, "\(operation) begins; correlation ID \(correlationID)")
        let report: () -> Void
        do throws(NativeAuthError) {
            let value = try await work()
            logger.log(.info, "\(operation) succeeded; correlation ID \(correlationID)")
            report = { succeed(handover.delegate, value) }
        } catch {
            // The server's text is left out: it may quote the user's input.
            let codes = error.details.errorCodes
            logger.log(.error, "\(operation) failed; codes \(codes); correlation ID \(error.details.correlationID)")
            report = { fail(handover.delegate, error) }
        }
        if let name = MissingCallback.during(report) {
            logger.log(.error, "\(operation): the delegate does not implement \(name)")
            let message = "The delegate does not implement \(name)"
            fail(handover.delegate, .general(.init(correlationID: correlationID, message: message)))
        }
    }
}
