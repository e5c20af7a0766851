import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes files that only their owner can read.
enum PrivateFile {
    enum Failure: Error {
        /// There is a file of this name.
        case exists
        /// The system's words.
        case failed(String)
    }

    /// Makes a file of mode 0600, durable when the call returns. It appears complete or not at all, and never replaces
    /// another one: of two processes at the same moment, one makes it.
    static func make(_ path: String, of bytes: [UInt8]) throws(Failure) {
        let draft = path + ".\(UInt64.random(in: .min ... .max)).draft"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { unlink(draft) }
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let reason = errno
        close(descriptor)
        guard isWritten else { throw failure(reason) }
        guard link(draft, path) == 0 else { throw errno == EEXIST ? .exists : failure() }
        let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func failure(_ code: Int32 = errno) -> Failure { .failed(String(cString: strerror(code))) }
}
