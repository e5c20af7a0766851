import IdentityMail
import IdentityTLS
import NativeAuthCore
import PortableFoundation

/// Checks the mail server, and what DNS says about mail from the sender's domain.
struct MailCheck {
    let settings: ServeSettings
    let dns: DNS
    let selector: String?

    func check(_ notes: Notebook) async {
        guard let url = settings.smtpURL else {
            return notes.hint("mail server", "There is none: mails go to the development inbox alone.", "Give --smtp.")
        }
        guard let text = settings.mailFrom, let sender = try? MailAddress(text) else {
            return notes.hint(
                "sender", "Each tenant's domain is the sender's.", "Give --mail-from, whose domain is checked then.")
        }
        do {
            let transport = try SMTPTransport(url: url, caFile: settings.smtpCAFile)
            try await Self.check(transport, from: sender)
            notes.ok("mail server", "it answers, and would take a mail for sending")
        } catch let error as MailTransportError {
            let (text, remedy) = await Self.sentences(error, URLComponents(string: url))
            notes.problem("mail server", text, remedy)
        } catch {
            notes.problem("mail server", "\(error)", "See --smtp.")
        }
        do throws(DNS.Silence) {
            try await checkRecords(of: sender.domain, notes)
        } catch {
            notes.hint("DNS", "No name server answers.", "See /etc/resolv.conf, or give --dns-server.")
        }
    }

    /// How long the mail server may take; a person waits.
    private static let patience = Duration.seconds(8)

    private static func check(_ transport: SMTPTransport, from sender: MailAddress) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await transport.check(from: sender) }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw MailTransportError.temporary(.timedOut)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// What is wrong with the mail server, with its name and port, and what helps.
    private static func sentences(
        _ error: MailTransportError, _ url: URLComponents?
    ) async -> (text: String, remedy: String) {
        let host = url?.host ?? ""
        let port = url?.port ?? (url?.scheme == "smtps" ? 465 : host == "127.0.0.1" ? 25 : 587)
        let place = "The mail server \(host):\(port)"
        switch error {
        case .temporary(.unreachable):
            do throws(TLSPeer.Failure) {
                try await TLSPeer.reach(host, port: port)
            } catch .noAddress {
                return ("The mail server's name \(host) has no address.", "Correct --smtp, or the name in DNS.")
            } catch .timedOut {
                break
            } catch {
                return (
                    "\(place) refuses connections.",
                    "See whether it runs, and the port in --smtp: 25, 465 (smtps) or 587."
                )
            }
        case .temporary(.timedOut): break
        case .temporary, .permanent, .noMailbox:
            return (
                "\(place): \(error.description).", "See --smtp and --smtp-ca-file, and the mail server's log."
            )
        }
        return (
            "\(place) does not answer.",
            "See the firewall of both machines, and the port in --smtp; many networks let nothing out at port 25."
        )
    }

    // MARK: Records

    private func checkRecords(of domain: String, _ notes: Notebook) async throws(DNS.Silence) {
        if try await dns.records(.mailHost, of: domain).isEmpty {
            notes.hint(
                "MX", "\(domain) takes no mail, so that answers and bounces of users' servers are lost.",
                "Add an MX record, or send from a domain that has one.")
        } else {
            notes.ok("MX", "\(domain) takes mail")
        }
        switch SenderPolicy(try await dns.records(.text, of: domain)) {
        case .none:
            notes.problem(
                "SPF", "\(domain) does not say which machines send its mail, so many receivers refuse it.",
                "Add a TXT record such as “v=spf1 a:mail.example.com -all” with your mail server's name (RFC 7208).")
        case .several:
            notes.problem(
                "SPF", "\(domain) has several SPF records, which counts as a fault (RFC 7208 section 4.5).",
                "Keep one.")
        case .open(let text):
            notes.problem(
                "SPF", "“\(text)” lets any machine send mail of \(domain).", "End it with -all or ~all.")
        case .stated(let text): notes.ok("SPF", "“\(text)”; whether your mail server is among them, only it knows")
        }
        switch DomainPolicy(try await dns.records(.text, of: "_dmarc.\(domain)")) {
        case .none:
            notes.hint(
                "DMARC", "\(domain) says nothing about mail that others send in its name.",
                "Add a TXT record at _dmarc.\(domain), such as “v=DMARC1; p=quarantine” (RFC 7489).")
        case .watching:
            notes.hint(
                "DMARC", "\(domain) lets receivers take mail that others send in its name (p=none).",
                "Change it to p=quarantine or p=reject when its reports are good.")
        case .enforced(let policy): notes.ok("DMARC", "p=\(policy)")
        case .faulty(let text):
            notes.problem("DMARC", "“\(text)” has no policy.", "Add p=none, p=quarantine or p=reject.")
        }
        try await checkKey(of: domain, notes)
    }

    private func checkKey(of domain: String, _ notes: Notebook) async throws(DNS.Silence) {
        guard let selector else {
            return notes.hint(
                "DKIM", "Your mail server signs the mails; DNS has its key under a selector that is not known here.",
                "Give --dkim-selector NAME.")
        }
        let name = "\(selector)._domainkey.\(domain)"
        let records = try await dns.records(.text, of: name)
        // RFC 6376 section 3.6.1: p is required, and empty when the key is withdrawn.
        let keys = records.map { Tags($0) }.filter { $0["v"] ?? "DKIM1" == "DKIM1" }.compactMap { $0["p"] }
        if let key = keys.first {
            if key.isEmpty {
                notes.problem(
                    "DKIM", "The key at \(name) is withdrawn.", "Publish the key that your mail server signs with.")
            } else {
                notes.ok("DKIM", "there is a key at \(name)")
            }
        } else {
            notes.problem(
                "DKIM", "There is no key at \(name).", "Publish the key that your mail server signs with (RFC 6376).")
        }
    }
}

/// What the TXT records of a domain say about the machines that send its mail (SPF, RFC 7208).
enum SenderPolicy: Hashable {
    case none
    case several
    /// Any machine may.
    case open(String)
    case stated(String)

    init(_ records: [String]) {
        let policies = records.filter { $0.lowercased() == "v=spf1" || $0.lowercased().hasPrefix("v=spf1 ") }
        guard let policy = policies.first else {
            self = .none
            return
        }
        guard policies.count == 1 else {
            self = .several
            return
        }
        let terms = policy.lowercased().split(separator: " ")
        self = terms.contains("+all") || terms.contains("all") ? .open(policy) : .stated(policy)
    }
}

/// What the TXT records of `_dmarc.` and a domain say about mail that others send in its name (DMARC, RFC 7489).
enum DomainPolicy: Hashable {
    case none
    case watching
    case enforced(String)
    case faulty(String)

    init(_ records: [String]) {
        let policies = records.filter { $0.hasPrefix("v=DMARC1") }
        guard let policy = policies.first, policies.count == 1 else {
            // Receivers ignore several (section 6.6.3).
            self = .none
            return
        }
        switch Tags(policy)["p"] {
        case "none": self = .watching
        case let value? where ["quarantine", "reject"].contains(value): self = .enforced(value)
        case .some, nil: self = .faulty(policy)
        }
    }
}

/// The list of tags of a DMARC or DKIM record, such as `v=DMARC1; p=none`.
private struct Tags {
    private let values: [String: String]

    init(_ record: String) {
        let pairs = record.split(separator: ";").map { tag in
            tag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        }
        values = Dictionary(
            pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { values[name] }
}
