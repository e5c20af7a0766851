import IdentityEngine
import IdentityHTTP
import IdentityHooks
import NativeAuthCore
import PortableFoundation

/// The last calls of receivers, for the page of the development profile.
final class CallLog: Sendable {
    private static let length = 50
    private let state = Locked<(calls: [(number: Int, call: HTTPHookReceiver.RecordedCall)], count: Int)>(([], 0))

    func record(_ call: HTTPHookReceiver.RecordedCall) {
        state.withLock { state in
            state.count += 1
            state.calls.insert((state.count, call), at: 0)
            if state.calls.count > Self.length { state.calls.removeLast() }
        }
    }

    /// What the page shows, and does with the receiver.
    func pages(_ receiver: HTTPHookReceiver, clock: any WallClock) -> DevelopmentCalls {
        DevelopmentCalls(
            last: { [self] in state.withLock { $0.calls }.map { Self.shown($0.number, $0.call) } },
            again: { [self] number in
                guard let call = state.withLock({ $0.calls.first { $0.number == number } })?.call else { return }
                await receiver.again(call, now: clock.now)
            })
    }

    private static func shown(_ number: Int, _ recorded: HTTPHookReceiver.RecordedCall) -> DevelopmentCall {
        let hook = recorded.call.hook
        return DevelopmentCall(
            number: number, at: recorded.call.now, hook: hook.displayName, event: hook.event.rawValue, url: hook.url,
            failure: recorded.failure?.word, milliseconds: recorded.milliseconds,
            request: String(decoding: recorded.body, as: UTF8.self),
            answer: recorded.answer.map { String(decoding: $0, as: UTF8.self) }, isRepeatable: recorded.isRepeatable)
    }
}
