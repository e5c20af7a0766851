import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

private let key = Data(repeating: 7, count: 32)
private let application = "app"

/// A generator with a seed, so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

/// Some bytes changed, removed, doubled or inserted.
private func mutated(_ data: Data, _ generator: inout SeededGenerator) -> Data {
    var bytes = Array(data)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where !bytes.isEmpty: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: min(index, bytes.count))
        case 3: bytes.removeLast(bytes.count - index)
        case _: bytes.append(contentsOf: bytes.prefix(index))
        }
    }
    return Data(bytes)
}

@Suite("Kept sessions")
struct KeptSessionTests {
    private func items(_ cache: any TokenCache) throws -> [String: Data] {
        let name = try "\(clientID)|\(Authority(tenantSubdomain: "contoso"))"
        return try cache.withItems(of: name) { $0 }
    }

    private func replace(_ cache: any TokenCache, _ items: [String: Data]) throws {
        let name = try "\(clientID)|\(Authority(tenantSubdomain: "contoso"))"
        try cache.withItems(of: name) { $0 = items }
    }

    /// A cache with a user, and a client that uses it.
    private func withKept(
        _ body: (NativeAuthClient, InMemoryTokenCache, Reports) async throws -> Void
    ) async throws {
        let cache = InMemoryTokenCache()
        let reports = Reports()
        try await withClient(signedUp + [.session("alice")]) {
            $0.tokenCache = cache
            $0.onTokenCacheProblem = { reports.add($0) }
        } _: { client, _ in
            _ = try await signIn(client)
            try await body(client, cache, reports)
        }
    }

