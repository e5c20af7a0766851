package import NativeAuthCore
package import PortableFoundation

// Authorization requests that applications push (RFC 9126; design record 0035).
extension Engine {
    /// Seconds.
    package static let pushedLifetime = 60
    /// The requests of an application that wait at one time: a stranger who knows one application stops no other.
    package static let mostPushedRequests = 20_000
    private static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Whether a `request_uri` is of the form that this server gives.
    package static func isPushed(_ reference: String) -> Bool {
        reference.utf8.starts(with: pushedPrefix.utf8)
    }

    /// Keeps the parameters of a request that was checked.
    ///
    /// - Returns: The `request_uri`; nil when too many requests of the application wait.
    package func push(
        _ parameters: Data, of client: ClientID, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> String? {
        let reference = Self.pushedPrefix + Base64URL.encode(ports.randomness.bytes(32))
        let content: Data
        do {
            content = try vault.seal(
                parameters, underSecret: Data(reference.utf8), context: Self.pushedContext(client, tenant))
        } catch {
            throw .broken("a request could not be sealed")
        }
        let request = PushedRequest(
            tenant: tenant.id, digest: Self.digest(ofPushed: reference), client: client, content: content,
            until: now.addingTimeInterval(Double(Self.pushedLifetime)))
        do {
            let isKept = try await ports.browsers.push(request, most: Self.mostPushedRequests, now: now)
            return isKept ? reference : nil
        } catch {
            throw .store(error)
        }
    }

    /// The parameters of a request, for the first who asks for them.
    ///
    /// - Returns: Nil for a reference that is unknown, used, too old, or of another application.
    package func takePushed(
        _ reference: String, of client: ClientID, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> Data? {
        guard reference.utf8.count == Self.pushedPrefix.utf8.count + 43 else { return nil }
        let found: PushedRequest?
        do {
            found = try await ports.browsers.takePushedRequest(
                Self.digest(ofPushed: reference), of: client, in: tenant.id)
        } catch {
            throw .store(error)
        }
        guard let found, now < found.until else { return nil }
        do {
            return try vault.open(
                found.content, underSecret: Data(reference.utf8), context: Self.pushedContext(client, tenant))
        } catch {
            return nil
        }
    }

    private static func pushedContext(_ client: ClientID, _ tenant: Tenant) -> [Data] {
        [Data("pushed".utf8), Data(tenant.id.description.utf8), Data(client.description.utf8)]
    }

    private static func digest(ofPushed reference: String) -> Data {
        Vault.fingerprint([Data("pushed request".utf8), Data(reference.utf8)])
    }
}
