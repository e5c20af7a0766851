package import PortableFoundation

/// A call of a hook's receiver, as the development page shows it. It contains codes and personal data.
package struct DevelopmentCall: Sendable {
    package var number: Int
    package var at: Date
    package var hook: String
    package var event: String
    package var url: String
    /// One word for the failure; nil for a call that succeeded.
    package var failure: String?
    package var milliseconds: Int
    package var request: String
    /// What the receiver sent; nil when it sent nothing.
    package var answer: String?
    /// Whether the page offers to send the request again.
    package var isRepeatable: Bool

    package init(
        number: Int, at: Date, hook: String, event: String, url: String, failure: String?, milliseconds: Int,
        request: String, answer: String?, isRepeatable: Bool = true
    ) {
        self.number = number
        self.at = at
        self.hook = hook
        self.event = event
        self.url = url
        self.failure = failure
        self.milliseconds = milliseconds
        self.request = request
        self.answer = answer
        self.isRepeatable = isRepeatable
    }
}

/// The last calls of receivers, and a way to make one again.
package struct DevelopmentCalls: Sendable {
    let last: @Sendable () -> [DevelopmentCall]
    let again: @Sendable (_ number: Int) async -> Void

    /// - Parameters:
    ///   - last: The calls, newest first.
    ///   - again: Sends the request of a call once more; nothing changes by the answer.
    package init(
        last: @escaping @Sendable () -> [DevelopmentCall], again: @escaping @Sendable (_ number: Int) async -> Void
    ) {
        self.last = last
        self.again = again
    }
}

// The page of hooks: each call with its request and its answer.
extension DevelopmentPages {
    func hooksPage(_ calls: [DevelopmentCall]) -> String {
        let list = calls.map { call in
            """
            <article class="mail"><h3>\(Self.escaped(call.event)): \(Self.escaped(call.failure ?? "ok"))</h3>
            <p class="meta">\(Self.escaped(call.hook)), <code>\(Self.escaped(call.url))</code>, \(call.at.formatted(.iso8601)), \(call.milliseconds) ms</p>
            <details><summary>Request</summary><pre>\(Self.escaped(call.request))</pre></details>
            <details><summary>Answer</summary><pre>\(Self.escaped(call.answer ?? "none"))</pre></details>
            \(call.isRepeatable ? #"<form method="post" action="/dev/hooks"><button name="call" value="\#(call.number)">Send the request again</button></form>"# : "")</article>
            """
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Hooks</title><style>\(Self.style)
            button{font:inherit;font-size:14.5px;margin-top:8px;padding:4px 12px;border:1px solid var(--line);border-radius:8px;background:var(--tint);color:var(--ink)}</style></head><body><main>
            <header><h1>Hooks</h1><p class="badge">last \(calls.count) calls</p></header>
            <p>Each call of a receiver, newest first. A request that is sent again changes no user. <a href="/dev/hooks">Reload</a>, or go <a href="/">back to the server's home page</a>.</p>
            \(calls.isEmpty ? "<p class=\"empty\">No call yet. A tenant file with hooks, and a sign-up, make one.</p>" : list.joined(separator: "\n"))
            </main></body></html>
            """
    }
}
