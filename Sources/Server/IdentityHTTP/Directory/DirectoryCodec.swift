import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// An error of the directory API: a row of docs/protocol.md §18.3.
struct DirectoryFailure: Error {
    var status: HTTPResponse.Status
    var code: DirectoryErrorCode
    var message: String
    var target: String?
    /// The word for the exact reason.
    var detail: String?
    var headers: HTTPFields = [:]
}

extension DirectoryFailure {
    /// A new refusal does not compile until it has a row.
    init(_ refusal: DirectoryRefusal) {
        switch refusal {
        case .invalidToken:
            self.init(
                status: .unauthorized, code: .invalidToken,
                message: "The access token is missing, not valid any more, or not for this API.",
                headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        case .insufficientScope, .applicationDisabled:
            self.init(
                status: .forbidden, code: .denied, message: "Insufficient privileges to complete the operation.")
        case .proofNeeded(let secondFactor):
            self.init(
                status: .unauthorized, code: .invalidToken,
                message: "The user must sign in again for this, with every factor that the account has.",
                headers: [
                    .wwwAuthenticate:
                        "Bearer error=\"insufficient_claims\", claims=\"\(Self.challenge(secondFactor))\""
                ])
        case .unknownProperty(let name):
            self.init(
                status: .badRequest, code: .badRequest, message: "There is no such property.",
                target: Self.shown(name))
        case .readOnlyProperty(let name):
            self.init(
                status: .forbidden, code: .denied, message: "The caller may not change this property.",
                target: Self.shown(name))
        case .invalidValue(let name):
            self.init(
                status: .badRequest, code: .badRequest, message: "The value breaks a rule of the property.",
                target: Self.shown(name))
        case .nameTaken(let name):
            self.init(
                status: .badRequest, code: .badRequest,
                message: "Another object with the same value for property \(name) already exists.", target: name,
                detail: DirectoryErrorDetail.nameTaken.rawValue)
        case .notFound:
            self.init(status: .notFound, code: .notFound, message: "There is no such object.")
        case .lastMethod:
            self.init(
                status: .forbidden, code: .denied,
                message: "The user needs a second factor, and this is the last method.",
                detail: DirectoryErrorDetail.lastMethod.rawValue)
        case .anotherOperatorNeeded:
            self.init(
                status: .forbidden, code: .denied, message: "Another operator must confirm this.")
        case .addressAlone:
            self.init(
                status: .badRequest, code: .badRequest,
                message: "Another operator must confirm a new address: change it in a request of its own.",
                target: "mail")
        case .tooManyRequests:
            self.init(
                status: .badRequest, code: .badRequest,
                message: "\(OperatorRequest.most) requests about this user wait for another operator.")
        case .step(let refusal): self.init(V1Failure(refusal), refusal)
        case .changedMeanwhile:
            self.init(
                status: .preconditionFailed, code: .preconditionFailed,
                message: "The object is another one than the If-Match header names.")
        }
    }

    /// A step that was refused, with the words of the native API.
    private init(_ failure: V1Failure, _ refusal: Refusal) {
        switch refusal {
        case .userAlreadyExists: self.init(.nameTaken("mail"))
        case .secondFactorNeeded: self.init(.proofNeeded(secondFactor: true))
        case .unusableProof(let fault):
            self.init(.invalidToken)
            detail = failure.error.rawValue
            headers[.wwwAuthenticate] = IdentityRoutes.challenge(fault)
        case .unusableToken, .expiredToken, .notAllowedNow, .incorrectCode, .expiredCode, .tooManyCodes,
            .incorrectPassword, .unacceptablePassword, .passwordNotUsed, .locked, .throttled, .invalidContact,
            .blockedContact, .mailboxRefuses, .unknownTenant, .unknownClient, .nativeAuthDisabled, .signUpNotAllowed,
            .invalidUsername,
            .invalidAttributes, .refusedAttributes, .blockedByHook, .enumerationLimited, .invalidScope,
            .scopeNotConsented, .userNotFound, .noPasswordToReset, .passwordChangeRequired, .accountDisabled,
            .unknownMethod, .methodNotAllowed, .passkeyRefused, .passkeysNotOffered, .identityRefused,
            .providerUnavailable, .providerNotOffered,
            .unusableCode, .unusableDevice, .ticketNotAllowed, .unusableRefreshToken,
            .expiredRefreshToken, .revokedRefreshToken:
            let isLimit = failure.retryAfter != nil
            self.init(
                status: isLimit ? .tooManyRequests : .badRequest, code: isLimit ? .tooManyRequests : .badRequest,
                message: Self.sentence(refusal) ?? failure.text,
                detail: Self.word(refusal)?.rawValue ?? failure.suberror?.rawValue ?? failure.error.rawValue)
            if let seconds = failure.retryAfter { headers[.retryAfter] = "\(seconds)" }
        }
    }

    /// The word of a refusal whose native words do not tell it from others.
    private static func word(_ refusal: Refusal) -> DirectoryErrorDetail? {
        switch refusal {
        case .incorrectPassword: .incorrectPassword
        case .locked: .locked
        case .tooManyCodes: .tooManyCodes
        case .expiredCode: .codeExpired
        case .passwordNotUsed: .passwordNotUsed
        case .invalidContact: .invalidContact
        case .methodNotAllowed: .methodNotAllowed
        case .unusableToken, .expiredToken, .notAllowedNow: .unusableToken
        case .incorrectCode: .incorrectCode
        case .passkeyRefused: .passkeyInvalid
        // `identityRefused` and `providerUnavailable` have words of the native API.
        case .passkeysNotOffered, .identityRefused, .providerUnavailable, .providerNotOffered, .unacceptablePassword,
            .throttled, .blockedContact, .mailboxRefuses, .unknownTenant,
            .unknownClient,
            .nativeAuthDisabled, .signUpNotAllowed, .invalidUsername, .userAlreadyExists, .invalidAttributes,
            .refusedAttributes,
            .blockedByHook,
            .enumerationLimited, .invalidScope, .scopeNotConsented, .userNotFound, .noPasswordToReset,
            .passwordChangeRequired, .accountDisabled,
            .unknownMethod,
            .secondFactorNeeded, .unusableCode, .unusableDevice, .unusableProof, .ticketNotAllowed,
            .unusableRefreshToken,
            .expiredRefreshToken, .revokedRefreshToken:
            nil
        }
    }

    /// The sentence of a refusal whose native sentence is about a form of the native API.
    private static func sentence(_ refusal: Refusal) -> String? {
        switch refusal {
        case .invalidContact: "The address or number has a wrong form, or the account has it already."
        case .incorrectPassword: "The current password is wrong or missing."
        case .passwordNotUsed: "The user has no password."
        case .blockedContact: "No text can be sent to this number; use another number, or another method."
        case .methodNotAllowed: "Users may not add such a method, or the user has as many as allowed."
        case .passkeyRefused: "The authenticator's answer was not accepted; ask for new options."
        case .identityRefused: "The provider's token was not accepted; ask for a new nonce."
        case .providerNotOffered: "The tenant has no such provider for apps."
        case .unusableToken, .expiredToken, .notAllowedNow, .incorrectCode, .expiredCode, .tooManyCodes,
            .unacceptablePassword, .locked, .throttled, .mailboxRefuses, .unknownTenant,
            .unknownClient, .passkeysNotOffered, .providerUnavailable,
            .nativeAuthDisabled, .signUpNotAllowed, .invalidUsername, .userAlreadyExists, .invalidAttributes,
            .refusedAttributes,
            .blockedByHook,
            .enumerationLimited, .invalidScope, .scopeNotConsented, .userNotFound, .noPasswordToReset,
            .passwordChangeRequired, .accountDisabled,
            .unknownMethod,
            .secondFactorNeeded, .unusableCode, .unusableDevice, .unusableProof, .ticketNotAllowed,
            .unusableRefreshToken,
            .expiredRefreshToken, .revokedRefreshToken:
            nil
        }
    }

    /// A body with two members of which each asks for something else.
    init(bothOf one: String, _ other: String) {
        self.init(
            status: .badRequest, code: .badRequest,
            message: "The body has the member “\(one)” or “\(other)”, not both.")
    }

    /// A refusal of an operation; a token that lacks its scopes is told which ones there are.
    init(_ refusal: DirectoryRefusal, of operation: DirectoryOperation) {
        self.init(refusal)
        guard refusal == .insufficientScope else { return }
        let scopes = operation.scopes.sorted().joined(separator: ", ")
        message += " The token needs \(operation.scopes.count == 1 ? "the scope" : "one of the scopes") \(scopes)."
    }

    /// A refusal of changes of a profile; a value that may not be removed is told from a wrong one.
    init(_ refusal: DirectoryRefusal, of changes: [ProfileChange]) {
        self.init(refusal)
        guard case .invalidValue(let name) = refusal else { return }
        if changes.contains(where: { $0.name == name && $0.content == .remove }) {
            message = "The property is required, and cannot be removed."
        }
    }

    /// The claims that a new sign-in must bring, as the clients of the vendor's directory read them: JSON in base64.
    private static func challenge(_ secondFactor: Bool) -> String {
        let claims =
            secondFactor
            ? #"{"access_token":{"acrs":{"essential":true,"value":"c1"},"auth_time":{"essential":true}}}"#
            : #"{"access_token":{"auth_time":{"essential":true}}}"#
        return Data(claims.utf8).base64EncodedString()
    }

    /// The faults that every route can have.
    init(_ fault: RequestFault) {
        switch fault {
        case .throttled(let seconds):
            self.init(
                status: .tooManyRequests, code: .tooManyRequests, message: "Too many requests; wait.",
                headers: [.retryAfter: "\(seconds)"])
        case .unavailable(let seconds):
            self.init(
                status: .serviceUnavailable, code: .unavailable,
                message: "The service is not available now; try again.",
                headers: [.retryAfter: "\(seconds)"])
        case .wrongMethod(let allowed):
            self.init(
                status: .methodNotAllowed, code: .badRequest,
                message: "Specified HTTP method is not allowed for the request target.", headers: [.allow: allowed])
        case .bodyTooLarge:
            self.init(status: .contentTooLarge, code: .badRequest, message: "The body is longer than 64 KiB.")
        case .wrongContentType:
            self.init(
                status: .unsupportedMediaType, code: .badRequest, message: "The body must be application/json.")
        case .unknownPath:
            self.init(status: .notFound, code: .notFound, message: "The directory has no such resource.")
        case .misdirected:
            self.init(
                status: .misdirectedRequest, code: .badRequest,
                message: "The host name is not the server's, or the request did not come by https.")
        case .headersTooLarge:
            self.init(
                status: .requestHeaderFieldsTooLarge, code: .badRequest, message: "The headers are too long.")
        case .uriTooLong: self.init(status: .uriTooLong, code: .badRequest, message: "The address is too long.")
        case .broken:
            self.init(status: .internalServerError, code: .unavailable, message: "The server failed.")
        case .missing(let member):
            self.init(
                status: .badRequest, code: .badRequest, message: "The member “\(member)” is missing.", target: member)
        case .invalid(let member):
            self.init(
                status: .badRequest, code: .badRequest, message: "The member “\(member)” has a wrong type.",
                target: member)
        case .foreignOrigin:
            self.init(
                status: .badRequest, code: .badRequest, message: "The application has no pages of this origin.")
        case .malformed, .redirectNotAccepted, .unknownGrant, .unreadableAttributes, .parametersInQuery,
            .unknownTenant:
            self.init(status: .badRequest, code: .badRequest, message: "The body must be one JSON object.")
        }
    }

    /// A name from a request, if it can be a property; another text is not repeated.
    static func shown(_ name: String) -> String? {
        let isName = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "_.@".utf8.contains($0)
        }
        return isName && (1...256).contains(name.utf8.count) ? name : nil
    }
}

