import IdentityEngine
import IdentityHTTP
import NativeAuth
import NativeAuthWire
import PortableFoundation

/// Fetches the files that tie apps and pages to the passkeys of each tenant, as devices do, and compares them with the tenants'
/// document (`SEC-PK-17`).
struct AssociationCheck {
    let directory: TenantDirectory
    let profile: ServeSettings.Profile
    /// Certificates in PEM to trust besides this machine's; the requests of this command trust those of the system alone.
    let authorities: String?
    var transport: any HTTPTransport = URLSessionTransport()

    func check(_ notes: Notebook) async {
        for entry in directory.entries {
            guard let passkeys = entry.tenant.passkeys else { continue }
            await check(passkeys, of: entry, notes)
        }
    }

    private func check(_ passkeys: PasskeySettings, of entry: TenantDirectory.Entry, _ notes: Notebook) async {
        let domain = passkeys.relyingPartyID
        guard domain != ReadPasskeys.localhost else {
            guard profile == .production else { return }
            return notes.hint(
                "domain", "The passkeys of \(entry.tenant.subdomain) have the domain localhost: users cannot add one.",
                "Give passkeys a domain of yours before users enrol.")
        }
        guard authorities == nil else {
            return notes.hint(
                "files", "No file of \(domain) was fetched, because of --ca-file.",
                "Devices fetch them with the authorities that all systems trust.")
        }
        for file in AssociationFile.allCases {
            let content: Data?
            do {
                content = try file.content(of: entry, baseURL: nil)
            } catch {
                return notes.problem(
                    "files", "A file of \(domain) could not be made: \(error)", "Report this as a bug of native-auth.")
            }
            if content != nil { await check(file, passkeys, notes) }
        }
    }

    private func check(_ file: AssociationFile, _ passkeys: PasskeySettings, _ notes: Notebook) async {
        let address = "https://\(passkeys.relyingPartyID)/\(file.relativePath)"
        guard let url = URL(string: address) else { return }
        let response: TransportResponse
        do {
            response = try await transport.send(
                TransportRequest(method: "GET", url: url, headers: [:], body: Data()))
        } catch {
            return notes.problem(
                file.about, "\(address): \(ErrorRemedy(ClientCondition(transport: error)).cause)",
                "Check the name in DNS, the certificate, and the server of the domain.")
        }
        let remedy = "Serve what native-auth tenant association writes, or pass the path on to this server."
        switch response.status {
        case 200: break
        case 300..<400:
            return notes.problem(
                file.about,
                "\(address) redirects\(response.headers["location"].map { " to \($0)" } ?? ""); devices follow no redirect.",
                remedy)
        case let status: return notes.problem(file.about, "\(address) answers with status \(status).", remedy)
        }
        let type = response.headers["content-type"] ?? ""
        if type.lowercased().prefix(while: { $0 != ";" && $0 != " " }) != "application/json" {
            notes.problem(
                file.about, "\(address) has the content type “\(type)”, and must have application/json.",
                "Set it at the server of the domain.")
        }
        do {
            judge(try Named(file, response.body), passkeys, of: file, address, remedy, notes)
        } catch {
            notes.problem(file.about, "\(address) is not JSON of the form that devices read.", remedy)
        }
    }

    private func judge(
        _ named: Named, _ passkeys: PasskeySettings, of file: AssociationFile, _ address: String, _ remedy: String,
        _ notes: Notebook
    ) {
        let wanted = Named(file, passkeys)
        let missing = wanted.names.subtracting(named.names).sorted()
        if !missing.isEmpty {
            notes.problem(
                file.about, "\(address) does not name \(missing.joined(separator: ", ")).", remedy)
        } else {
            notes.ok(file.about, "\(address) names everything of the document")
        }
        // What a file names beside the document can use the passkeys, too.
        let others = named.names.subtracting(wanted.names).sorted()
        if !others.isEmpty {
            notes.hint(
                file.about,
                "\(address) also names \(others.prefix(5).joined(separator: ", "))\(others.count > 5 ? " and others" : "").",
                "Apps and pages that a file names can ask for the users' passkeys; take out what is not yours.")
        }
    }

    /// Apps and origins that a file names.
    private struct Named {
        let names: Set<String>

        /// - Throws: What keeps a device from reading the file.
        init(_ file: AssociationFile, _ body: Data) throws {
            switch file {
            case .appleApps:
                names = Set(try WireJSON.decode(AppleApps.self, from: body).webcredentials.apps)
            case .androidApps:
                let statements = try WireJSON.decode([AndroidStatement].self, from: body).filter {
                    $0.target.namespace == AndroidStatement.app
                        && Set($0.relation).isSuperset(of: AndroidStatement.relations)
                }
                names = Set(
                    statements.flatMap { statement in
                        (statement.target.certificates ?? []).map {
                            Self.name(statement.target.packageName ?? "", $0.uppercased())
                        }
                    })
            case .origins: names = Set(try WireJSON.decode(RelatedOrigins.self, from: body).origins)
            case .endpoints: names = []
            }
        }

        init(_ file: AssociationFile, _ passkeys: PasskeySettings) {
            switch file {
            case .appleApps: names = Set(passkeys.appleApps)
            case .androidApps:
                names = Set(
                    passkeys.androidApps.flatMap { app in
                        app.certificates.map { Self.name(app.package, PasskeySettings.AndroidApp.text(of: $0)) }
                    })
            case .origins: names = Set(passkeys.origins)
            case .endpoints: names = []
            }
        }

        private static func name(_ package: String, _ certificate: String) -> String {
            "\(package) with the certificate \(certificate)"
        }
    }
}

extension AssociationFile {
    /// The subject of a finding.
    fileprivate var about: String {
        switch self {
        case .appleApps: "iOS and macOS"
        case .androidApps: "Android"
        case .origins: "other origins"
        case .endpoints: "account page"
        }
    }
}
