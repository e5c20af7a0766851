import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The cookies of hosted pages, of one tenant in one browser (`SEC-WEB-3`, `SEC-WEB-8`).
struct HostedCookies: Sendable {
    /// Eight letters of a digest of the tenant's id: all tenants share the jar of their host.
    private let tag: String
    private let isSecure: Bool
    private let sent: [String: String]

    /// The largest part of a flow's state in one cookie, in characters.
    static let partLength = 3_600
    static let mostParts = 3
    static let mostFlows = 5
    /// Of all flows in the jar; the headers of a request have at most 16 KiB.
    static let mostBytes = 11 * 1024

    init(_ request: Request, tenant: TenantID, isSecure: Bool) {
        let digest = Vault.fingerprint([Data("cookies".utf8), Data(tenant.description.utf8)]).prefix(4)
        tag = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        self.isSecure = isSecure
        var sent: [String: String] = [:]
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                // Of two cookies with one name the first counts (RFC 6265 section 5.4: the longer path).
                if parts.count == 2, sent[String(parts[0])] == nil { sent[String(parts[0])] = String(parts[1]) }
            }
        }
        self.sent = sent
    }

    private func name(_ kind: String) -> String { "\(isSecure ? "__Host-" : "")na-\(kind)-\(tag)" }

    /// What binds the forms to the browser: 128 random bits.
    var browser: String? { sent[name("b")].flatMap { $0.utf8.count == 22 ? $0 : nil } }

    var session: Secret<String>? { sent[name("s")].flatMap { $0.utf8.count == 43 ? Secret($0) : nil } }

    /// The most users of a browser whose second factor is left out in it.
    static let mostDevices = 5

    /// What the browser is known by where a second factor is left out: a value for each user.
    var devices: [Secret<String>] { deviceNames.prefix(Self.mostDevices).compactMap { sent[$0] }.map { Secret($0) } }

    private var deviceNames: [String] {
        let (start, end) = ((isSecure ? "__Host-" : "") + "na-d", "-\(tag)")
        return sent.filter { $0.key.hasPrefix(start) && $0.key.hasSuffix(end) && $0.value.utf8.count == 43 }.keys
            .sorted()
    }

    /// The sealed state of a flow.
    func flow(_ handle: String) -> String? {
        var text = ""
        for part in 0..<Self.mostParts {
            guard let piece = sent[name("f\(part)-\(handle)")] else { break }
            text += piece
        }
        return text.isEmpty ? nil : text
    }

    // MARK: - Setting

    func settingBrowser(_ value: String) -> String { field(name("b"), value, nil) }

    func settingSession(_ value: Secret<String>, lifetime: Int?) -> String {
        field(name("s"), value.reveal(), lifetime)
    }

    func settingDevice(_ device: DeviceCookie) -> [String] {
        let digest = Vault.fingerprint([Data("device cookie".utf8), Data(device.user.description.utf8)]).prefix(4)
        let own = name("d" + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
        let others = deviceNames.filter { $0 != own }.dropFirst(Self.mostDevices - 1)
        return [field(own, device.value.reveal(), device.lifetime)] + others.map { field($0, "", 0) }
    }

    var endingSession: String { field(name("s"), "", 0) }

    /// - Returns: The fields; nil when the state is too long for them.
    func settingFlow(_ handle: String, _ sealed: String) -> [String]? {
        var rest = Substring(sealed)
        var fields: [String] = []
        for part in 0..<Self.mostParts {
            let piece = rest.prefix(Self.partLength)
            rest = rest.dropFirst(piece.count)
            let name = name("f\(part)-\(handle)")
            if piece.isEmpty {
                if sent[name] != nil { fields.append(field(name, "", 0)) }
            } else {
                fields.append(field(name, String(piece), nil))
            }
        }
        guard rest.isEmpty else { return nil }
        return fields + endingOldFlows(but: handle, room: Self.mostBytes - sealed.utf8.count)
    }

    func endingFlow(_ handle: String) -> [String] {
        (0..<Self.mostParts).map { name("f\($0)-\(handle)") }.filter { sent[$0] != nil }.map { field($0, "", 0) }
    }

    /// Ends all flows of the tenant.
    var endingFlows: [String] { flows.filter { $0.tag == tag }.flatMap(\.names).map { field($0, "", 0) } }

    /// A flow in the jar, of any tenant.
    private struct Flow {
        var handle: String
        var tag: String
        var names: [String]
        var length: Int
    }

    /// The newest first: handles begin with their time.
    private var flows: [Flow] {
        var found: [String: Flow] = [:]
        for (name, value) in sent {
            // The name is prefix, kind, handle and tag; the handle has no hyphen.
            let parts = name.trimmingPrefix("__Host-").split(separator: "-")
            guard parts.count == 4, parts[0] == "na", parts[1].first == "f" else { continue }
            let key = "\(parts[2])-\(parts[3])"
            var flow = found[key] ?? Flow(handle: String(parts[2]), tag: String(parts[3]), names: [], length: 0)
            flow.names.append(name)
            flow.length += name.utf8.count + value.utf8.count + 3
            found[key] = flow
        }
        return found.values.sorted { $0.handle > $1.handle }
    }

    /// The headers of a browser hold the newest flows of a tenant, and of all tenants what fits (`SEC-WEB-8`): a browser whose
    /// headers are too long could ask for nothing any more.
    private func endingOldFlows(but handle: String, room: Int) -> [String] {
        var (room, count) = (room, Self.mostFlows - 1)
        var ending: [String] = []
        for flow in flows where flow.handle != handle || flow.tag != tag {
            if flow.tag == tag { count -= 1 }
            room -= flow.length
            if room < 0 || (flow.tag == tag && count < 0) { ending += flow.names.map { field($0, "", 0) } }
        }
        return ending
    }

    private func field(_ name: String, _ value: String, _ lifetime: Int?) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
            + (lifetime.map { "; Max-Age=\($0)" } ?? "")
    }
}
