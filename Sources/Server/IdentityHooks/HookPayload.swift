import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The body of a call: the vendor's envelope (docs/protocol.md §20.2).
struct HookPayload: Encodable {
    let type: String
    let source: String
    var data: Content

    struct Content: Encodable {
        let odataType: String
        let tenantId: String
        let authenticationEventListenerId: String
        let customAuthenticationExtensionId: String
        let authenticationContext: Context
        var userSignUpInfo: SignUpInfo?
        var otpContext: OneTimeCode?
        /// A JWE; see ``PasswordEnvelope``.
        var encryptedPasswordContext: String?

        enum CodingKeys: String, CodingKey {
            case odataType = "@odata.type"
            case tenantId, authenticationEventListenerId, customAuthenticationExtensionId, authenticationContext
            case userSignUpInfo, otpContext, encryptedPasswordContext
        }
    }

    struct Context: Encodable {
        let correlationId: String
        let client: ClientPlace
        let `protocol` = "OAUTH2.0"
        let requestType: String?
        let clientServicePrincipal: Principal
        let resourceServicePrincipal: Principal?
        let user: Person?

        enum CodingKeys: CodingKey {
            case correlationId, client, `protocol`, requestType, clientServicePrincipal, resourceServicePrincipal, user
        }
    }

    struct ClientPlace: Encodable {
        let ip: String?
        let locale: String
        let market: String
    }

    struct Principal: Encodable {
        let id: String
        let appId: String
        let appDisplayName: String
        let displayName: String
    }

    struct Person: Encodable {
        let id: String
        let displayName: String?
        let givenName: String?
        let surname: String?
        let mail: String
        let userPrincipalName: String
        let userType = "Member"
        let createdDateTime: String
        let preferredLanguage: String?

        enum CodingKeys: CodingKey {
            case id, displayName, givenName, surname, mail, userPrincipalName, userType, createdDateTime
            case preferredLanguage
        }
    }

    struct SignUpInfo: Encodable {
        let attributes: [String: Value]
        let identities: [Identity]
    }

    struct Value: Encodable {
        let odataType: String
        let value: AttributeValue
        let attributeType: String

        enum CodingKeys: String, CodingKey {
            case odataType = "@odata.type"
            case value, attributeType
        }
    }

    struct Identity: Encodable {
        let signInType: String
        let issuer: String
        let issuerAssignedId: String
    }

    struct OneTimeCode: Encodable {
        let identifier: String
        let oneTimeCode: String
        /// Only of a text message: how it is to be sent, the ready message, and the seconds until the code expires.
        var channel: String?
        var text: String?
        var expiresIn: Int?
    }
}

extension HookPayload {
    private init(
        _ name: EventName, _ call: HookCall, user: Person? = nil, requestType: String? = nil,
        signUp: SignUpInfo? = nil, code: OneTimeCode? = nil, password: String? = nil
    ) {
        let principal = Principal(
            id: call.client.description, appId: call.client.description, appDisplayName: call.clientName,
            displayName: call.clientName)
        type = "microsoft.graph.authenticationEvent.\(name.event)"
        source = "/tenants/\(call.tenant)/applications/\(call.client)"
        data = Content(
            odataType: "microsoft.graph.\(name.data)CalloutData", tenantId: call.tenant.description,
            authenticationEventListenerId: call.hook.id.text, customAuthenticationExtensionId: call.hook.id.text,
            authenticationContext: Context(
                correlationId: call.correlationID.text,
                client: ClientPlace(
                    ip: call.source, locale: call.language.rawValue, market: call.language.rawValue),
                requestType: requestType, clientServicePrincipal: principal,
                // The vendor's event about a password has none.
                resourceServicePrincipal: password == nil ? principal : nil, user: user),
            userSignUpInfo: signUp, otpContext: code, encryptedPasswordContext: password)
    }

    static func tokens(for user: User, _ call: HookCall) -> HookPayload {
        HookPayload(.init(.tokenIssuanceStart), call, user: Person(user, in: call.domain))
    }

    /// - Parameter jwe: The encrypted password.
    static func password(of user: User, _ jwe: String, _ call: HookCall) -> HookPayload {
        HookPayload(.init(.passwordSubmit), call, user: Person(user, in: call.domain), password: jwe)
    }

