import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Attribute patterns")
struct AttributePatternTests {
    @Test(
        "SEC-ATTR-2: the common dialect works",
        arguments: [
            (#"^\d{4}$"#, "1234", true), (#"^\d{4}$"#, "12345", false), (#"\w+"#, "a_1", true), (#"\w+"#, "a b", false),
            (#"(?:DK|SE)-[0-9]+"#, "DK-7", true), (#"[\w.-]+"#, "a.b-c", true), (#"a\.b"#, "a.b", true),
            (#"a\.b"#, "axb", false), (#"[A-Z]{2,3}"#, "ABCD", false), (#"\s?x"#, " x", true),
        ])
    func theCommonDialectWorks(pattern: String, value: String, matches: Bool) throws {
        let compiled = try #require(AttributePattern(pattern))
        #expect(compiled.matches(value) == matches)
    }

    @Test(
        "SEC-ATTR-2: what would need backtracking is refused at start",
        arguments: [#"(a)\1"#, "(?=a)b", "(?<!a)b", "a*?b", "a+?", "(", "[a", #"\"#, #"\p{L}"#])
    func backtrackingIsRefused(pattern: String) {
        #expect(AttributePattern(pattern) == nil)
    }

    @Test("SEC-ATTR-2: a pathological pattern and value take no time")
    func aPathologicalPatternTakesNoTime() throws {
        let pattern = try #require(AttributePattern("(a|a|aa)*(a|b)*c"))
        let value = String(repeating: "a", count: 4_000)
        let started = processorSeconds()
        #expect(pattern.matches(value) == false)
        #expect(processorSeconds() - started < 1)
    }
}
