import ArgumentParser
import CHost
import Dispatch
import NativeAuthCore
import PortableFoundation

/// A name server to ask in place of the system's.
struct NameServer: ExpressibleByArgument, Sendable {
    let address: String
    let port: Int

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let address = parts.first, address.wholeMatch(of: /[0-9]{1,3}(\.[0-9]{1,3}){3}/) != nil,
            parts.count <= 2, let port = parts.count == 2 ? Int(parts[1]) : 53, (1...65_535).contains(port)
        else { return nil }
        (self.address, self.port) = (String(address), port)
    }
}

/// Asks for records in the domain name system.
struct DNS: Sendable {
    /// Nil: the system's servers.
    let server: NameServer?

    /// No server answered.
    struct Silence: Error {}

    enum Kind {
        case text
        case mailHost
    }

    private static let queue = DispatchQueue(label: "native-auth.dns", attributes: .concurrent)

    /// The records of a name; empty when there is none.
    ///
    /// - Throws: ``Silence`` when there is no answer within ten seconds.
    func records(_ kind: Kind, of name: String) async throws(Silence) -> [String] {
        let reply = Locked<CheckedContinuation<[String]?, Never>?>(nil)
        let give = { @Sendable (records: [String]?) in
            let waiting = reply.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            waiting?.resume(returning: records)
        }
        let records = await withCheckedContinuation { continuation in
            reply.withLock { $0 = continuation }
            // The system's resolver has no limit for an answer over TCP; its thread then stays until the process ends.
            Self.queue.async { give(ask(kind, name)) }
            Self.queue.asyncAfter(deadline: .now() + 10) { give(nil) }
        }
        guard let records else { throw Silence() }
        return records
    }

    /// Nil when no server answered.
    private func ask(_ kind: Kind, _ name: String) -> [String]? {
        let type =
            switch kind {
            case .text: CHOST_TEXT
            case .mailHost: CHOST_MAIL
            }
        var bytes = [CChar](repeating: 0, count: 65_536)
        let count = chost_records(
            name, Int32(type), server?.address, Int32(server?.port ?? 53), &bytes, Int32(bytes.count))
        guard count >= 0 else { return nil }
        return bytes.prefix(Int(count)).split(separator: 0).map { record in
            String(decoding: record.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
