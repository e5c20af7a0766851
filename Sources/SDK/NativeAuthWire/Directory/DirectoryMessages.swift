package import NativeAuthCore

/// What the directory API offers: for each operation its method, its path below a server's base URL, and the scopes of which
/// a token needs one (docs/protocol.md §18).
package enum DirectoryOperation: Hashable, Sendable, CaseIterable {
    case readProfile, changeProfile, deleteAccount
    case changePassword
    case endAllSessions, endAllSessionsBeta
    case listMethods, listEmailMethods, listPasswordMethods, listAppMethods
    case removeMethod, renameMethod, addMethod, confirmMethod
    case removeApp, renameApp, addApp, confirmApp
    case listPhoneMethods, removePhone, renamePhone, addPhone, confirmPhone
    case listPasskeys, removePasskey, renamePasskey, addPasskey, confirmPasskey
    case addIdentity, confirmIdentity
    case readRecoveryCodes, makeRecoveryCodes
    case changeEmail, confirmEmail
    /// Needs no token: the owner of an old address may have no session any more.
    case undoEmailChange
    case listSessions, endSession, endOtherSessions
    case listDevices, forgetDevice
    case keepAccount, export

    /// The methods that the operations have.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package var method: Method {
        switch self {
        case .readProfile, .listMethods, .listEmailMethods, .listPasswordMethods, .listAppMethods, .listPhoneMethods,
            .listPasskeys, .listSessions, .listDevices, .readRecoveryCodes, .export:
            .get
        case .changeProfile, .renameMethod, .renameApp, .renamePhone, .renamePasskey: .patch
        case .deleteAccount, .removeMethod, .removeApp, .removePhone, .removePasskey, .endSession, .forgetDevice:
            .delete
        case .changePassword, .endAllSessions, .endAllSessionsBeta, .addMethod, .confirmMethod, .addApp, .confirmApp,
            .addPhone, .confirmPhone, .addPasskey, .confirmPasskey, .addIdentity, .confirmIdentity, .makeRecoveryCodes,
            .changeEmail, .confirmEmail, .undoEmailChange, .endOtherSessions, .keepAccount:
            .post
        }
    }

    /// The path without a leading slash, with `{id}` for the id of a session or a method.
    package var path: String {
        switch self {
        case .readProfile, .changeProfile, .deleteAccount: "graph/v1.0/me"
        case .changePassword: "graph/v1.0/me/changePassword"
        case .endAllSessions: "graph/v1.0/me/revokeSignInSessions"
        case .endAllSessionsBeta: "graph/beta/me/invalidateAllRefreshTokens"
        case .listMethods: "graph/v1.0/me/authentication/methods"
        case .listEmailMethods: "graph/v1.0/me/authentication/emailMethods"
        case .listPasswordMethods: "graph/v1.0/me/authentication/passwordMethods"
        case .listAppMethods: "graph/v1.0/me/authentication/softwareOathMethods"
        case .removeApp: "graph/v1.0/me/authentication/softwareOathMethods/{id}"
        case .renameApp: "graph/beta/me/authentication/softwareOathMethods/{id}"
        case .addApp: "graph/beta/me/nativeAuth.addAuthenticatorApp"
        case .confirmApp: "graph/beta/me/nativeAuth.confirmAuthenticatorApp"
        case .listPhoneMethods: "graph/v1.0/me/authentication/phoneMethods"
        case .removePhone: "graph/v1.0/me/authentication/phoneMethods/{id}"
        case .renamePhone: "graph/beta/me/authentication/phoneMethods/{id}"
        case .addPhone: "graph/beta/me/nativeAuth.addPhoneMethod"
        case .confirmPhone: "graph/beta/me/nativeAuth.confirmPhoneMethod"
        case .listPasskeys: "graph/v1.0/me/authentication/fido2Methods"
        case .removePasskey: "graph/v1.0/me/authentication/fido2Methods/{id}"
        case .renamePasskey: "graph/beta/me/authentication/fido2Methods/{id}"
        case .addPasskey: "graph/beta/me/nativeAuth.addPasskey"
        case .confirmPasskey: "graph/beta/me/nativeAuth.confirmPasskey"
        case .addIdentity: "graph/beta/me/nativeAuth.addIdentity"
        case .confirmIdentity: "graph/beta/me/nativeAuth.confirmIdentity"
        case .readRecoveryCodes: "graph/beta/me/nativeAuthRecoveryCodes"
        case .makeRecoveryCodes: "graph/beta/me/nativeAuth.createRecoveryCodes"
        case .removeMethod: "graph/v1.0/me/authentication/emailMethods/{id}"
        case .renameMethod: "graph/beta/me/authentication/emailMethods/{id}"
        case .addMethod: "graph/beta/me/nativeAuth.addEmailMethod"
        case .confirmMethod: "graph/beta/me/nativeAuth.confirmEmailMethod"
        case .changeEmail: "graph/beta/me/nativeAuth.changeEmail"
        case .confirmEmail: "graph/beta/me/nativeAuth.confirmEmail"
        case .undoEmailChange: "graph/beta/nativeAuth.undoEmailChange"
        case .listSessions: "graph/beta/me/nativeAuthSessions"
        case .endSession: "graph/beta/me/nativeAuthSessions/{id}"
        case .endOtherSessions: "graph/beta/me/nativeAuth.endOtherSessions"
        case .listDevices: "graph/beta/me/nativeAuthRememberedDevices"
        case .forgetDevice: "graph/beta/me/nativeAuthRememberedDevices/{id}"
        case .keepAccount: "graph/beta/me/nativeAuth.keepAccount"
        case .export: "graph/beta/me/nativeAuth.export"
        }
    }

    /// A token needs one of these; empty: no token is needed.
    package var scopes: Set<String> {
        switch self {
        case .readProfile, .export: ["User.Read", "User.ReadWrite"]
        case .changeProfile, .endAllSessions, .endAllSessionsBeta, .endSession, .endOtherSessions, .forgetDevice,
            .keepAccount:
            ["User.ReadWrite"]
        case .listSessions, .listDevices: ["User.Read", "User.ReadWrite"]
        case .deleteAccount: ["User.ReadWrite", "nativeAuth.User.DeleteSelf"]
        case .changePassword:
            ["User.ReadWrite", "User-PasswordProfile.ReadWrite.All", "Directory.AccessAsUser.All"]
        case .listMethods, .listEmailMethods, .listPasswordMethods, .listAppMethods, .listPhoneMethods,
            .listPasskeys, .readRecoveryCodes:
            ["User.Read", "User.ReadWrite", "UserAuthenticationMethod.Read"]
        case .removeMethod, .renameMethod, .addMethod, .confirmMethod:
            ["User.ReadWrite", "UserAuthMethod-Email.ReadWrite"]
        case .removeApp, .renameApp, .addApp, .confirmApp:
            ["User.ReadWrite", "UserAuthMethod-SoftwareOATH.ReadWrite"]
        case .removePhone, .renamePhone, .addPhone, .confirmPhone:
            ["User.ReadWrite", "UserAuthMethod-Phone.ReadWrite"]
        case .removePasskey, .renamePasskey, .addPasskey, .confirmPasskey:
            ["User.ReadWrite", "UserAuthMethod-Passkey.ReadWrite"]
        case .addIdentity, .confirmIdentity: ["User.ReadWrite", "User.ManageIdentities.All"]
        case .makeRecoveryCodes: ["User.ReadWrite", "nativeAuth.User.RecoveryCodes"]
        case .changeEmail, .confirmEmail: ["User.ReadWrite", "nativeAuth.User.ChangeEmail"]
        case .undoEmailChange: []
        }
    }

    /// Whether the user must have signed in a short time ago, with every factor that the account has: the operation can
    /// take the account away from its user. A change of the password proves itself by the current one.
    package var needsProof: Bool {
        switch self {
        case .deleteAccount, .removeMethod, .addMethod, .removeApp, .addApp, .removePhone, .addPhone,
            .removePasskey, .addPasskey, .addIdentity, .makeRecoveryCodes,
            .changeEmail:
            true
        case .readProfile, .changeProfile, .changePassword, .endAllSessions, .endAllSessionsBeta, .listMethods,
            .listEmailMethods, .listPasswordMethods, .listAppMethods, .listPhoneMethods, .listPasskeys,
            .readRecoveryCodes, .renamePasskey, .confirmPasskey, .confirmIdentity, .renameMethod, .confirmMethod,
            .renameApp, .renamePhone, .confirmPhone,
            .confirmApp, .confirmEmail, .undoEmailChange, .listSessions, .endSession, .endOtherSessions, .listDevices,
            .forgetDevice, .keepAccount, .export:
            false
        }
    }
}

