import PortableFoundation

/// Cuts a stream of bytes into the records of an import file, with one record and one chunk in memory.
struct RecordFrames {
    enum Form: Hashable, Sendable {
        /// A JSON object in each line.
        case jsonLines
        /// RFC 4180, with the names of the columns in the first record.
        case csv
        /// The objects of an array: the whole document, or its member with this name.
        case jsonArray(String)
    }

    struct Frame: Sendable {
        /// The line in which the record begins, from 1.
        var line: Int
        var bytes: [UInt8]
        /// Whether the record is longer than ``RecordFrames/longest``; its bytes are cut off then.
        var isTooLong = false

        fileprivate mutating func append(_ more: ArraySlice<UInt8>) {
            bytes += more.prefix(RecordFrames.longest - bytes.count)
            if bytes.count == RecordFrames.longest { isTooLong = true }
        }
    }

    /// Why a file cannot be read further; the end of a sentence.
    enum Fault: Error, Equatable {
        case tooLong(line: Int)
        /// The file ends within a record.
        case cut(line: Int)
        case noArray(String)

        var sentence: String {
            switch self {
            case .tooLong(let line):
                "the record that begins in line \(line) is longer than a mebibyte, and nothing after it was read"
            case .cut(let line): "the record that begins in line \(line) has no end, and nothing after it was read"
            case .noArray(let name): "the document has no array \(name)"
            }
        }
    }

    static let longest = 1 << 20

