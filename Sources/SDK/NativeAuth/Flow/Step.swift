import NativeAuthCore
public import PortableFoundation

/// A point of a flow at which the user must act, for example type a code.
///
/// A step can be used once: its calls consume it, and the compiler refuses a second call. A call returns an
/// ``Outcome``: the next step, or a refusal together with the usable step for another try. Store a step with ``kept()``
/// in places that need copyable values, such as a view model; use ``saved(with:)`` to keep it across a restart of the
/// app. <doc:CompilerMessages> explains the compiler's messages about wrong use, with corrections.
public protocol FlowStep: ~Copyable, Sendable {
    /// The information to show to the user.
    associatedtype Info: Sendable
    /// A correctable fault of the user's input, after which the same step can be tried again.
    associatedtype Refusal: Sendable

    /// The information to show to the user.
    var info: Info { get }
    /// The username that the flow began with.
    var username: String { get }
    /// Identifies this flow in the server's log.
    var correlationID: UUID { get }
    /// The content that ``saved(with:)`` seals. Not for apps.
    var content: StepContent { get }
    /// The step with this ``content``. Not for apps.
    init?(content: StepContent, client: NativeAuthClient)
}

/// The result of a call on a step.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
@frozen
public enum Outcome<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable>: ~Copyable, Sendable {
    /// The server accepted the call: continue with the next step.
    case next(Next)
    /// The server refused the call, or was not reached. The flow continues: try again with this step; the refusal gives
    /// the reason.
    case retry(Step, Step.Refusal)
}

/// A step in a copyable container, for SwiftUI's `@State`, a view model or an array. Copies share the step.
///
/// Only one caller can take the step out, so that a double tap has one effect:
///
/// ```swift
/// guard case .code(let kept) = screen, let step = kept.take() else { return }
/// switch try await step.submit(code: code) { … }
/// ```
///
/// It is equal to its copies only.
public struct Kept<Step: FlowStep & ~Copyable>: Sendable, Hashable {
    /// The information to show to the user, also after the step was taken.
    public let info: Step.Info
    /// The username that the flow began with.
    public let username: String
    /// Identifies this flow in the server's log.
    public let correlationID: UUID
    private let storage: Storage
    private let secretContent: StepContent

    private final class Storage: @unchecked Sendable {
        // Sendable holds because only the caller that finds `isTaken` false accesses the step.
        private let isTaken = Locked(false)
        private var step: Step?

        init(_ step: consuming Step) {
            self.step = consume step
        }

        var holdsStep: Bool { !isTaken.withLock(\.self) }

        func take() -> Step? {
            let isFirst = isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
            return isFirst ? step.take() : nil
        }
    }

    /// Keeps `step`.
    public init(_ step: consuming Step) {
        info = step.info
        username = step.username
        correlationID = step.correlationID
        secretContent = step.content
        storage = Storage(consume step)
    }

    /// The step, for the first caller; nil for all later callers.
    public func take() -> Step? {
        storage.take()
    }

    /// Whether the step has been taken, for example while its call is running.
    public var isTaken: Bool { !storage.holdsStep }

    /// The content of the step; nil when it has been taken.
    var content: StepContent? { storage.holdsStep ? secretContent : nil }

    public static func == (left: Kept, right: Kept) -> Bool {
        left.storage === right.storage
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(storage))
    }
}

// Without its own mirror, `dump` would copy the step, which ends the process.
extension Kept: CustomStringConvertible, CustomReflectable where Step: ~Copyable {
    public var description: String { "Kept(\(info))" }
    public var customMirror: Mirror { Mirror(self, children: ["info": info, "correlationID": correlationID]) }
}

extension FlowStep where Self: ~Copyable {
    public var username: String { content.flow.username }
    public var correlationID: UUID { content.flow.correlationID }

    /// Puts the step into a copyable container.
    public consuming func kept() -> Kept<Self> {
        Kept(self)
    }
}

// MARK: - A step of a state

/// A public step that wraps a state.
protocol StateStep: ~Copyable, FlowStep {
    associatedtype State: StepState
    var state: State { get }
    init(state: State)
}

extension StateStep where Self: ~Copyable {
    /// Calls the state. When the user can correct the error, the outcome is the same step for another try; any other
    /// error ends the flow, with a `Failure`.
    consuming func outcome<Next: ~Copyable & Sendable, Failure: FlowFailure>(
        or failure: Failure.Type, _ call: (State) async throws(NativeAuthError) -> Next
    ) async throws(Failure) -> Outcome<Self, Next> where Refusal: StepRefusal {
        do throws(NativeAuthError) {
            return .next(try await call(state))
        } catch {
            guard let refusal = Refusal(error, attempts: state.flow.attempts) else { throw Failure(error) }
            var state = state
            state.flow.attempts = refusal.attempts ?? state.flow.attempts
            return .retry(Self(state: state), refusal)
        }
    }

    /// The step with `content`, if that is of this kind.
    init?(_ content: StepContent, _ kind: StepContent.Kind) {
        guard content.fields.kind == kind, let state = State(content.fields, content.flow) else { return nil }
        self.init(state: state)
    }
}

/// Why a flow did not begin, or is over.
protocol FlowFailure: NativeAuthFailure {
    init(_ error: NativeAuthError)
}
