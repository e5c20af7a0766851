import CCurl
import Dispatch
package import PortableFoundation
import Synchronization

/// Sends requests, such as JSON to servers of others, over libcurl, under the rules of `SEC-NET-13`: the address that is dialled is the one
/// that was checked, no redirect is followed, no proxy and no cookie is used, and time and size are bounded.
///
/// All requests share one thread, which exists only while there are requests; connections are kept between them.
package final class OutgoingHTTP: Sendable {
    package struct Request: Sendable {
        package var url: String
        /// `Name: value`, without line ends.
        package var headers: [String]
        /// Nil for GET.
        package var body: Data?
        /// The limit for everything, from the look-up of the name to the last byte, in milliseconds.
        package var timeout: Int

        package init(url: String, headers: [String], body: Data?, timeout: Int) {
            self.url = url
            self.headers = headers
            self.body = body
            self.timeout = timeout
        }
    }

    package struct Answer: Sendable {
        package var status: Int
        package var contentType: String?
        package var body: Data
    }

    package enum Failure: Error, Hashable, Sendable {
        /// No connection was possible, or it broke, or its certificate is not valid.
        case unreachable
        case timedOut
        /// The resolved address may not be dialled.
        case forbiddenAddress
        /// The answer is longer than ``OutgoingHTTP/longestAnswer``.
        case tooLarge
    }

    /// In bytes.
    package static let longestAnswer = 65_536

    private struct State {
        var waiting: [Transfer] = []
        var isWorking = false
    }

    /// Used by the thread of ``work()``, and by others only for `curl_multi_wakeup`.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    private let multi: Multi?
    private let caFile: String?
    private let mayDial: @Sendable ([UInt8]) -> Bool
    private let allowsHTTP: Bool
    private let checksCertificates: Bool
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "OutgoingHTTP")

    /// - Parameters:
    ///   - caFile: Certificates in PEM to trust instead of the system's.
    ///   - allowsHTTP: Whether `http` is allowed besides `https`; only for development and this machine.
    ///   - checksCertificates: Whether servers must prove their names; false only for a question without secrets to this machine.
    ///   - mayDial: Whether an address, 4 or 16 bytes in network order, may be dialled.
    package init(
        caFile: String? = nil, allowsHTTP: Bool = false, checksCertificates: Bool = true,
        mayDial: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        let isReady = ccurl_global_init() == CURLE_OK
        multi = isReady ? curl_multi_init().map { Multi(handle: $0) } : nil
        self.caFile = caFile
        self.allowsHTTP = allowsHTTP
        self.checksCertificates = checksCertificates
        self.mayDial = mayDial
    }

    deinit {
        if let multi { curl_multi_cleanup(multi.handle) }
    }

    /// Sends the request and waits for the answer, whatever its status.
    package func send(_ request: Request) async throws(Failure) -> Answer {
        guard let multi,
            let transfer = Transfer(
                request, caFile: caFile, allowsHTTP: allowsHTTP, checksCertificates: checksCertificates, mayDial)
        else { throw .unreachable }
        let result: Result<Answer, Failure> = await withCheckedContinuation { continuation in
            transfer.continuation = continuation
            let isWorking = state.withLock { state in
                state.waiting.append(transfer)
                defer { state.isWorking = true }
                return state.isWorking
            }
            if isWorking { curl_multi_wakeup(multi.handle) } else { queue.async { self.work(multi) } }
        }
        return try result.get()
    }

    /// Moves bytes until no request is left.
    private func work(_ multi: Multi) {
        var active: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let new: [Transfer]? = state.withLock { state in
                state.isWorking = !(state.waiting.isEmpty && active.isEmpty)
                defer { state.waiting = [] }
                return state.isWorking ? state.waiting : nil
            }
            guard let new else { return }
            for transfer in new {
                active[transfer.handle] = transfer
                if curl_multi_add_handle(multi.handle, transfer.handle) != CURLM_OK {
                    active[transfer.handle] = nil
                    transfer.end(CURLE_FAILED_INIT)
                }
            }
            var running: Int32 = 0
            curl_multi_perform(multi.handle, &running)
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi.handle, &left) {
                guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
                let code = message.pointee.data.result
                curl_multi_remove_handle(multi.handle, handle)
                active.removeValue(forKey: handle)?.end(code)
            }
            if !active.isEmpty { curl_multi_poll(multi.handle, nil, 0, 1_000, nil) }
        }
    }
}

