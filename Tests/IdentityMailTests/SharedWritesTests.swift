import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityMail

@Suite("Shared writes", .timeLimit(.minutes(1)))
struct SharedWritesTests {
    private struct DiskFull: Error {}

    /// A disk: each write waits for ``finish(_:)``.
    private final class Disk: Sendable {
        private let begun = AsyncStream<[Int]>.makeStream()
        private let results = AsyncStream<Result<Void, StoreError>>.makeStream()

        func write(_ items: [Int]) async throws(StoreError) {
            begun.continuation.yield(items)
            for await result in results.stream { return try result.get() }
        }

        /// The items of the next write.
        func next() async -> [Int] {
            for await items in begun.stream { return items }
            return []
        }

        func finish(_ result: Result<Void, StoreError>) { results.continuation.yield(result) }
    }

    @Test("Items that come during a write share the next one, and each caller learns how its own went")
    func sharing() async throws {
        let disk = Disk()
        let writes = SharedWrites<Int> { items throws(StoreError) in try await disk.write(items) }
        let ended = Locked<[Int: Bool]>([:])
        @Sendable func add(_ item: Int) -> Task<Void, Never> {
            Task {
                do {
                    try await writes.add(item)
                    ended.withLock { $0[item] = true }
                } catch {
                    ended.withLock { $0[item] = false }
                }
            }
        }
        let first = add(0)
        #expect(await disk.next() == [0])
        let others = (1...5).map(add)
        while writes.waitingCount < 5 { await Task.yield() }
        #expect(ended.withLock { $0.isEmpty })

        disk.finish(.success(()))
        await first.value
        #expect(await disk.next().sorted() == [1, 2, 3, 4, 5])
        #expect(ended.withLock { $0 } == [0: true])
        let last = add(6)
        while writes.waitingCount < 1 { await Task.yield() }

        disk.finish(.failure(.unavailable(DiskFull())))
        for other in others { await other.value }
        #expect(await disk.next() == [6])
        #expect(ended.withLock { $0 } == [0: true, 1: false, 2: false, 3: false, 4: false, 5: false])

        disk.finish(.success(()))
        await last.value
        #expect(ended.withLock { $0[6] } == true)
        #expect(writes.waitingCount == 0)

        // With nothing under way the next item is written at once.
        let later = add(7)
        #expect(await disk.next() == [7])
        disk.finish(.success(()))
        await later.value
    }
}
