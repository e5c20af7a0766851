import IdentityEngine
import PortableFoundation

/// Reads the records of an import file as values with the names of the file.
struct ImportReader {
    struct Record: Sendable {
        var line: Int
        var value: Result<ImportValue, ImportFault>
    }

    private var frames: RecordFrames
    private let form: RecordFrames.Form
    /// The names of the columns of a CSV file.
    private(set) var columns: [String] = []

    init(_ form: RecordFrames.Form, source: @escaping () throws -> [UInt8]) throws {
        self.form = form
        frames = RecordFrames(form, source: source)
        guard form == .csv else { return }
        guard var header = try frames.next() else { return }
        // The mark that some programs put before UTF-8.
        if header.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { header.bytes.removeFirst(3) }
        guard !header.isTooLong, let cells = header.cells, Set(cells).count == cells.count else {
            throw StartFailure.damaged(["The first line must name each column once."])
        }
        columns = cells
    }

    /// The bytes of the next record; nil at the end.
    mutating func next() throws -> RecordFrames.Frame? { try frames.next() }

    func read(_ frame: RecordFrames.Frame) -> Record {
        Record(line: frame.line, value: Result { () throws(ImportFault) in try value(of: frame) })
    }

    private func value(of frame: RecordFrames.Frame) throws(ImportFault) -> ImportValue {
        guard !frame.isTooLong else { throw ImportFault("The record", "is longer than a mebibyte") }
        guard String(validating: frame.bytes, as: UTF8.self) != nil else {
            throw ImportFault("The record", "is no UTF-8 text; of Windows: iconv -f WINDOWS-1252 -t UTF-8")
        }
        switch form {
        case .csv:
            guard let cells = frame.cells else {
                throw ImportFault("The record", "has a quotation mark where none may be")
            }
            guard cells.count == columns.count else {
                throw ImportFault("The record", "has \(cells.count) cells, and the file \(columns.count) columns")
            }
            return .members(Dictionary(zip(columns, cells.map { .text($0) }), uniquingKeysWith: { first, _ in first }))
        case .jsonLines, .jsonArray:
            do {
                return try JSONDecoder().decode(ImportValue.self, from: Data(frame.bytes))
            } catch {
                throw ImportFault("The record", "is no JSON object")
            }
        }
    }
}
