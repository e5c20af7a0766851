import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// A subscriber of a tenant document, with its line (docs/operate/hooks.md).
struct ReadSubscriber {
    let subscriber: Subscriber
    private let members: YAMLMembers

    /// Reads the members besides the name. A faulty value is replaced by a placeholder that is never used.
    init(displayName: String, _ members: YAMLMembers, ids: Set<ClientID>) {
        self.members = members
        let receiver = ReadReceiver(members, clients: ids)
        let events: [Subscriber.Event]? = members.choices("events")
        members.end()
        subscriber = Subscriber(
            id: receiver.id, displayName: displayName, url: receiver.url, audience: receiver.audience,
            events: Set(events ?? Subscriber.Event.allCases))
    }

    /// Says which subscribers clash.
    static func check(_ subscribers: [ReadSubscriber]) {
        for (index, read) in subscribers.enumerated() {
            if index == Subscriber.maximumCount {
                read.members.add("a tenant has at most \(Subscriber.maximumCount) subscribers.", at: "id")
            }
            if subscribers.prefix(index).contains(where: { $0.subscriber.id == read.subscriber.id }) {
                read.members.add("two subscribers of the tenant have the id \(read.subscriber.id.text).", at: "id")
            }
        }
    }

    /// Adds warnings about settings that suit only a development server.
    func advise(_ advice: YAMLFaults) {
        ReadReceiver.advise(advice, subscriber.url, of: subscriber.displayName, line: members.line(of: "url"))
    }
}
