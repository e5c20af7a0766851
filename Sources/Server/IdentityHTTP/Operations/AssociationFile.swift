import Hummingbird
package import IdentityEngine
import NIOCore
import NativeAuthWire
package import PortableFoundation

/// A file at the domain of a tenant's passkeys that tells devices and browsers who may use them (`SEC-PK-17`). All come from the
/// tenant's document.
package enum AssociationFile: String, Hashable, Sendable, CaseIterable {
    /// The apps of iOS and macOS.
    case appleApps = "apple-app-site-association"
    /// The apps of Android (Digital Asset Links).
    case androidApps = "assetlinks.json"
    /// The other origins of pages (WebAuthn section 5.11).
    case origins = "webauthn"
    /// The pages that password managers send users to (W3C, A Well-Known URL for Relying Party Passkey Endpoints).
    case endpoints = "passkey-endpoints"

    /// The path of the file in a folder of the domain, and in an address behind a slash.
    package var relativePath: String { ".well-known/\(rawValue)" }
    var path: String { "/" + relativePath }

    static func isPath(_ path: String) -> Bool { allCases.contains { $0.path == path } }

    /// The content: JSON in which equal settings give equal bytes.
    ///
    /// - Parameters:
    ///   - baseURL: The address of the server, for the account page; nil: not known.
    /// - Returns: Nil when the tenant has no passkeys, or nothing to tell in this file.
    package func content(of entry: TenantDirectory.Entry, baseURL: String?) throws -> Data? {
        guard let passkeys = entry.tenant.passkeys else { return nil }
        switch self {
        case .appleApps:
            guard !passkeys.appleApps.isEmpty else { return nil }
            return try WireJSON.encode(AppleApps(passkeys.appleApps))
        case .androidApps:
            guard !passkeys.androidApps.isEmpty else { return nil }
            return try WireJSON.encode(passkeys.androidApps.map { AndroidStatement($0) })
        case .origins:
            guard !passkeys.origins.isEmpty else { return nil }
            return try WireJSON.encode(RelatedOrigins(origins: passkeys.origins))
        case .endpoints:
            guard let baseURL else { return nil }
            // Without applications that use hosted pages there is no account page, and an empty object says so.
            let hasPage = entry.applications.contains { $0.isOpen(for: .browser) }
            let page = hasPage ? "\(baseURL)/\(entry.tenant.id)/account" : nil
            return try WireJSON.encode(PasskeyEndpoints(enroll: page, manage: page))
        }
    }
}

/// The content of ``AssociationFile/appleApps``.
package struct AppleApps: Codable, Hashable, Sendable {
    package struct Service: Codable, Hashable, Sendable {
        package var apps: [String]
    }

    package var webcredentials: Service

    init(_ apps: [String]) {
        webcredentials = Service(apps: apps)
    }
}

/// A statement of ``AssociationFile/androidApps``, which is a list of them.
package struct AndroidStatement: Codable, Hashable, Sendable {
    package struct Target: Codable, Hashable, Sendable {
        package var namespace: String
        /// Only of an app.
        package var packageName: String?
        /// The same, as ``PasskeySettings/AndroidApp/text(of:)`` writes them.
        package var certificates: [String]?

        enum CodingKeys: String, CodingKey {
            case namespace
            case packageName = "package_name"
            case certificates = "sha256_cert_fingerprints"
        }
    }

    /// What an app needs for passkeys.
    package static let relations = [
        "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
    ]
    package static let app = "android_app"

    package var relation: [String]
    package var target: Target

    init(_ app: PasskeySettings.AndroidApp) {
        relation = Self.relations
        target = Target(
            namespace: Self.app, packageName: app.package,
            certificates: app.certificates.map { PasskeySettings.AndroidApp.text(of: $0) })
    }
}

/// The content of ``AssociationFile/origins``.
package struct RelatedOrigins: Codable, Hashable, Sendable {
    package var origins: [String]
}

/// The content of ``AssociationFile/endpoints``.
private struct PasskeyEndpoints: Encodable {
    var enroll: String?
    var manage: String?
}

extension PasskeySettings.AndroidApp {
    /// A certificate's SHA-256 in hexadecimal digits with colons, such as `AB:CD:…`, as Android's tools print it.
    package static func text(of certificate: [UInt8]) -> String {
        certificate.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

extension IdentityRoutes {
    /// The file of the tenant whose passkeys are bound to the host name of the request.
    func association(
        _ file: AssociationFile, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        guard let host = HostAndPort.host(of: (request.head.authority ?? "")[...]) else {
            throw RequestFault.unknownPath
        }
        let clients = engine.ports.clients
        let entry: TenantDirectory.Entry?
        do throws(StoreError) {
            entry =
                if let tenant = try await clients.tenant(ofPasskeysAt: String(host)) {
                    try await clients.entry(of: tenant.id)
                } else { nil }
        } catch {
            throw EngineError.store(error)
        }
        guard let entry, let content = try file.content(of: entry, baseURL: engine.settings.baseURL) else {
            throw RequestFault.unknownPath
        }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
    }
}