/// Turns profiles into users of the directory, and changes into changes of profiles. Pure.
enum DirectoryCodec {
    /// The members that a user has without `$select`.
    static let usual = [
        "businessPhones", "displayName", "givenName", "id", "jobTitle", "mail", "mobilePhone", "officeLocation",
        "preferredLanguage", "surname", "userPrincipalName",
    ]

    /// The user as JSON.
    ///
    /// - Parameter select: The value of `$select`, names with commas between in any letter case; nil: the usual members.
    static func user(
        _ profile: UserProfile, select: String?, baseURL: String
    ) throws(DirectoryFailure) -> [String: JSONValue] {
        let all = members(of: profile)
        var chosen = usual
        if let select {
            // Names without letter case; the server's own names win.
            let names = Dictionary(all.keys.sorted().map { ($0.lowercased(), $0) }) { first, _ in first }
            chosen = []
            for word in select.split(separator: ",").prefix(UserFlow.maximumAttributes + 1) {
                guard chosen.count < UserFlow.maximumAttributes,
                    let found = names[word.trimmingPrefix(" ").lowercased()]
                else { throw DirectoryFailure(.unknownProperty(String(word))) }
                chosen.append(found)
            }
        }
        var reply = all.filter { chosen.contains($0.key) }
        let fields = select == nil ? "" : "(\(chosen.joined(separator: ",")))"
        reply["@odata.context"] = .string("\(baseURL)/graph/v1.0/$metadata#users\(fields)/$entity")
        reply["@odata.etag"] = .string("\"\(profile.version)\"")
        return reply
    }

