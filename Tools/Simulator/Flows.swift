import IdentityEngine
import NativeAuth
import NativeAuthCore
import PortableFoundation

// The users' actions in flows, and the SDK's allowed results.
extension World {
    func begin(_ device: Device, _ chance: inout Chance) async throws -> String {
        let client = device.client
        var username = chance.pick(Words.addresses)
        if chance.percent(8) { username = chance.pick(Words.spellings) }
        if chance.percent(4) { username = chance.pick(Words.strangers) }
        let person = ledger.people.values.first { $0.email == Self.lowercased(username) }
        let kind = person == nil ? chance.weighed([0: 85, 1: 8, 2: 7]) : chance.weighed([0: 12, 1: 65, 2: 23])
        if kind > 0, let alias = person?.alias, chance.percent(25) { username = alias }
        let journey = Journey(username: username)
        var password: String?
        var attributes: [String: AttributeValue] = [:]
        switch kind {
        case 0:
            let wantsPassword = ![0, 3].contains(device.number)
            if chance.percent(wantsPassword ? 60 : 3) {
                password = chance.pick(chance.percent(90) ? Words.passwords : Words.weakPasswords)
            }
            if chance.percent(40) { attributes = pickAttributes(&chance) }
        case 1:
            if chance.percent(60) { password = guess(person, &chance) }
        case _:
            break
        }
        journey.password = password
        let (name, givenPassword, givenAttributes) = (username, password, attributes)
        return await attempt(device, journey, nil, nil) { () async throws(NativeAuthError) -> Station? in
            switch kind {
            case 0:
                .signUpCode(
                    try await client.startSignUp(
                        username: name, password: givenPassword, attributes: givenAttributes))
            case 1: Station(try await client.startSignIn(username: name, password: givenPassword))
            case _: .resetCode(try await client.startResetPassword(username: name))
            }
        }
    }

    func proceed(_ device: Device, _ chance: inout Chance, isOld: Bool) async throws -> String {
        guard !device.journeys.isEmpty else { return "no flow" }
        // Mostly the newest.
        let journey = device.journeys[
            chance.percent(70) ? device.journeys.count - 1 : chance.below(device.journeys.count)]
        let index = isOld ? chance.below(journey.places.count) : journey.places.count - 1
        let station = journey.places[index].station
        guard let input = try await input(for: station, journey, &chance) else { return "nothing to do" }
        journey.places[index].lastInput = input
        if chance.percent(3) { return await tapTwice(device, journey, index, input) }
        return await attempt(device, journey, index, input) { () async throws(NativeAuthError) -> Station? in
            try await station.take(input)
        }
    }

    func again(_ device: Device, _ chance: inout Chance) async -> String {
        guard let journey = device.journeys.last else { return "no flow" }
        let open = journey.places.indices.filter { journey.places[$0].lastInput != nil }
        guard !open.isEmpty else { return "nothing to repeat" }
        let index = chance.percent(70) ? open[open.count - 1] : chance.pick(open)
        let station = journey.places[index].station
        guard let input = journey.places[index].lastInput else { return "nothing to repeat" }
        return await attempt(device, journey, index, input) { () async throws(NativeAuthError) -> Station? in
            try await station.take(input)
        }
    }

    private func input(for station: Station, _ journey: Journey, _ chance: inout Chance) async throws -> Input? {
        if station.wantsCode {
            if chance.percent(10) { return .send(contact: chance.pick(Words.contacts)) }
            // Users look into their mailbox; the worker has usually run.
            if chance.percent(92) { try await runMail(&chance, mishaps: false) }
            let arrived = journey.flow.flatMap { post.inbox[$0] } ?? []
            switch chance.weighed([0: 76, 1: 14, 2: 7, 3: 3]) {
            case 0:
                return arrived.last.map { .code($0) } ?? .send(contact: chance.pick(Words.contacts))
            case 1:
                return .code(String(10_000_000 + chance.below(90_000_000)))
            case 2:
                return .code(chance.pick(arrived + ["00000000"]))
            case _:
                let others = post.inbox.values.flatMap(\.self).sorted()
                return .code(chance.pick(others + ["abc"]))
            }
        }
        switch station {
        case .signUpPassword, .newPassword:
            let password = chance.pick(chance.percent(80) ? Words.passwords : Words.weakPasswords)
            return .password(password)
        case .signInPassword:
            let name = Self.lowercased(journey.username)
            let person = ledger.people.values.first {
                $0.email == name || $0.alias.map(Self.lowercased) == name
            }
            return .password(guess(person, &chance))
        case .signUpAttributes: return .attributes(pickAttributes(&chance))
        case .signUpDone, .resetDone: return .signIn
        case .methods: return .send(contact: "")
        case .contacts:
            let contact = chance.weighed([0: 40, 1: 55, 2: 5])
            return .send(
                contact: contact == 0
                    ? journey.username : contact == 1 ? chance.pick(Words.contacts) : "no contact")
        case .signUpCode, .signInCode, .methodCode, .contactCode, .resetCode, .signedIn: return nil
        }
    }

