import NativeAuthCore

// Where applications are told that a browser session has ended (design record 0034).
extension Client {
    /// The setting of a logout address.
    package enum LogoutChannel: Sendable, CaseIterable {
        /// The server calls it (OpenID Connect Back-Channel Logout 1.0).
        case back
        /// The browser calls it, in a frame (OpenID Connect Front-Channel Logout 1.0).
        case front
    }

    package func logoutAddress(_ channel: LogoutChannel) -> String? {
        switch channel {
        case .back: web.backChannelLogout
        case .front: web.frontChannelLogout
        }
    }

    /// Why the application cannot have its logout address, as the end of a sentence; nil when it can, or has none.
    package func fault(ofLogoutAddress channel: LogoutChannel) -> String? {
        guard let address = logoutAddress(channel) else { return nil }
        guard redirects.all.values.contains(where: { !$0.isEmpty }) else {
            return "is for an application with redirectUris: no other gets tokens from a browser"
        }
        if let fault = RedirectAddresses.fault(address, of: .web, client: id) { return fault }
        switch channel {
        case .back: return nil
        case .front:
            let query = address.drop { $0 != "?" }.dropFirst().split(separator: "&")
            guard
                !query.contains(where: { ["iss", "sid"].contains(Self.decoded($0.prefix { $0 != "=" })) })
            else {
                return "must have no iss and no sid of its own: the server adds them"
            }
            // Section 2: the application answers for this origin already.
            let own = RedirectAddresses.origin(of: address)
            let isOwn = (redirects[.web] + redirects[.spa]).contains { RedirectAddresses.origin(of: $0) == own }
            return isOwn ? nil : "must have scheme, host and port of a redirect address in web or spa"
        }
    }
}

extension Client {
    /// A name of a query, as the receiver reads it (`%73id` is `sid`).
    private static func decoded(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count > 1
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RedirectAddresses {
    /// Scheme, host and port of an `http` or `https` address without fault, as browsers compare them.
    package static func origin(of address: String) -> String? {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
        let scheme = address[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let authority = address[colon...].dropFirst(3).prefix { !"/?#".contains($0) }.lowercased()
        let usual = scheme == "https" ? ":443" : ":80"
        return "\(scheme)://\(authority.hasSuffix(usual) ? String(authority.dropLast(usual.count)) : authority)"
    }
}
