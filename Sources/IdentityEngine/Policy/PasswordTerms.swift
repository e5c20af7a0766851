/// A list of words to find in passwords, at most one typing step away: one character changed, missing, or put in between.
///
/// The words are kept as a tree of their bytes, so that the time to search does not grow with the length of the list.
struct PasswordTerms: Sendable {
    /// Shorter words are in too many good passwords.
    static let shortest = 4
    /// Shorter words are found in their exact spelling only: most short words are one step from another one.
    static let shortestWithEdit = 6

    private struct Node {
        var byte: UInt8
        var isTerm = false
        /// Indexes into the nodes; 0, the root, stands for none.
        var firstChild = 0
        var nextSibling = 0
    }

    private var nodes = [Node(byte: 0)]

    /// - Parameter terms: In normal form (``PasswordPolicy/normalized(_:)``); those under ``shortest`` are left out.
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

    /// The least number of points that `text` can be counted as: one for each part that is a term of `lists`, one for every
    /// other character (`SEC-PWD-3`). Counting stops at `limit`, so that a long text costs no more than a short one.
    static func points(of text: [UInt8], lists: [PasswordTerms], limit: Int) -> Int {
        // The fewest points for the characters before each position: at worst, all of them count.
        var fewest = Array(0...text.count)
        for start in text.indices {
            let next = fewest[start] + 1
            fewest[start + 1] = min(fewest[start + 1], next)
            // A part that begins here and does not reach the end could not bring the whole under the limit.
            if next >= limit { continue }
            for list in lists {
                list.walk(from: 0, at: start, depth: 0, isEdited: false, in: text) { end in
                    fewest[end] = min(fewest[end], next)
                }
            }
        }
        return min(fewest[text.count], limit)
    }

    /// Calls `found` with the end of each part that begins where the walk did.
    ///
    /// A character put in at either edge of a term is not part of it: it counts as a character of its own.
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