    /// The members that only the server sets.
    private static let serverMembers: Set<String> = [
        "id", "mail", "userPrincipalName", "businessPhones", "mobilePhone", "officeLocation", "accountEnabled",
        "userType", "createdDateTime", "identities", "nativeAuthDeletionDueDateTime",
    ]

    static func members(of profile: UserProfile) -> [String: JSONValue] {
        let user = profile.user
        var members: [String: JSONValue] = [:]
        for name in AttributeDefinition.changedByUsers.union(profile.attributeNames) { members[name] = .null }
        for (name, value) in user.attributes {
            members[name] =
                switch value {
                case .string(let text): .string(text)
                case .integer(let number): .integer(number)
                case .boolean(let flag): .boolean(flag)
                }
        }
        // An attribute of a tenant with such a name must not stand for the server's word.
        return members.merging([
            "id": .string(user.id.description), "mail": .string(user.email),
            "userPrincipalName": .string("\(user.id.description)@\(profile.tenant.domain)"),
            "businessPhones": .array([]), "mobilePhone": .null, "officeLocation": .null,
            "accountEnabled": .boolean(profile.isEnabled), "userType": .string("Member"),
            "createdDateTime": .string(user.createdAt.ISO8601Format()), "identities": .array(identities(of: profile)),
            "nativeAuthDeletionDueDateTime": profile.deletionDueAt.map { .string($0.ISO8601Format()) } ?? .null,
        ]) { $1 }
    }

