import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

extension UserCommand {
    struct Deletions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the list of deleted users, for restores.",
            discussion: """
                A line of JSON for each user of any tenant who was ever deleted: a digest of the user's id under a key of the \
                database, without a name. native-auth restore --deletions FILE deletes these users again, if the backup has them. \
                Print the list often, and keep it with the backups.
                """)

        @OptionGroup var database: DatabaseLocation

        func run() async throws {
            try await database.open(isAboutTenants: true) { opened in
                var last: DeletionMark?
                while true {
                    let page = try await opened.store.deletions(after: last, limit: 1_000)
                    for deletion in page { say(try DeletionList.line(of: deletion)) }
                    guard let end = page.last else { break }
                    last = end
                }
            }
        }
    }
}

/// A list of deleted users, as `native-auth user deletions` prints it.
struct DeletionList {
    let marks: [DeletionMark]

    /// Reads a list.
    ///
    /// - Throws: ``StartFailure`` when the file cannot be read, or a line is not of such a list.
    init(reading path: String) throws(StartFailure) {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw .inputOutput("The list \(path) cannot be read.")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var marks: [DeletionMark] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            do {
                let line = try decoder.decode(Line.self, from: Data(line.utf8))
                guard line.mark.count == 32, let tenant = UUID(uuidString: line.tenant) else { throw Line.Malformed() }
                marks.append(DeletionMark(tenant: TenantID(tenant), mark: line.mark, deletedAt: line.deletedDateTime))
            } catch {
                throw .inputOutput("Line \(index + 1) of \(path) is not of a list by native-auth user deletions.")
            }
        }
        self.marks = marks
    }

    /// Deletes the users of the list again, and remembers all of its marks: an older backup may have more of the users.
    ///
    /// - Returns: How many users were deleted.
    func deleteAgain(in opened: OpenedDatabase) async throws -> Int {
        let engine = try opened.engine()
        var count = 0
        for (tenant, deletions) in Dictionary(grouping: marks, by: \.tenant) {
            let times = Dictionary(deletions.map { ($0.mark, $0.deletedAt) }) { first, _ in first }
            var last: UserID?
            while true {
                let ids = try await opened.store.userIDs(in: tenant, after: last, limit: 1_000)
                for id in ids {
                    guard let date = times[engine.mark(ofDeleted: id, in: tenant)] else { continue }
                    if try await engine.deleteUserAgain(id, in: tenant, deletedAt: date, now: opened.now) { count += 1 }
                }
                guard let end = ids.last else { break }
                last = end
            }
        }
        for start in stride(from: 0, to: marks.count, by: 1_000) {
            try await opened.store.remember(Array(marks[start..<min(start + 1_000, marks.count)]))
        }
        return count
    }

    static func line(of deletion: DeletionMark) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let line = Line(deletedDateTime: deletion.deletedAt, mark: deletion.mark, tenant: deletion.tenant.description)
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }

    private struct Line: Codable {
        struct Malformed: Error {}

        var deletedDateTime: Date
        /// Base64.
        var mark: Data
        var tenant: String
    }
}
