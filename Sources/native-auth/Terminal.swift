#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard input, output and error as they are: bytes, without buffers that a pipe would hold back.
enum Terminal {
    /// Whether a person sits at standard input.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { POSIX_write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Prints to standard error.
    static func complain(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// A line from standard input, without its end; nil at the end of input.
    static func line() -> String? {
        readLine(strippingNewline: true)
    }

    /// A line that is not shown while it is typed.
    static func hiddenLine() -> String? {
        guard isInteractive else { return line() }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return line() }
        let saved = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        defer {
            var saved = saved
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
            write("\n")
        }
        return line()
    }
}

private func POSIX_write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
