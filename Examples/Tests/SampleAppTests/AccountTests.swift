import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

private let newAddress = "dana@new.example"
private let newPassword = "Mill-Bridge-17"

@Suite(
    "The account screen",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.users = [.init(dana, password: password, attributes: ["displayName": "Dana", "city": "Ribe"], sessions: 2)]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct AccountTests {
    let device: Device

    init() throws {
        device = try Device()
    }

    /// The screen of a user who has signed in a moment ago.
    private func open() async throws -> AccountModel {
        let signIn = device.signIn()
        signIn.password = password
        await signIn.start()
        let model = AccountModel(try #require(device.client.currentAccount()))
        await model.load()
        return model
    }

    /// Runs `change` while `answers` are given, one to each question that appears.
    private func answering(
        _ model: AccountModel, _ answers: [() async throws -> Questions.Answer],
        during change: @escaping @MainActor () async -> Void
    ) async throws {
        let task = Task { await change() }
        for answer in answers {
            try await until { model.questions.question != nil }
            model.questions.answer(try await answer())
        }
        await task.value
        #expect(model.questions.question == nil)
    }

    private var givesPassword: () async throws -> Questions.Answer { { .text(password) } }

    private func code(_ address: String) -> () async throws -> Questions.Answer {
        { .text(try await device.code(for: address)) }
    }

    @Test("The profile, the methods and the devices show")
    func shows() async throws {
        let model = try await open()
        #expect(model.displayName == "Dana" && model.city == "Ribe" && model.profile?.email == dana)
        #expect(model.methods.map(\.kind) == [.password])
        #expect(model.sessions.count == 3 && model.sessions.count { $0.isCurrent } == 1)
        #expect(model.deletionDueAt == nil && model.notice == nil)
    }

    @Test("The profile is changed, and what is empty is removed")
    func profile() async throws {
        let model = try await open()
        model.displayName = "Dana Holm"
        model.city = ""
        await model.save()
        #expect(model.notice == .saved)
        let stored = try #require(try await device.tenant.storedUser(dana))
        #expect(stored.attributes == ["displayName": "Dana Holm"])
    }

    @Test("A change of another device is not overwritten")
    func changedMeanwhile() async throws {
        let model = try await open()
        let other = try await open()
        other.city = "Aarhus"
        await other.save()
        model.city = "Odense"
        await model.save()
        #expect(model.notice == Notice("Another device has changed your account. Please look again."))
        await model.load()
        #expect(model.city == "Aarhus")
    }

    @Test("A name that is too long is refused")
    func refused() async throws {
        let model = try await open()
        model.displayName = String(repeating: "x", count: 2_000)
        await model.save()
        #expect(model.notice == Notice("Name is not accepted."))
    }

    @Test("The password is changed")
    func changesPassword() async throws {
        let model = try await open()
        model.currentPassword = "wrong"
        model.newPassword = newPassword
        await model.changePassword()
        #expect(model.notice == Notice("The current password is wrong.", .resetPassword))
        model.currentPassword = password
        model.newPassword = "short"
        await model.changePassword()
        #expect(model.notice == Notice("The password is too short."))
        model.newPassword = newPassword
        await model.changePassword()
        #expect(model.notice == .passwordIsChanged)
        #expect(model.newPassword.isEmpty && model.sessions.count == 1, "the other devices are signed out")
    }

    @Test("The address is changed when both mailboxes are proven")
    func changesEmail() async throws {
        let model = try await open()
        model.email = newAddress
        try await answering(model, [code(dana), { .text("00000000") }, code(newAddress)]) {
            await model.changeEmail()
        }
        #expect(model.notice == .emailIsChanged)
        #expect(model.profile?.email == newAddress)
        #expect(try await device.tenant.storedUser(newAddress) != nil)
    }

    @Test("The user may leave a question; nothing changes")
    func leaves() async throws {
        let model = try await open()
        model.email = newAddress
        let task = Task { await model.changeEmail() }
        try await until { model.questions.question != nil }
        model.questions.leave()
        await task.value
        #expect(model.notice == nil && model.profile?.email == dana && !model.isWorking)
    }

    @Test("An address is added as a second factor, and removed")
    func methods() async throws {
        let model = try await open()
        model.email = newAddress
        try await answering(model, [code(newAddress)]) { await model.addMethod() }
        #expect(model.notice == .saved)
        let method = try #require(model.methods.first { $0.kind == .email })
        // From now on a proof needs the second factor, too.
        try await answering(model, [givesPassword, code(newAddress)]) { await model.remove(method) }
        #expect(model.methods.map(\.kind) == [.password])
    }

    @Test("Another device is signed out, and then all")
    func endsSessions() async throws {
        let model = try await open()
        let other = try #require(model.sessions.first { !$0.isCurrent })
        await model.end(other)
        #expect(model.sessions.count == 2 && !model.sessions.contains(other))
        await model.end(other)
        #expect(model.notice == Notice("It is gone already."))
        await model.endOtherSessions()
        #expect(model.sessions.map(\.isCurrent) == [true])
    }

    @Test("The user gets a copy")
    func copies() async throws {
        let copy = try #require(await open().copyOfMyData())
        #expect(String(decoding: copy, as: UTF8.self).contains("Ribe"))
    }

    @Test("A deletion asks a second time")
    func secondLook() async throws {
        let model = try await open()
        await model.delete()
        #expect(!model.isDeleted, "nothing was asked")
        model.askToDelete()
        model.doNotDelete()
        await model.delete()
        #expect(!model.isDeleted)
        model.askToDelete()
        #expect(model.isDeletionInQuestion)
        await model.delete()
        #expect(model.isDeleted && model.notice == .accountDeleted)
        #expect(try await device.tenant.storedUser(dana) == nil)
        #expect(device.client.currentAccount() == nil)
    }

    @Test("A deletion long after the sign-in asks for the password")
    func proof() async throws {
        let model = try await open()
        device.tenant.clock.advance(by: .seconds(700))
        model.askToDelete()
        try await answering(model, [{ .text("wrong") }, givesPassword]) { await model.delete() }
        #expect(model.isDeleted)
        #expect(try await device.tenant.storedUser(dana) == nil)
    }

    @Test("Without the proof nothing is deleted")
    func noProof() async throws {
        let model = try await open()
        device.tenant.clock.advance(by: .seconds(700))
        model.askToDelete()
        let task = Task { await model.delete() }
        try await until { model.questions.question != nil }
        model.questions.leave()
        await task.value
        #expect(!model.isDeleted && model.notice == nil)
        #expect(try await device.tenant.storedUser(dana) != nil)
    }

    @Test("Without a connection the user is told")
    func offline() async throws {
        let model = try await open()
        await device.tenant.faults.during(.offline) { await model.save() }
        #expect(model.notice == Notice("There is no connection. Please try again."))
    }
}

@Suite(
    "The account screen, with days to change one's mind",
    .nativeAuthTenant {
        $0.users = [.init(dana)]
        $0.deletionGraceDays = 14
    },
    .timeLimit(.minutes(1)))
@MainActor
struct DeletionGraceTests {
    @Test("A user who signs in before the day keeps the account")
    func keeps() async throws {
        let device = try Device()
        let model = try await openByCode(on: device)
        model.askToDelete()
        await model.delete()
        let due = device.tenant.clock.now.addingTimeInterval(14 * 86_400)
        #expect(model.isDeleted && model.notice == .accountWillBeDeleted(on: due))
        #expect(device.client.currentAccount() == nil)
        device.tenant.clock.advance(by: .seconds(86_400))
        let again = try await openByCode(on: device)
        #expect(again.deletionDueAt == due)
        await again.keep()
        #expect(again.notice == .accountKept && again.deletionDueAt == nil)
    }
}

@Suite(
    "The account screen of a user without a password",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.users = [.init(dana)]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct FirstPasswordTests {
    @Test("The user chooses a first password")
    func chooses() async throws {
        let model = try await openByCode(on: Device())
        #expect(model.methods.isEmpty && !model.hasPassword)
        model.newPassword = newPassword
        await model.changePassword()
        #expect(model.notice == .passwordIsChanged)
        #expect(model.methods.map(\.kind) == [.password] && model.hasPassword)
    }
}

/// The screen of a user who has signed in with a code a moment ago.
@MainActor
private func openByCode(on device: Device) async throws -> AccountModel {
    let signIn = device.signIn()
    await signIn.start()
    signIn.code = try await device.code()
    await signIn.submitCode()
    let model = AccountModel(try #require(device.client.currentAccount()))
    await model.load()
    return model
}
