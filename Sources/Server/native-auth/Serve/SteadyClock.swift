import IdentityEngine
import IdentityStoreSQL
import PortableFoundation

/// The clock for a database in this process: this machine's clock, but it never goes back, so that expired values do
/// not become valid again (`REL-TIME-2`).
struct SteadyClock: WallClock {
    private let clock: DatabaseClock
    private let machine: any WallClock

    /// - Parameters:
    ///   - machine: This machine's clock, which can be set.
    ///   - written: When the database was last written; the clock starts no earlier.
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
