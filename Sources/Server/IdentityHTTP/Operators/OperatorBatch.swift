import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The requests in one `$batch` (docs/protocol.md §18.6), checked as a list. What is wrong with one item is its own answer.
struct OperatorBatch {
    static let most = 20
    /// When the answers have this many bytes, the rest of the items is refused.
    static let longestAnswers = 4 * 1_024 * 1_024

    struct Item {
        let id: String
        /// Or what is wrong with it.
        let content: Result<Content, DirectoryFailure>
    }

    struct Content {
        let method: HTTPRequest.Method
        /// Below the version.
        let url: String
        let headers: HTTPFields
        let body: Data
        /// Items in front of this one.
        let dependsOn: [String]
    }

    let items: [Item]

    /// - Parameter roots: The addresses of this server's directory, which may stand in front of an item's path: the vendor's
    ///   SDK for Python sends whole addresses.
    /// - Throws: A refusal of the whole batch: no list of 1 to 20 items, or two with one id.
    init(_ object: [String: JSONValue], below roots: [String]) throws(DirectoryFailure) {
        guard case .array(let requests)? = object["requests"], (1...Self.most).contains(requests.count) else {
            throw DirectoryFailure(inBatch: "A batch has a list of 1 to \(Self.most) requests.", "requests")
        }
        var items: [Item] = []
        for case .object(let sent) in requests {
            // In any letter case: a condition of a request must not be lost by its spelling.
            let request = Dictionary(sent.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
            guard request.count == sent.count else {
                throw DirectoryFailure(inBatch: "A request has a member twice.", "requests")
            }
            guard let id = request["id"]?.string, (1...64).contains(id.utf8.count),
                !items.contains(where: { $0.id.lowercased() == id.lowercased() })
            else {
                throw DirectoryFailure(
                    inBatch: "Each request has an id of its own, a text of 1 to 64 bytes; letter case does not count.",
                    "id")
            }
            let content: Result<Content, DirectoryFailure>
            do throws(DirectoryFailure) {
                content = .success(try Self.content(of: request, below: roots, behind: items))
            } catch {
                content = .failure(error)
            }
            items.append(Item(id: id, content: content))
        }
        guard items.count == requests.count else {
            throw DirectoryFailure(inBatch: "Each request is an object.", "requests")
        }
        self.items = items
    }

    private static func content(
        of request: [String: JSONValue], below roots: [String], behind earlier: [Item]
    ) throws(DirectoryFailure) -> Content {
        guard let method = request["method"]?.string.flatMap({ HTTPRequest.Method($0.uppercased()) }) else {
            throw DirectoryFailure(inBatch: "The method is GET, POST, PATCH or DELETE.", "method")
        }
        guard let url = request["url"]?.string.flatMap({ path($0, below: roots) }) else {
            throw DirectoryFailure(inBatch: "The url is a path below /graph/v1.0, or this server's address.", "url")
        }
        // The vendor's SDK for Python writes the name with an underscore.
        let dependsOn = try dependsOn(
            request["dependson"].flatMap { $0 == .null ? nil : $0 } ?? request["depends_on"], behind: earlier)
        return Content(
            method: method, url: url, headers: try headers(request["headers"]), body: try body(request["body"]),
            dependsOn: dependsOn)
    }

    private static func path(_ url: String, below roots: [String]) -> String? {
        guard url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        let path = url.dropFirst(roots.first(where: url.hasPrefix)?.count ?? 0)
        return path.prefix(while: { $0 != "?" }).contains("://") ? nil : String(path.trimmingPrefix("/"))
    }

    /// The headers with a meaning for an operator. One that is no text would be lost, and with it a condition of the
    /// request.
    private static func headers(_ value: JSONValue?) throws(DirectoryFailure) -> HTTPFields {
        let members: [String: JSONValue]
        switch value {
        case nil, .null?: return [:]
        case .object(let found)?: members = found
        case _?: throw DirectoryFailure(inBatch: "The headers are an object of texts.", "headers")
        }
        var headers: HTTPFields = [:]
        let known: [HTTPField.Name] = [.contentType, .ifMatch, IdentityHeader.consistencyLevel]
        for (name, value) in members {
            guard let field = HTTPField.Name(name) else {
                throw DirectoryFailure(inBatch: "A header has a name that HTTP allows.", "headers")
            }
            guard known.contains(field) else { continue }
            guard let text = value.string, headers[field] == nil else {
                throw DirectoryFailure(inBatch: "A header is a text, and stands once.", "headers")
            }
            headers[field] = text
        }
        return headers
    }

    private static func body(_ value: JSONValue?) throws(DirectoryFailure) -> Data {
        switch value {
        case nil, .null?: return Data()
        case let body?:
            do {
                return try WireJSON.encode(body)
            } catch {
                throw DirectoryFailure(inBatch: "The body is JSON.", "body")
            }
        }
    }

    private static func dependsOn(_ value: JSONValue?, behind earlier: [Item]) throws(DirectoryFailure) -> [String] {
        switch value {
        case nil, .null?: return []
        case .array(let names)? where names.count <= most:
            let ids = names.compactMap(\.string)
            if ids.count == names.count, ids.allSatisfy({ name in earlier.contains { $0.id == name } }) { return ids }
        case _?: break
        }
        throw DirectoryFailure(inBatch: "dependsOn lists ids of requests in front of this one.", "dependsOn")
    }
}

extension IdentityRoutes {
    /// Answers each item as if it had come alone, one after another. An item needs its own role, and a failed item undoes no
    /// other one.
    func operatorBatch(
        _ request: Request, _ context: IdentityRequestContext, _ store: any DirectoryStore, baseURL: String
    ) async throws -> Response {
        let roots = [baseURL] + (request.head.authority.map { ["http://\($0)", "https://\($0)"] } ?? [])
        let batch = try OperatorBatch(
            try await OperatorCodec.object(of: request), below: roots.map { "\($0)/graph/v1.0/" })
        var (statuses, answers, size): ([String: Int], [Data], Int) = ([:], [], 0)
        for item in batch.items {
            // Each is done at a time of its own: the trail has it.
            var own = context
            own.trace.at = guardian.clock.now
            var answer: Response
            do {
                let content = try item.content.get()
                if let failed = content.dependsOn.first(where: { statuses[$0] ?? 500 >= 400 }) {
                    throw DirectoryFailure(failedDependency: failed)
                }
                guard size < OperatorBatch.longestAnswers else { throw RequestFault.unavailable(retryAfter: 1) }
                var head = HTTPRequest(
                    method: content.method, scheme: request.head.scheme, authority: request.head.authority,
                    path: "/graph/v1.0/\(content.url)", headerFields: content.headers)
                head.headerFields[.authorization] = request.headers[.authorization]
                let alone = Request(head: head, body: .init(buffer: ByteBuffer(bytes: content.body)))
                answer = try await operatorDirectory(alone, own, store, baseURL: baseURL, isInBatch: true)
            } catch {
                answer = guardian.reply(to: error, request, own)
            }
            statuses[item.id] = answer.status.code
            let body = try await Self.content(of: answer)
            size += body.readableBytes
            answers.append(try Self.batchAnswer(item.id, answer, body))
            context.logger.info("request in a batch", metadata: ["status": .stringConvertible(answer.status.code)])
        }
        let body =
            Data(#"{"responses":["#.utf8) + Data(answers.joined(separator: [UInt8(ascii: ",")])) + Data("]}".utf8)
        return DirectoryCodec.response(.ok, body: body, version: nil, trace: context.trace)
    }

    /// An item of the answer. The server wrote the JSON of its body, so it is not read again.
    private static func batchAnswer(_ id: String, _ answer: Response, _ body: ByteBuffer) throws -> Data {
        var headers: [String: JSONValue] = [:]
        for name: HTTPField.Name in [.contentType, .location, .eTag, .retryAfter, .allow, .wwwAuthenticate] {
            headers[name.rawName] = answer.headers[name].map { .string($0) }
        }
        let members = try WireJSON.encode([
            "id": JSONValue.string(id), "status": .integer(answer.status.code), "headers": .object(headers),
        ])
        guard body.readableBytes > 0 else { return members }
        let isText = answer.headers[.contentType]?.hasPrefix("text/") == true
        let content = isText ? try WireJSON.encode(String(buffer: body)) : Data(body.readableBytesView)
        return members.dropLast() + Data(#","body":"#.utf8) + content + Data("}".utf8)
    }

    /// The bytes of a response that this server made.
    private static func content(of response: Response) async throws -> ByteBuffer {
        struct Collector: ResponseBodyWriter {
            let buffer = Locked(ByteBuffer())

            func write(_ more: ByteBuffer) { buffer.withLock { _ = $0.writeImmutableBuffer(more) } }
            consuming func finish(_ trailingHeaders: HTTPFields?) {}
        }
        let collector = Collector()
        try await response.body.write(collector)
        return collector.buffer.withLock(\.self)
    }
}

extension DirectoryFailure {
    /// The batch, or one of its items, cannot be understood.
    init(inBatch message: String, _ target: String) {
        self.init(status: .badRequest, code: .badRequest, message: message, target: target)
    }

    /// An item of a batch that this one depends on has failed.
    init(failedDependency id: String) {
        self.init(
            status: .init(code: 424, reasonPhrase: "Failed Dependency"), code: .failedDependency,
            message: "A request that this one depends on has failed.", target: Self.shown(id))
    }
}
