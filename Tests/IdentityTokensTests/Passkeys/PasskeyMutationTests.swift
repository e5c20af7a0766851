import Crypto
import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation
import Testing

/// Mutated responses: the reader never traps, and nothing that a signature covers is accepted after a change.
///
/// The attestation is signed with the credential's key, so that any change of the object or of the client data must be
/// noticed. Each run has the same seed; a failure tells the round.
@Suite("Mutated responses of passkeys") struct PasskeyMutationTests {
    private static let rounds = 10_000

    @Test("SEC-PK-7: no mutated attestation object is accepted")
    func mutatesObjects() throws {
        let draft = RegistrationDraft { ($0.format, $0.statement) = (.text("packed"), nil) }
        let object = try draft.objectBytes()
        var random = SeededMutations(state: 0x0B_7EC7)
        var faults: [PasskeyFault: Int] = [:]
        for round in 0..<Self.rounds {
            let mutated = random.mutated(object)
            guard mutated != object, mutated.count <= 12_288 else { continue }
            let fault = #expect(throws: PasskeyFault.self, "round \(round)") {
                _ = try RegistrationDraft { $0.attestationObject = mutated }.verified()
            }
            if let fault { faults[fault, default: 0] += 1 }
        }
        // The changes reach further than the first check.
        #expect((faults[.malformedAttestation] ?? 0) > 1_000)
        #expect((faults[.wrongStatement] ?? 0) > 100)
        #expect((faults[.malformedAuthenticatorData] ?? 0) > 10)
        #expect(faults[.wrongRelyingParty] != nil)
        #expect(faults[.unusableKey] != nil)
        #expect(throws: Never.self) { _ = try draft.verified() }
    }

    @Test("SEC-PK-9: no mutated client data is accepted in a registration")
    func mutatesClientData() throws {
        let draft = RegistrationDraft { ($0.format, $0.statement) = (.text("packed"), nil) }
        let (object, client) = (try draft.objectBytes(), draft.common.clientBytes)
        var random = SeededMutations(state: 0xC1_1E47)
        for round in 0..<Self.rounds {
            let mutated = random.mutated(client)
            guard mutated != client else { continue }
            #expect(throws: PasskeyFault.self, "round \(round)") {
                _ = try RegistrationDraft {
                    $0.attestationObject = object
                    $0.common.clientData = mutated
                }.verified()
            }
        }
    }

    @Test(
        "SEC-PK-7: an object without a signature is accepted only with a sound key and the right id"
    )
    func mutatesUnsignedObjects() throws {
        let object = Data(RegistrationDraft().encodedObject)
        var random = SeededMutations(state: 0x0DD)
        for round in 0..<Self.rounds {
            let mutated = random.mutated(object)
            let draft = RegistrationDraft { $0.attestationObject = mutated }
            do {
                let passkey = try draft.verified()
                // The model, the count and the backup bits are not covered by anything; all else is.
                #expect(passkey.credentialID == draft.credentialID, "round \(round)")
                #expect(passkey.relyingPartyID == "example.org", "round \(round)")
                #expect(Ceremony.signatures.isUsable(try PasskeyKey(cose: passkey.publicKey)), "round \(round)")
                #expect(mutated.count >= object.count, "round \(round)")
            } catch is PasskeyFault {
                continue
            }
        }
    }

    @Test("SEC-PK-7: mutated JSON is refused, or means what it meant before")
    func mutatesJSON() throws {
        let draft = AssertionDraft()
        let json = try draft.json()
        let read = try PasskeyAssertion(json: json)
        let passkey = try RegistrationDraft().verified()
        var random = SeededMutations(state: 0x15_0A)
        for round in 0..<Self.rounds {
            let mutated = String(decoding: random.mutated(Data(json.utf8)), as: UTF8.self)
            do throws(PasskeyFault) {
                let assertion = try PasskeyAssertion(json: mutated)
                _ = try Ceremony.relyingParty.verify(
                    assertion, of: passkey, signatures: Ceremony.signatures,
                    isChallenge: { $0 == Ceremony.challenge })
                #expect(assertion.clientData == read.clientData, "round \(round)")
                #expect(assertion.authenticatorData == read.authenticatorData, "round \(round)")
                #expect(assertion.credentialID == read.credentialID, "round \(round)")
                #expect(assertion.signature == read.signature, "round \(round)")
                #expect(assertion.userHandle == nil || assertion.userHandle == read.userHandle, "round \(round)")
            } catch {
                continue
            }
        }
    }

    @Test("SEC-PK-7: random bytes are no key and no attestation object")
    func readsRandomBytes() {
        var random = SeededMutations(state: 0xDEAD)
        for round in 0..<Self.rounds {
            let bytes = Data((0..<(1 + random.below(200))).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            #expect(throws: PasskeyFault.self, "round \(round)") { _ = try PasskeyKey(cose: bytes) }
            #expect(throws: PasskeyFault.self, "round \(round)") {
                _ = try RegistrationDraft { $0.attestationObject = bytes }.verified()
            }
        }
    }

    @Test("SEC-PK-8: no mutated key is read as another type, and none traps")
    func mutatesKeys() throws {
        let bytes = Data(P256Authenticator.shared.publicKey.encoded)
        var random = SeededMutations(state: 0x4E1)
        for round in 0..<Self.rounds {
            do {
                let key = try PasskeyKey(cose: random.mutated(bytes))
                guard case .p256(let point) = key else {
                    Issue.record("round \(round): another type")
                    continue
                }
                #expect(point.count == 65 && point.first == 4, "round \(round)")
                // A changed point is on the curve by a chance of one in two to the power of 128.
                #expect(
                    !Ceremony.signatures.isUsable(key)
                        || point == P256Authenticator.shared.key.publicKey.x963Representation)
            } catch {
                continue
            }
        }
    }
}
