import IdentityEngine
import NativeAuth
import NativeAuthCore
import PortableFoundation

// Access tokens, sign-outs, and the content of the token caches.
extension World {
    func token(_ device: Device, _ chance: inout Chance) async -> String {
        let client = device.client
        let accounts = client.accounts()
        guard !accounts.isEmpty else { return "nobody" }
        let account = chance.pick(accounts)
        let isForced = chance.percent(55)
        let callers = chance.percent(70) ? 1 : 2 + chance.below(5)
        // The app's other process may need one, too.
        let other = callers > 1 && chance.percent(50) ? twin(of: device)?.client : nil
        network.isPatient = callers > 1
        let calls = (0..<callers).map { number in
            let caller = number % 2 == 1 ? other ?? client : client
            return Task { () async -> Result<AccessToken, NativeAuthError> in
                do throws(NativeAuthError) {
                    return .success(try await caller.accessToken(for: account, forceRefresh: isForced))
                } catch {
                    return .failure(error)
                }
            }
        }
        network.cancel = { calls[0].cancel() }
        var results: [Result<AccessToken, NativeAuthError>] = []
        for call in calls { results.append(await call.value) }
        network.cancel = nil
        network.isPatient = false
        await network.settle()
        judgeTokens(results, of: device, sharedWith: other != nil, isForced: isForced)
        return results.map { result in
            switch result {
            case .success: "token"
            case .failure(let error): Self.name(error)
            }
        }.joined(separator: " ")
    }

    /// SDK-REF-1.
    private func judgeTokens(
        _ results: [Result<AccessToken, NativeAuthError>], of device: Device, sharedWith isShared: Bool, isForced: Bool
    ) {
        let sent = network.log.filter { $0.endpoint.hasSuffix("/token") && $0.device == device.number }
        // A lost answer, and 503, are repeated once with the same refresh token.
        let distinct = Set(sent.map(\.request.body)).count
        demand(distinct <= 1, "SDK-REF-1", "\(distinct) renewals for \(results.count) callers")
        demand(sent.count <= 2, "SDK-REF-1", "\(sent.count) requests for one renewal")
        var told: Set<String> = []
        for result in results {
            switch result {
            case .success(let token):
                told.insert(token.value)
                demand(
                    token.expiresOn.timeIntervalSince(clock.now) > 300, "SDK-TIME-1", "a token that is about to end")
            case .failure(let error):
                let isHeard = network.log.contains { $0.isHeard && $0.served?.isProgress == false }
                switch error {
                case .expired:
                    demand(
                        isHeard || device.known.values.contains { $0?.hasEnded == true }, "SDK-REF-1",
                        "a session ended without the server's word")
                case .signInRequired:
                    demand(false, "SDK-REF-1", "a session is gone")
                case _:
                    break
                }
            }
        }
        if isForced, !isShared { demand(told.count <= 1, "SDK-REF-1", "waiters got \(told.count) different tokens") }
    }

    func twin(of device: Device) -> Device? {
        devices.first { $0.number != device.number && $0.cache === device.cache }
    }

    func signOut(_ device: Device, _ chance: inout Chance) async -> String {
        let client = device.client
        let accounts = client.accounts()
        guard !accounts.isEmpty else { return "nobody" }
        let account: Account? = chance.percent(80) ? chance.pick(accounts) : nil
        let gone = account.map { [$0.homeAccountID] } ?? accounts.map(\.homeAccountID)
        var said = "signed out"
        if chance.percent(50) {
            if let account { client.signOut(account) } else { client.signOut() }
        } else {
            do throws(SignOutError) {
                let revocation =
                    if let account { try await client.signOutAndRevoke(account) } else {
                        try await client.signOutAndRevoke()
                    }
                said = "\(revocation)"
            } catch {
                switch error {
                case .stillSignedIn: said = "stillSignedIn"
                case .notRevoked: said = "notRevoked"
                }
            }
        }
        await network.settle()
        for home in gone {
            demand(device.cache.sessions()[home] == nil, "SDK-STO-5", "a session is there after the sign-out")
            device.known[home] = nil
            twin(of: device)?.known[home] = nil
        }
        return said
    }

