import IdentityEngine
import IdentityTLS
import NativeAuth
import NativeAuthCore
import PortableFoundation

/// Calls the server by its base URL, as apps do: DNS, certificate, TLS versions, proxy.
struct AddressCheck {
    let settings: ServeSettings
    let tenant: Tenant?
    /// Certificates in PEM to trust besides this machine's.
    let authorities: String?

    private let transport = URLSessionTransport()

    init(settings: ServeSettings, tenant: Tenant?, authorities: String?) {
        (self.settings, self.tenant, self.authorities) = (settings, tenant, authorities)
    }

    func check(_ notes: Notebook) async {
        await checkReadiness(notes)
        guard let text = settings.baseURL, let url = URL(string: text), let host = url.host() else {
            return notes.hint(
                "base URL", "There is none, so that apps on other machines have no address.", "Give --base-url.")
        }
        guard url.scheme == "https" else {
            return notes.hint("base URL", "\(text) has no TLS.", "Production needs an address with https.")
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let file = await checkFile(for: name, notes)
        guard await checkPeer(name, port: url.port ?? 443, beside: file, notes) else { return }
        if authorities != nil {
            // The requests of this command trust the system's authorities alone.
            return notes.hint(
                "answer", "No request was sent, because of --ca-file.",
                "Add the authority to this machine's store, and leave the option out, to check the proxy, too.")
        }
        await checkAnswer(text, notes)
    }

    /// The listener itself, without proxy and name.
    private func checkReadiness(_ notes: Notebook) async {
        guard let port = settings.metricsPort, port > 0 else { return }
        let host = ListenerPorts.reachable(settings.operationsHost)
        guard let url = URL(string: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/readyz") else { return }
        // Whatever the reason is that there is no answer, the remedy is the same.
        switch try? await get(url)?.status {
        case 200: notes.ok("server", "runs and is ready")
        case let status?: notes.problem("server", "It is not ready (\(status)).", "See its log, and the database.")
        case nil:
            notes.hint(
                "server", "It does not run, or listens elsewhere than \(url).",
                "systemctl status native-auth@\(settings.port)")
        }
    }

    // MARK: Certificates

    /// The certificate of the settings, which a running server has or will take over.
    ///
    /// - Returns: A chain that apps would not trust; nil when there is none.
    private func checkFile(for host: String, _ notes: Notebook) async -> CertificateChain? {
        guard let path = settings.certificateFile else { return nil }
        do {
            guard let chain = try CertificateChain(pem: String(contentsOfFile: path, encoding: .utf8)) else {
                return nil
            }
            return await judge(chain, as: "certificate", for: host, notes) ? nil : chain
        } catch {
            notes.problem("certificate", "\(path) does not parse: \(error)", "Ask your authority for it again, in PEM.")
            return nil
        }
    }

    /// - Parameter file: The chain of the settings, whose faults were told.
    /// - Returns: Whether it is worth while to send a request.
    private func checkPeer(
        _ host: String, port: Int, beside file: CertificateChain?, _ notes: Notebook
    ) async -> Bool {
        let peer: TLSPeer
        do {
            peer = try await TLSPeer.meet(host, port: port)
        } catch {
            switch error {
            case .noAddress:
                notes.problem(
                    "DNS", "\(host) has no address.", "Add an A or AAAA record for it, or correct --base-url.")
            case .unreachable:
                notes.problem(
                    "connection", "\(host) does not accept connections at port \(port).",
                    "See whether the server or its proxy runs, and the firewall. From inside some networks the public address does not work; try it from outside."
                )
            case .noTLS:
                notes.problem("TLS", "\(host):\(port) does not speak TLS 1.2 or 1.3.", "See the proxy, or --tls-cert.")
            case .timedOut:
                notes.problem("connection", "\(host):\(port) does not answer.", "See the proxy and the firewall.")
            }
            return false
        }
        guard let chain = peer.chain else {
            notes.problem(
                "TLS", "The certificate that \(host):\(port) sends does not parse.", "See the proxy, or --tls-cert.")
            return false
        }
        let isTold = file.map { chain.isSame(as: $0) } ?? false
        if isTold { notes.hint("TLS", "\(host):\(port) sends the certificate above.", "See there.") }
        let isGood = isTold ? false : await judge(chain, as: "TLS", for: host, notes)
        if await (try? TLSPeer.meet(host, port: port, speaking: .forbidden)) != nil {
            notes.problem(
                "old TLS", "\(host):\(port) still speaks TLS 1.0 or 1.1, which RFC 8996 forbids.",
                "Set the proxy to TLS 1.2 and later.")
        }
        return isGood
    }

    /// - Returns: Whether apps would trust the chain.
    @discardableResult
    private func judge(_ chain: CertificateChain, as about: String, for host: String, _ notes: Notebook) async -> Bool {
        let now = SystemClock().now
        let faults: [CertificateChain.Fault]
        do {
            faults = try await chain.faults(for: host, at: now, trusting: authorities)
        } catch {
            notes.problem(about, "The certificates of --ca-file do not parse.", "Give them in PEM.")
            return false
        }
        for fault in faults {
            let (text, remedy) = fault.sentences(for: host)
            notes.problem(about, text, remedy)
        }
        guard faults.isEmpty else { return false }
        let days = Int(chain.end.timeIntervalSince(now) / 86_400)
        if days < 14 {
            notes.hint(
                about, "The certificate for \(host) ends in \(counted(days, "day")).", "See why it was not renewed.")
        } else {
            notes.ok(about, "a trusted certificate for \(host), which ends in \(days) days")
        }
        return true
    }

    // MARK: Proxy

    /// Whether a request that came through DNS, TLS and proxy reaches this server under its own name.
    private func checkAnswer(_ baseURL: String, _ notes: Notebook) async {
        guard let tenant, let url = URL(string: "\(baseURL)/\(tenant.subdomain)/v2.0/.well-known/openid-configuration")
        else {
            return
        }
        do {
            guard let response = try await get(url) else { return }
            switch response.status {
            case 200:
                struct Document: Decodable { let issuer: String }
                let issuer = try JSONDecoder().decode(Document.self, from: response.body).issuer
                if issuer.hasPrefix("\(baseURL)/\(tenant.id)") {
                    notes.ok("answer", "the server answers by its own name")
                } else {
                    notes.problem(
                        "answer", "The server there calls itself \(issuer), and the tenant here is \(tenant.id).",
                        "Another server answers, or it has another --base-url or database.")
                }
            case 421:
                notes.problem(
                    "answer",
                    "The server refuses requests that come by this address (421): their Host is another one, or they do not come from the proxy by https.",
                    "The proxy must pass on the client's Host. With --behind-proxy it must also send X-Forwarded-Proto: https, from an address in --trusted-proxies."
                )
            case 502, 503, 504:
                notes.problem(
                    "answer", "The proxy has no server that is ready (\(response.status)).",
                    "See the proxy's health checks and the server's log.")
            case let status:
                notes.problem(
                    "answer", "\(url) answers with status \(status), and not with the document of the tenant.",
                    "See whether the proxy passes all paths on.")
            }
        } catch {
            notes.problem("answer", ErrorRemedy(ClientCondition(transport: error)).cause, "See the proxy.")
        }
    }

    private func get(_ url: URL) async throws -> TransportResponse? {
        try await transport.send(TransportRequest(method: "GET", url: url, headers: [:], body: Data()))
    }
}

extension CertificateChain.Fault {
    /// What is wrong, and what helps.
    fileprivate func sentences(for host: String) -> (text: String, remedy: String) {
        switch self {
        case .ended(let date):
            ("A certificate of the chain ended at \(date.ISO8601Format()).", "Renew it.")
        case .notBegun(let date):
            (
                "A certificate of the chain begins at \(date.ISO8601Format()).",
                "Set this machine's clock, or use it from then on."
            )
        case .otherNames(let names):
            (
                """
                The certificate is not for \(host), but for \
                \(names.isEmpty ? "no name" : names.prefix(5).joined(separator: ", ")).
                """,
                "Get one for \(host), or correct --base-url."
            )
        case .notForServers:
            ("The certificate is not meant for servers (its extended key usage).", "Get one for a TLS server.")
        case .signedItself:
            (
                "The certificate signed itself, so that no app trusts it.",
                "Get one of a public authority, such as Let's Encrypt."
            )
        case .unknownAuthority(let name):
            (
                "The chain ends with the private authority “\(name)”, which this machine does not trust.",
                "Get a certificate of a public authority; for a private one that your apps trust give --ca-file."
            )
        case .issuerMissing(let name):
            (
                "The chain lacks the certificate of “\(name)”, which signed it.",
                """
                Put the whole chain into the certificate file (often called fullchain.pem), the server's own first; for an \
                authority of your own that your apps trust give --ca-file.
                """
            )
        }
    }
}
