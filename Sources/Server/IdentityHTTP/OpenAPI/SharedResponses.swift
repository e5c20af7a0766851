import NativeAuthCore

/// Moves responses that many operations have to `components`, so that the document stays small.
struct SharedResponses {
    /// The shared responses by name.
    private(set) var named: [String: JSONValue] = [:]
    private var names: [JSONValue: String] = [:]

    init(_ operations: [DocumentedOperation]) {
        var uses: [JSONValue: Int] = [:]
        let all = operations.flatMap { operation in
            operation.responses.sorted { $0.key < $1.key }.map { (status: $0.key, response: $0.value) }
        }
        for (_, response) in all { uses[response, default: 0] += 1 }
        for (status, response) in all where uses[response, default: 0] > 2 && names[response] == nil {
            let twins = named.keys.filter { $0.hasPrefix("Status\(status)") }.count
            let name = "Status\(status)" + (twins == 0 ? "" : "-\(twins + 1)")
            names[response] = name
            named[name] = response
        }
    }

    /// The same responses, with references for those that are shared.
    func referring(_ responses: [String: JSONValue]) -> JSONValue {
        .object(responses.mapValues { response in names[response].map { .reference("responses", $0) } ?? response })
    }
}
