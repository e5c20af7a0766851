import IdentityEngine
import PortableFoundation

/// What a tenant document says about passkeys (docs/operate/passkeys.md).
enum ReadPasskeys {
    /// The domain of the developer's own machine.
    static let localhost = "localhost"

    /// Reads the members. A faulty value is replaced by a placeholder that is never used.
    static func passkeys(_ members: YAMLMembers) -> PasskeySettings {
        let domain = members.text("domain", isRequired: true)
        let isDomain = domain.map { $0 == localhost || isHost($0) } ?? false
        if domain != nil, !isDomain {
            members.add(
                """
                passkeys: the domain “\(shown(domain ?? ""))” must be a host name in lower case with two labels or more, without \
                https://, such as harbour.example.com; no IP address; or localhost.
                """, at: "domain")
        }
        let passkeys = PasskeySettings(
            relyingPartyID: domain ?? "", origins: origins(members, isDomain ? domain : nil),
            appleApps: appleApps(members), androidApps: androidApps(members))
        members.end()
        return passkeys
    }

    /// - Parameter domain: Nil when it is faulty.
    private static func origins(_ members: YAMLMembers, _ domain: String?) -> [String] {
        var origins: [String] = []
        for (origin, line) in members.texts("origins") {
            if let fault = fault(origin, of: domain) {
                members.add("origins: “\(shown(origin))” \(fault).", line: line)
            } else if origins.contains(origin) {
                members.add("origins: “\(shown(origin))” is listed twice.", line: line)
            } else {
                origins.append(origin)
            }
        }
        return origins
    }

    /// Why an origin cannot be one of the domain, as the end of a sentence; nil when it can.
    private static func fault(_ origin: String, of domain: String?) -> String? {
        if let fault = RedirectAddresses.fault(origin: origin) { return fault }
        guard let domain else { return nil }
        let isSecure = origin.hasPrefix("https://")
        let authority = origin.dropFirst(isSecure ? 8 : 7)
        let host = authority.prefix { $0 != ":" }
        if !isSecure, host != localhost || domain != localhost {
            return "must begin with https; http://localhost with a port is for the domain localhost"
        }
        if origin == "https://\(domain)" { return "is always an origin of the domain; leave it out" }
        return host == domain || host.hasSuffix(".\(domain)") ? nil : "must have the host \(domain) or a name below it"
    }

    private static func appleApps(_ members: YAMLMembers) -> [String] {
        var apps: [String] = []
        for (app, line) in members.texts("appleApps") {
            if !isAppleApp(app) {
                members.add(
                    """
                    appleApps: “\(shown(app))” must be the ten characters of your team, a dot and the bundle id of the app, such as \
                    A1B2C3D4E5.com.example.harbour.
                    """, line: line)
            } else if apps.contains(app) {
                members.add("appleApps: “\(shown(app))” is listed twice.", line: line)
            } else {
                apps.append(app)
            }
        }
        return apps
    }

    private static func androidApps(_ members: YAMLMembers) -> [PasskeySettings.AndroidApp] {
        var apps: [PasskeySettings.AndroidApp] = []
        for entry in members.list("androidApps", of: "an app of androidApps") {
            let name = entry.text("package", isRequired: true)
            if let name, !isPackage(name) {
                entry.add("the package “\(shown(name))” must be a name such as com.example.harbour.", at: "package")
            } else if let name, apps.contains(where: { $0.package == name }) {
                entry.add(
                    "the package “\(shown(name))” is listed twice; put all its certificates into one entry.",
                    at: "package")
            }
            var certificates: [[UInt8]] = []
            let listed = entry.texts("certificates")
            for (text, line) in listed {
                guard let bytes = fingerprint(text) else {
                    entry.add(
                        "certificates: “\(shown(text))” must be a SHA-256 as keytool prints it: 32 pairs of the digits 0 to F, with colons between them.",
                        line: line)
                    continue
                }
                if certificates.contains(bytes) {
                    entry.add("certificates: “\(shown(text))” is listed twice.", line: line)
                } else {
                    certificates.append(bytes)
                }
            }
            if listed.isEmpty {
                entry.add("an app of androidApps needs certificates, at least one.", at: "certificates")
            }
            entry.end()
            apps.append(.init(package: name ?? "", certificates: certificates))
        }
        return apps
    }

    // MARK: - Values

    private static func shown(_ text: String) -> String { SettingsReader.shown(text) }

    /// Two labels or more, in small letters. The last one is no number, so that the name is no IPv4 address.
    private static func isHost(_ text: String) -> Bool {
        let labels = labels(of: text)
        return text.utf8.count <= 253 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { isSmall($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
            } && labels.last.map { !$0.allSatisfy(isDigit) } ?? false
    }

    private static func isAppleApp(_ text: String) -> Bool {
        let labels = labels(of: text)
        guard let team = labels.first, text.utf8.count <= 166, labels.count >= 2 else { return false }
        return team.count == 10 && team.allSatisfy { isCapital($0) || isDigit($0) }
            && labels.dropFirst().allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { isSmall($0) || isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isPackage(_ text: String) -> Bool {
        let labels = labels(of: text)
        return text.utf8.count <= 255 && labels.count >= 2
            && labels.allSatisfy { label in
                label.first.map { isSmall($0) || isCapital($0) } ?? false
                    && label.allSatisfy { isSmall($0) || isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
            }
    }

    /// The bytes of `AB:CD:…`; nil for another text.
    private static func fingerprint(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 95, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let bytes = text.split(separator: ":", omittingEmptySubsequences: false).compactMap { pair in
            pair.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
        }
        return bytes.count == 32 ? bytes : nil
    }

    private static func labels(of text: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
