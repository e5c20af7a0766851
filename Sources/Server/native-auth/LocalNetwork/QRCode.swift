import CQRCode

/// A QR code (ISO/IEC 18004) for a terminal.
struct QRCode {
    private let width: Int
    /// Row by row.
    private let isDark: [Bool]

    /// - Parameter text: At most 300 bytes, else nil: a larger code does not fit into a terminal.
    init?(_ text: String) {
        guard text.utf8.count <= 300, let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        // The lowest bit of a byte is the module.
        isDark = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    /// The number of light modules around the code (section 6.3.8).
    static let margin = 4

    /// Two rows of modules in each line, as half blocks.
    var lines: [String] {
        stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
            (-Self.margin..<width + Self.margin).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
    }
}
