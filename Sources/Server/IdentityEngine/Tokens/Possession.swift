package import NativeAuthCore
package import PortableFoundation

/// The proof of possession beside a request (RFC 9449 section 4), as it came.
package struct PresentedProof: Hashable, Sendable {
    /// The values of the header `DPoP`; one is right.
    package var values: [String]
    /// The method of the request.
    package var method: String
    /// The path of the request, as it was sent.
    package var path: String

    package init(values: [String], method: String, path: String) {
        self.values = values
        self.method = method
        self.path = path
    }
}

/// An access token at an endpoint that accepts one.
package struct PresentedToken: Sendable {
    package var token: Secret<String>
    /// With the scheme `DPoP`, the proof; nil with the scheme `Bearer`.
    package var proof: PresentedProof?

    package init(_ token: Secret<String>, proof: PresentedProof? = nil) {
        self.token = token
        self.proof = proof
    }
}

// Proofs of possession (RFC 9449; design record 0037).
extension Engine {
    /// How old a proof may be, in seconds.
    package static let proofAge = 60.0
    /// How far the clock of a client may be ahead, in seconds.
    package static let proofLead = 5.0
    /// The length of a thumbprint, in characters.
    package static let thumbprintLength = 43

    /// Whether a text can be a thumbprint.
    package static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == thumbprintLength && Base64URL.decode(text)?.count == 32
    }

    /// Checks everything of a proof but whether it was used.
    func judge(
        _ presented: PresentedProof, for token: Secret<String>? = nil, now: Date
    ) throws(ProofFault) -> VerifiedProof {
        guard let text = presented.values.first, presented.values.count == 1 else { throw .malformed }
        let proof = try ports.issuer.verifyProof(text)
        guard proof.method == presented.method,
            let target = Self.normalized(proof.target),
            target == Self.normalized(settings.baseURL + presented.path)
        else { throw .wrongTarget }
        try proof.checkTime(now)
        if let token { try proof.checkToken(token) }
        return proof
    }

    /// Checks the proof of a device for a step of a flow (``DeviceSecret/key(_:)``).
    func judgeDevice(_ text: String, for token: Secret<String>, now: Date) throws(ProofFault) -> VerifiedProof {
        let proof = try ports.issuer.verifyProof(text)
        try proof.checkTime(now)
        try proof.checkToken(token)
        return proof
    }

    /// An address without query and fragment, with scheme and host in small letters and without the scheme's own port (RFC 9449
    /// section 4.3, RFC 3986 sections 6.2.2 and 6.2.3). The path is compared byte for byte.
    static func normalized(_ address: String) -> String? {
        let plain = address.prefix { $0 != "?" && $0 != "#" }
        guard let colon = plain.firstIndex(of: ":"), plain[colon...].hasPrefix("://") else { return nil }
        let scheme = plain[..<colon].lowercased()
        let rest = plain[colon...].dropFirst(3)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var host = rest[..<slash].lowercased()
        guard !host.isEmpty else { return nil }
        for (name, port) in [("https", ":443"), ("http", ":80")] where scheme == name && host.hasSuffix(port) {
            host.removeLast(port.count)
        }
        return "\(scheme)://\(host)\(slash == rest.endIndex ? "/" : String(rest[slash...]))"
    }

    /// Marks a proof as used, for all nodes. Only what is worth a proof comes here: a stranger can make any number of keys and
    /// proofs, and each mark is a row.
    ///
    /// - Returns: False when it was used before.
    private func use(_ proof: VerifiedProof, in tenant: TenantID) async throws(EngineError) -> Bool {
        let mark = vault.digest(
            .counter, tenant: tenant, [Data("proof".utf8), Data(proof.key.utf8), Data(proof.id.utf8)])
        let end = proof.issuedAt.addingTimeInterval(Self.proofAge + VerifiedAssertion.skew)
        do {
            return try await ports.assertions.useAssertion(mark, in: tenant, until: end, recording: nil)
        } catch {
            throw .store(error)
        }
    }

    /// Marks the proof of a request for tokens as used, if it has one.
    ///
    /// - Returns: The refusal when it was used before.
    func useProof(in context: RequestContext) async throws(EngineError) -> Refusal? {
        guard let proof = context.proof else { return nil }
        return try await use(proof, in: context.tenant.id) ? nil : .unusableProof(.used)
    }

    /// The key of a proof beside a request without tokens, which is used up by this.
    package func key(
        of presented: PresentedProof, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> Result<String, ProofFault> {
        let proof: VerifiedProof
        do throws(ProofFault) {
            proof = try judge(presented, now: now)
        } catch {
            return .failure(error)
        }
        return try await use(proof, in: tenant.id) ? .success(proof.key) : .failure(.used)
    }

    /// Why an access token may not be used as it came: a bound one needs a proof of its key, and another one has none. A right
    /// proof is used up by this.
    package func fault(
        of presented: PresentedToken, with claims: VerifiedAccessToken, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> ProofFault? {
        switch (claims.key, presented.proof) {
        case (nil, nil): return nil
        case (nil, _?): return .notBound
        case (_?, nil): return .missing
        case (let key?, let proof?):
            let judged: VerifiedProof
            do throws(ProofFault) {
                judged = try judge(proof, for: presented.token, now: now)
            } catch {
                return error
            }
            guard judged.key == key else { return .wrongKey }
            return try await use(judged, in: tenant.id) ? nil : .used
        }
    }
}

extension VerifiedProof {
    fileprivate func checkTime(_ now: Date) throws(ProofFault) {
        let age = now.timeIntervalSince(issuedAt)
        guard age <= Engine.proofAge, age >= -Engine.proofLead, expiresAt.map({ now < $0 }) ?? true,
            notBefore.map({ $0.timeIntervalSince(now) <= Engine.proofLead }) ?? true
        else { throw .wrongTime }
    }

    fileprivate func checkToken(_ token: Secret<String>) throws(ProofFault) {
        let digest = Base64URL.encode(Vault.checksum(Data(token.reveal().utf8)))
        guard let given = tokenDigest, Vault.areEqual(Data(given.utf8), Data(digest.utf8)) else { throw .wrongToken }
    }
}

extension RefreshFamily {
    /// Why a refresh may not go on as it is asked for: the key of a family is that of its sign-in, for its whole life.
    func fault(of proof: VerifiedProof?, isPublic: Bool) -> ProofFault? {
        switch (key, proof) {
        case (let key?, let proof?): proof.key == key ? nil : .wrongKey
        case (_?, nil): .missing
        case (nil, _?): isPublic ? .notBound : nil
        case (nil, nil): nil
        }
    }
}

extension RequestContext {
    /// The key that new refresh tokens are bound to: that of a public application, which has no other proof (RFC 9449 section 5).
    var keyOfFamily: String? { client.isConfidential ? nil : proof?.key }
}
