import IdentityEngine
import IdentityTokens
import NativeAuth
import NativeAuthCore
import PortableFoundation

extension World {
    /// Runs a step, and returns its result for the digest of the history.
    func act(_ step: Step) async throws -> String {
        var chance = Chance(seed: step.seed)
        let device = actor(of: step)
        switch step.action {
        case .begin: return try await begin(device, &chance)
        case .proceed: return try await proceed(device, &chance, isOld: false)
        case .reuse: return try await proceed(device, &chance, isOld: true)
        case .again: return await again(device, &chance)
        case .token: return await token(device, &chance)
        case .signOut: return await signOut(device, &chance)
        case .race: return await race(device, &chance)
        case .relaunch:
            device.relaunch()
            return "relaunched"
        case .thief: return await steal(device, &chance)
        case .late: return await network.deliverLate(&chance)
        case .mail:
            try await runMail(&chance, mishaps: !step.isCalm)
            return "mail"
        case .wait: return try await pass(&chance)
        case .operate: return try await operate(&chance)
        case .restart:
            restart()
            return "restarted"
        case .probe: return await probe(&chance)
        }
    }

    /// The installation that acts: the step's, or the next one that can act.
    func actor(of step: Step) -> Device {
        let order = devices.indices.map { devices[(step.device + $0) % devices.count] }
        let able =
            switch step.action {
            case .proceed, .reuse, .again: order.first { !$0.journeys.isEmpty }
            case .token, .signOut, .race: order.first { !$0.known.isEmpty }
            case .thief: order.first { !$0.oldTokens.isEmpty }
            case .begin, .relaunch, .late, .mail, .wait, .operate, .restart, .probe: order.first
            }
        return able ?? order[0]
    }

    // MARK: The world around

    private func pass(_ chance: inout Chance) async throws -> String {
        let seconds =
            switch chance.weighed([0: 50, 1: 24, 2: 14, 3: 8, 4: 3, 5: 1]) {
            case 0: 1 + chance.below(25)
            case 1: 30 + chance.below(60)
            case 2: 120 + chance.below(700)
            case 3: 1_800 + chance.below(7_200)
            case 4: 43_200 + chance.below(3 * 86_400)
            case _: 10 * 86_400 + chance.below(90 * 86_400)
            }
        clock.advance(by: Double(seconds))
        let isDue = clock.now.timeIntervalSince(ledger.lastCleaning) > 3_500
        if isDue || chance.percent(30) { try await clean() }
        return "\(seconds) s"
    }

    private func operate(_ chance: inout Chance) async throws -> String {
        let now = clock.now
        ledger.hasChangedKeys = true
        switch chance.weighed([0: 30, 1: 40, 2: 15, 3: 5, 4: 5, 5: 5]) {
        case 3:
            try await keys.rotateNow(for: tenant, now: now)
            return "rotated"
        case 4:
            try await keys.announceRotation(for: tenant, now: now)
            return "announced"
        case 5:
            let signer = try await keys.status(for: tenant, now: now).first { $0.state == .signing }
            guard let signer else { return "no key" }
            return "revoked \(try await keys.revoke(signer.kid, for: tenant, now: now))"
        case let what:
            let isDisabled = what == 1
            let candidates = ledger.people.filter { what == 2 || $0.value.isDisabled == isDisabled }.keys.sorted()
            guard !candidates.isEmpty else { return "nobody" }
            let hexadecimal = chance.pick(candidates)
            guard let user = UserID(hexadecimal: hexadecimal) else { return "nobody" }
            if what == 2 {
                let event = AuditEvent(.methodsForgotten, at: now, tenant: tenant, user: user)
                let isKnown = try await stores.forgetStrongMethods(
                    of: user, in: tenant, at: now, event: event, mails: [])
                return "forgot \(isKnown)"
            }
            let event = AuditEvent(isDisabled ? .accountEnabled : .accountDisabled, at: now, tenant: tenant, user: user)
            return "switched \(try await stores.setDisabled(isDisabled ? nil : now, user, in: tenant, event: event))"
        }
    }

    /// Signs in for real, on a separate device and without faults (I5).
    func probe(_ chance: inout Chance) async -> String {
        await check(isFull: false)
        let people = ledger.people.filter { $0.value.password != nil && !$0.value.isDisabled }
        guard let id = people.keys.sorted().randomElement(using: &chance), let person = people[id],
            let password = person.password
        else { return "nobody" }
        return await probe(person, password)
    }

    func probe(_ person: Ledger.Person, _ password: String) async -> String {
        network.begin(seed: 0, storm: 0)
        do {
            let device = try Device(
                1, clientID: devices[1].clientID, cache: SharedCache(), clock: clock, network: network)
            var said = ""
            for earlier in Set(person.earlierPasswords).subtracting([password]).sorted() {
                said += try await signIn(device, person.email, earlier) ? "yes " : "no "
                demand(said.hasSuffix("no "), "I5", "an earlier password works")
            }
            let isIn = try await signIn(device, person.email, password)
            demand(isIn || profile.hasLimits, "I5", "the password does not work")
            return said + (isIn ? "in" : "limited")
        } catch {
            demand(false, "simulation", "a probe failed: \(error)")
            return "failed"
        }
    }

    private func signIn(_ device: Device, _ username: String, _ password: String) async throws -> Bool {
        do throws(NativeAuthError) {
            guard case .next(.completed) = try await device.client.startSignIn(username: username, password: password)
            else {
                return false
            }
            return true
        } catch {
            return false
        }
    }
}

extension UserID {
    /// As the database prints it.
    fileprivate init?(hexadecimal text: String) {
        var text = text
        guard text.count == 32 else { return nil }
        for offset in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }
}