/// The codes of the directory's errors (docs/protocol.md §18.3).
package enum DirectoryErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
    case badRequest = "Request_BadRequest"
    case unsupportedQuery = "Request_UnsupportedQuery"
    case expiredPageToken = "Directory_ExpiredPageToken"
    case invalidToken = "InvalidAuthenticationToken"
    case denied = "Authorization_RequestDenied"
    case notFound = "Request_ResourceNotFound"
    case preconditionFailed = "PreconditionFailed"
    case tooManyRequests = "TooManyRequests"
    case unavailable = "serviceNotAvailable"
    case notSupported = "notSupported"
    case failedDependency = "FailedDependency"
}

/// The words for the exact reason of an error (docs/protocol.md §18.3), beside the native API's words for passwords.
package enum DirectoryErrorDetail: String, Hashable, Sendable, CaseIterable {
    case nameTaken = "ObjectConflict"
    case incorrectPassword = "InvalidPassword"
    case passwordNotUsed = "PasswordNotUsed"
    case locked = "AccountLocked"
    case invalidContact = "InvalidContact"
    case incorrectCode = "invalid_oob_value"
    case codeExpired = "CodeExpired"
    case tooManyCodes = "TooManyCodes"
    case unusableToken = "ContinuationTokenInvalid"
    case lastMethod = "LastMethod"
    case methodNotAllowed = "MethodNotAllowed"
    case passkeyInvalid = "passkey_invalid"
}

