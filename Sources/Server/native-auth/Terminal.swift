import Dispatch
import PortableFoundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Prints to standard output at once, also when it is a pipe.
func say(_ text: String) {
    Terminal.write(text + "\n")
}

/// Standard input, output and error as they are: bytes, without buffers that a pipe would hold back. `native-auth-try` has this
/// file too, by a symbolic link.
enum Terminal {
    /// Whether standard input is a terminal.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Prints to standard error.
    static func complain(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Prints `prompt` and reads a line of standard input, without its line feed.
    ///
    /// - Parameter isHidden: Whether a terminal hides the typed text.
    /// - Returns: Nil at the end of input, and when the task is cancelled.
    static func line(prompt: String, isHidden: Bool = false) async -> String? {
        var saved: termios?
        if isHidden, isInteractive {
            var settings = termios()
            if tcgetattr(STDIN_FILENO, &settings) == 0 {
                saved = settings
                settings.c_lflag &= ~tcflag_t(ECHO)
                // Not TCSAFLUSH, which would discard input that was pasted or typed ahead.
                tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            }
        }
        write(prompt)
        let line = await LineReader.standardInput.next()
        if var saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &saved) }
        // The terminal did not echo the line feed of a hidden line or of a pipe.
        if line == nil || isHidden || !isInteractive { write("\n") }
        return line
    }

    /// A text style for a terminal; plain when standard output is not a terminal or colour is disabled
    /// (https://no-color.org).
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
    }

    static func styled(_ text: String, _ style: Style) -> String {
        hasStyles ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// `text` in black on white, whatever the colours of the terminal: the cameras of phones want a dark code on a light ground.
    static func onPaper(_ text: String) -> String { "\u{1B}[30;107m\(text)\u{1B}[0m" }

    private static let hasStyles: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"]?.isEmpty ?? true && environment["TERM"] != "dumb"
    }()

    /// `text` without control characters, for text of a server or another untrusted source.
    static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: false
                    case _: true
                    }
                }))
    }
}

/// Reads lines of a file descriptor on a separate thread: waiting for a user on a thread of the cooperative pool would
/// slow a server in the same process.
private final class LineReader: Sendable {
    static let standardInput = LineReader(STDIN_FILENO)

    /// The longest line in bytes. A longer line is truncated; no answer is that long.
    private static let longestLine = 65_536

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "native-auth.input")
    private let unread = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    func next() async -> String? {
        let reply = Reply()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                reply.wait(continuation)
                queue.async { reply.give(self.read()) }
            }
        } onCancel: {
            // The thread keeps waiting for input that no caller needs any more, until the process ends.
            reply.give(nil)
        }
    }

    private func read() -> String? {
        var line: [UInt8] = []
        while true {
            var chunk = unread.withLock { unread in
                defer { unread = [] }
                return unread
            }
            if chunk.isEmpty {
                chunk = [UInt8](repeating: 0, count: 4_096)
                let count = systemRead(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return line.isEmpty ? nil : Self.text(line) }
                chunk.removeSubrange(count...)
            }
            let end = chunk.firstIndex(of: UInt8(ascii: "\n"))
            line += chunk[..<(end ?? chunk.endIndex)].prefix(Self.longestLine - line.count)
            if let end {
                let rest = Array(chunk[(end + 1)...])
                unread.withLock { $0 = rest }
                return Self.text(line)
            }
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    }

    /// The result for one caller: the line or the cancellation, whichever comes first.
    private final class Reply: Sendable {
        private enum State {
            case fresh
            case waiting(CheckedContinuation<String?, Never>)
            case given
        }

        private let state = Mutex(State.fresh)

        func wait(_ continuation: CheckedContinuation<String?, Never>) {
            let isGiven = state.withLock { state in
                if case .given = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isGiven { continuation.resume(returning: nil) }
        }

        func give(_ line: String?) {
            let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
                defer { state = .given }
                return if case .waiting(let continuation) = state { continuation } else { nil }
            }
            waiting?.resume(returning: line)
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
