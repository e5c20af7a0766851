#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A colour such as `#1f2937`.
package struct HexColour: Hashable, Sendable {
    /// Red, green and blue, 0 to 1.
    private let channels: [Double]

    /// Nil when the text is anything but `#` and six hexadecimal digits.
    package init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst())
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, let value = Int(text.dropFirst(), radix: 16),
            digits[0] != UInt8(ascii: "+"), digits[0] != UInt8(ascii: "-")
        else { return nil }
        channels = [16, 8, 0].map { Double(value >> $0 & 0xFF) / 255 }
    }

    private init(channels: [Double]) {
        self.channels = channels
    }

    package var text: String {
        "#"
            + channels.map { channel in
                let value = Int((channel * 255).rounded())
                return String(value >> 4, radix: 16) + String(value & 15, radix: 16)
            }.joined()
    }

    /// The colour between this one and another.
    ///
    /// - Parameter share: Of this one, 0 to 1.
    package func mixed(_ share: Double, with other: HexColour) -> HexColour {
        HexColour(channels: zip(channels, other.channels).map { $0 * share + $1 * (1 - share) })
    }

    /// The contrast of two colours, 1 to 21 (WCAG 2.2, contrast ratio).
    package func contrast(to other: HexColour) -> Double {
        let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)
    }

    private var luminance: Double {
        let linear = channels.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
