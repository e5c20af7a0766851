import Foundation
import Testing

@Suite("Documentation of the steps") struct DocumentationTests {
    private static let module = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/SDK/NativeAuth")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: module.appending(path: path), encoding: .utf8)
    }

    @Test("Each type that is used once, and the first page, lead to what the compiler says about it")
    func everyStepLeadsToTheWayOut() throws {
        let link = "<doc:CompilerMessages>"
        var count = 0
        for file in [
            "SignUp/SignUpSteps", "SignIn/SignInSteps", "PasswordReset/ResetPasswordSteps",
            "SecondFactor/SecondFactorSteps", "Flow/Step",
        ] {
            let lines = try Self.text("\(file).swift").split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                guard line.contains(/^public (struct|enum|protocol) [^(]*: ~Copyable/) else { continue }
                let comment = lines[..<index].reversed().prefix { $0.hasPrefix("///") || $0.hasPrefix("@") }
                #expect(comment.contains { $0.contains(link) }, "\(line)")
                count += 1
            }
        }
        #expect(count >= 18)
        #expect(try Self.text("NativeAuth.docc/NativeAuth.md").contains(link))
    }
}
