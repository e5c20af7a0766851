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
}
