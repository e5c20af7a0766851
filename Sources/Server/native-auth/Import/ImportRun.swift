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
        var state = State(
            report: ImportReport(file, doneBefore: progress.records), seen: isDryRun ? SeenNames() : nil,
            unseen: progress.records == 0 ? members.mapped : [], policy: settings.duplicates)
        var size = paces ? Self.portions.lowerBound : Self.portions.upperBound
        var ended = ContinuousClock.now - Self.pause
        var isOver = false
        var end: RecordFrames.Fault?
        while !isOver {
            var frames: [RecordFrames.Frame] = []
            var bytes = 0
            while frames.count < size, bytes < RecordFrames.longest {
                do {
                    guard let frame = try reader.next() else {
                        isOver = true
                        break
                    }
                    frames.append(frame)
                    bytes += frame.bytes.count
                } catch let fault as RecordFrames.Fault {
                    // The records before it are imported.
                    (end, isOver) = (fault, true)
                    break
                }
            }
            if let end, frames.isEmpty, progress.records == 0 { throw StartFailure.damaged([fault(end, file)]) }
            let now = opened.clock.now
            let portion = frames.map { frame in
                let record = reader.read(frame)
                state.look(at: record)
                return judged(record, now: now)
            }
            let sincePause = ContinuousClock.now - ended
            if paces, !isDryRun, sincePause < Self.pause { try await Task.sleep(for: Self.pause - sincePause) }
            let begin = ContinuousClock.now
            let outcome = try await write(portion, after: progress, isLast: isOver, now: now)
            ended = .now
            if paces { size = Self.size(after: size, ended - begin) }
            progress = outcome.progress
            state.note(portion, outcome, &progress, in: file)
        }
        state.report.finish()
        for name in state.unseen where progress.records > 0 {
            Terminal.complain("native-auth: \(name.position): no record has \(Terminal.harmless(name.place)).")
        }
        if progress.records == 0 { Terminal.complain("native-auth: \(file.path) has no records.") }
        if state.takenAddresses > 0 {
            Terminal.complain(
                "native-auth: Users have the addresses of \(counted(state.takenAddresses, "record")): --duplicates skip leaves them out."
            )
        }
        say(progress.summary(state.counts, isDryRun: isDryRun, json: json))
        if let end { throw StartFailure.damaged([fault(end, file)]) }
        guard progress.refused == 0 else { throw StartFailure.damaged([]) }
    }

    private func fault(_ fault: RecordFrames.Fault, _ file: ImportFile) -> String { "\(file.path): \(fault.sentence)." }

    /// What a run remembers.
    private struct State {
        var report: ImportReport
        /// The names of earlier portions, for a run that writes nothing.
        var seen: SeenNames?
        /// The mapped names that no record has had yet.
        var unseen: [ImportMembers.MappedName]
        let policy: DuplicatePolicy
        var counts = RecordCounts()
        /// How many records were refused because a user has their address.
        var takenAddresses = 0

        mutating func look(at record: ImportReader.Record) {
            guard !unseen.isEmpty, case .success(let value) = record.value else { return }
            unseen.removeAll { value[$0.place] != nil }
        }

        mutating func note(
            _ portion: [JudgedRecord], _ outcome: ImportOutcome, _ progress: inout ImportProgress, in file: ImportFile
        ) {
            counts.records += portion.count
            counts.passwords += portion.count(where: \.hasPassword)
            counts.leftOutPasswords += portion.count(where: \.leftOutPassword)
            counts.leftOutUnverified += portion.count(where: \.leftOutUnverified)
            counts.leftOutAliases += portion.count(where: \.leftOutAlias)
            counts.leftOutIdentities += portion.count(where: \.leftOutIdentities)
            report.clear()
            var faults = outcome.faults
            takenAddresses += faults.count { $0.fault == .addressOfUser }
            if seen != nil {
                // What earlier portions would have added; those that a portion has twice are among its faults.
                let known = Set(faults.map(\.line))
                for judged in portion where !known.contains(judged.line) {
                    guard case .success(let new) = judged.result,
                        let (member, line) = seen?.insert(new, at: judged.line)
                    else { continue }
                    switch (member, policy) {
                    case ("email", .skip): progress.skipped += 1
                    case ("email", .update): progress.updated += 1
                    case _:
                        progress.refused += 1
                        faults.append((judged.line, .duplicate(of: line, member)))
                    }
                    progress.created -= 1
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
            let value = try record.value.get()
            if members.isDeleted(value) {
                var judged = JudgedRecord(
                    line: record.line, result: .failure(ImportFault("The record", "is of a deleted user")))
                judged.isDeleted = true
                return judged
            }
            var values = try members.record(of: value)
            // Another system has other rules for its names; the user signs in with the address.
            let leavesOutAlias = members.preset != nil && values.alias.map { Alias($0) == nil } == true
            if leavesOutAlias { values.alias = nil }
            var judged = engine.judge(values, at: record.line, settings, in: tenant, now: now)
            judged.leftOutAlias = leavesOutAlias
            return judged
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

/// The names of a file and their lines, for a run that writes nothing: 16 bytes each.
private struct SeenNames {
    private var lines: [Int: Int] = [:]

    /// - Returns: The first name that was there, with its line; no name is added then.
    mutating func insert(_ new: ImportedUser, at line: Int) -> (member: String, line: Int)? {
        let names =
            new.user.identifiers.map { ($0.kind.rawValue, $0.key.hashValue) }
            + new.strongMethods.compactMap(\.credential).map { ($0.member, $0.hashValue) }
        for (member, hash) in names {
            if let earlier = lines[hash] { return (member, earlier) }
        }
        for (_, hash) in names { lines[hash] = line }
        return nil
    }
}

/// What a run has seen of the records that it read; a run that goes on does not know the earlier ones.
private struct RecordCounts {
    var records = 0
    var passwords = 0
    var leftOutPasswords = 0
    var leftOutUnverified = 0
    var leftOutAliases = 0
    var leftOutIdentities = 0
}

extension ImportProgress {
    fileprivate func summary(_ seen: RecordCounts, isDryRun: Bool, json: Bool) -> String {
        let counts = [
            ("records", records), ("created", created), ("updated", updated), ("skipped", skipped),
            ("refused", refused),
        ]
        guard !json else {
            let more = [
                ("withPassword", seen.passwords), ("passwordsLeftOut", seen.leftOutPasswords),
                ("unverifiedLeftOut", seen.leftOutUnverified),
                ("aliasesLeftOut", seen.leftOutAliases), ("identitiesLeftOut", seen.leftOutIdentities),
            ]
            return "{" + (counts + more).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
        let list = counts.map { "\($0) \($1)" }.joined(separator: ", ")
        var lines = [
            (isDryRun ? "would be  " : "imported  ") + list,
            "with a password \(seen.passwords) of \(seen.records)" + (seen.records < records ? " of this run" : ""),
        ]
        if seen.leftOutPasswords > 0 {
            lines.append(
                "left out  passwords \(seen.leftOutPasswords): their addresses are not verified (see --assume-verified)"
            )
        }
        if seen.leftOutUnverified > 0 {
            lines.append(
                "left out  aliases, attributes, second factors, identities and passkeys of \(seen.leftOutUnverified): their addresses are not verified"
            )
        }
        if seen.leftOutAliases > 0 {
            lines.append("left out  aliases \(seen.leftOutAliases): an alias \(Alias.rules)")
        }
        if seen.leftOutIdentities > 0 {
            lines.append(
                "left out  accounts of \(seen.leftOutIdentities) users at providers that the tenant does not have")
        }
        return lines.joined(separator: "\n")
    }
}
