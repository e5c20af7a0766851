import IdentityEngine
import PortableFoundation

/// The system's clock.
struct SystemClock: WallClock {
    var now: Date { Date() }
}

/// The system's generator.
struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        // Take eight bytes at a time: each call of the generator is a system call.
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next() as UInt64) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