    /// The names that the user signs in with: a user of codes is `federated` with the issuer `mail`.
    private static func identities(of profile: UserProfile) -> [JSONValue] {
        func identity(_ type: String, _ issuer: String, _ name: String) -> JSONValue {
            .object(["signInType": .string(type), "issuer": .string(issuer), "issuerAssignedId": .string(name)])
        }
        let (user, domain) = (profile.user, profile.tenant.domain)
        let email =
            user.hasPassword
            ? identity("emailAddress", domain, user.email) : identity("federated", "mail", user.email)
        return [email] + (user.alias.map { [identity("userName", domain, $0)] } ?? [])
            + profile.identities.map { identity("federated", issuer(of: $0), $0.subject) }
    }

    /// How the vendor's directory calls the issuers of the best known providers; others by their own name.
    private static let shortNames = [
        "https://appleid.apple.com": "apple.com", "https://accounts.google.com": "google.com",
    ]

    private static func issuer(of identity: LinkedIdentity) -> String {
        shortNames[identity.issuer] ?? identity.issuer
    }

    /// The issuer of a provider that `identities` calls so; nil when it is none.
    static func issuer(named name: String) -> String? {
        shortNames.first { $0.value == name.lowercased() }?.key
            ?? (name.hasPrefix("https://") || name.hasPrefix("http://") ? name : nil)
    }

    /// The kinds of methods that a list shows.
    enum MethodKind: CaseIterable {
        case password
        case email
        case phone
        case app
        case passkey
        case identity
    }

