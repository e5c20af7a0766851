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

    @Test(
        "SEC-ATTR-2: what the C library would write out too long is refused before it reads it",
        arguments: [
            "(a*){0,3000}", "(((a*){0,30}){0,30}){0,30}", "a{0,9000}", "a{1,256}", "a{256}", "(a*){0,255}",
            "(((((((((((a)))))))))))", "((((a*)*)*)*)*", "a{1,2,3}", "a{x}", "a{1", "([a-z]{0,200}){0,2}",
            String(repeating: "a", count: 513),
        ])
    func largePatternsAreRefused(pattern: String) {
        let started = processorSeconds()
        #expect(AttributePattern(pattern) == nil)
        #expect(processorSeconds() - started < 0.1)
    }

    @Test(
        "SEC-ATTR-2: the costliest patterns that are allowed compile in no time, and usual ones cost little",
        arguments: [
            ("(a*){0,75}", 300), ("(a?){0,75}", 300), ("[a-z]{0,255}", 255), ("((a*){0,8}){0,9}", 288),
            ("[A-Z]{2}-[0-9]{4,6}", 9), ("[]a]{2}[^]b]{2}[[:alpha:]-]{3}", 7), ("([A-Za-z]+ ?)+", 32), ("a{3,}", 16),
        ])
    func costs(pattern: String, cost: Int) throws {
        let started = processorSeconds()
        let compiled = try #require(AttributePattern(pattern))
        _ = compiled.matches(String(repeating: "a", count: 4_000))
        #expect(processorSeconds() - started < 0.5)
        #expect(compiled.cost == cost)
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