    /// A sign-out, with or without another sign-in, between the server's answer to a refresh and its way back: a late
    /// result is dropped (`SDK-STO-4`).
    func race(_ device: Device, _ chance: inout Chance) async -> String {
        let client = device.client
        guard let account = client.accounts().first else { return "nobody" }
        let home = account.homeAccountID
        network.begin(seed: 0, storm: 0)
        let password = ledger.people.values.first { $0.email == Self.lowercased(account.username) }?.password
        let other = (chance.percent(50) ? twin(of: device)?.client : nil) ?? client
        let signsIn = chance.percent(60)
        let renewed: Locked<SharedCache.Kept?> = Locked(nil)
        let cache = device.cache
        network.onReply = {
            other.signOut(account)
            guard signsIn, let password else { return }
            do throws(NativeAuthError) {
                _ = try await other.startSignIn(username: account.username, password: password)
            } catch {
                // Disabled, locked, or without a required second factor: then no user is signed in.
            }
            renewed.withLock { $0 = cache.sessions()[home] ?? nil }
        }
        var said = "token"
        do throws(NativeAuthError) {
            _ = try await client.accessToken(for: account, forceRefresh: true)
        } catch {
            said = Self.name(error)
        }
        let hasRaced = network.onReply == nil
        network.onReply = nil
        await network.settle()
        if hasRaced {
            let wanted = renewed.withLock(\.self)
            let kept = device.cache.sessions()[home] ?? nil
            demand(kept?.signIn == wanted?.signIn, "SDK-STO-4", "a late answer brought a session back")
            demand(
                kept?.refreshToken == wanted?.refreshToken, "SDK-STO-4", "a late answer took a newer session's place")
            device.known[home] = kept
            twin(of: device)?.known[home] = kept
            if kept == nil {
                device.known[home] = nil
                twin(of: device)?.known[home] = nil
            }
        }
        return "\(said)\(hasRaced ? " raced" : "")\(renewed.withLock(\.self) == nil ? "" : " signed in")"
    }

    /// Compares the token caches with their earlier content: every change must have a cause that the network saw.
    func checkCaches(after action: Action) {
        let active = Set(network.log.map(\.device))
        for device in devices where active.contains(device.number) { checkCache(of: device, action) }
    }

    private func checkCache(of device: Device, _ action: Action) {
        let now = device.cache.sessions()
        let heard = network.log.filter(\.isHeard)
        for (home, kept) in now {
            guard let kept else {
                demand(false, "SDK-STO-3", "a session cannot be read")
                continue
            }
            let old = device.known[home] ?? nil
            if let token = kept.refreshToken, token != old?.refreshToken {
                let isTold = heard.contains { $0.served?.body?.refreshToken == token }
                demand(isTold || action == .race, "SDK-STO-4", "a refresh token that no client was given")
                device.oldTokens.append(token)
                if device.oldTokens.count > 8 { device.oldTokens.removeFirst() }
            }
            if kept.hasEnded, old?.hasEnded == false, old?.signIn == kept.signIn {
                let isTold = heard.contains { $0.served?.body?.error == "invalid_grant" }
                demand(isTold || action == .race, "SDK-REF-1", "a session ended without the server's word")
            }
            judgeLiveness(kept)
        }
        for home in device.known.keys where now[home] == nil {
            demand(false, "SDK-STO-4", "a session is gone without a sign-out")
        }
        device.known = now
        twin(of: device)?.known = now
    }

    /// The stored refresh token is the live one, unless a fault came in between, or the server has ended the session
    /// (I6, I13).
    private func judgeLiveness(_ kept: SharedCache.Kept) {
        guard let token = kept.refreshToken, let bytes = Base64URL.decode(token), let id = UUID(bytes: bytes.prefix(16))
        else { return }
        guard let family = ledger.families[id.hex], !family.isRevoked, !ledger.disturbed.contains(id.hex) else {
            return
        }
        let digest = Vault.fingerprint([Data(token.utf8)]).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }
        demand(family.digest == digest.joined(), "I6", "an honest client holds a token that is not the live one")
    }

    func steal(_ device: Device, _ chance: inout Chance) async -> String {
        guard !device.oldTokens.isEmpty, let url = URL(string: "https://identity.test/contoso/oauth2/v2.0/token") else {
            return "nothing to steal"
        }
        let token = chance.pick(device.oldTokens)
        let body =
            "client_id=\(device.clientID)&grant_type=refresh_token&refresh_token=\(token)&scope=openid+offline_access"
        let request = TransportRequest(
            method: "POST", url: url, headers: ["content-type": "application/x-www-form-urlencoded"],
            body: Data(body.utf8))
        disturb(request)
        return Served(await deliver(request)).summary
    }
}
