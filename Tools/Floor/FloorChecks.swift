import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

extension Floor {
    /// How many signatures one thread makes, for `scripts/check-floor`.
    struct SignaturesCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "signatures", abstract: "Print the signatures a second of one thread: RS256, then ES256.")

        @Option(help: "Seconds for each algorithm.") var seconds = 2.0

        func run() throws {
            let message = [UInt8](repeating: 7, count: 600)
            for algorithm in [Signer.Algorithm.rs256, .es256] {
                let signer = try Signer(algorithm)
                let begin = ContinuousClock.now
                var count = 0
                while ContinuousClock.now - begin < .seconds(seconds) {
                    for _ in 0..<20 { _ = try signer.signature(message) }
                    count += 20
                }
                say("\(Int(Double(count) / ((ContinuousClock.now - begin) / .seconds(1))))")
            }
        }
    }

    /// How often the store writes what a step that sends a code writes, for `scripts/check-floor`.
    struct RowsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rows", abstract: "Print how often a second the rows of a challenge become durable.")

        @OptionGroup var place: FloorPlace
        @Option(help: "Seconds.") var seconds = 3.0
        @Option(help: "Callers at once.") var callers = 32

        func run() throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
            let loops = Array(group.makeIterator())
            let keys = FloorKeys(signer: try Signer(.es256))
            let store = try place.store(keys, loops)
            let end = ContinuousClock.now + .seconds(seconds)
            let counts = try (0..<callers).map { number in
                let loop = loops[number % loops.count]
                return loop.flatSubmit {
                    let caller = RowsCaller(number % loops.count, loop, store, until: end)
                    caller.write()
                    return caller.count.futureResult
                }
            }.map { try $0.wait() }
            say("\(Int(Double(counts.reduce(0, +)) / seconds))")
        }
    }
}

/// Writes again as soon as the last rows are durable. Used on its loop.
private final class RowsCaller {
    let count: EventLoopPromise<Int>
    private let number: Int
    private let loop: any EventLoop
    private let store: any FloorStore
    private let end: ContinuousClock.Instant
    private var random = RandomPool()
    private var clock = FloorClock()
    private var done = 0

    init(_ number: Int, _ loop: any EventLoop, _ store: any FloorStore, until end: ContinuousClock.Instant) {
        (self.number, self.loop, self.store, self.end) = (number, loop, store, end)
        count = loop.makePromise()
    }

    func write() {
        let now = clock.now
        var rows = StepRows()
        rows.run(
            .insertFlow, .bytes(FloorLoop.tenant), .bytes(random.uuid(at: now)), .integer(0), .bytes(random.bytes(32)),
            .bytes(random.bytes(32)), .integer(0), .integer(now), .integer(now + 600_000), .integer(1), .integer(0),
            .integer(0), .integer(now + 3_600_000))
        rows.run(
            .insertMail, .bytes(FloorLoop.tenant), .bytes(random.uuid(at: now)), .bytes(random.uuid(at: now)), .null,
            .bytes(random.bytes(8)), .bytes(random.bytes(218)), .integer(now + 60_000), .integer(now),
            .integer(now + 600_000))
        rows.run(
            .insertAudit, .bytes(FloorLoop.tenant), .word("otp.sent"), .integer(now), .bytes(random.bytes(16)),
            .bytes(random.uuid(at: now)), .null, .null, .bytes(random.bytes(16)), .word("development"))
        let caller = NIOLoopBound(self, eventLoop: loop)
        store.write(
            WriteJob(rows: rows, loop: number) { isDurable in
                guard isDurable else { giveUp("rows were refused") }
                let caller = caller.value
                caller.done += 1
                if ContinuousClock.now < caller.end { caller.write() } else { caller.count.succeed(caller.done) }
            })
    }
}
