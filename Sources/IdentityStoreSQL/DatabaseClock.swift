import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The time of a database that many nodes share: the same for all of them, whatever their own clocks say (`REL-TIME-1`).
///
/// The database is asked now and then, and this machine's monotonic clock goes on from its last answer. A database whose clock
/// is set back is not followed, so that nothing expired comes back while this node runs (`REL-TIME-2`).
package final class DatabaseClock: WallClock {
    /// How far the database may lie behind what it said before, in seconds, and be followed.
    private static let tolerance: TimeInterval = 1

    private let last: Locked<(time: Date, at: ContinuousClock.Instant)>

    /// - Parameter time: What the database said at `instant`.
    package init(_ time: Date, at instant: ContinuousClock.Instant) {
        last = Locked((time, instant))
    }

    package var now: Date { time(at: .now) }

    package func time(at instant: ContinuousClock.Instant) -> Date {
        last.withLock { $0.time + (instant - $0.at) / .seconds(1) }
    }

    /// Takes what the database says now.
    ///
    /// - Returns: Whether it is followed.
    package func set(_ time: Date, at instant: ContinuousClock.Instant) -> Bool {
        last.withLock { last in
            let expected = last.time + (instant - last.at) / .seconds(1)
            guard time > expected - Self.tolerance else { return false }
            last = (time, instant)
            return true
        }
    }
}
