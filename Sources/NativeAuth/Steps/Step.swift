import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A moment of a flow at which the user has to do something, such as to type a code.
///
/// A step can be used once: its calls consume it, and the compiler refuses a second one. What comes back is an ``Outcome``: the
/// next step, or a refusal together with the live step to try again. Where only copyable values can live, such as in a view
/// model, keep it with ``kept()``; to let it survive a restart of the app, use ``saved(with:)``. What the compiler says where a step
/// is used wrongly, and the way out: <doc:CompilerMessages>.
public protocol FlowStep: ~Copyable, Sendable {
    /// What there is to show.
    associatedtype Info: Sendable
    /// What can be wrong with what the user gave, so that the same step may be tried again.
    associatedtype Refusal: Sendable

    /// What there is to show to the user.
    var info: Info { get }
    /// The username that the flow began with.
    var username: String { get }
    /// Stands in the server's log for this flow.
    var correlationID: UUID { get }
    /// What ``saved(with:)`` seals. Not for apps.
    var content: StepContent { get }
    /// The step that ``content`` came from. Not for apps.
    init?(content: StepContent, client: NativeAuthClient)
}

/// What came of a call on a step.
///
/// Used once; <doc:CompilerMessages> explains what the compiler says about it.
@frozen
public enum Outcome<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable>: ~Copyable, Sendable {
    /// The server took it: on to what is next.
    case next(Next)
    /// The server did not take it, or was not reached. Nothing is lost: here is the live step again, and why.
    case retry(Step, Step.Refusal)
}

/// A step, kept where only copyable values can live: in SwiftUI's `@State`, in a view model, in an array. Copies share it.
///
/// Whoever takes the step out has it alone, so that a double tap does one thing:
///
/// ```swift
/// guard case .code(let kept) = screen, let step = kept.take() else { return }
/// switch try await step.submit(code: code) { … }
/// ```
///
/// It is equal to its copies only.
public struct Kept<Step: FlowStep & ~Copyable>: Sendable, Hashable {
    /// What there is to show to the user, also after the step was taken.
    public let info: Step.Info
    /// The username that the flow began with.
    public let username: String
    /// Stands in the server's log for this flow.
    public let correlationID: UUID
    private let place: Place
    private let secretContent: StepContent

    private final class Place: @unchecked Sendable {
        // Sendable holds because only the caller who finds `isTaken` false ever touches the step.
        private let isTaken = Locked(false)
        private var step: Step?

        init(_ step: consuming Step) {
            self.step = consume step
        }

        var isThere: Bool { !isTaken.withLock(\.self) }

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
        place = Place(consume step)
    }

    /// The step, for the first who asks; nil for all others.
    public func take() -> Step? {
        place.take()
    }

    /// Whether the step has been taken, such as while its call is under way.
    public var isTaken: Bool { !place.isThere }

    /// What the step is made of; nil when it has been taken.
    var content: StepContent? { place.isThere ? secretContent : nil }

    public static func == (left: Kept, right: Kept) -> Bool {
        left.place === right.place
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(place))
    }
}

// Without a mirror of its own `dump` would copy the step, which ends the process.
extension Kept: CustomStringConvertible, CustomReflectable where Step: ~Copyable {
    public var description: String { "Kept(\(info))" }
    public var customMirror: Mirror { Mirror(self, children: ["info": info, "correlationID": correlationID]) }
}

extension FlowStep where Self: ~Copyable {
    public var username: String { content.flow.username }
    public var correlationID: UUID { content.flow.correlationID }

    /// Keeps the step where only copyable values can live.
    public consuming func kept() -> Kept<Self> {
        Kept(self)
    }
}
