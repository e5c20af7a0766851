#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A colour such as `#1f2937`.
struct HexColour {
    private let channels: [Double]

    init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst())
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, let value = Int(text.dropFirst(), radix: 16),
            digits[0] != UInt8(ascii: "+"), digits[0] != UInt8(ascii: "-")
        else { return nil }
        channels = [16, 8, 0].map { Double(value >> $0 & 0xFF) / 255 }
    }

    /// The contrast of two colours, 1 to 21 (WCAG 2.2, contrast ratio).
    func contrast(to other: HexColour) -> Double {
        let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)
    }

    private var luminance: Double {
        let linear = channels.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
