import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import PortableFoundation

/// The mails: the issued codes, and the content of people's mailboxes.
struct Post: Sendable {
    /// A code in the outbox, delivered or not.
    struct Issued: Hashable, Sendable {
        var code: String
        var recipient: String
        var at: Date
    }

    /// The mailbox of a slow lane, and the purpose of its codes.
    struct Lane: Hashable, Sendable {
        var purpose: MailContent.Purpose
        var mailbox: Data
    }

    /// The codes of flows, oldest first.
    var issued: [UUID: [Issued]] = [:]
    /// The shared codes of slow lanes that no flow has used: every flow for the mailbox may use one (design record 0013).
    var shared: [Lane: [Issued]] = [:]
    /// The codes that arrived, by flow, oldest first.
    var inbox: [UUID: [String]] = [:]
}

extension World {
    /// Reads the mails that flows have added to the outbox.
    func readOutbox() {
        for effect in stores.takeCommitted() {
            guard case .enqueueMail(let mail) = effect, let flow = mail.flow else { continue }
            do {
                let content = try mail.content(using: vault)
                guard let code = content.code else { continue }
                let issued = Post.Issued(code: code, recipient: content.recipient, at: content.sentAt)
                if code.utf8.count == EngineSettings.sharedCodeDigits {
                    guard let mailbox = EmailAddress(content.recipient)?.key.bytes else { continue }
                    post.shared[Post.Lane(purpose: content.purpose, mailbox: mailbox), default: []].append(issued)
                } else {
                    post.issued[flow, default: []].append(issued)
                }
            } catch {
                demand(false, "I7", "a mail cannot be read: \(error)")
            }
        }
    }

    /// Runs the mail worker once.
    ///
    /// - Parameter mishaps: Whether mails can be lost, duplicated or refused, and the worker can die.
    func runMail(_ chance: inout Chance, mishaps: Bool) async throws {
        let now = clock.now
        for leased in try await store.leaseMails(limit: 50, now: now, until: now.addingTimeInterval(60)) {
            let content = try leased.mail.content(using: vault)
            func arrive() {
                if let flow = leased.mail.flow, let code = content.code { post.inbox[flow, default: []].append(code) }
            }
            switch mishaps ? chance.weighed([0: 60, 1: 10, 2: 10, 3: 10, 4: 10]) : 0 {
            case 1:
                // The worker dies: the lease ends in a minute, and another one sends it.
                continue
            case 2:
                // It dies after the mail server accepted the mail: the mail is sent again.
                arrive()
            case 3:
                // Lost on the way.
                try await store.markSent([leased], now: now)
            case 4:
                let event = AuditEvent(.mailFailed, at: now, tenant: tenant)
                try await store.markFailed(leased, now: now, event: event, refusedBy: nil)
            case _:
                arrive()
                try await store.markSent([leased], now: now)
            }
        }
    }
}
