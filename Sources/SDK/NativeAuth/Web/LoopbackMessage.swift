import NativeAuthWire
import PortableFoundation

/// A request that arrived at a ``LoopbackReceiver``: only as much of HTTP as a browser sends (RFC 9112), and nothing
/// that could be read in two ways.
struct LoopbackMessage {
    private let method: String
    private let path: String
    private let query: String
    private let headers: [String: String]
    private let body: ArraySlice<UInt8>

    /// The request in `bytes`; nil while it is incomplete.
    static func read(_ bytes: [UInt8], limit: Int) -> Result<LoopbackMessage, LoopbackReply>? {
        guard bytes.count <= limit else { return .failure(.tooLarge) }
        let separator: [UInt8] = [13, 10, 13, 10]
        guard let end = bytes.firstRange(of: separator) else { return nil }
        guard let head = String(validating: bytes[..<end.lowerBound], as: UTF8.self) else {
            return .failure(.malformed)
        }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", words[1].hasPrefix("/") else {
            return .failure(.malformed)
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].lowercased()
            guard parts.count == 2, !name.isEmpty, !name.contains(where: \.isWhitespace) else {
                return .failure(.malformed)
            }
            guard
                headers.updateValue(parts[1].trimming { $0 == " " || $0 == "\t" }, forKey: name) == nil
                    || !["host", "content-length", "content-type"].contains(name)
            else { return .failure(.malformed) }
        }
        guard headers["transfer-encoding"] == nil else { return .failure(.malformed) }
        let length = headers["content-length"] ?? "0"
        guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return .failure(.malformed)
        }
        guard let length = Int(length), length <= limit, end.upperBound + length <= limit else {
            return .failure(.tooLarge)
        }
        guard bytes.count >= end.upperBound + length else { return nil }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return .success(
            LoopbackMessage(
                method: words[0], path: String(target[0]), query: target.count == 2 ? String(target[1]) : "",
                headers: headers, body: bytes[end.upperBound..<(end.upperBound + length)]))
    }

    /// The address that answers `request`, with the parameters of the query or of the form.
    ///
    /// - Parameter host: The value of `Host`, which a page of another site cannot choose (DNS rebinding).
    func answer(to request: WebAuthenticationRequest, at host: String) -> Result<URL, LoopbackReply> {
        guard headers["host"]?.lowercased() == host else { return .failure(.foreignHost) }
        let expected = URLComponents(url: request.callback, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        guard path == (expected.isEmpty ? "/" : expected) else { return .failure(.notFound) }
        let parameters: ArraySlice<UInt8>
        switch method {
        case "GET":
            parameters = Array(query.utf8)[...]
        case "POST":
            let media = headers["content-type"]?.prefix { $0 != ";" }.trimming { $0 == " " }.lowercased()
            guard media == "application/x-www-form-urlencoded" else { return .failure(.notForm) }
            parameters = body
        case _:
            return .failure(.notAllowed)
        }
        let form: FormFields
        do throws(FormError) {
            form = try FormFields(decoding: parameters)
        } catch {
            return .failure(.malformed)
        }
        guard let url = request.callback.adding(form), request.isAnswer(url) else { return .failure(.wrongState) }
        return .success(url)
    }
}

extension StringProtocol {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        let start = drop(while: isTrimmed)
        return String(start.reversed().drop(while: isTrimmed).reversed())
    }
}

/// What the browser gets. It never contains a part of the request.
enum LoopbackReply: Error {
    case done, malformed, wrongState, notFound, notAllowed, tooLarge, notForm, foreignHost

    private var content: (status: String, sentence: String) {
        switch self {
        case .done: ("200 OK", "You can close this window.")
        case .malformed: ("400 Bad Request", "This is not the expected answer.")
        case .wrongState: ("400 Bad Request", "This answer belongs to another sign-in.")
        case .notFound: ("404 Not Found", "There is nothing here.")
        case .notAllowed: ("405 Method Not Allowed", "This is not the expected answer.")
        case .tooLarge: ("413 Content Too Large", "This is not the expected answer.")
        case .notForm: ("415 Unsupported Media Type", "This is not the expected answer.")
        case .foreignHost: ("421 Misdirected Request", "There is nothing here.")
        }
    }

    var text: String {
        let page = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign-in</title></head>\
            <body><p>\(content.sentence)</p></body></html>
            """
        return """
            HTTP/1.1 \(content.status)\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Cache-Control: no-store\r
            Referrer-Policy: no-referrer\r
            Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r
            \r
            \(page)
            """
    }
}
