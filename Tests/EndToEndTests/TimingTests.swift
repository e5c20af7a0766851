import Foundation
import Testing

/// Times in strict mode, against the program itself; `Support/timing.py` says how, and does more of the same on demand.
@Suite("Timing", .timeLimit(.minutes(10)))
struct TimingTests {
    @Test("SEC-ENUM-6, SEC-PWD-11: no endpoint takes its time for a name with an account, or for a locked one")
    func timesTellNothing() async throws {
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/timing.py").path
        let output = try await Python.run([script, "40", "--binary", try NativeAuthProcess.executable().path])
        let last = output.split(separator: "\n").last.map(String.init) ?? ""
        print(last)
        #expect(last == "timing: 40 pairs at 15 endpoints: passed")
    }
}
