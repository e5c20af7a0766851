import CCurl
import Dispatch
import PortableFoundation
import Synchronization

/// Why a mail server's URL was refused. The sentences repeat no part of the URL, which may contain a password.
package enum SMTPConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not `smtp://HOST:PORT` or `smtps://HOST:PORT`, with an optional `USER:PASSWORD@` before the host.
    case malformedURL
    /// Credentials for a server on this machine over an unencrypted connection.
    case credentialsInTheClear
    /// The file with certificates cannot be read.
    case unreadableCAFile(String)

    package var description: String {
        switch self {
        case .malformedURL: "the mail server must be given as smtp://HOST:PORT or smtps://HOST:PORT"
        case .credentialsInTheClear:
            "credentials for a mail server need smtps:// or required TLS; they are never sent in the clear"
        case .unreadableCAFile(let path): "the certificate file \(path) cannot be read"
        }
    }
}

/// Sends mails over SMTP with libcurl.
///
/// The connection is encrypted before any data is sent: by TLS from the start for `smtps`, by STARTTLS for `smtp`. A
/// server that offers neither is refused, and certificate and host name are always checked (`SEC-MAIL-5`). The only
/// exception is `smtp` to this machine, which is unencrypted and never carries credentials.
///
/// A connection is kept for a few seconds for the next mail; the caller limits the number of connections. Limits: 10 s
/// to connect, 60 s for an answer, 120 s for a whole mail (`SEC-MAIL-6`).
package struct SMTPTransport: MailTransport {
    /// How the connection is protected.
    package enum Security: Hashable, Sendable {
        case none
        case startTLS
        case implicitTLS
    }

    private struct Credentials: Sendable {
        var user: String
        var password: String
    }

    /// How the connection is protected.
    package let security: Security
    private let origin: String
    private let credentials: Credentials?
    private let caFile: String?
    private let handles = IdleHandles()
    static let queue = DispatchQueue(label: "SMTPTransport", attributes: .concurrent)
    private static let isLibraryReady = ccurl_global_init() == CURLE_OK

    /// - Parameters:
    ///   - url: `smtp://HOST:PORT` or `smtps://HOST:PORT`; without a port 25 in the clear, 587 with STARTTLS, 465 with
    ///     TLS from the start. User and password before the host, percent-encoded, turn on authentication.
    ///   - caFile: Certificates in PEM to trust instead of the system's.
    ///   - requiresTLS: Whether to require STARTTLS also from a server on this machine.
    package init(
        url: String, caFile: String? = nil, requiresTLS: Bool = false
    ) throws(SMTPConfigurationError) {
        guard url.utf8.count <= 1024, let parts = URLComponents(string: url), let host = parts.host,
            Self.isHost(host), (1...65_535).contains(parts.port ?? 25), parts.path.isEmpty || parts.path == "/",
            parts.query == nil, parts.fragment == nil
        else { throw .malformedURL }
        switch parts.scheme?.lowercased() {
        case "smtps": security = .implicitTLS
        case "smtp": security = requiresTLS || !Self.isLoopback(host) ? .startTLS : .none
        case .some, nil: throw .malformedURL
        }
        switch (parts.user, parts.password) {
        case (let user?, let password?):
            guard !user.isEmpty, (user + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .malformedURL
            }
            guard security != .none else { throw .credentialsInTheClear }
            credentials = Credentials(user: user, password: password)
        case (nil, nil): credentials = nil
        case (.some, nil), (nil, .some): throw .malformedURL
        }
        if let caFile, !FileManager.default.isReadableFile(atPath: caFile) { throw .unreadableCAFile(caFile) }
        self.caFile = caFile
        let (scheme, standardPort) =
            switch security {
            case .none: ("smtp", 25)
            case .startTLS: ("smtp", 587)
            case .implicitTLS: ("smtps", 465)
            }
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
        origin = "\(scheme)://\(bracketed):\(parts.port ?? standardPort)"
    }

    package func send(_ message: RenderedMail) async throws(MailTransportError) {
        try await converse(as: message.sender, about: message).get()
    }

    package func greet(from sender: MailAddress) async {
        _ = await converse(as: sender, about: nil)
    }

    /// Connects, protects the connection, signs in and sends nothing.
    package func check(from sender: MailAddress) async throws(MailTransportError) {
        try await converse(as: sender, about: nil).get()
    }

    private func converse(
        as sender: MailAddress, about message: RenderedMail?
    ) async -> Result<Void, MailTransportError> {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // libcurl blocks its thread, so it runs on a thread outside the cooperative pool.
                Self.queue.async {
                    continuation.resume(returning: self.perform(sender, message, cancellation))
                }
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
    }

    /// Sends over a kept connection if there is one. A failure there before any of the message was sent is retried over
    /// a new connection: the server may have closed the old one meanwhile, and its reply may belong to an earlier
    /// session.
    private func perform(
        _ sender: MailAddress, _ message: RenderedMail?, _ cancellation: Cancellation
    ) -> Result<Void, MailTransportError> {
        while let handle = handles.take() {
            let attempt = attempt(on: handle, sender, message, cancellation)
            switch attempt.result {
            case .success, .failure(.temporary(.cancelled)), .failure(.temporary(.timedOut)): return attempt.result
            case .failure(.permanent), .failure(.noMailbox), .failure(.temporary): break
            }
            guard attempt.isOnKeptConnection, !attempt.hasBegunMessage else { return attempt.result }
        }
        guard Self.isLibraryReady, let handle = curl_easy_init() else {
            return .failure(.temporary(.curl(CURLE_FAILED_INIT.rawValue)))
        }
        return attempt(on: handle, sender, message, cancellation).result
    }

    private struct Attempt {
        let result: Result<Void, MailTransportError>
        var isOnKeptConnection = false
        var hasBegunMessage = false
    }

    /// Runs the session, and keeps the handle if it succeeded.
    private func attempt(
        on handle: UnsafeMutableRawPointer, _ sender: MailAddress, _ message: RenderedMail?,
        _ cancellation: Cancellation
    ) -> Attempt {
        var isReusable = false
        defer { if isReusable { handles.put(handle) } else { curl_easy_cleanup(handle) } }
        let recipients = message.flatMap { curl_slist_append(nil, $0.recipient.text) }
        guard message == nil || recipients != nil else {
            return Attempt(result: .failure(.temporary(.curl(CURLE_OUT_OF_MEMORY.rawValue))))
        }
        defer { curl_slist_free_all(recipients) }
        let upload = Upload(message?.message ?? [])
        let watch = Watch(handle, cancellation)
        let result: Result<Void, MailTransportError> = withExtendedLifetime((upload, watch)) {
            var code = configure(handle, sender: sender, watch)
            if code == CURLE_OK {
                code =
                    recipients.map { deliver(upload, from: sender, to: $0, by: handle) } ?? askForNothing(handle)
            }
            if code == CURLE_OK { code = curl_easy_perform(handle) }
            guard code != CURLE_OK else { return .success(()) }
            if watch.connectingTookTooLong { return .failure(.temporary(.timedOut)) }
            var reply = 0
            let hasReply = ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &reply) == CURLE_OK
            return .failure(
                Self.failure(
                    code, reply: hasReply ? reply : 0,
                    isAboutMailbox: watch.isAboutMailbox(wholeMessageWasGiven: upload.isFinished),
                    wholeMessageWasGiven: upload.isFinished))
        }
        // The handle lives on, the buffer does not.
        _ = ccurl_set_error_buffer(handle, nil)
        if case .success = result { isReusable = true }
        return Attempt(
            result: result, isOnKeptConnection: !watch.isConnecting, hasBegunMessage: upload.hasBegun)
    }

    private func configure(
        _ handle: UnsafeMutableRawPointer, sender: MailAddress, _ watch: Watch
    ) -> CURLcode {
        // The path is the name in EHLO: the sender's domain, so that this machine's name stays unknown.
        var texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, "\(origin)/\(sender.domain)"), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            // No proxy, regardless of the environment.
            (CURLOPT_PROXY, ""),
        ]
        if let caFile { texts += [(CURLOPT_CAINFO, caFile), (CURLOPT_CAPATH, nil)] }
        if let credentials {
            texts += [(CURLOPT_USERNAME, credentials.user), (CURLOPT_PASSWORD, credentials.password)]
        }
        let tls = security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_USE_SSL, Int(tls.rawValue)), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, 6),  // TLS 1.2 or later
            // libcurl counts greeting, TLS and login as connecting, and a server may be slow in these. ``Watch`` limits
            // the actual connecting.
            (CURLOPT_CONNECTTIMEOUT_MS, 120_000), (CURLOPT_SERVER_RESPONSE_TIMEOUT, 60), (CURLOPT_TIMEOUT_MS, 120_000),
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_MAXAGE_CONN, IdleHandles.patience),
        ]
        var code = CURLE_OK
        for (option, value) in texts where code == CURLE_OK { code = ccurl_set_string(handle, option, value) }
        for (option, value) in numbers where code == CURLE_OK { code = ccurl_set_long(handle, option, value) }
        if code == CURLE_OK { code = ccurl_set_sink(handle, { _, size, count, _ in size * count }, nil) }
        if code == CURLE_OK {
            code = ccurl_set_reply_sink(
                handle,
                { bytes, size, count, context in
                    if let bytes, let context {
                        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                        Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().note(line)
                    }
                    return size * count
                }, Unmanaged.passUnretained(watch).toOpaque())
        }
        if code == CURLE_OK { code = ccurl_set_error_buffer(handle, watch.errorText) }
        if code == CURLE_OK {
            code = ccurl_set_on_socket(
                handle,
                { context, _, _ in
                    guard let context else { return 1 }
                    Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().isConnecting = true
                    return 0
                }, Unmanaged.passUnretained(watch).toOpaque())
        }
        if code == CURLE_OK {
            let context = Unmanaged.passUnretained(watch).toOpaque()
            code = ccurl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 0 }
                    return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().shallStop() ? 1 : 0
                }, context)
        }
        return code
    }

    private func deliver(
        _ upload: Upload, from sender: MailAddress, to recipients: UnsafeMutablePointer<curl_slist>,
        by handle: UnsafeMutableRawPointer
    ) -> CURLcode {
        var code = ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
        if code == CURLE_OK { code = ccurl_set_string(handle, CURLOPT_MAIL_FROM, sender.text) }
        if code == CURLE_OK { code = ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients) }
        if code == CURLE_OK {
            let context = Unmanaged.passUnretained(upload).toOpaque()
            code = ccurl_set_source(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context else { return 0 }
                    let upload = Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue()
                    return upload.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                }, context)
        }
        return code
    }

    /// Sends NOOP instead of a mail (RFC 5321 section 4.1.1.9).
    private func askForNothing(_ handle: UnsafeMutableRawPointer) -> CURLcode {
        let code = ccurl_set_long(handle, CURLOPT_NOBODY, 1)
        return code == CURLE_OK ? ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, "NOOP") : code
    }

    /// The mail's error for a libcurl result.
    ///
    /// - Parameters:
    ///   - reply: The server's last reply code; 0 when there was none.
    ///   - isAboutMailbox: Whether the reply says that the mailbox of the recipient takes no mail.
    ///   - wholeMessageWasGiven: Whether the reply can be about the message and not the greeting.
    private static func failure(
        _ code: CURLcode, reply: Int, isAboutMailbox: Bool, wholeMessageWasGiven: Bool
    ) -> MailTransportError {
        switch code {
        // The reply is to MAIL, RCPT or DATA, or to the message. 530 and 538 ask for a login or TLS: an operator can
        // correct that.
        case CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY:
            if (500...599).contains(reply), reply != 530, reply != 538, code == CURLE_SEND_ERROR || wholeMessageWasGiven
            {
                isAboutMailbox ? .noMailbox(replyCode: reply) : .permanent(replyCode: reply)
            } else if (400...599).contains(reply) {
                .temporary(.reply(reply))
            } else {
                .temporary(.curl(code.rawValue))
            }
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_REMOTE_ACCESS_DENIED:
            .temporary(.unreachable)
        case CURLE_OPERATION_TIMEDOUT: .temporary(.timedOut)
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
            .temporary(.insecure)
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .temporary(.unauthenticated)
        case CURLE_ABORTED_BY_CALLBACK: .temporary(.cancelled)
        default: .temporary(.curl(code.rawValue))
        }
    }

    private static func isHost(_ host: String) -> Bool {
        let bytes = host.utf8
        let isV6 = bytes.contains(UInt8(ascii: ":"))
        return !bytes.isEmpty
            && bytes.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: ".") || (isV6 ? ":[]" : "-").utf8.contains($0)
            }
    }

    /// Whether the host is literally `localhost`, in 127.0.0.0/8 or ::1; any other spelling counts as remote.
    private static func isLoopback(_ host: String) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.lowercased() == "localhost" || host == "::1" || host == "[::1]"
            || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }
}

