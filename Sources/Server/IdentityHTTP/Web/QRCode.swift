#if canImport(CQRCode)
    import CQRCode
#endif

/// A QR code (ISO/IEC 18004), for a terminal and for a page.
package struct QRCode {
    private let width: Int
    /// Row by row.
    private let isDark: [Bool]

    /// Nil for a longer text, and where the library for such codes is not built in.
    ///
    /// - Parameter most: The largest number of bytes; a code of 300 is as large as fits into a terminal.
    package init?(_ text: String, atMost most: Int = 300) {
        #if canImport(CQRCode)
            guard text.utf8.count <= most, let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
                return nil
            }
            defer { QRcode_free(code) }
            width = Int(code.pointee.width)
            guard let data = code.pointee.data else { return nil }
            // The lowest bit of a byte is the module.
            isDark = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
        #else
            return nil
        #endif
    }

    /// The number of light modules around the code (section 6.3.8).
    package static let margin = 4

    /// Two rows of modules in each line, as half blocks.
    package var lines: [String] {
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

    /// A picture in a page: black on white in either colour scheme, because cameras read nothing else well. What it says stands
    /// beside it as text.
    var picture: HTML {
        let size = width + 2 * Self.margin
        var path = ""
        for row in 0..<width {
            for column in 0..<width where isDark(row, column) {
                path += "M\(column + Self.margin) \(row + Self.margin)h1v1h-1z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges" aria-hidden="true">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
    }
}