    /// The same for people to read.
    var withoutPassword: HookPayload {
        var payload = self
        if payload.data.encryptedPasswordContext != nil { payload.data.encryptedPasswordContext = "‹redacted›" }
        return payload
    }

    static func signUp(_ signUp: CollectedAttributes, _ call: HookCall) -> HookPayload {
        let builtIn = Set(AttributeDefinition.builtIn.map(\.name))
        var values: [String: Value] = [:]
        var identities = [
            Identity(signInType: "email", issuer: call.domain, issuerAssignedId: signUp.email)
        ]
        for (name, value) in signUp.attributes {
            if name == AttributeDefinition.aliasName {
                identities.append(
                    Identity(signInType: "userName", issuer: call.domain, issuerAssignedId: value.description))
                continue
            }
            let type =
                switch value {
                case .string: "string"
                case .integer: "int64"
                case .boolean: "boolean"
                }
            values[name] = Value(
                odataType: "microsoft.graph.\(type)DirectoryAttributeValue", value: value,
                attributeType: builtIn.contains(name) ? "builtIn" : "directorySchemaExtension")
        }
        return HookPayload(
            .init(call.hook.event), call, signUp: SignUpInfo(attributes: values, identities: identities))
    }

    static func code(_ code: CodeToDeliver, _ call: HookCall) -> HookPayload {
        guard let text = code.text else {
            return HookPayload(
                .init(.otpSend), call, requestType: requestType(of: code.purpose),
                code: OneTimeCode(identifier: code.recipient, oneTimeCode: code.code.reveal()))
        }
        return HookPayload(
            .textSend, call, requestType: requestType(of: code.purpose),
            code: OneTimeCode(
                identifier: code.recipient, oneTimeCode: code.code.reveal(), channel: CodeChannel.textMessage.rawValue,
                text: text.body.reveal(), expiresIn: text.validity))
    }

    /// The vendor shows only `signUp`; the other words are in its manner.
    private static func requestType(of purpose: MailContent.Purpose) -> String {
        switch purpose {
        case .signUp, .accountExists: "signUp"
        case .signIn: "signIn"
        case .passwordReset: "passwordReset"
        case .secondFactor: "secondFactor"
        case .registration: "registration"
        case .accountChange, .emailChange, .emailChanged, .emailChangeUndone, .emailReplaced, .resetRequired,
            .accountDeleted, .deletionScheduled, .passwordChanged, .methodRegistered, .methodRemoved, .methodSuspended,
            .methodReactivated, .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed, .signInLocked,
            .signedInAfterFailures:
            "accountChange"
        }
    }

    /// The vendor's names of an event.
    struct EventName {
        /// The end of the envelope's `type`.
        let event: String
        /// The beginning of the `@odata.type` of `data`.
        let data: String

        /// A text message, in the manner of the vendor, who has none.
        static let textSend = EventName(event: "smsOtpSend", data: "onOtpSend")

        private init(event: String, data: String) {
            (self.event, self.data) = (event, data)
        }

        init(_ event: Hook.Event) {
            (self.event, data) =
                switch event {
                case .tokenIssuanceStart: ("tokenIssuanceStart", "onTokenIssuanceStart")
                case .attributeCollectionStart: ("attributeCollectionStart", "onAttributeCollectionStart")
                case .attributeCollectionSubmit: ("attributeCollectionSubmit", "onAttributeCollectionSubmit")
                case .otpSend: ("emailOtpSend", "onOtpSend")
                case .passwordSubmit: ("passwordSubmit", "onPasswordSubmit")
                }
        }
    }
}

extension HookPayload.Person {
    fileprivate init(_ user: User, in domain: String) {
        self.init(
            id: user.id.description, displayName: user.text("displayName"), givenName: user.text("givenName"),
            surname: user.text("surname"), mail: user.email, userPrincipalName: "\(user.id)@\(domain)",
            createdDateTime: user.createdAt.ISO8601Format(), preferredLanguage: user.text("preferredLanguage"))
    }
}

extension User {
    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = attributes[name], !text.isEmpty else { return nil }
        return text
    }
}