    /// What the user can prove the own identity with.
    ///
    /// - Parameters:
    ///   - masked: Whether addresses are masked.
    ///   - place: Where and when a number would sign in; nil: nothing is said of that.
    static func methods(
        of account: UserAccount, _ kinds: [MethodKind] = MethodKind.allCases, masked: Bool = true,
        signingIn place: (tenant: Tenant, now: Date)? = nil
    ) -> [Directory.Method] {
        kinds.flatMap { kind -> [Directory.Method] in
            switch kind {
            case .password:
                account.passwordHash != nil
                    ? [
                        .init(
                            type: Directory.Method.password, id: Directory.Method.passwordID,
                            createdDateTime: nil)
                    ] : []
            case .email:
                account.strongMethods.compactMap { method in
                    method.email.map { email in
                        .init(
                            type: Directory.Method.email, id: method.id.text,
                            createdDateTime: method.provenAt.ISO8601Format(),
                            emailAddress: masked ? email.masked : email.address,
                            displayName: method.name, lastUsedDateTime: method.lastUsedAt?.ISO8601Format(),
                            isSuspended: method.suspendedAt != nil)
                    }
                }
            case .phone:
                account.strongMethods.compactMap { method in
                    (method.contact?.phone).map { number in
                        .init(
                            type: Directory.Method.phone, id: method.id.text,
                            createdDateTime: method.provenAt.ISO8601Format(),
                            phoneNumber: masked ? number.masked : number.text,
                            smsSignInState: place.map { place in
                                place.tenant.texts?.signsIn != true
                                    ? .notAllowedByPolicy
                                    : account.signsIn(method, at: place.now) ? .ready : .notEnabled
                            },
                            displayName: method.name, lastUsedDateTime: method.lastUsedAt?.ISO8601Format(),
                            isSuspended: method.suspendedAt != nil)
                    }
                }
            case .identity:
                account.identities.map { method in
                    .init(
                        type: Directory.Method.identity, id: method.id.text,
                        createdDateTime: method.provenAt.ISO8601Format(), displayName: method.name ?? method.label,
                        lastUsedDateTime: method.lastUsedAt?.ISO8601Format(), isSuspended: method.suspendedAt != nil)
                }
            case .passkey:
                account.strongMethods.filter(\.isPasskey).map { method in
                    .init(
                        type: Directory.Method.passkey, id: method.id.text,
                        createdDateTime: method.provenAt.ISO8601Format(), displayName: method.name,
                        lastUsedDateTime: method.lastUsedAt?.ISO8601Format(), isSuspended: method.suspendedAt != nil)
                }
            case .app:
                account.strongMethods.filter(\.isApp).map { method in
                    .init(
                        type: Directory.Method.app, id: method.id.text,
                        createdDateTime: method.provenAt.ISO8601Format(), displayName: method.name,
                        lastUsedDateTime: method.lastUsedAt?.ISO8601Format(), isSuspended: method.suspendedAt != nil)
                }
            }
        }
    }

    static func recoveryCodes(of account: UserAccount, in tenant: Tenant) -> Directory.RecoveryCodes {
        Directory.RecoveryCodes(
            remaining: account.recovery?.codes.count ?? 0,
            createdDateTime: account.recovery?.madeAt.ISO8601Format(),
            renewal: account.recoveryRenewal(in: tenant).rawValue)
    }

    static func session(_ summary: SessionSummary) -> Directory.Session {
        Directory.Session(
            id: summary.id.text, createdDateTime: summary.createdAt.ISO8601Format(),
            lastUsedDateTime: summary.lastUsedAt.ISO8601Format(), appId: summary.client.description,
            appDisplayName: summary.application, network: summary.network, deviceModel: summary.device.model,
            operatingSystem: summary.device.system, isCurrent: summary.isCurrent)
    }

    static func device(_ device: RememberedDevice) -> Directory.RememberedDevice {
        Directory.RememberedDevice(
            id: device.id.text, createdDateTime: device.createdAt.ISO8601Format(),
            expirationDateTime: device.until.ISO8601Format(), lastUsedDateTime: device.usedAt?.ISO8601Format(),
            appId: device.client.description, network: device.network, deviceModel: device.device.model,
            operatingSystem: device.device.system)
    }

