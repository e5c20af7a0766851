import IdentityEngine
import IdentityStoreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time for a database in this process: this machine's, except that a clock that is set back is not followed, so that nothing
/// expired comes back (`REL-TIME-2`).
struct SteadyClock: WallClock {
    private let clock: DatabaseClock
    private let machine: any WallClock

    /// - Parameters:
    ///   - machine: The clock that somebody may set.
    ///   - written: When the database was last written, which is over; the time does not begin before.
    init(_ machine: any WallClock = SystemClock(), notBefore written: Date? = nil) {
        self.machine = machine
        clock = DatabaseClock(max(machine.now, written ?? .distantPast), at: .now)
    }

    var now: Date {
        let instant = ContinuousClock.now
        _ = clock.set(machine.now, at: instant)
        return clock.time(at: instant)
    }
}
