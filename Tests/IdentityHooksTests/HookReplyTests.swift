import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityHooks

/// Answers of receivers, without a network.
@Suite("Reading a receiver's answer") struct HookReplyTests {
    private func reply(_ action: String) throws -> HookReply {
        try HookReply(Data(Receiver.reply(action).utf8))
    }

    @Test("Names of actions are compared without letter case and with or without the vendor's prefix")
    func actions() throws {
        for name in [
            "microsoft.graph.attributeCollectionStart.continueWithDefaultBehavior",
            "attributecollectionstart.CONTINUEWITHDEFAULTBEHAVIOR",
        ] {
            #expect(try reply(#"{"@odata.type":"\#(name)"}"#).collectionStart() == .proceed)
        }
        let prefill =
            #"{"@odata.type":"microsoft.graph.attributeCollectionStart.setPreFillValues","inputs":{"city":"Ribe","size":4,"news":true}}"#
        #expect(try reply(prefill).collectionStart() == .prefill(["city": "Ribe", "size": 4, "news": true]))
        let modify =
            #"{"@odata.type":"microsoft.graph.attributeCollectionSubmit.modifyAttributeValues","attributes":{"city":"Ribe"}}"#
        #expect(try reply(modify).collectionSubmit() == .modify(["city": "Ribe"]))
        #expect(throws: HookFailure.unknownAction) { try reply(prefill).collectionSubmit() }
        #expect(throws: HookFailure.unknownAction) { try reply(modify).delivery() }
        try reply(#"{"@odata.type":"microsoft.graph.OtpSend.continueWithDefaultBehavior"}"#).delivery()
    }

    @Test("A reason is one harmless line of at most 500 characters")
    func reasons() throws {
        func blocked(_ members: String) throws -> CollectionStartAnswer {
            try reply(#"{"@odata.type":"attributeCollectionStart.showBlockPage"\#(members)}"#).collectionStart()
        }
        #expect(try blocked(#","title":"T","message":"M""#) == .block("M"))
        #expect(try blocked(#","title":"T""#) == .block("T"))
        #expect(try blocked("") == .block("The system behind this sign-up refuses it."))
        #expect(try blocked(#","message":"a\r\nb\u202e\u0007c""#) == .block("a  b  c"))
        let long = String(repeating: "é", count: 600)
        #expect(try blocked(#","message":"\#(long)""#) == .block(String(repeating: "é", count: 500)))
        let invalid = try reply(
            #"{"@odata.type":"attributeCollectionSubmit.showValidationError","message":"Fix it.","attributeErrors":{"city":"no","age":"low"}}"#
        ).collectionSubmit()
        #expect(invalid == .refuse(attributes: ["age", "city"], reason: "Fix it. age: low; city: no"))
    }

    @Test(
        "SEC-HOOK-4: what is not the JSON of an event is refused",
        arguments: [
            "null", "[]", "{}", #"{"data":null}"#, #"{"data":{"actions":null}}"#, #"{"data":{"actions":[{}]}}"#,
            #"{"data":{"actions":[{"@odata.type":7}]}}"#, "{\"data\":{\"actions\":[\0]}}",
            String(repeating: "[", count: 30_000), "\u{FEFF}{",
        ])
    func garbage(text: String) {
        #expect(throws: HookFailure.body) { try HookReply(Data(text.utf8)) }
    }

    @Test(
        "Claims are texts and lists of texts",
        arguments: [
            (#"{"a":true}"#, HookFailure.body), (#"{"a":1}"#, .body), (#"{"a":{}}"#, .body), (#"{"a":[1]}"#, .body),
            (#"{"a":null}"#, .body), ("null", .body), (#"{"":"x"}"#, .claimWithoutName),
        ] as [(String, HookFailure)])
    func claims(text: String, failure: HookFailure) {
        #expect(throws: failure) {
            try reply(#"{"@odata.type":"tokenIssuanceStart.provideClaimsForToken","claims":\#(text)}"#).claims()
        }
    }

    @Test(
        "SEC-NET-13: the special ranges of the registries are not public",
        arguments: [
            ([0, 0, 0, 0], false), ([10, 0, 0, 1], false), ([100, 64, 0, 1], false), ([100, 128, 0, 1], true),
            ([127, 255, 0, 1], false), ([169, 254, 169, 254], false), ([172, 15, 0, 1], true),
            ([172, 16, 0, 1], false), ([172, 31, 255, 255], false), ([172, 32, 0, 1], true), ([192, 0, 0, 8], false),
            ([192, 168, 1, 1], false), ([198, 18, 0, 1], false), ([198, 20, 0, 1], true), ([224, 0, 0, 1], false),
            ([255, 255, 255, 255], false), ([9, 9, 9, 9], true),
            ([0x26, 0x06] + [UInt8](repeating: 1, count: 14), true),
            ([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 1, count: 12), false),
            ([0x20, 0x01, 0x00, 0x00] + [UInt8](repeating: 1, count: 12), false),
            ([0x20, 0x02] + [UInt8](repeating: 1, count: 14), false),
            ([0xFE, 0x80] + [UInt8](repeating: 1, count: 14), false),
            ([0xFC, 0x00] + [UInt8](repeating: 1, count: 14), false),
            ([0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 1, count: 12), false),
            ([UInt8](repeating: 0, count: 15) + [1], false), ([1, 2, 3], false),
        ] as [([UInt8], Bool)])
    func publicAddresses(bytes: [UInt8], isPublic: Bool) {
        #expect(DialledAddress.isPublic(bytes) == isPublic)
    }
}
