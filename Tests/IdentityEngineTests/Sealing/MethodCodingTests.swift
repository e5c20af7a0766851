import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityEngine

/// A method in the state of a flow, between nodes of this version and of the one before, which knew mailboxes only.
@Suite("Methods in states")
struct MethodCodingTests {
    /// The type of the version before.
    private struct Earlier: Codable, Hashable {
        var id: UUID
        var email: EmailAddress
        var provenAt: Date
        var enrolment: Enrolment
        var suspendedAt: Date?
        var firstUsedAt: Date?
        var lastUsedAt: Date?
        var name: String?
    }

    private let id = SignInStateTests.user.uuid
    private let now = SignInStateTests.now

    @Test("A mailbox has the same bytes as before, and each version reads those of the other")
    func mailboxes() throws {
        for (date, name) in [(nil, nil), (now, "Work")] as [(Date?, String?)] {
            let enrolment = Enrolment(.twoFactors, authenticatedAt: date, client: SignInStateTests.client)
            let method = StrongMethod(
                id: id, email: SignInStateTests.email, provenAt: now, enrolment: enrolment, suspendedAt: date,
                firstUsedAt: date, lastUsedAt: date, name: name)
            let earlier = Earlier(
                id: id, email: SignInStateTests.email, provenAt: now, enrolment: enrolment, suspendedAt: date,
                firstUsedAt: date, lastUsedAt: date, name: name)
            let (new, old) = (try StateCoding.encode(method), try StateCoding.encode(earlier))
            #expect(new == old)
            let read: StrongMethod? = StateCoding.decode(old)
            let readBefore: Earlier? = StateCoding.decode(new)
            #expect(read == method && readBefore == earlier)
        }
    }

    @Test("A method of another kind reads back, and is nothing to the version before: its flow begins anew")
    func otherKinds() throws {
        let method = StrongMethod(id: id, kind: .unknown("palm"), provenAt: now)
        let bytes = try StateCoding.encode(method)
        let read: StrongMethod? = StateCoding.decode(bytes)
        #expect(read == method)
        let earlier: Earlier? = StateCoding.decode(bytes)
        #expect(earlier == nil)
    }
}
