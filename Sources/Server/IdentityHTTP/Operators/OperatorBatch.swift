import HTTPTypes
import Hummingbird
import IdentityEngine
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
        var id: String
        var method: HTTPRequest.Method?
        /// Below the version; nil when it is missing, absolute or has control characters.
        var url: String?
        var headers: HTTPFields = [:]
        var body: Data?
        /// Of items in front of this one; nil when it names others.
        var dependsOn: [String]? = []
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
        for case .object(let request) in requests {
            guard let id = request["id"]?.string, (1...64).contains(id.utf8.count),
                !items.contains(where: { $0.id.lowercased() == id.lowercased() })
            else {
                throw DirectoryFailure(
                    inBatch: "Each request has an id of its own, a text of 1 to 64 bytes; letter case does not count.",
                    "id")
            }
            items.append(Self.item(id, request, below: roots, behind: items))
        }
        guard items.count == requests.count else {
            throw DirectoryFailure(inBatch: "Each request is an object.", "requests")
        }
        self.items = items
    }

    private static func item(
        _ id: String, _ request: [String: JSONValue], below roots: [String], behind earlier: [Item]
    ) -> Item {
        var item = Item(id: id)
        item.method = request["method"]?.string.flatMap { HTTPRequest.Method($0.uppercased()) }
        if var url = request["url"]?.string, url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            if let root = roots.first(where: { url.hasPrefix($0) }) { url.removeFirst(root.count) }
            item.url = url.prefix(while: { $0 != "?" }).contains("://") ? nil : String(url.trimmingPrefix("/"))
        }
        if case .object(let headers)? = request["headers"] {
            // No other header has a meaning for an operator.
            let known: [HTTPField.Name] = [.contentType, .ifMatch, IdentityHeader.consistencyLevel]
            for (name, value) in headers {
                guard let field = known.first(where: { $0.canonicalName == name.lowercased() }) else { continue }
                item.headers[field] = value.string
            }
        }
        switch request["body"] {
        case nil, .null?: break
        case let body?:
            do {
                item.body = try WireJSON.encode(body)
            } catch {
                item.url = nil
            }
        }
        // The vendor's SDK for Python writes the name with an underscore.
        switch request["dependsOn"] ?? request["depends_on"] {
        case nil, .null?: break
        case .array(let names)?:
            let ids = names.compactMap(\.string)
            let known = ids.allSatisfy { name in earlier.contains { $0.id == name } }
            item.dependsOn = known && ids.count == names.count ? ids : nil
        case _?: item.dependsOn = nil
        }
        return item
    }
}

extension IdentityRoutes {
    /// Answers each item as if it had come alone, one after another: an item is authorised by itself, and nothing of it is
    /// undone when another one fails.
    func operatorBatch(
        _ request: Request, _ context: IdentityRequestContext, _ store: any DirectoryStore, baseURL: String
    ) async throws -> Response {
        let roots = [baseURL] + (request.head.authority.map { ["http://\($0)", "https://\($0)"] } ?? [])
        let batch = try OperatorBatch(
            try await OperatorCodec.object(of: request), below: roots.map { "\($0)/graph/v1.0/" })
        var (statuses, answers, size): ([String: Int], [JSONValue], Int) = ([:], [], 0)
        for item in batch.items {
            var answer: Response
            do {
                guard let dependencies = item.dependsOn else {
                    throw DirectoryFailure(
                        inBatch: "dependsOn lists ids of requests in front of this one.", "dependsOn")
                }
                if let failed = dependencies.first(where: { statuses[$0] ?? 500 >= 400 }) {
                    throw DirectoryFailure(failedDependency: failed)
                }
                guard let method = item.method, let url = item.url else {
                    throw item.url == nil
                        ? DirectoryFailure(
                            inBatch: "The url is a path below /graph/v1.0, or this server's address.", "url")
                        : DirectoryFailure(inBatch: "The method is GET, POST, PATCH or DELETE.", "method")
                }
                guard size < OperatorBatch.longestAnswers else { throw RequestFault.unavailable(retryAfter: 1) }
                var head = HTTPRequest(
                    method: method, scheme: request.head.scheme, authority: request.head.authority,
                    path: "/graph/v1.0/\(url)", headerFields: item.headers)
                head.headerFields[.authorization] = request.headers[.authorization]
                let own = Request(head: head, body: .init(buffer: ByteBuffer(bytes: item.body ?? Data())))
                answer = try await operatorDirectory(own, context, store, baseURL: baseURL, isInBatch: true)
            } catch {
                answer = guardian.reply(to: error, request, context)
            }
            statuses[item.id] = answer.status.code
            let body = try await Self.content(of: answer)
            size += body.readableBytes
            answers.append(try Self.batchAnswer(item.id, answer, body))
        }
        let body = try WireJSON.encode(["responses": JSONValue.array(answers)])
        return DirectoryCodec.response(.ok, body: body, version: nil, trace: context.trace)
    }

    private static func batchAnswer(_ id: String, _ answer: Response, _ body: ByteBuffer) throws -> JSONValue {
        var headers: [String: JSONValue] = [:]
        for name: HTTPField.Name in [.contentType, .location, .eTag, .retryAfter, .allow, .wwwAuthenticate] {
            headers[name.rawName] = answer.headers[name].map { .string($0) }
        }
        var members: [String: JSONValue] = [
            "id": .string(id), "status": .integer(answer.status.code), "headers": .object(headers),
        ]
        if body.readableBytes > 0 {
            let isText = answer.headers[.contentType]?.hasPrefix("text/") == true
            members["body"] =
                isText ? .string(String(buffer: body)) : try WireJSON.decode(from: Data(body.readableBytesView))
        }
        return .object(members)
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
