import Dispatch
import IdentityEngine
import Synchronization
import Testing

@testable import IdentityPasswords

/// Counts the parallel jobs, and holds them until it is opened.
private final class Gate: Sendable {
    private struct Count {
        var running = 0
        var peak = 0
        var finished = 0
    }

    private let count = Mutex(Count())
    private let door = DispatchSemaphore(value: 0)

    var running: Int { count.withLock { $0.running } }
    var peak: Int { count.withLock { $0.peak } }
    var finished: Int { count.withLock { $0.finished } }

    /// Passes the gate on a worker of `pool`; false when the pool is overloaded.
    func isPassed(
        on pool: HashingPool, in lane: HashingLane = .accounts, isCostly: Bool = false
    ) async -> Bool {
        do throws(HashingError) {
            try await pool.run(in: lane, isCostly: isCostly) { self.pass() }
            return true
        } catch {
            return error != .overloaded
        }
    }

    func pass() {
        count.withLock {
            $0.running += 1
            $0.peak = max($0.peak, $0.running)
        }
        door.wait()
        count.withLock {
            $0.running -= 1
            $0.finished += 1
        }
    }

    func open(for jobs: Int) {
        for _ in 0..<jobs { door.signal() }
    }

    func waitUntilRunning(_ jobs: Int) async {
        while running < jobs { await Task.yield() }
    }
}

/// The order in which the lanes' jobs ran.
private final class Order: Sendable {
    let lanes = Mutex<[HashingLane]>([])
    let names = Mutex<[String]>([])
}

