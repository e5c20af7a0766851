import IdentityEngine
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells on standard error how far a long command is: in one line of a terminal each second, elsewhere in a line each ten
/// seconds.
struct ImportReport {
    private let size: Int
    private let doneBefore: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let begin = ContinuousClock.now
    private var last = ContinuousClock.now

    init(_ file: ImportFile, doneBefore: Int) {
        size = file.size
        self.doneBefore = doneBefore
    }

    /// Removes the line from the terminal, before other output.
    func clear() {
        if isTerminal { Terminal.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    func finish() { clear() }

    /// - Parameter position: The bytes of the file that were read.
    mutating func show(_ progress: ImportProgress, at position: Int) {
        let now = ContinuousClock.now
        guard now - last >= (isTerminal ? .seconds(1) : .seconds(10)) else { return }
        last = now
        let seconds = max((now - begin) / .seconds(1), 0.001)
        let rate = Int(Double(progress.records - doneBefore) / seconds)
        let part = Double(position) / Double(max(size, 1))
        let left = part > 0 ? Int(seconds / part * (1 - part)) : 0
        let line =
            "\(progress.records) records, \(Int(part * 100)) %, \(rate) a second, about \(left / 60) min \(left % 60) s left"
        if isTerminal {
            Terminal.write("\r\u{1B}[K" + line, to: STDERR_FILENO)
        } else {
            Terminal.complain("native-auth: " + line)
        }
    }
}