    /// Why a file that begins with these bytes has another form than `form`, with the cure, as the end of a sentence; nil
    /// when it may have it.
    static func misfit(of head: [UInt8], _ form: Form) -> String? {
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            return "is UTF-16 and must be UTF-8: iconv -f UTF-16 -t UTF-8"
        }
        let first = head.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isOneLine = !head.contains(UInt8(ascii: "\n"))
        switch form {
        case .csv:
            let header = head.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            if header.contains(UInt8(ascii: ";")), !header.contains(UInt8(ascii: ",")) {
                return "has semicolons between its columns and must have commas: save it as CSV with commas"
            }
            if isOneLine, head.dropLast().contains(UInt8(ascii: "\r")) {
                return "has lines that end with CR alone and must have LF: tr '\\r' '\\n'"
            }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? "is JSON and no CSV: see --format" : nil
        case .jsonLines:
            if first == UInt8(ascii: "[") { return "is a JSON array and must have an object in each line: jq -c '.[]'" }
            return first == nil || first == UInt8(ascii: "{") || head.starts(with: [0xEF, 0xBB, 0xBF])
                ? nil : "begins with no JSON object: see --format"
        case .jsonArray: return nil
        }
    }

    private let form: Form
    private let source: () throws -> [UInt8]
    private var chunk: [UInt8] = []
    private var position = 0
    private var line = 1
    private var nesting: Nesting

    /// - Parameter source: The next bytes; none at the end.
    init(_ form: Form, source: @escaping () throws -> [UInt8]) {
        self.form = form
        self.source = source
        nesting = Nesting()
    }

    /// The next record that is not blank; nil at the end.
    mutating func next() throws -> Frame? {
        switch form {
        case .jsonLines: try nextLine(hasQuotes: false)
        case .csv: try nextLine(hasQuotes: true)
        case .jsonArray(let name): try nextObject(in: name)
        }
    }

    private mutating func fill() throws -> Bool {
        guard position == chunk.count else { return true }
        chunk = try source()
        position = 0
        return !chunk.isEmpty
    }

    private mutating func nextLine(hasQuotes: Bool) throws -> Frame? {
        var frame = Frame(line: line, bytes: [])
        var isQuoted = false
        // A quotation begins at the beginning of a cell, or goes on with a second mark after one that could have ended it. Any
        // other mark is a fault of its record, and takes no more lines into it.
        var mayBegin = true
        while try fill() {
            let start = position
            var isEnd = false
            while position < chunk.count {
                let byte = chunk[position]
                position += 1
                if byte == UInt8(ascii: "\n") {
                    line += 1
                    mayBegin = false
                    if !isQuoted {
                        isEnd = true
                        break
                    }
                } else if hasQuotes, byte == UInt8(ascii: "\""), isQuoted || mayBegin {
                    isQuoted.toggle()
                    mayBegin = !isQuoted
                } else {
                    mayBegin = byte == UInt8(ascii: ",")
                }
            }
            frame.append(chunk[start..<(isEnd ? position - 1 : position)])
            if isEnd {
                if frame.bytes.last == UInt8(ascii: "\r") { frame.bytes.removeLast() }
                if !frame.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return frame }
                frame = Frame(line: line, bytes: [])
                mayBegin = true
            }
        }
        guard !isQuoted else { throw Fault.cut(line: frame.line) }
        return frame.bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : frame
    }

    /// How deep the scan of a document is.
    private struct Nesting {
        var depth = 0
        var isText = false
        var isEscaped = false
        /// The last text of the outermost object, its name or its value.
        var last: [UInt8] = []
        /// The depth inside the array; nil outside.
        var array: Int?
        var wasFound = false
    }

    private mutating func nextObject(in name: String) throws -> Frame? {
        let name = Array(name.utf8)
        var frame: Frame?
        while try fill() {
            while position < chunk.count {
                let byte = chunk[position]
                position += 1
                frame?.bytes.append(byte)
                if let found = frame, found.bytes.count > Self.longest { throw Fault.tooLong(line: found.line) }
                if byte == UInt8(ascii: "\n") { line += 1 }
                if nesting.isText {
                    if nesting.isEscaped {
                        nesting.isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        nesting.isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        nesting.isText = false
                    } else if nesting.depth == 1, nesting.last.count <= name.count {
                        nesting.last.append(byte)
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""):
                    nesting.isText = true
                    if nesting.depth == 1 { nesting.last = [] }
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if byte == UInt8(ascii: "{"), nesting.depth == nesting.array {
                        frame = Frame(line: line, bytes: [byte])
                    } else if byte == UInt8(ascii: "["), nesting.array == nil, !nesting.wasFound,
                        nesting.depth == 0 || nesting.depth == 1 && nesting.last == name
                    {
                        nesting.array = nesting.depth + 1
                        nesting.wasFound = true
                    }
                    nesting.depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    nesting.depth -= 1
                    if let found = frame, nesting.depth == nesting.array { return found }
                    if let array = nesting.array, nesting.depth < array { nesting.array = nil }
                case _: break
                }
            }
        }
        if let frame { throw Fault.cut(line: frame.line) }
        guard nesting.depth == 0 else { throw Fault.cut(line: line) }
        guard nesting.wasFound else { throw Fault.noArray(String(decoding: name, as: UTF8.self)) }
        return nil
    }
}

extension RecordFrames.Frame {
    /// The cells of a CSV record; nil when a quotation mark stands where none may.
    var cells: [String]? {
        let quote = UInt8(ascii: "\"")
        let comma = UInt8(ascii: ",")
        var cells: [String] = []
        var cell: [UInt8] = []
        var index = 0
        while true {
            if index < bytes.count, bytes[index] == quote {
                index += 1
                while true {
                    guard index < bytes.count else { return nil }
                    if bytes[index] == quote {
                        guard index + 1 < bytes.count, bytes[index + 1] == quote else { break }
                        index += 1
                    }
                    cell.append(bytes[index])
                    index += 1
                }
                index += 1
                guard index == bytes.count || bytes[index] == comma else { return nil }
            } else {
                while index < bytes.count, bytes[index] != comma {
                    guard bytes[index] != quote else { return nil }
                    cell.append(bytes[index])
                    index += 1
                }
            }
            cells.append(String(decoding: cell, as: UTF8.self))
            cell = []
            guard index < bytes.count else { return cells }
            index += 1
        }
    }
}