/// An error of the directory.
package struct DirectoryErrorReply: Codable, Hashable, Sendable {
    package struct Failure: Codable, Hashable, Sendable {
        package var code: String
        /// For developers; clients decide by the code.
        package var message: String
        /// The property that the error is about.
        package var target: String?
        /// A word for the exact reason, such as `invalid_oob_value`.
        package var details: [Detail]?
        package var innerError: Inner?
    }

    package struct Detail: Codable, Hashable, Sendable {
        package var code: String
        package var message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    package struct Inner: Codable, Hashable, Sendable {
        /// UTC, whole seconds, such as `2026-11-22T23:10:00`.
        package var date: String
        package var requestID: String
        package var clientRequestID: String

        private enum CodingKeys: String, CodingKey {
            case date
            case requestID = "request-id"
            case clientRequestID = "client-request-id"
        }

        package init(date: String, requestID: String, clientRequestID: String) {
            self.date = date
            self.requestID = requestID
            self.clientRequestID = clientRequestID
        }
    }

    package var error: Failure

    package init(
        code: DirectoryErrorCode, message: String, target: String? = nil, details: [Detail]? = nil,
        innerError: Inner? = nil
    ) {
        error = Failure(code: code.rawValue, message: message, target: target, details: details, innerError: innerError)
    }
}

/// The bodies of the directory's requests and answers beside the user itself.
package enum Directory {
    package struct ChangePassword: Codable, Sendable {
        package var currentPassword: String?
        package var newPassword: String
        /// Ours: whether the other sessions stay; they end without it.
        package var keepOtherSessions: Bool?

        package init(currentPassword: String?, newPassword: String, keepOtherSessions: Bool?) {
            self.currentPassword = currentPassword
            self.newPassword = newPassword
            self.keepOtherSessions = keepOtherSessions
        }
    }

    /// Begins a change of contact with an address or a telephone number, or sends the code of a running one with its token.
    package struct NewContact: Codable, Sendable {
        package var emailAddress: String?
        package var phoneNumber: String?
        package var continuationToken: String?

        package init(emailAddress: String? = nil, phoneNumber: String? = nil, continuationToken: String? = nil) {
            self.emailAddress = emailAddress
            self.phoneNumber = phoneNumber
            self.continuationToken = continuationToken
        }
    }

    /// Begins to add an authenticator app, or sends the code to the own mailbox again with the token of a running
    /// addition.
    package struct BeginMethod: Codable, Sendable {
        package var continuationToken: String?

        package init(continuationToken: String? = nil) {
            self.continuationToken = continuationToken
        }
    }

    /// Begins to add a passkey, or sends the code to the own mailbox again, or asks for new options, with the token of a running
    /// addition.
    package struct BeginPasskey: Codable, Sendable {
        package var continuationToken: String?
        /// Whether the device makes it silently, after a sign-in with a password.
        package var isUpgrade: Bool?

        package init(continuationToken: String? = nil, isUpgrade: Bool? = nil) {
            self.continuationToken = continuationToken
            self.isUpgrade = isUpgrade
        }
    }

    /// Begins to link an account at a provider, or sends the code to the own mailbox again, or asks for a new nonce, with the token
    /// of a running addition.
    package struct BeginIdentity: Codable, Sendable {
        /// The provider's id in the tenant.
        package var provider: String?
        package var continuationToken: String?

        package init(provider: String? = nil, continuationToken: String? = nil) {
            self.provider = provider
            self.continuationToken = continuationToken
        }
    }

    /// Links the account at the provider: first by the code to the own mailbox where one was sent, then by the provider's token.
    package struct ConfirmIdentity: Codable, Sendable {
        package var continuationToken: String
        package var code: String?
        /// The provider's ID token, with the nonce of the answer before.
        package var idToken: String?
        /// The code that Apple gives beside the token.
        package var authorizationCode: String?

        package init(
            continuationToken: String, code: String? = nil, idToken: String? = nil, authorizationCode: String? = nil
        ) {
            self.continuationToken = continuationToken
            self.code = code
            self.idToken = idToken
            self.authorizationCode = authorizationCode
        }
    }

    /// How many recovery codes the user has left.
    package struct RecoveryCodes: Codable, Sendable {
        package var remaining: Int
        /// Nil: none were made.
        package var createdDateTime: String?
        /// `none`, `suggested` or `demanded`; a server of an older version does not say it.
        package var renewal: String?
        /// New codes, in the answer that made them alone.
        package var codes: [String]?

        package init(remaining: Int, createdDateTime: String?, renewal: String? = nil, codes: [String]? = nil) {
            self.remaining = remaining
            self.createdDateTime = createdDateTime
            self.renewal = renewal
            self.codes = codes
        }
    }

    package struct ConfirmContact: Codable, Sendable {
        package var continuationToken: String
        package var code: String

        package init(continuationToken: String, code: String) {
            self.continuationToken = continuationToken
            self.code = code
        }
    }

    /// Confirms a new passkey: first by the code to the own mailbox where one was sent, then by the authenticator's answer.
    package struct ConfirmPasskey: Codable, Sendable {
        package var continuationToken: String
        package var code: String?
        /// `RegistrationResponseJSON` (WebAuthn section 5.1).
        package var publicKeyCredential: JSONValue?
        /// The user's name for the passkey.
        package var displayName: String?

        package init(
            continuationToken: String, code: String? = nil, publicKeyCredential: JSONValue? = nil,
            displayName: String? = nil
        ) {
            self.continuationToken = continuationToken
            self.code = code
            self.publicKeyCredential = publicKeyCredential
            self.displayName = displayName
        }
    }

    /// A code was sent; without its members: ask for the next code with the token.
    package struct CodeSent: Codable, Sendable {
        package var continuationToken: String
        package var codeLength: Int?
        /// The masked address or telephone number.
        package var targetLabel: String?
        /// How the code gets there, when not by mail: `sms`.
        package var channel: String?
        /// Seconds until another code can be asked for.
        package var resendAfter: Int?
        /// The secret for an authenticator app in base32, shown once: the next code is the app's.
        package var secretKey: String?
        /// The same as an address of the scheme `otpauth`, for a QR code or a link.
        package var keyUri: String?
        /// What an authenticator needs to make a passkey: `PublicKeyCredentialCreationOptionsJSON` (WebAuthn section 5.1).
        package var publicKey: JSONValue?
        /// For the provider, unchanged: its token must have it.
        package var nonce: String?
        /// Seconds for which the nonce is accepted, once.
        package var nonceExpiresIn: Int?

        package init(continuationToken: String, codeLength: Int?, targetLabel: String?, resendAfter: Int?) {
            self.continuationToken = continuationToken
            self.codeLength = codeLength
            self.targetLabel = targetLabel
            self.resendAfter = resendAfter
        }
    }

    package struct UndoEmailChange: Codable, Sendable {
        /// The tenant's id, domain or subdomain.
        package var tenant: String
        package var code: String

        package init(tenant: String, code: String) {
            self.tenant = tenant
            self.code = code
        }
    }

    /// The new name of a method; null removes it.
    package struct RenameMethod: Codable, Sendable {
        package var displayName: String?
    }

    package struct Session: Codable, Sendable {
        package var id: String
        package var createdDateTime: String
        package var lastUsedDateTime: String
        package var appId: String
        package var appDisplayName: String?
        /// The network of the last use, such as `192.0.2.0/24`.
        package var network: String?
        package var deviceModel: String?
        package var operatingSystem: String?
        package var isCurrent: Bool

        package init(
            id: String, createdDateTime: String, lastUsedDateTime: String, appId: String, appDisplayName: String?,
            network: String?, deviceModel: String?, operatingSystem: String?, isCurrent: Bool
        ) {
            self.id = id
            self.createdDateTime = createdDateTime
            self.lastUsedDateTime = lastUsedDateTime
            self.appId = appId
            self.appDisplayName = appDisplayName
            self.network = network
            self.deviceModel = deviceModel
            self.operatingSystem = operatingSystem
            self.isCurrent = isCurrent
        }
    }

    /// A device on which the second factor is left out.
    package struct RememberedDevice: Codable, Sendable {
        package var id: String
        package var createdDateTime: String
        package var expirationDateTime: String
        package var lastUsedDateTime: String?
        package var appId: String
        /// The network in which it was remembered, such as `192.0.2.0/24`.
        package var network: String?
        package var deviceModel: String?
        package var operatingSystem: String?

        package init(
            id: String, createdDateTime: String, expirationDateTime: String, lastUsedDateTime: String?, appId: String,
            network: String?, deviceModel: String?, operatingSystem: String?
        ) {
            self.id = id
            self.createdDateTime = createdDateTime
            self.expirationDateTime = expirationDateTime
            self.lastUsedDateTime = lastUsedDateTime
            self.appId = appId
            self.network = network
            self.deviceModel = deviceModel
            self.operatingSystem = operatingSystem
        }
    }

    package struct Method: Codable, Sendable {
        package static let email = "#microsoft.graph.emailAuthenticationMethod"
        package static let app = "#microsoft.graph.softwareOathAuthenticationMethod"
        package static let phone = "#microsoft.graph.phoneAuthenticationMethod"
        package static let passkey = "#microsoft.graph.fido2AuthenticationMethod"
        package static let password = "#microsoft.graph.passwordAuthenticationMethod"
        /// A word of this server: an account at a provider, which the vendor's directory lists in `identities` alone.
        package static let identity = "#nativeAuth.identityMethod"
        /// The id that the vendor gives every password.
        package static let passwordID = "28c10230-6103-485e-b985-444c60001490"

        package var type: String
        package var id: String
        package var createdDateTime: String?
        /// The masked address of an e-mail method.
        package var emailAddress: String?
        /// The masked number of a telephone, and the word `mobile`.
        package var phoneNumber: String?
        package var phoneType: String?
        package var smsSignInState: SignInState?
        package var displayName: String?
        package var lastUsedDateTime: String?
        /// Whether the method cannot be used now, after a reset of the password.
        package var isSuspended: Bool?

        private enum CodingKeys: String, CodingKey {
            case type = "@odata.type"
            case id, createdDateTime, emailAddress, phoneNumber, phoneType, smsSignInState, displayName
            case lastUsedDateTime, isSuspended
        }

        /// Whether a code to the number alone signs the user in: the vendor's words, of which these occur here.
        package enum SignInState: String, Codable, Sendable, CaseIterable {
            case ready, notEnabled, notAllowedByPolicy
        }

        package init(
            type: String, id: String, createdDateTime: String?, emailAddress: String? = nil,
            phoneNumber: String? = nil, smsSignInState: SignInState? = nil, displayName: String? = nil,
            lastUsedDateTime: String? = nil, isSuspended: Bool? = nil
        ) {
            self.type = type
            self.id = id
            self.createdDateTime = createdDateTime
            self.emailAddress = emailAddress
            self.phoneNumber = phoneNumber
            phoneType = phoneNumber.map { _ in "mobile" }
            self.smsSignInState = smsSignInState
            self.displayName = displayName
            self.lastUsedDateTime = lastUsedDateTime
            self.isSuspended = isSuspended
        }
    }

    package struct List<Item: Codable & Sendable>: Codable, Sendable {
        package var value: [Item]

        package init(_ value: [Item]) {
            self.value = value
        }
    }

    /// The tenant, as scripts read it first.
    package struct Organization: Codable, Sendable {
        package struct Domain: Codable, Sendable {
            package var name: String
            package var isDefault: Bool
            package var isInitial: Bool

            package init(name: String, isDefault: Bool, isInitial: Bool) {
                self.name = name
                self.isDefault = isDefault
                self.isInitial = isInitial
            }
        }

        package var id: String
        package var displayName: String
        package var verifiedDomains: [Domain]

        package init(id: String, displayName: String, verifiedDomains: [Domain]) {
            self.id = id
            self.displayName = displayName
            self.verifiedDomains = verifiedDomains
        }
    }

    package struct Deletion: Codable, Sendable {
        /// When the account will be deleted.
        package var deletionDueDateTime: String

        package init(deletionDueDateTime: String) {
            self.deletionDueDateTime = deletionDueDateTime
        }
    }
}