    @Test(
        "SDK-STO-3: what cannot be read is set aside and told; its user is signed out, others are not",
        arguments: ["", "{}", "nonsense", "newer", "elsewhere"])
    func unreadable(_ content: String) async throws {
        try await withKept { client, cache, reports in
            let good = try #require(try items(cache)["alice.T"])
            let text = String(decoding: good, as: UTF8.self)
            let bad: Data
            switch content {
            case "newer": bad = Data(text.replacing(#""version":1"#, with: #""version":2"#).utf8)
            // Intact, but the session of another user.
            case "elsewhere": bad = Data(text.replacing("alice", with: "carol").utf8)
            case _: bad = Data(content.utf8)
            }
            try replace(cache, ["alice.T": good, "bob.T": bad])
            #expect(client.accounts().map(\.homeAccountID) == ["alice.T"])
            let places = try items(cache).keys.filter { $0 != "alice.T" }
            let place = try #require(places.first)
            #expect(places.count == 1 && place.hasSuffix(":bob.T"))
            #expect(try items(cache)[place] == bad)
            #expect(reports.all == [.setAside(place)])
            // It is reported once, and stays during the actions of others.
            #expect(client.account(homeAccountID: "bob.T") == nil)
            #expect(reports.all.count == 1)
            client.signOut(try #require(client.currentAccount()))
            #expect(try items(cache) == [place: bad])
        }
    }

    @Test("SDK-STO-5: sign-out removes what was set aside as well")
    func signOut() async throws {
        try await withKept { client, cache, _ in
            let account = try #require(client.currentAccount())
            try replace(cache, ["alice.T": Data(), "bob.T": Data()])
            #expect(client.accounts().isEmpty)
            #expect(try items(cache).count == 2)
            client.signOut(account)
            #expect(try items(cache).keys.allSatisfy { $0.hasSuffix(":bob.T") })
            client.signOut()
            #expect(try items(cache).isEmpty)
        }
    }

    /// Signs `newcomer` in after the first change of the cache.
    private final class InterruptedCache: TokenCache {
        let inner = InMemoryTokenCache()
        let newcomer = Mutex<(name: String, content: Data)?>(nil)

        func withItems<Result: Sendable>(
            of application: String, _ body: (inout [String: Data]) -> Result
        ) throws(TokenCacheError) -> Result {
            let (result, isChanged) = try inner.withItems(of: application) { items in
                let before = items
                let result = body(&items)
                return (result, items != before)
            }
            if isChanged, let next = newcomer.withLock({ $0.take() }) {
                try inner.withItems(of: application) { $0[next.name] = next.content }
            }
            return result
        }
    }

    @Test("SDK-STO-4: a user who signs in while all are signed out stays signed in")
    func signInDuringSignOut() async throws {
        let cache = InterruptedCache()
        try await withClient(signedUp + [.session("alice")] + signedUp + [.session("bob")]) {
            $0.tokenCache = cache
        } _: { client, _ in
            _ = try await signIn(client)
            _ = try await signIn(client)
            let bob = try #require(try items(cache)["bob.T"])
            client.signOut(try #require(client.account(homeAccountID: "bob.T")))
            cache.newcomer.withLock { $0 = ("bob.T", bob) }
            client.signOut()
            #expect(client.accounts().map(\.homeAccountID) == ["bob.T"])
        }
    }

    #if DEBUG
        @Test("SDK-AUTH-1: the emulator's sessions are not those of the real tenant, and the reverse")
        func emulator() async throws {
            var environments = [[:], ["NATIVE_AUTH_EMULATOR": "http://127.0.0.1:8765"]]
            for _ in environments {
                let cache = InMemoryTokenCache()
                let transport = ScriptedTransport(signedUp + [.session("alice")])
                var configuration = NativeAuthConfiguration(
                    clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"), challengeTypes: [])
                configuration.transport = transport
                configuration.tokenCache = cache
                configuration.now = { start }
                let one = NativeAuthClient(configuration, environment: environments[0])
                let other = NativeAuthClient(configuration, environment: environments[1])
                let account = try await signIn(one)
                #expect(one.accounts().count == 1 && other.accounts().isEmpty)
                let url = try #require(transport.requests.first?.url)
                #expect(account.environment == (try Authority(url: url).environment))
                environments.reverse()
            }
        }
    #endif

    @Test("SDK-STO-3: 5 000 mutated items: signed in or set aside, nothing else")
    func mutations() async throws {
        try await withKept { client, cache, reports in
            let good = try #require(try items(cache)["alice.T"])
            var generator = SeededGenerator(state: 3)
            for round in 0..<5000 {
                let content = mutated(good, &generator)
                try replace(cache, ["alice.T": content])
                let before = reports.all.count
                let isSignedIn = client.currentAccount() != nil
                let isTold = reports.all.count > before
                #expect(isSignedIn != isTold, "round \(round)")
                #expect(try items(cache).values.contains(content), "round \(round)")
            }
        }
    }

    @Test("SDK-LOG-1: a cache, and what is wrong with it, print no key and no token")
    func nothingSecretIsPrinted() async throws {
        let cache = try EncryptedFileTokenCache(
            folder: URL(filePath: "/x"), key: Data("0123456789abcdef0123456789abcdef".utf8))
        var text = "\(cache)"
        dump(cache, to: &text)
        #expect(text.contains("/x") && !text.contains("abcdef") && !text.contains("SymmetricKey"))
    }
}

@Suite("Encrypted file")
struct EncryptedFileTests {
    private func withCache(
        _ body: (EncryptedFileTokenCache, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { base in
            let folder = base.appending(path: "cache")
            try await body(try EncryptedFileTokenCache(folder: folder, key: key), folder)
        }
    }

    private func write(_ items: [String: String], to cache: EncryptedFileTokenCache) throws {
        try cache.withItems(of: application) { $0 = items.mapValues { Data($0.utf8) } }
    }

    private func read(_ cache: EncryptedFileTokenCache) throws -> [String: String] {
        try cache.withItems(of: application) { $0.mapValues { String(decoding: $0, as: UTF8.self) } }
    }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func whatIsWrittenIsReadByAnotherInstance() async throws {
        try await withCache { cache, folder in
            #expect(try read(cache).isEmpty)
            try write(["a": "secret-token", "b": "2"], to: cache)
            try cache.withItems(of: "other") { $0["c"] = Data() }
            let other = try EncryptedFileTokenCache(folder: folder, key: key)
            #expect(try read(other) == ["a": "secret-token", "b": "2"])
            #expect(try other.withItems(of: "other") { $0.count } == 1)
            try write([:], to: other)
            #expect(try read(cache).isEmpty)
        }
    }

    @Test("SDK-STO-2: folder 0700 and files 0600 whatever the mask; nothing readable inside; no temporary file stays")
    func modes() async throws {
        for mask: mode_t in [0o000, 0o077] {
            try await withCache { cache, folder in
                // The umask belongs to the whole process; files of other tests depend on it only for a moment.
                let before = umask(mask)
                defer { umask(before) }
                try write(["a": "secret-token"], to: cache)
                #expect(try mode(folder) == 0o700)
                #expect(try names(folder) == ["tokens", "tokens.lock"])
                for name in try names(folder) {
                    #expect(try mode(folder.appending(path: name)) == 0o600)
                    let content = try Data(contentsOf: folder.appending(path: name))
                    #expect(!String(decoding: content, as: UTF8.self).contains("secret"))
                }
            }
        }
    }

    @Test("SDK-STO-2: equal contents never look equal")
    func nonces() async throws {
        try await withCache { cache, folder in
            var seen: Set<Data> = []
            for round in 0..<50 {
                try write(["a": "\(round % 2)"], to: cache)
                seen.insert(try Data(contentsOf: folder.appending(path: "tokens")))
            }
            #expect(seen.count == 50)
        }
    }

    @Test(
        "SDK-STO-2: files and folders that others may touch are refused",
        arguments: [0o604, 0o640, 0o620, 0o602, 0o666])
    func tooOpen(_ wide: Int) async throws {
        try await withCache { cache, folder in
            try write(["a": "1"], to: cache)
            for name in ["tokens", "tokens.lock"] {
                let path = folder.appending(path: name).path
                try FileManager.default.setAttributes([.posixPermissions: wide], ofItemAtPath: path)
                #expect(throws: TokenCacheError.tooOpen(path)) { try read(cache) }
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            try FileManager.default.setAttributes([.posixPermissions: wide | 0o100], ofItemAtPath: folder.path)
            #expect(throws: TokenCacheError.tooOpen(folder.path)) { try read(cache) }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            #expect(try read(cache) == ["a": "1"])
        }
    }

    @Test("SDK-STO-2: symbolic links are not followed", arguments: ["tokens", "tokens.lock", "tokens.new", ""])
    func links(_ name: String) async throws {
        try await withTemporaryFolder { base in
            let folder = base.appending(path: "cache")
            let target = base.appending(path: "target")
            let cache = try EncryptedFileTokenCache(folder: folder, key: key)
            try write(["a": "1"], to: cache)
            let link = name.isEmpty ? folder : folder.appending(path: name)
            if name.isEmpty {
                try FileManager.default.moveItem(at: folder, to: target)
            } else {
                try Data("victim".utf8).write(to: target)
                if name != "tokens.new" { try FileManager.default.removeItem(at: link) }
            }
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            if name == "tokens.new" {
                // A temporary file that is a link: the link is removed, its target stays.
                try write(["a": "2"], to: cache)
                #expect(try read(cache) == ["a": "2"])
            } else {
                #expect(throws: TokenCacheError.symbolicLink(link.path)) { try write(["a": "2"], to: cache) }
            }
            if !name.isEmpty { #expect(try Data(contentsOf: target) == Data("victim".utf8)) }
        }
    }

    @Test("SDK-STO-2: hard links, pipes and folders in the place of the file are refused")
    func wrongKinds() async throws {
        try await withCache { cache, folder in
            try write(["a": "1"], to: cache)
            let file = folder.appending(path: "tokens")
            let second = folder.appending(path: "second")
            try FileManager.default.linkItem(at: file, to: second)
            #expect(throws: TokenCacheError.wrongKind(file.path)) { try read(cache) }
            try FileManager.default.removeItem(at: second)
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
            #expect(throws: TokenCacheError.wrongKind(file.path)) { try read(cache) }
            try FileManager.default.removeItem(at: file)
            #expect(mkdir(file.path, 0o700) == 0)
            #expect(throws: TokenCacheError.wrongKind(file.path)) { try read(cache) }
        }
    }

    @Test("SDK-STO-2: what belongs to another user is refused")
    func foreignOwner() async throws {
        // Only the superuser can change a file's owner; otherwise this test has no set-up.
        guard geteuid() == 0 else { return }
        try await withCache { cache, folder in
            try write(["a": "1"], to: cache)
            for path in [
                folder.appending(path: "tokens").path, folder.appending(path: "tokens.lock").path, folder.path,
            ] {
                #expect(chown(path, 65_534, 65_534) == 0)
                #expect(throws: TokenCacheError.foreignOwner(path)) { try read(cache) }
                #expect(chown(path, 0, 0) == 0)
            }
            #expect(try read(cache) == ["a": "1"])
        }
    }

    @Test func wrongArgumentsAreRefused() async throws {
        for count in [0, 16, 31, 33, 64] {
            #expect(throws: TokenCacheError.invalidKey) {
                try EncryptedFileTokenCache(folder: URL(filePath: "/tmp/x"), key: Data(count: count))
            }
        }
        let web = try #require(URL(string: "https://example.com/x"))
        #expect(throws: TokenCacheError.wrongKind("https://example.com/x")) {
            try EncryptedFileTokenCache(folder: web, key: key)
        }
        try await withTemporaryFolder { base in
            let deep = try EncryptedFileTokenCache(folder: base.appending(path: "a/b"), key: key)
            #expect(throws: TokenCacheError.system("mkdir", code: ENOENT)) { try read(deep) }
        }
    }

    @Test("SDK-STO-2: a process that was killed while it wrote leaves the old content whole")
    func interruptedWrite() async throws {
        try await withCache { cache, folder in
            try write(["a": "1"], to: cache)
            #expect(
                FileManager.default.createFile(
                    atPath: folder.appending(path: "tokens.new").path, contents: Data("half".utf8)))
            #expect(try read(cache) == ["a": "1"])
            try write(["a": "2"], to: cache)
            #expect(try read(cache) == ["a": "2"])
            #expect(try names(folder) == ["tokens", "tokens.lock"])
        }
    }

    @Test("SDK-STO-3: 10 000 mutated files: each set aside, told, and never overwritten")
    func mutations() async throws {
        try await withCache { cache, folder in
            try write(["a": "1", "b": "2"], to: cache)
            let file = folder.appending(path: "tokens")
            let good = try Data(contentsOf: file)
            var generator = SeededGenerator(state: 11)
            for round in 0..<10_000 {
                let content = mutated(good, &generator)
                guard content != good else { continue }
                let created = FileManager.default.createFile(
                    atPath: file.path, contents: content, attributes: [.posixPermissions: 0o600])
                #expect(created)
                do throws(TokenCacheError) {
                    _ = try cache.withItems(of: application) { $0 }
                    Issue.record("round \(round) was read")
                } catch .setAside(let place) {
                    #expect(try Data(contentsOf: URL(filePath: place)) == content)
                    try FileManager.default.removeItem(atPath: place)
                }
            }
            // The next call works again, with an empty cache.
            #expect(try read(cache).isEmpty)
            try write(["a": "3"], to: cache)
            #expect(try read(cache) == ["a": "3"])
        }
    }

    @Test("SDK-STO-3: a file of another key or a newer release is set aside; a client is told, signed out, and works")
    func foreign() async throws {
        try await withTemporaryFolder { base in
            let folder = base.appending(path: "cache")
            try await withClient(signedUp + [.session("alice")]) {
                $0.tokenCache = Self.cache(folder, key)
            } _: { client, _ in
                _ = try await signIn(client)
            }
            let content = try Data(contentsOf: folder.appending(path: "tokens"))
            let reports = Reports()
            try await withClient(signedUp + [.session("bob")]) {
                $0.tokenCache = Self.cache(folder, Data(repeating: 8, count: 32))
                $0.onTokenCacheProblem = { reports.add($0) }
            } _: { client, _ in
                #expect(client.accounts().isEmpty)
                guard case .setAside(let place) = try #require(reports.all.first) else {
                    Issue.record("\(reports.all)")
                    return
                }
                #expect(reports.all.count == 1)
                #expect(try Data(contentsOf: URL(filePath: place)) == content)
                _ = try await signIn(client)
                #expect(client.accounts().map(\.homeAccountID) == ["bob.T"])
                #expect(reports.all.count == 1)
            }
        }
    }

    private static func cache(_ folder: URL, _ key: Data) -> any TokenCache {
        do {
            return try EncryptedFileTokenCache(folder: folder, key: key)
        } catch {
            Issue.record(error)
            return InMemoryTokenCache()
        }
    }

    // MARK: Several processes

    /// A lock belongs to an open file, so several instances contend as several processes do.
    @Test("SDK-STO-4: eight instances lose no write")
    func contention() async throws {
        try await withCache { _, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in 0..<8 {
                    group.addTask {
                        let cache = try EncryptedFileTokenCache(folder: folder, key: key)
                        for round in 0..<50 {
                            try cache.withItems(of: application) { items in
                                let count = items["count"].map { String(decoding: $0, as: UTF8.self) }.flatMap {
                                    Int($0)
                                }
                                items["count"] = Data("\((count ?? 0) + 1)".utf8)
                                items["\(instance)"] = Data("\(round)".utf8)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let content = try read(try EncryptedFileTokenCache(folder: folder, key: key))
            #expect(content["count"] == "400")
            #expect(content.count == 9)
        }
    }

    /// A server whose refresh tokens work once; the previous one gives the same successor again, as in a grace period.
    private actor RotatingServer: HTTPTransport {
        private var current = 0
        private(set) var isRevoked = false
        private(set) var renewals = 0

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let token = try FormFields(decoding: request.body).single("refresh_token") ?? ""
            await Task.yield()
            let number = Int(token.dropFirst(3)) ?? -1
            if number == current {
                current += 1
                renewals += 1
            } else if number < current - 1 {
                // A client that does not read the cache again loses the session now.
                return TransportResponse(
                    status: 400, body: Data(#"{"error":"invalid_grant","error_codes":[700082]}"#.utf8))
            } else if number > current {
                isRevoked = true
            }
            let answer = Stub.session("alice", access: "AT-\(current)", refresh: "RT-\(current)")
            return TransportResponse(status: 200, body: Data(answer.json.utf8))
        }
    }

    @Test("SDK-STO-4: eight instances renew one session 25 times each: it lives, and no user is signed out")
    func renewals() async throws {
        try await withTemporaryFolder { base in
            let folder = base.appending(path: "cache")
            try await withClient(signedUp + [.session("alice", access: "AT-0", refresh: "RT-0")]) {
                $0.tokenCache = Self.cache(folder, key)
            } _: { client, _ in
                _ = try await signIn(client)
            }
            let server = RotatingServer()
            let authority = try Authority(tenantSubdomain: "contoso")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var configuration = NativeAuthConfiguration(
                            clientID: clientID, authority: authority, challengeTypes: [])
                        configuration.transport = server
                        configuration.tokenCache = Self.cache(folder, key)
                        configuration.now = { start }
                        let client = NativeAuthClient(configuration, environment: [:])
                        let account = try #require(client.currentAccount())
                        for _ in 0..<25 {
                            let token = try await account.accessToken(policy: .force)
                            #expect(token.value.hasPrefix("AT-"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await server.isRevoked == false)
            let last = await server.renewals
            #expect(last >= 25)
            let items = try Self.cache(folder, key).withItems(of: "\(clientID)|\(authority)") { $0 }
            let kept = String(decoding: try #require(items["alice.T"]), as: UTF8.self)
            #expect(kept.contains("\"RT-\(last)\""))
        }
    }

    @Test("SDK-STO-4: a sign-out in one process ends it for all, and a late answer does not bring it back")
    func signOutElsewhere() async throws {
        try await withTemporaryFolder { base in
            let folder = base.appending(path: "cache")
            try await withClient(signedUp + [.session("alice")]) {
                $0.tokenCache = Self.cache(folder, key)
            } _: { first, _ in
                _ = try await signIn(first)
                let gate = RequestGate(ScriptedTransport([.session("alice", access: "AT2", refresh: "RT2")]))
                try await withClient([]) {
                    $0.tokenCache = Self.cache(folder, key)
                    $0.transport = gate
                } _: { second, _ in
                    let account = try #require(second.currentAccount())
                    let late = Task { () async -> TokenError? in
                        do throws(TokenError) {
                            _ = try await account.accessToken(policy: .force)
                            return nil
                        } catch {
                            return error
                        }
                    }
                    await gate.arrival()
                    first.signOut()
                    await gate.open()
                    #expect(kind(try #require(await late.value)) == "signInRequired")
                    #expect(second.accounts().isEmpty && first.accounts().isEmpty)
                }
            }
        }
    }

    @Test("SDK-STO-4: a late answer is no part of the next session, though the refresh token is the same")
    func generations() async throws {
        let cache = InMemoryTokenCache()
        try await withClient(signedUp + [.session("alice")] + signedUp + [.session("alice", access: "AT-NEW")]) {
            $0.tokenCache = cache
        } _: { first, _ in
            let account = try await signIn(first)
            let gate = RequestGate(ScriptedTransport([.session("alice", access: "AT-LATE")]))
            try await withClient([]) {
                $0.tokenCache = cache
                $0.transport = gate
            } _: { second, _ in
                let late = Task { try await second.accessToken(for: account, forceRefresh: true).value }
                await gate.arrival()
                first.signOut()
                _ = try await signIn(first)
                await gate.open()
                #expect(try await late.value == "AT-NEW")
                #expect(try await account.accessToken().value == "AT-NEW")
            }
        }
    }
}
