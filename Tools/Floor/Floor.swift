import ArgumentParser
import CSodium
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The floor under the server's costs: for each scenario of the bench only the work that no design avoids, written as plainly
/// and fast as possible. `native-auth-bench --floor` measures server and floor in turn.
@main
struct Floor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Floor", abstract: "Do only the unavoidable work of the bench's scenarios.",
        subcommands: [ServeCommand.self, SignaturesCommand.self, RowsCommand.self])

    struct ServeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Serve the journeys of the bench, on the database that a server has made.")

        @OptionGroup var place: FloorPlace
        @Option(help: "RS256 or ES256: how tokens are signed.") var algorithm = "RS256"

        func validate() throws {
            guard Signer.Algorithm(rawValue: algorithm) != nil else {
                throw ValidationError("--algorithm must be RS256 or ES256.")
            }
        }

        func run() throws {
            // The bench's thread that starts this program may have blocked the signal by which it ends it.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGTERM)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            guard sodium_init() >= 0 else { throw FloorFailure("libsodium cannot be used") }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
            let keys = FloorKeys(signer: try Signer(Signer.Algorithm(rawValue: algorithm) ?? .rs256))
            let loops = Array(group.makeIterator())
            let store = try place.store(keys, loops)
            let file = place.file
            let hashing = NIOThreadPool(numberOfThreads: System.coreCount)
            hashing.start()
            let receiver = try MailReceiver.start(on: group)
            let states = try loops.enumerated().map { number, loop in
                try loop.submit {
                    let state = FloorLoop(
                        number: number, eventLoop: loop, keys: keys, store: store,
                        reader: try file.map { try SQLiteReader(path: $0) }, hashing: hashing)
                    return NIOLoopBound(state, eventLoop: loop)
                }.wait()
            }
            for (state, loop) in zip(states, loops) {
                guard let receiver else { throw FloorFailure("there is no receiver of mails") }
                _ = try ClientBootstrap(group: loop)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            let sender = MailSender(state.value)
                            state.value.mails = sender
                            try channel.pipeline.syncOperations.addHandler(sender)
                        }
                    }
                    .connect(to: receiver).wait()
            }
            let channel = try ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 4_096)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard let number = loops.firstIndex(where: { $0 === channel.eventLoop }) else { return }
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                            withPipeliningAssistance: false, withErrorHandling: false)
                        try channel.pipeline.syncOperations.addHandler(FloorHandler(states[number].value))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).wait()
            let url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
            for (state, loop) in zip(states, loops) {
                try loop.submit {
                    state.value.issuer = Array("\(url)/".utf8) + FloorLoop.tenantText + Array("/v2.0".utf8)
                }.wait()
            }
            say("ready \(url)")
            try channel.closeFuture.wait()
        }
    }
}

/// The database, which a server has made.
struct FloorPlace: ParsableArguments {
    @Option(help: "The data folder of a server that has ended.") var data: String
    @Option(help: "Its PostgreSQL database: postgresql://… (default: SQLite in the data folder).")
    var database: String?

    /// With SQLite.
    var file: String? { database == nil ? URL(filePath: data).appending(path: "identity.sqlite").path : nil }

    func store(_ keys: FloorKeys, _ loops: [any EventLoop]) throws -> any FloorStore {
        if let database { return try PostgresFloorStore(url: database, auditKey: keys.audit, loops: loops) }
        return try SQLiteFloorStore(path: file ?? "", auditKey: keys.audit, loops: loops)
    }
}

/// Prints a line at once, also to a pipe.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Ends the program: what went wrong makes the figures worthless.
func giveUp(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("Floor: \(reason)\n".utf8))
    exit(1)
}
