extension String {
    /// The text of these bytes; nil when they are not UTF-8.
    ///
    /// `String(validating:as:)` is generic and not specialised here: it takes longer for a short text.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Bytes that are not UTF-8 were replaced, so the text differs from them. ASCII is UTF-8, and takes less time to see.
        let isASCII = bytes.withUnsafeBufferPointer { $0.reduce(0, |) } < 0x80
        guard isASCII || utf8.elementsEqual(bytes) else { return nil }
    }
}
