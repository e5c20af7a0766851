import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// A run of an import: judges the records in portions, and writes each portion in one transaction with its progress.
struct ImportRun {
    let opened: OpenedDatabase
    let tenant: Tenant
    let engine: Engine
    let settings: ImportSettings
    let members: ImportMembers
    let digest: Data
    let isDryRun: Bool
    /// Whether servers wait for each transaction, so that they need pauses between two.
    let paces: Bool

    private static let portions = 100...500
    /// A transaction of SQLite should not hold others up for longer.
    private static let longestTransaction = Duration.milliseconds(60)
    /// SQLite's waiters look at least this often in the first tenth of a second.
    private static let pause = Duration.milliseconds(30)
    /// How often a portion is tried again: another transaction took a name meanwhile, or the database was away.
    private static let attempts = 5

    func perform(_ reader: inout ImportReader, of file: ImportFile, json: Bool) async throws {
        var known = isDryRun ? nil : try await opened.store.importProgress(digest, in: tenant.id)
        var progress = known ?? ImportProgress(begunAt: Self.rounded(opened.clock.now))
        if let known, known.records > 0 {
            Terminal.complain("native-auth: This import was interrupted; it goes on after record \(known.records).")
            for _ in 0..<known.records { _ = try reader.next() }
        }
        known = nil
        var state = State(report: ImportReport(file, doneBefore: progress.records), seen: isDryRun ? SeenNames() : nil)
        var size = paces ? Self.portions.lowerBound : Self.portions.upperBound
        var ended = ContinuousClock.now - Self.pause
        var isOver = false
        while !isOver {
            var frames: [RecordFrames.Frame] = []
            var bytes = 0
            while frames.count < size, bytes < RecordFrames.longest {
                guard let frame = try reader.next() else {
                    isOver = true
                    break
                }
                frames.append(frame)
                bytes += frame.bytes.count
            }
            let now = opened.clock.now
            let portion = frames.map { judged(reader.read($0), now: now) }
            let sincePause = ContinuousClock.now - ended
            if paces, !isDryRun, sincePause < Self.pause { try await Task.sleep(for: Self.pause - sincePause) }
            let begin = ContinuousClock.now
            let outcome = try await write(portion, after: progress, isLast: isOver, now: now)
            ended = .now
            if paces { size = Self.size(after: size, ended - begin) }
            progress = outcome.progress
            state.note(portion, outcome, in: file)
        }
        state.report.finish()
        say(progress.summary(leftOutPasswords: state.leftOutPasswords, isDryRun: isDryRun, json: json))
        guard progress.refused == 0 else { throw StartFailure.damaged([]) }
    }

    /// What a run remembers.
    private struct State {
        var report: ImportReport
        /// The names of earlier portions, for a run that writes nothing.
        var seen: SeenNames?
        var leftOutPasswords = 0

        mutating func note(_ portion: [JudgedRecord], _ outcome: ImportOutcome, in file: ImportFile) {
            leftOutPasswords += portion.count(where: \.leftOut)
            report.clear()
            var faults = outcome.faults
            if seen != nil {
                let known = Set(faults.map(\.line))
                for judged in portion where !known.contains(judged.line) {
                    if case .success(let new) = judged.result, seen?.insert(new.user.identifiers) == false {
                        faults.append((judged.line, ImportFault("The record", "has a name of an earlier record")))
                    }
                }
            }
            for (line, fault) in faults.sorted(by: { $0.line < $1.line }) {
                say("\(file.path):\(line): \(fault.member) \(fault.reason).")
            }
            report.show(outcome.progress, at: file.position)
        }
    }

    private func judged(_ record: ImportReader.Record, now: Date) -> JudgedRecord {
        do throws(ImportFault) {
            let values = try members.record(of: try record.value.get())
            return engine.judge(values, at: record.line, settings, in: tenant, now: now)
        } catch {
            return JudgedRecord(line: record.line, result: .failure(error))
        }
    }

    /// Writes a portion, once, whatever answers are lost.
    private func write(
        _ portion: [JudgedRecord], after before: ImportProgress, isLast: Bool, now: Date
    ) async throws -> ImportOutcome {
        let query = engine.importQuery(of: portion, in: tenant)
        let (engine, settings, tenant) = (engine, settings, tenant)
        guard !isDryRun else {
            let facts = try await opened.store.importFacts(query, in: tenant.id)
            return engine.decide(portion, after: before, facts, isLast: isLast, settings, in: tenant, now: now).answer
        }
        var attempt = 1
        while true {
            do {
                let outcome = try await opened.store.importUsers(
                    query, of: digest, after: before, in: tenant.id
                ) { facts in
                    engine.decide(portion, after: before, facts, isLast: isLast, settings, in: tenant, now: now)
                }
                if let outcome { return outcome }
                // The progress is another one: this portion was committed without an answer, or another run works.
                let stored = try await opened.store.importProgress(digest, in: tenant.id)
                let done = stored?.records ?? (isLast ? before.records + portion.count : 0)
                guard attempt > 1, done == before.records + portion.count else {
                    throw StartFailure.unavailable("Another run of the same import is under way.")
                }
                var outcomeOfLostAnswer = ImportOutcome(progress: stored ?? before)
                outcomeOfLostAnswer.progress.records = done
                return outcomeOfLostAnswer
            } catch let error as StoreError {
                guard attempt < Self.attempts else { throw error }
                attempt += 1
                try await Task.sleep(for: .milliseconds(200 * attempt))
            }
        }
    }

    private static func size(after size: Int, _ time: Duration) -> Int {
        let next = time < longestTransaction / 2 ? size * 2 : time > longestTransaction ? size / 2 : size
        return min(max(next, portions.lowerBound), portions.upperBound)
    }

    /// As the database stores it, so that the stored progress equals this one.
    private static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: Double(Int((date.timeIntervalSince1970 * 1000).rounded())) / 1000)
    }
}

/// The names of a file, for a run that writes nothing: 8 bytes each.
private struct SeenNames {
    private var names: Set<Int> = []

    /// - Returns: False when a name was there.
    mutating func insert(_ identifiers: [LoginIdentifier]) -> Bool {
        var isNew = true
        for identifier in identifiers where !names.insert(identifier.key.hashValue).inserted { isNew = false }
        return isNew
    }
}

extension ImportProgress {
    fileprivate func summary(leftOutPasswords: Int, isDryRun: Bool, json: Bool) -> String {
        let counts = [
            ("records", records), ("created", created), ("updated", updated), ("skipped", skipped),
            ("refused", refused), ("passwordsLeftOut", leftOutPasswords),
        ]
        guard !json else { return "{" + counts.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}" }
        let list = counts.dropLast().map { "\($0) \($1)" }.joined(separator: ", ")
        return (isDryRun ? "would be  " : "imported  ") + list
            + (leftOutPasswords == 0
                ? ""
                : "\nleft out  parts of \(leftOutPasswords) records, since their addresses are not verified (see --assume-verified)")
    }
}
