import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import IdentityHTTP

/// `SEC-NET-6`: a connection that makes the server wait is closed, however slowly it sends.
@Suite("Connection deadlines")
struct ConnectionDeadlinesTests {
    private let loop = EmbeddedEventLoop()

    private func connect() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ConnectionDeadlines(), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private let head = HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))

    @Test("SEC-NET-6: the first head must come within 10 s", arguments: [(9, true), (10, false)])
    func theHeadMustCome(seconds: Int64, isOpen: Bool) throws {
        let channel = try connect()
        loop.advanceTime(by: .seconds(seconds))
        #expect(channel.isActive == isOpen)
    }

    @Test("SEC-NET-6: the body must be whole within 15 s, though bytes keep coming")
    func theBodyMustBeWhole() throws {
        let channel = try connect()
        try channel.writeInbound(head)
        for _ in 0..<14 {
            loop.advanceTime(by: .seconds(1))
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "x")))
            #expect(channel.isActive)
        }
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("SEC-NET-6: between requests a connection may rest for 60 s", arguments: [(59, true), (60, false)])
    func aConnectionMayRest(seconds: Int64, isOpen: Bool) throws {
        let channel = try connect()
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        loop.advanceTime(by: .seconds(seconds))
        #expect(channel.isActive == isOpen)
    }

    @Test("SEC-NET-6: a busy connection stays open, and has its full time after the last request")
    func aBusyConnection() throws {
        let channel = try connect()
        for _ in 0..<50 {
            try channel.writeInbound(head)
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            loop.advanceTime(by: .seconds(7))
            #expect(channel.isActive)
        }
        loop.advanceTime(by: .seconds(52))
        #expect(channel.isActive)
        // A head that comes has 15 s, though the alarm stood later.
        try channel.writeInbound(head)
        loop.advanceTime(by: .seconds(14))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test(
        "Nothing keeps a connection that has ended, though its alarm is not cancelled: that takes a search of all alarms"
    )
    func anEndedConnectionIsLetGo() throws {
        weak var handler: ConnectionDeadlines?
        do {
            let deadlines = ConnectionDeadlines()
            handler = deadlines
            let channel = EmbeddedChannel(handler: deadlines, loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeInbound(head)
            try channel.close().wait()
            loop.run()
        }
        #expect(handler == nil)
        loop.advanceTime(by: .seconds(60))
    }
}