/// Asks libcurl to stop, from another thread.
private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

/// Decides once a second whether libcurl continues. Used only on the sending thread.
private final class Watch {
    /// The limit in microseconds.
    private static let connectLimit: curl_off_t = 10_000_000
    private let handle: UnsafeMutableRawPointer
    private let cancellation: Cancellation
    /// Whether a new connection was needed; libcurl reports no connect time for a kept one.
    var isConnecting = false
    private(set) var connectingTookTooLong = false
    /// Where libcurl writes which command failed.
    let errorText: UnsafeMutablePointer<CChar>
    /// The beginning of the first line that refused what failed; the reply to QUIT comes after it.
    private var refusal: [UInt8] = []
    private var hasAgreedSince = true

    init(_ handle: UnsafeMutableRawPointer, _ cancellation: Cancellation) {
        self.handle = handle
        self.cancellation = cancellation
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    func note(_ line: UnsafeRawBufferPointer) {
        if line.first == UInt8(ascii: "5") {
            if hasAgreedSince { refusal = Array(line.prefix(16)) }
            hasAgreedSince = false
        } else {
            hasAgreedSince = true
        }
    }

    /// Whether the server has refused the mailbox of the recipient, at RCPT or after the message: by its status code (RFC
    /// 3463 section 3.2), which is about an address and not about a policy of the server; without one, by any reply to RCPT
    /// that RFC 5321 section 4.2.2 has for it. 5.2.1 is not among them: a mailbox that gets too many mails answers so, too.
    func isAboutMailbox(wholeMessageWasGiven: Bool) -> Bool {
        let isAtRecipient = String(cString: errorText).hasPrefix("RCPT")
        guard isAtRecipient || wholeMessageWasGiven else { return false }
        let words = refusal.split { [0x20, 0x2D, 0x0D, 0x0A].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard let reply = words.first.flatMap({ Int($0) }), (500...599).contains(reply) else { return false }
        let status = words.dropFirst().first.map { $0.split(separator: ".", omittingEmptySubsequences: false) } ?? []
        if status.count == 3, status.allSatisfy({ (1...3).contains($0.utf8.count) && Int($0) != nil }) {
            return status[0] == "5" && status[1] == "1" && ["1", "2", "3", "4", "5", "6", "10"].contains(status[2])
        }
        return isAtRecipient && [550, 551, 553].contains(reply)
    }

    func shallStop() -> Bool {
        var (connected, total): (curl_off_t, curl_off_t) = (0, 0)
        let isKnown =
            ccurl_get_time(handle, CURLINFO_CONNECT_TIME_T, &connected) == CURLE_OK
            && ccurl_get_time(handle, CURLINFO_TOTAL_TIME_T, &total) == CURLE_OK
        connectingTookTooLong = isConnecting && isKnown && connected == 0 && total > Self.connectLimit
        return connectingTookTooLong || cancellation.isRequested.load(ordering: .relaxed)
    }
}

/// The bytes of a message, which libcurl fetches. Used only on the sending thread.
private final class Upload {
    private var rest: ArraySlice<UInt8>
    /// Whether libcurl has asked for any byte.
    private(set) var hasBegun = false
    /// Whether libcurl has been told that no byte is left.
    private(set) var isFinished = false

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Copies as many bytes as fit; returns their number, 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        hasBegun = true
        let chunk = rest.prefix(buffer.count)
        buffer.copyBytes(from: chunk)
        rest = rest.dropFirst(chunk.count)
        isFinished = chunk.isEmpty
        return chunk.count
    }
}
