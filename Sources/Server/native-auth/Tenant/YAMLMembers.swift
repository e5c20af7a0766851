import Yams

/// The faults of a document, each with its line, so that all are reported together.
final class YAMLFaults {
    /// The name of the document in messages, such as `tenants.yaml`.
    let name: String
    private var found: [(line: Int, sentence: String)] = []

    init(_ name: String) {
        self.name = name
    }

    /// - Parameter line: The line, from 1; nil when the fault has no line.
    func add(_ sentence: String, line: Int?) {
        found.append((line ?? 0, sentence))
    }

    var count: Int { found.count }

    /// `tenants.yaml:7: …`, in the order of the lines.
    var sentences: [String] {
        found.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map { _, fault in
            name + (fault.line == 0 ? ": " : ":\(fault.line): ") + fault.sentence
        }
    }
}

/// Reads the members of one mapping. A missing or wrong member adds a fault and gives nil, and reading continues;
/// ``end()`` reports the members that were not read.
final class YAMLMembers {
    /// The line where the mapping begins, from 1.
    let line: Int?
    private let members: [String: (value: Node, line: Int?)]
    private let place: String
    private let faults: YAMLFaults
    private var asked: [String] = []

    /// - Parameters:
    ///   - place: The name of the mapping in messages, such as `an application`.
    ///   - node: The node; the result is nil, with a fault, for anything except a mapping of text to values.
    init?(of node: Node, _ place: String, _ faults: YAMLFaults) {
        guard case .mapping(let mapping) = node else {
            faults.add("\(place) must have members, such as “name: value”.", line: node.mark?.line)
            return nil
        }
        (line, self.place, self.faults) = (mapping.mark?.line, place, faults)
        var members: [String: (value: Node, line: Int?)] = [:]
        for (key, value) in mapping {
            if let name = key.string {
                members[name] = (value, key.mark?.line)
            } else {
                faults.add("a member of \(place) has no name.", line: key.mark?.line)
            }
        }
        self.members = members
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// Whether the member is there without a value, such as a colour without quotes, which is a comment.
    func isEmpty(_ name: String) -> Bool { members[name].map { isNull($0.value) } ?? false }

    /// The line of the member, or of the mapping when the member is missing.
    func line(of name: String) -> Int? { members[name]?.line ?? line }

    /// The names of all members, in alphabetic order.
    var names: [String] { members.keys.sorted() }

    func add(_ sentence: String, line: Int?) { faults.add(sentence, line: line) }

    func add(_ sentence: String, at name: String) {
        faults.add(sentence, line: line(of: name))
    }

    /// Reports unknown members; call it after all others were read.
    func end() {
        var known: [String] = []
        for name in asked where !known.contains(name) { known.append(name) }
        for (name, member) in members where !known.contains(name) {
            faults.add(
                "“\(name)” is not known. \(place.prefix(1).uppercased() + place.dropFirst()) has: \(known.joined(separator: ", ")).",
                line: member.line)
        }
    }

    // MARK: - Members

    /// Any scalar, as written.
    func text(_ name: String, isRequired: Bool = false) -> String? {
        guard let node = value(name, isRequired: isRequired) else { return nil }
        guard case .scalar(let scalar) = node else { return wrong(name, "one value") }
        return scalar.string
    }

    func flag(_ name: String) -> Bool? {
        guard let node = value(name) else { return nil }
        guard let flag = node.bool else { return wrong(name, "true or false") }
        return flag
    }

    func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let node = value(name) else { return nil }
        guard let number = node.int, range.contains(number) else {
            return wrong(
                name,
                range.upperBound == .max
                    ? "\(range.lowerBound) or more"
                    : range == 0...1 ? "0 or 1" : "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of the values of an enumeration.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Value.Type = Value.self, isRequired: Bool = false
    ) -> Value? {
        guard let text = text(name, isRequired: isRequired) else { return nil }
        guard let value = Value(rawValue: text) else {
            return wrong(name, "one of: \(Value.allCases.map(\.rawValue).joined(separator: ", "))", not: text)
        }
        return value
    }

    /// A list of scalars, each with its line.
    ///
    /// - Parameter mayBeEmpty: Whether a list without elements is no fault.
    func texts(_ name: String, mayBeEmpty: Bool = true) -> [(text: String, line: Int?)] {
        if !mayBeEmpty, case .sequence(let sequence)? = members[name]?.value, sequence.isEmpty {
            add("\(name) is empty; name at least one, or leave the member out.", at: name)
        }
        return elements(name).compactMap { node in
            guard case .scalar(let scalar) = node, !isNull(node) else {
                faults.add("\(name) must be a list of values, such as [a, b].", line: node.mark?.line)
                return nil
            }
            return (scalar.string, node.mark?.line)
        }
    }

    /// A list of values of an enumeration, at least one; nil when it is missing.
    func choices<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Value.Type = Value.self
    ) -> [Value]? {
        guard let member = members[name], !isNull(member.value) else {
            asked.append(name)
            return nil
        }
        let values = texts(name)
        let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
        if case .sequence(let sequence) = member.value, sequence.isEmpty {
            return wrong(name, "a list with at least one of: \(all)")
        }
        return values.compactMap { text, line in
            if let value = Value(rawValue: text) { return value }
            faults.add("\(name) has “\(text)”; it must have values of: \(all).", line: line)
            return nil
        }
    }

    /// One mapping.
    func members(_ name: String, of place: String) -> YAMLMembers? {
        value(name).flatMap { YAMLMembers(of: $0, place, faults) }
    }

    /// A list of mappings.
    ///
    /// - Parameter place: The name of one mapping in messages.
    func list(_ name: String, of place: String, isRequired: Bool = false) -> [YAMLMembers] {
        elements(name, isRequired: isRequired).compactMap { YAMLMembers(of: $0, place, faults) }
    }

    private func elements(_ name: String, isRequired: Bool = false) -> [Node] {
        guard let node = value(name, isRequired: isRequired) else { return [] }
        guard case .sequence(let sequence) = node else {
            faults.add("\(name) must be a list.", line: line(of: name))
            return []
        }
        return Array(sequence)
    }

    private func value(_ name: String, isRequired: Bool = false) -> Node? {
        asked.append(name)
        guard let value = members[name]?.value, !isNull(value) else {
            if isRequired { add("“\(name)” is missing; \(place) needs it.", at: name) }
            return nil
        }
        return value
    }

    private func wrong<Value>(_ name: String, _ rule: String, not text: String? = nil) -> Value? {
        add("\(name)\(text.map { " is “\($0)”; it" } ?? "") must be \(rule).", at: name)
        return nil
    }

    private func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
