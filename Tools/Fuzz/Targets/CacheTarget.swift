import Foundation
import NativeAuth
import NativeAuthCore

/// Modified token caches (`SDK-STO-2`, `SDK-STO-3`): a sealed file yields only what was sealed, and a session that
/// cannot be decoded counts as signed out.
struct CacheTarget: Target {
    static let name = "token-cache"

    private static let key = Data(repeating: 7, count: 32)
    private static let application = "app"
    private static let items = ["account": Data("CANARY".utf8)]

    private let folder: URL
    private let sealed: [UInt8]
    private let sessionName: String
    private let files: Mutator
    private let sessions: Mutator

    init() async throws {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let place = isThere ? memory : FileManager.default.temporaryDirectory
        folder = place.appending(path: "fuzz-cache-\(UUID().uuidString)")
        try EncryptedFileTokenCache(folder: folder, key: Self.key).withItems(of: Self.application) { $0 = Self.items }
        sealed = [UInt8](try Data(contentsOf: folder.appending(path: "tokens")))
        files = Mutator(
            [sealed, Array("native-auth tokens 1\n".utf8), []],
            words: ["native-auth tokens 1\n", "native-auth tokens 2\n", "\0"])

        let cache = FixedCache([:])
        try await AnswerTarget.walk(
            NativeAuthClient(try AnswerTarget.configuration(AnsweringTransport(), cache: cache), environment: [:]),
            flow: 1)
        guard let item = cache.items.first else { throw Finding("no user is signed in") }
        sessionName = item.key
        sessions = Mutator(
            [[UInt8](item.value)],
            words: [
                "{", "}", "[", "]", "\"", ":", ",", "null", "true", "-1", "1e400", "1e308", "-1e308",
                "9223372036854775807", "0", "\\ud800", "\0",
                "\"version\":2", "\"version\":1", "\"tokens\":[]", "\"idToken\":\"a.b.c\"", "\"requested\":[\"\"]",
                "\"order\":", "\"lifetime\":",
                "\"uptime\":", "\"homeAccountID\":", "é", "a\u{301}", String(repeating: "[", count: 20),
            ], bytes: [[0xFF]], long: 65_536)
    }

    /// A byte that says whether it is a file or a session, and its content.
    func input(_ chance: inout Chance) -> [UInt8] {
        chance.percent(50) ? [0] + files.input(&chance) : [1] + sessions.input(&chance)
    }

    func check(_ input: [UInt8]) async throws -> Bool {
        let content = Array(input.dropFirst())
        return input.first == 0 ? try checkFile(content) : try await checkSession(content)
    }

    private func checkFile(_ content: [UInt8]) throws -> Bool {
        let path = folder.appending(path: "tokens").path
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(content), attributes: [.posixPermissions: 0o600])
        else { throw Finding("the file cannot be written") }
        let found: [String: Data]
        do throws(TokenCacheError) {
            found = try EncryptedFileTokenCache(folder: folder, key: Self.key).withItems(of: Self.application) { $0 }
        } catch {
            guard case .setAside(let place) = error else { throw Finding("\(error)") }
            let aside = try Data(contentsOf: URL(filePath: place))
            try FileManager.default.removeItem(atPath: place)
            try demand(content != sealed, "what was sealed is set aside")
            try demand(aside.elementsEqual(content), "what is set aside is another content")
            return false
        }
        try demand(content == sealed && found == Self.items, "a file is read that was not sealed here")
        return true
    }

    private func checkSession(_ content: [UInt8]) async throws -> Bool {
        let cache = FixedCache([sessionName: Data(content)])
        let transport = AnsweringTransport()
        let client = NativeAuthClient(try AnswerTarget.configuration(transport, cache: cache), environment: [:])
        let accounts = client.accounts()
        for account in accounts {
            try demand(account.homeAccountID == sessionName, "the session of another account")
            do throws(NativeAuthError) {
                _ = try await client.accessToken(for: account)
            } catch {
                try demand(!"\(error)".contains("CANARY"), "an error shows a token")
            }
        }
        if accounts.isEmpty {
            try demand(cache.items.values.contains { $0.elementsEqual(content) }, "what cannot be read is lost")
        }
        return !accounts.isEmpty
    }
}

/// Items in memory, the same for every application.
private final class FixedCache: TokenCache {
    private let content: Locked<[String: Data]>

    init(_ items: [String: Data]) {
        content = Locked(items)
    }

    var items: [String: Data] { content.withLock(\.self) }

    func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        content.withLock { body(&$0) }
    }
}