    /// Everything that is stored about the user, in one document (docs/protocol.md §18.4).
    static func export(
        _ profile: UserProfile, methods: [Directory.Method], sessions: [SessionSummary],
        devices: [RememberedDevice], earlier undos: [EmailUndo],
        groups: [UserGroup], consents: [Consent], activity: [RecordedEvent]
    ) -> Export {
        Export(
            user: members(of: profile), methods: methods, sessions: sessions.map(session),
            rememberedDevices: devices.map(device),
            earlierAddresses: undos.map {
                .init(emailAddress: $0.old.address, canBeRestoredUntil: $0.until.ISO8601Format())
            },
            groups: groups.map { .init(id: $0.id.text, displayName: $0.displayName) },
            allowedApplications: consents.map {
                .init(appId: $0.client.description, scopes: $0.scopes, at: $0.givenAt.ISO8601Format())
            },
            activity: activity.map {
                .init(
                    at: $0.event.at.ISO8601Format(), event: $0.event.kind.rawValue,
                    appId: $0.event.client?.description, detail: $0.event.detail)
            })
    }

    struct Export: Encodable {
        struct Event: Encodable {
            var at: String
            var event: String
            var appId: String?
            var detail: String?
        }

        struct Group: Encodable {
            var id: String
            var displayName: String
        }

        struct AllowedApplication: Encodable {
            var appId: String
            var scopes: [String]
            var at: String
        }

        struct EarlierAddress: Encodable {
            var emailAddress: String
            /// Until then the reader of a mail to the address can take the change back.
            var canBeRestoredUntil: String
        }

        var user: [String: JSONValue]
        var methods: [Directory.Method]
        var sessions: [Directory.Session]
        var rememberedDevices: [Directory.RememberedDevice]
        var earlierAddresses: [EarlierAddress]
        var groups: [Group]
        /// What the user allowed applications of other organisations.
        var allowedApplications: [AllowedApplication]
        /// What the audit trail says about the user, the newest first, at most 1,000 events.
        var activity: [Event]
    }

    /// The members of the body of a PATCH. Members about the body itself, such as `@odata.type`, are left out.
    static func changes(_ body: ByteBuffer) throws(DirectoryFailure) -> [ProfileChange] {
        let members: [AttributesJSON.Member]
        do {
            guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
                throw DirectoryFailure(.unreadableAttributes)
            }
            members = try AttributesJSON.decode(text)
        } catch {
            throw DirectoryFailure(.unreadableAttributes)
        }
        guard members.count <= UserFlow.maximumAttributes else {
            throw DirectoryFailure(
                status: .badRequest, code: .badRequest,
                message: "A request changes at most \(UserFlow.maximumAttributes) properties.")
        }
        if let fixed = members.first(where: { serverMembers.contains($0.name) }) {
            throw DirectoryFailure(.readOnlyProperty(fixed.name))
        }
        return members.filter { !$0.name.hasPrefix("@odata.") }.map { member in
            switch member.content {
            case .value(let value): ProfileChange(member.name, .value(value))
            case .null: ProfileChange(member.name, .remove)
            case .wrongType: ProfileChange(member.name, .unusable)
            }
        }
    }
}

extension DirectoryCodec {
    static func response(_ failure: DirectoryFailure, trace: Trace) -> Response {
        let inner = DirectoryErrorReply.Inner(
            date: String(trace.at.ISO8601Format().dropLast()), requestID: trace.id.text,
            clientRequestID: trace.correlationID.text)
        let reply = DirectoryErrorReply(
            code: failure.code, message: failure.message, target: failure.target,
            details: failure.detail.map { [.init(code: $0, message: failure.message)] }, innerError: inner)
        var body = Data()
        do {
            body = try WireJSON.encode(reply)
        } catch {
            // Nothing in the reply can fail to be encoded; the status says enough.
        }
        var response = response(failure.status, body: body, version: nil, trace: trace)
        for field in failure.headers { response.headers[field.name] = field.value }
        return response
    }

    /// - Parameter version: The version of the content, for `ETag`.
    static func response(
        _ status: HTTPResponse.Status, body: Data?, version: String?, trace: Trace
    ) -> Response {
        var headers: HTTPFields = [
            .cacheControl: "no-store", IdentityHeader.requestID: trace.id.text,
            IdentityHeader.clientRequestID: trace.correlationID.text,
        ]
        headers[.eTag] = version.map { "\"\($0)\"" }
        guard let body else { return Response(status: status, headers: headers) }
        headers[.contentType] = "application/json;odata.metadata=minimal;charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
