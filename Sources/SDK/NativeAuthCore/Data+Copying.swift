package import PortableFoundation

extension Data {
    /// A copy of `bytes`.
    ///
    /// `Data(bytes)` first asks the runtime what kind of collection it got, which takes longer than to copy a short
    /// one.
    package init(copying bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress { self.init(bytes: start, count: bytes.count) } else { self.init() }
    }

    /// A copy of `bytes`.
    package init(copying bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Data(copying: $0) }
    }

    /// A copy of the bytes of a text. It takes the place of the library's `Data(_:)` for any sequence, which first asks, as
    /// above.
    package init(_ text: String.UTF8View) {
        self =
            text.withContiguousStorageIfAvailable { Data(copying: UnsafeRawBufferPointer($0)) }
            ?? Data(copying: Array(text))
    }
}