@Suite(.timeLimit(.minutes(1))) struct HashingPoolTests {
    @Test("SEC-PWD-8: no more jobs run than there are threads, though 90 % of the callers are cancelled")
    func cancelledCallersFreeNoPermit() async {
        let pool = HashingPool(threads: 2, longestWait: .seconds(60))
        let gate = Gate()
        let callers = (0..<60).map { _ in
            Task { await gate.isPassed(on: pool) }
        }
        await gate.waitUntilRunning(2)
        for caller in callers.prefix(54) { caller.cancel() }
        // A caller that comes after the cancellations must not find a free place either.
        let late = Task { await gate.isPassed(on: pool) }
        for _ in 0..<1000 { await Task.yield() }
        #expect(gate.running == 2)

        gate.open(for: 61)
        for caller in callers + [late] { #expect(await caller.value) }
        #expect(gate.peak == 2)
        #expect(gate.finished == 61)
    }

    @Test("SEC-PWD-8: 32 jobs wait for each thread, and the next is refused at once")
    func theQueueIsBounded() async {
        let pool = HashingPool(threads: 2, longestWait: .seconds(60))
        let gate = Gate()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<(2 + 2 * 32 + 3) {
                group.addTask { await gate.isPassed(on: pool) }
            }
            // No job can end while the gate is shut: the first three answers are refusals.
            for _ in 0..<3 { #expect(await group.next() == false) }
            await gate.waitUntilRunning(2)
            gate.open(for: 66)
            for await wasRun in group { #expect(wasRun) }
        }
        #expect(gate.finished == 66)
        #expect(gate.peak == 2)
    }

    @Test("SEC-PWD-8: however many sign up, half of the queue is left to those who have an account")
    func signUpsLeaveRoom() async {
        let pool = HashingPool(threads: 2, longestWait: .seconds(60))
        let gate = Gate()
        await withTaskGroup(of: Bool.self) { signUps in
            for _ in 0..<(2 + 32 + 500) {
                signUps.addTask { await gate.isPassed(on: pool, in: .signUps) }
            }
            for _ in 0..<500 { #expect(await signUps.next() == false) }
            await gate.waitUntilRunning(2)
            await withTaskGroup(of: Bool.self) { signIns in
                for _ in 0..<(32 + 3) { signIns.addTask { await gate.isPassed(on: pool) } }
                for _ in 0..<3 { #expect(await signIns.next() == false) }
                gate.open(for: 66)
                for await wasRun in signIns { #expect(wasRun) }
            }
            for await wasRun in signUps { #expect(wasRun) }
        }
        #expect(gate.finished == 66)
    }

    @Test("While both wait, sign-ins and sign-ups take turns")
    func lanesTakeTurns() async {
        let pool = HashingPool(threads: 1, longestWait: .seconds(60))
        let gate = Gate()
        let order = Order()
        let first = Task { await gate.isPassed(on: pool, in: .signUps) }
        await gate.waitUntilRunning(1)
        let lanes: [HashingLane] = Array(repeating: .signUps, count: 6) + Array(repeating: .accounts, count: 4)
        let callers = lanes.map { lane in
            Task { try? await pool.run(in: lane) { order.lanes.withLock { $0.append(lane) } } }
        }
        // Each is in the queue before the first one ends.
        while pool.waiting < lanes.count { await Task.yield() }
        gate.open(for: 1)
        #expect(await first.value)
        for caller in callers { _ = await caller.value }
        #expect(
            order.lanes.withLock { $0 } == [
                .accounts, .signUps, .accounts, .signUps, .accounts, .signUps, .accounts, .signUps, .signUps, .signUps,
            ])
    }

    @Test(
        "SEC-PWD-8: costly hashes fill their lane, half of the threads and a quarter of the places, and ours go on",
        arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (8, 4)])
    func costlyHashesLeaveThreads(threads: Int, most: Int) async throws {
        let pool = HashingPool(threads: threads, longestWait: .seconds(60))
        let gate = Gate()
        let places = HashingPool.waitingPerThread * threads / 4
        await withTaskGroup(of: Bool.self) { wave in
            for _ in 0..<(most + places + 100) { wave.addTask { await gate.isPassed(on: pool, isCostly: true) } }
            for _ in 0..<100 { #expect(await wave.next() == false) }
            await gate.waitUntilRunning(most)
            #expect(gate.running == most && pool.waiting == places)
            if threads > 1 {
                // While all costly ones are held, ours run to their end, at sign-ins and sign-ups.
                for number in 0..<200 {
                    let lane: HashingLane = number.isMultiple(of: 2) ? .accounts : .signUps
                    let answer: Int? = try? await pool.run(in: lane) { number }
                    #expect(answer == number)
                }
            }
            #expect(gate.running == most)
            gate.open(for: most + places)
            for await wasRun in wave { #expect(wasRun) }
        }
        #expect(gate.peak == most && gate.finished == most + places)
        // The lane is free again.
        #expect(try await pool.run(isCostly: true) { 7 } == 7)
    }

    @Test("While all three wait, the lanes take turns")
    func threeLanesTakeTurns() async {
        let pool = HashingPool(threads: 1, longestWait: .seconds(60))
        let gate = Gate()
        let order = Order()
        let first = Task { await gate.isPassed(on: pool) }
        await gate.waitUntilRunning(1)
        var callers: [Task<Void, Never>] = []
        for (lane, isCostly, name) in [
            (HashingLane.accounts, true, "costly"), (.accounts, true, "costly"), (.signUps, false, "sign-up"),
            (.signUps, false, "sign-up"), (.accounts, false, "account"), (.accounts, false, "account"),
        ] {
            callers.append(
                Task {
                    _ = try? await pool.run(in: lane, isCostly: isCostly) { order.names.withLock { $0.append(name) } }
                })
        }
        while pool.waiting < 6 { await Task.yield() }
        gate.open(for: 1)
        #expect(await first.value)
        for caller in callers { await caller.value }
        #expect(order.names.withLock { $0 } == ["costly", "account", "sign-up", "costly", "account", "sign-up"])
    }

    @Test("SEC-PWD-8: a job that waited too long is refused while the workers are still busy, and is not run")
    func aLongWaitIsRefused() async throws {
        let pool = HashingPool(threads: 1, longestWait: .milliseconds(20))
        let gate = Gate()
        let first = Task { await gate.isPassed(on: pool) }
        await gate.waitUntilRunning(1)
        #expect(await gate.isPassed(on: pool) == false)
        #expect(gate.running == 1)
        gate.open(for: 2)
        #expect(await first.value)
        #expect(try await pool.run { 7 } == 7)
        #expect(gate.finished == 1)
    }

    @Test("SEC-PWD-8: jobs that block many threads leave the cooperative pool free")
    func theCooperativePoolStaysFree() async {
        let pool = HashingPool(threads: 16, longestWait: .seconds(60))
        let gate = Gate()
        let callers = (0..<16).map { _ in
            Task { await gate.isPassed(on: pool) }
        }
        await gate.waitUntilRunning(16)
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...100 { group.addTask { number } }
            return await group.reduce(0, +)
        }
        #expect(sum == 5050)
        gate.open(for: 16)
        for caller in callers { #expect(await caller.value) }
        #expect(gate.peak == 16)
    }

    @Test func aJobsAnswerReachesItsOwnCaller() async throws {
        let pool = HashingPool(threads: 3)
        let answers = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<90 { group.addTask { (number, try await pool.run { number * number }) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == 90)
        #expect(answers.allSatisfy { $1 == $0 * $0 })
    }

    @Test func aPoolThatIsLetGoFinishesItsJobs() async throws {
        weak var released: HashingPool?
        let gate = Gate()
        let caller: Task<Int, any Error>
        do {
            let pool = HashingPool(threads: 1)
            released = pool
            caller = Task {
                try await pool.run {
                    gate.pass()
                    return 7
                }
            }
        }
        await gate.waitUntilRunning(1)
        gate.open(for: 1)
        #expect(try await caller.value == 7)
        while released != nil { await Task.yield() }
    }
}
