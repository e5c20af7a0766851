import Foundation
import Testing

@testable import native_auth

/// `native-auth probe`, as a container's health check runs it.
@Suite("probe", .timeLimit(.minutes(2)), TwoNodes.skipped("two nodes on one machine need two ports for metrics"))
struct ProbeTests {
    @Test("A server that runs is ready, at either listener; one that is gone is not, and one sentence says so")
    func aServer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let metrics = try FreePort.any(on: "127.0.0.1")
        let server = try await NativeAuthServer.start(
            arguments: ["--metrics-port", "\(metrics)", "--operations-host", "0.0.0.0"],
            dataFolder: folder.url.appending(path: "data"))
        let environment = ["NATIVE_AUTH_METRICS_PORT": "\(metrics)", "NATIVE_AUTH_OPERATIONS_HOST": "0.0.0.0"]
        let ready = try await NativeAuthProcess.run(["probe"], environment: environment)
        #expect(
            ready.status == 0 && ready.output == "The server at http://127.0.0.1:\(metrics) is ready.\n", "\(ready)")
        let address = server.baseURL.absoluteString
        let named = try await NativeAuthProcess.run(["probe", "--url", address])
        #expect(named.status == 0, "\(named)")

        await server.terminate()
        let gone = try await NativeAuthProcess.run(["probe"], environment: environment)
        #expect(gone.status == 1 && gone.errors == "native-auth: No server answers at http://127.0.0.1:\(metrics).\n")
    }

    @Test("A server that stops is not ready while it still answers; one that hangs does not hold the probe up")
    func notReady() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await ServeTests.inProduction(folder, drain: 30)
        let address = server.baseURL.absoluteString
        async let exit = server.terminate()
        var last = try await NativeAuthProcess.run(["probe", "--url", address])
        while last.status == 0 { last = try await NativeAuthProcess.run(["probe", "--url", address]) }
        #expect(last.status == 1 && last.errors.contains("is not ready"), "\(last)")
        await server.kill9()
        _ = await exit

        // Accepts connections, and never answers.
        let silent = try await PythonServer.start([TLSTests.script("silent.py")])
        let begin = ContinuousClock.now
        let hung = try await NativeAuthProcess.run(
            ["probe", "--timeout", "1", "--url", "http://127.0.0.1:\(silent.port)"])
        #expect(hung.status == 1 && hung.errors.contains("does not answer within 1 seconds"), "\(hung)")
        #expect(begin.duration(to: .now) < .seconds(10))
        await silent.stop()
    }

    @Test("The certificate of another server is checked")
    func strangers() async throws {
        let folder = try TLSTests.certificates.get()
        let files = ["self.pem", "self.key"].map { folder.appending(path: $0).path }
        let server = try await PythonServer.start([TLSTests.script("tls_server.py")] + files)
        // Only loopback is this machine: another address of it stands for another machine here.
        var question = try ReadinessQuestion(url: "https://localhost:\(server.port)")
        #expect(question.isLocal)
        let local = await question.ask(timeout: 5)
        #expect(!local.sentence.contains("certificate"), "\(local)")
        question = ReadinessQuestion(address: question.address, isLocal: false)
        let (isReady, sentence) = await question.ask(timeout: 5)
        #expect(!isReady && sentence.contains("certificate"), "\(sentence)")
        await server.stop()
        for url in ["https://login.example.com", "http://10.0.0.7:9765", "https://localhost.example.com:8765"] {
            #expect(try !ReadinessQuestion(url: url).isLocal, "\(url)")
        }
        for url in ["http://localhost:8765/", "https://127.0.0.1:8765", "http://[::1]:9765"] {
            #expect(try ReadinessQuestion(url: url).isLocal, "\(url)")
        }
    }

    @Test("The address is that of the server's settings")
    func settings() throws {
        func address(_ environment: [String: String]) throws -> String {
            try ReadinessQuestion(
                environment: Dictionary(
                    uniqueKeysWithValues: environment.map { ("NATIVE_AUTH_\($0.key)", $0.value) })
            ).address
        }
        #expect(try address([:]) == "http://127.0.0.1:8765")
        #expect(try address(["HOST": "0.0.0.0", "PORT": "443", "TLS_CERT": "/x"]) == "https://127.0.0.1:443")
        #expect(try address(["HOST": "::", "PORT": "80"]) == "http://[::1]:80")
        #expect(try address(["HOST": "10.0.0.5", "METRICS_PORT": "9765", "TLS_CERT": "/x"]) == "http://127.0.0.1:9765")
        #expect(try address(["METRICS_PORT": "9765", "OPERATIONS_HOST": "10.0.0.5"]) == "http://10.0.0.5:9765")
        for wrong in [["PORT": "0"], ["METRICS_PORT": "0"], ["PORT": "many"]] {
            #expect(throws: ServeSettings.Invalid.self) { try address(wrong) }
        }
    }

    @Test(
        "What is no address ends with 64 and one sentence",
        arguments: ["localhost:8765", "ftp://localhost", "http://localhost/readyz", "http://dana@localhost", "http://"])
    func wrongAddresses(_ url: String) async throws {
        let (status, _, errors) = try await NativeAuthProcess.run(["probe", "--url", url])
        #expect(status == 64 && errors.contains("--url is “\(url)”"), "\(errors)")
        #expect(errors.split(separator: "\n").count == 1)
    }
}