    private func guess(_ person: Ledger.Person?, _ chance: inout Chance) -> String {
        if let password = person?.password, chance.percent(75) { return password }
        return chance.pick(chance.percent(80) ? Words.passwords : Words.weakPasswords)
    }

    private func pickAttributes(_ chance: inout Chance) -> [String: AttributeValue] {
        var attributes: [String: AttributeValue] = [:]
        if chance.percent(85) { attributes["country"] = .string(chance.pick(["Denmark", "France"])) }
        if chance.percent(85) { attributes["city"] = .string(chance.pick(["Aarhus", "Lyon"])) }
        if chance.percent(40) { attributes["flatusername"] = .string(chance.pick(Words.aliases)) }
        if chance.percent(10) { attributes["favourite"] = "blue" }
        if chance.percent(5) { attributes["flatusername"] = "admin" }
        return attributes
    }

    // MARK: One call of the SDK

    private typealias Called = Result<Station?, NativeAuthError>

    /// Calls the SDK once, and checks its result against the network's record.
    private func attempt(
        _ device: Device, _ journey: Journey, _ index: Int?, _ input: Input?,
        _ body: @escaping @Sendable () async throws(NativeAuthError) -> Station?
    ) async -> String {
        let first = network.log.count
        let kept = device.cache.sessions()
        let call = Task { () async -> Called in
            do throws(NativeAuthError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        network.cancel = { call.cancel() }
        let result = await call.value
        network.cancel = nil
        await network.settle()
        let exchanges = Array(network.log[first...])
        noteFlow(of: journey, exchanges)
        judge(result, journey, index, input, exchanges)
        if case .failure(.cancelled) = result {
            demand(device.cache.sessions() == kept, "SDK-CANCEL-1", "a cancelled step wrote into the token cache")
        }
        switch result {
        case .success(let next?):
            if let index, let input, journey.places[index].station.isSpent(by: input) {
                journey.places[index].isSpent = true
            }
            if index == nil {
                device.journeys.append(journey)
                if device.journeys.count > 4 { device.journeys.removeFirst() }
            }
            ledger.kinds["sdk \(next.name)", default: 0] += 1
            journey.places.append(Journey.Place(station: next))
            return next.name
        case .success(nil):
            return "no such button"
        case .failure(let error):
            return Self.name(error)
        }
    }

    private func noteFlow(of journey: Journey, _ exchanges: [Exchange]) {
        guard journey.flow == nil else { return }
        for exchange in exchanges {
            if let token = exchange.served?.body?.continuationToken,
                let envelope = open(token, client: devices[exchange.device % devices.count].clientID)
            {
                journey.flow = envelope.flow
                return
            }
        }
    }

    nonisolated static func name(_ error: NativeAuthError) -> String {
        let name = String(describing: Mirror(reflecting: error).children.first?.label ?? "error")
        return error.details.canRetry ? "\(name)+" : name
    }

    private func judge(
        _ result: Called, _ journey: Journey, _ index: Int?, _ input: Input?, _ exchanges: [Exchange]
    ) {
        let wasSpent = index.map { journey.places[$0].isSpent } ?? false
        let label = index.map { journey.places[$0].station.name } ?? "start"
        // SDK-RETRY-1: a request that may have had an effect is never repeated automatically.
        var bodies: Set<Data> = []
        for exchange in exchanges where !exchange.endpoint.hasSuffix("poll_completion") {
            let isNew = bodies.insert(Data(exchange.endpoint.utf8) + exchange.request.body).inserted
            demand(isNew, "SDK-RETRY-1", "\(exchange.endpoint) was sent twice")
        }
        switch result {
        case .success(nil):
            break
        case .success:
            demand(!wasSpent || input == nil, "SDK-STATE-1", "\(label) succeeded twice")
            for exchange in exchanges {
                let isTold = exchange.isHeard && exchange.served?.isProgress == true
                // A poll is repeated until it is answered.
                let isRepeated = exchange.endpoint.hasSuffix("poll_completion")
                demand(isTold || isRepeated, "I13", "\(label) succeeded, but \(exchange.summary)")
            }
        case .failure(let error):
            if case .stateAlreadyUsed = error {
                demand(wasSpent, "SDK-STATE-1", "\(label) counts as used and is not")
                demand(exchanges.isEmpty, "SDK-STATE-1", "a used \(label) sent something")
                return
            }
            demand(!wasSpent || isOfSend(input), "SDK-STATE-1", "a used \(label) threw \(Self.name(error))")
            guard let last = exchanges.last else { return }
            judge(error, last, label, input)
        }
    }

    private func isOfSend(_ input: Input?) -> Bool {
        if case .send? = input { true } else { false }
    }

    private func judge(_ error: NativeAuthError, _ last: Exchange, _ label: String, _ input: Input?) {
        let isCancelled = if case .cancelled = error { true } else { false }
        let text = "\(label) threw \(Self.name(error)) after \(last.summary)"
        // It was running when another exchange was cancelled, or was answered correctly.
        if last.isHeard, last.served?.isProgress == true, !isCancelled {
            let isKnown =
                switch error {
                case .browserRequired: last.served?.isRedirect == true
                // No step can follow it.
                case .mfaRequired, .registrationRequired: true
                case _: false
                }
            demand(isKnown, "I13", text)
        }
        // SDK-RETRY-2: what was lost can be tried again.
        switch last.fault {
        case .notSent, .lostRequest, .lostReply, .delayed, .crash, .badGateway:
            switch error {
            case .network, .indeterminate: break
            case _: demand(isCancelled, "SDK-RETRY-2", text)
            }
            demand(error.details.canRetry || input == nil || input == .signIn || isOfSend(input), "SDK-RETRY-2", text)
        case .throttled, .unavailableLater:
            if case .throttled = error { break }
            demand(isCancelled, "SDK-RETRY-3", text)
        case .duplicate, .unavailable, .garbled, .cancelled, .storeRefuses, .storeForgets, .restart, nil:
            break
        }
        if last.isHeard, last.served?.body?.suberror == "invalid_oob_value", !isCancelled {
            demand(error.details.canRetry, "SDK-STATE-2", text)
        }
    }

    /// Two taps on one button at once: one request, and the other tap is refused (`SDK-STATE-1`).
    private func tapTwice(_ device: Device, _ journey: Journey, _ index: Int, _ input: Input) async -> String {
        let station = journey.places[index].station
        let wasSpent = journey.places[index].isSpent
        guard station.isSpent(by: input) else { return "one tap" }
        network.isPatient = true
        let taps = (0..<2).map { _ in
            Task { () async -> Called in
                do throws(NativeAuthError) {
                    return .success(try await station.take(input))
                } catch {
                    return .failure(error)
                }
            }
        }
        var results: [Called] = []
        for tap in taps { results.append(await tap.value) }
        network.isPatient = false
        await network.settle()
        let refused = results.filter {
            if case .failure(.stateAlreadyUsed) = $0 { true } else { false }
        }
        // A fault that is found before anything is sent does not count as a running call.
        if network.log.isEmpty {
            demand(!wasSpent || refused.count == 2, "SDK-STATE-1", "a used step sent nothing and did not say so")
            return "two taps"
        }
        demand(refused.count == 1, "SDK-STATE-1", "two taps, \(refused.count) refused")
        for result in results {
            if case .success(let next?) = result {
                journey.places[index].isSpent = true
                journey.places.append(Journey.Place(station: next))
            }
        }
        return "two taps, \(journey.places.last?.station.name ?? "")"
    }
}
