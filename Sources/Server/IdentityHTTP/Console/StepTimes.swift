package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

/// How long the native steps of this node took, since the counts were last taken: one number for each power of two.
package final class StepTimes: Sendable {
    private let numbers = Locked([Int](repeating: 0, count: Activity.slowest + 1))

    package init() {}

    func record(_ time: Duration) {
        let milliseconds = Int((time / .milliseconds(1)).rounded(.up))
        // The bits of the number below: 1 ms is 2 to the power of 0, and 5 ms lie within 2 to the power of 3.
        let power = milliseconds <= 1 ? 0 : min(Int.bitWidth - (milliseconds - 1).leadingZeroBitCount, Activity.slowest)
        numbers.withLock { $0[power] += 1 }
    }

    /// Takes the counts, which begin anew.
    package func take(now: Date) -> [ActivityCount] {
        let taken = numbers.withLock { numbers in
            let taken = numbers
            for index in numbers.indices { numbers[index] = 0 }
            return taken
        }
        return taken.enumerated().filter { $0.element > 0 }.map {
            ActivityCount(start: now, activity: .steps(within: $0.offset), number: $0.element)
        }
    }
}
