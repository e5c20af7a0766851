/// A list of words to find in passwords, with at most one typing error: one character changed, missing or inserted.
///
/// The words are stored as a tree of their bytes, so that the search time does not grow with the length of the list.
struct PasswordTerms: Sendable {
    /// Shorter words occur in too many good passwords.
    static let shortest = 4
    /// Shorter words are found only in their exact spelling, because most short words are one change away from another
    /// word.
    static let shortestWithEdit = 6

    private struct Node {
        var byte: UInt8
        var isTerm = false
        /// Indexes of nodes; 0, the root, means none.
        var firstChild = 0
        var nextSibling = 0
    }

    private var nodes = [Node(byte: 0)]

    /// - Parameter terms: Terms in normal form (``PasswordPolicy/normalized(_:)``); terms shorter than ``shortest`` are
    ///   left out.
    init(_ terms: some Sequence<[UInt8]>) {
        for term in terms where term.count >= Self.shortest {
            var node = 0
            for byte in term { node = child(of: node, for: byte) }
            nodes[node].isTerm = true
        }
    }

    private mutating func child(of node: Int, for byte: UInt8) -> Int {
        var child = nodes[node].firstChild
        while child != 0 {
            if nodes[child].byte == byte { return child }
            child = nodes[child].nextSibling
        }
        nodes.append(Node(byte: byte, nextSibling: nodes[node].firstChild))
        nodes[node].firstChild = nodes.count - 1
        return nodes.count - 1
    }

    /// The lowest possible number of points of `text`: one for each part that is a term of `lists`, one for every other
    /// character (`SEC-PWD-3`). Counting stops at `limit`, so that a long text takes no more time than a short one.
    static func points(of text: [UInt8], lists: [PasswordTerms], limit: Int) -> Int {
        // The fewest points for the characters before each position; at worst, each character is one point.
        var fewest = Array(0...text.count)
        for start in text.indices {
            let next = fewest[start] + 1
            fewest[start + 1] = min(fewest[start + 1], next)
            // A part that begins here and does not reach the end cannot bring the total under the limit.
            if next >= limit { continue }
            for list in lists {
                list.walk(from: 0, at: start, depth: 0, isEdited: false, in: text) { end in
                    fewest[end] = min(fewest[end], next)
                }
            }
        }
        return min(fewest[text.count], limit)
    }

    /// Calls `found` with the end of each part that begins where the walk began.
    ///
    /// A character inserted at either end of a term does not belong to the term: it counts as a character.
    private func walk(
        from node: Int, at position: Int, depth: Int, isEdited: Bool, in text: [UInt8], found: (Int) -> Void
    ) {
        func step(to child: Int, at position: Int, isEdited: Bool) {
            if nodes[child].isTerm && (!isEdited || depth + 1 >= Self.shortestWithEdit) { found(position) }
            walk(from: child, at: position, depth: depth + 1, isEdited: isEdited, in: text, found: found)
        }
        let byte = position < text.count ? text[position] : nil
        var child = nodes[node].firstChild
        while child != 0 {
            if nodes[child].byte == byte {
                step(to: child, at: position + 1, isEdited: isEdited)
            } else if !isEdited && byte != nil {
                step(to: child, at: position + 1, isEdited: true)  // changed
            }
            if !isEdited { step(to: child, at: position, isEdited: true) }  // missing
            child = nodes[child].nextSibling
        }
        if !isEdited && depth > 0 && byte != nil {
            walk(from: node, at: position + 1, depth: depth, isEdited: true, in: text, found: found)  // put in between
        }
    }
}