/// One request under way. Made by the caller, then used by the working thread alone.
private final class Transfer: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    var continuation: CheckedContinuation<Result<OutgoingHTTP.Answer, OutgoingHTTP.Failure>, Never>?
    private let mayDial: @Sendable ([UInt8]) -> Bool
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var isForbidden = false

    init?(
        _ request: OutgoingHTTP.Request, caFile: String?, allowsHTTP: Bool, checksCertificates: Bool,
        _ mayDial: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.mayDial = mayDial
        // Without “Expect”, libcurl waits for no 100 before the body.
        for header in request.headers + ["Expect:"] {
            guard let longer = curl_slist_append(headers, header) else { return nil }
            headers = longer
        }
        let code = configure(
            request, caFile: caFile, allowsHTTP: allowsHTTP, checksCertificates: checksCertificates)
        guard code == CURLE_OK else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
    }

    private func configure(
        _ request: OutgoingHTTP.Request, caFile: String?, allowsHTTP: Bool, checksCertificates: Bool
    ) -> CURLcode {
        var texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, request.url), (CURLOPT_PROTOCOLS_STR, allowsHTTP ? "http,https" : "https"),
            // No proxy, regardless of the environment.
            (CURLOPT_PROXY, ""),
        ]
        if let caFile { texts += [(CURLOPT_CAINFO, caFile), (CURLOPT_CAPATH, nil)] }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, checksCertificates ? 1 : 0),
            (CURLOPT_SSL_VERIFYHOST, checksCertificates ? 2 : 0),
            (CURLOPT_SSLVERSION, 6),  // TLS 1.2 or later
            (CURLOPT_HTTP_VERSION, 2),  // HTTP/1.1
            (CURLOPT_TIMEOUT_MS, request.timeout), (CURLOPT_NOSIGNAL, 1),
            // Otherwise a request that ends while its name is looked up waits for the look-up, and all others with it.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_MAXFILESIZE, OutgoingHTTP.longestAnswer), (CURLOPT_MAXAGE_CONN, 15),
        ]
        var code = CURLE_OK
        for (option, value) in texts where code == CURLE_OK { code = ccurl_set_string(handle, option, value) }
        for (option, value) in numbers where code == CURLE_OK { code = ccurl_set_long(handle, option, value) }
        if code == CURLE_OK { code = ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers) }
        if code == CURLE_OK, let body = request.body {
            code = body.withUnsafeBytes { ccurl_set_body(handle, $0.baseAddress, $0.count) }
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        if code == CURLE_OK {
            code = ccurl_set_sink(
                handle,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }, context)
        }
        if code == CURLE_OK {
            code = ccurl_set_open_socket(
                handle,
                { context, _, address in
                    guard let context, let address else { return CURL_SOCKET_BAD }
                    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().open(address)
                }, context)
        }
        return code
    }

    /// Keeps bytes of the answer; taking fewer than were offered ends the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= OutgoingHTTP.longestAnswer else {
            isTooLarge = true
            return 0
        }
        body += bytes
        return bytes.count
    }

    /// Opens the socket for a resolved address, if it may be dialled.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let bytes = DialledAddress.bytes(of: address), mayDial(bytes) else {
            isForbidden = true
            return CURL_SOCKET_BAD
        }
        isForbidden = false
        return DialledAddress.socket(for: address)
    }

    /// Gives the caller the result of libcurl.
    func end(_ code: CURLcode) {
        continuation?.resume(returning: result(code))
        continuation = nil
    }

    private func result(_ code: CURLcode) -> Result<OutgoingHTTP.Answer, OutgoingHTTP.Failure> {
        switch code {
        case CURLE_OK:
            var status = 0
            var contentType: UnsafePointer<CChar>?
            guard ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK,
                ccurl_get_content_type(handle, &contentType) == CURLE_OK
            else { return .failure(.unreachable) }
            return .success(
                OutgoingHTTP.Answer(
                    status: status, contentType: contentType.map { String(cString: $0) }, body: Data(body)))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
        case CURLE_FILESIZE_EXCEEDED: return .failure(.tooLarge)
        case _ where isTooLarge: return .failure(.tooLarge)
        case _ where isForbidden: return .failure(.forbiddenAddress)
        default: return .failure(.unreachable)
        }
    }
}
