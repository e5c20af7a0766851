import IdentityEngine
import Logging
import NativeAuthCore

/// Why a page refuses what an application sent the browser for: for the log, and in the development profile for the page, too.
/// The page of production does not: a stranger may have made the link.
struct PageRefusal: Sendable {
    var reason: String
    var application: Client?
    /// The address that is not registered, as ``shown(_:)`` gives it.
    var address: String?
    /// The addresses that are.
    var registered: [String] = []

    /// - Parameter address: That of a sign-out.
    init(signOutTo address: String, of application: Client?) {
        reason = "the post_logout_redirect_uri is not registered"
        self.application = application
        self.address = Self.shown(address)
        registered = application.map { $0.web.postLogoutRedirects + $0.redirects[.publicClient] } ?? []
    }

    /// Nil for a fault that is not the application's.
    init?(_ fault: HostedFault) {
        guard case .authorize(let kind, let client, let redirect) = fault else { return nil }
        reason =
            switch kind {
            case .malformed: "the request cannot be read, or has client_id or redirect_uri twice"
            case .unknownClient: "the tenant has no application with this client_id"
            case .notForBrowsers: "the application has no redirect address, or no user flow"
            case .redirectMissing: "the request has no redirect_uri"
            case .redirectNotRegistered: "the redirect_uri is not registered"
            case .pushedRequestGone: "the request_uri is unknown, used, too old or of another application"
            }
        application = client
        address = redirect.flatMap { Self.shown($0) }
        if kind == .redirectNotRegistered, let client {
            registered = RedirectAddresses.Kind.allCases.flatMap { client.redirects[$0] }
        }
    }

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let application { metadata["application"] = "\(application.id)" }
        if let address { metadata["address"] = "\(address)" }
        return metadata
    }

    /// For a developer, in English.
    var sentence: String {
        let whose = application.map { " for “\($0.displayName)” (\($0.id))" } ?? ""
        let which = address.map { ": \($0)" } ?? ""
        let known = registered.isEmpty ? "" : " Registered: \(registered.joined(separator: ", "))."
        return "Development profile: \(reason)\(whose)\(which).\(known)"
    }

    /// An address without its query and fragment, which can hold anything; nil for what is no plain address.
    static func shown(_ address: String) -> String? {
        let plain = address.prefix { $0 != "?" && $0 != "#" }
        let isPlain = plain.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "-._~:/[]%".utf8.contains($0)
        }
        return isPlain && (1...RedirectAddresses.maximumBytes).contains(plain.utf8.count) ? String(plain) : nil
    }
}
