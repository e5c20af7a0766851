import Testing

@testable import IdentityHTTP

@Suite("The share of all addresses that a list covers")
struct NetworkShareTests {
    @Test(
        "SEC-NET-2: half of all addresses is seen in one range, in the union of several, and in the part of IPv6 that is in use",
        arguments: [
            "0.0.0.0/1", "128.0.0.0/1", "0.0.0.0/2,64.0.0.0/2", "0.0.0.0/2, 192.0.0.0/3, 224.0.0.0/3", "::/1",
            "2000::/3", "2000::/4", "2000::/5,2800::/5", "::/2,8000::/2", "10.0.0.0/8,2000::/3", "::ffff:0.0.0.0/97",
        ])
    func half(_ list: String) throws {
        #expect(try NetworkList(list).coversHalf)
    }

    @Test(
        "SEC-NET-2: less than half is not, however often it is listed",
        arguments: [
            "127.0.0.1", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7", "0.0.0.0/2", "0.0.0.0/2,0.0.0.0/2",
            "0.0.0.0/2,0.0.0.0/3,32.0.0.0/3", "0.0.0.0/2,64.0.0.0/3,96.0.0.0/4,112.0.0.0/5", "2000::/5", "c000::/2",
            "2000::/5,2800::/6,2c00::/7,0.0.0.0/2", "::1",
        ])
    func less(_ list: String) throws {
        #expect(try !NetworkList(list).coversHalf)
    }

    @Test("SEC-NET-2: 128 ranges of IPv4 are half, and 127 are not")
    func manyRanges() throws {
        let ranges = (0..<128).map { "\($0).0.0.0/8" }
        #expect(try NetworkList(ranges.joined(separator: ",")).coversHalf)
        #expect(try !NetworkList(ranges.dropLast().joined(separator: ",")).coversHalf)
        #expect(!NetworkList().coversHalf)
    }
}
