import IdentityEngine
import NativeAuthCore
package import PortableFoundation

/// The time of a database that many nodes share: the same for all nodes, regardless of their own clocks (`REL-TIME-1`).
///
/// The database is asked from time to time, and this machine's monotonic clock continues from its last answer. A
/// database clock that is set back is not followed, so that expired values do not become valid again while this node
/// runs (`REL-TIME-2`).
package final class DatabaseClock: WallClock {
    /// How far the database's time may go back and still be followed, in seconds.
    private static let tolerance: TimeInterval = 1

    private let last: Locked<(time: Date, at: ContinuousClock.Instant)>

    /// - Parameter time: The database's time at `instant`.
    package init(_ time: Date, at instant: ContinuousClock.Instant) {
        last = Locked((time, instant))
    }

    package var now: Date { time(at: .now) }

    package func time(at instant: ContinuousClock.Instant) -> Date {
        last.withLock { $0.time + (instant - $0.at) / .seconds(1) }
    }

    /// Updates the clock with the database's current time.
    ///
    /// - Returns: Whether the clock follows it.
    package func set(_ time: Date, at instant: ContinuousClock.Instant) -> Bool {
        last.withLock { last in
            let expected = last.time + (instant - last.at) / .seconds(1)
            guard time > expected - Self.tolerance else { return false }
            last = (time, instant)
            return true
        }
    }
}
