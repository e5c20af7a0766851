import IdentityEngine
import NativeAuthWire

/// The named schemas of the OpenAPI document.
enum SchemaName: String, CaseIterable {
    // Replies of the native API.
    case error = "Error"
    case continuation = "Continuation"
    case codeSent = "CodeSent"
    case passkeyAsked = "PasskeyAsked"
    case passkeyToMake = "PasskeyToMake"
    case appToAdd = "AppToAdd"
    case providerAsked = "ProviderAsked"
    case passwordRequired = "PasswordRequired"
    case redirect = "Redirect"
    case methods = "Methods"
    case contactCodeSent = "ContactCodeSent"
    case contactProven = "ContactProven"
    case passwordChoice = "PasswordChoice"
    case passwordSubmitted = "PasswordSubmitted"
    case resetCompleted = "ResetCompleted"
    case tokens = "Tokens"
    case daemonToken = "DaemonToken"
    case browserTicket = "BrowserTicket"
    case deviceCodes = "DeviceCodes"
    case pushedRequest = "PushedRequest"
    case empty = "Empty"
    // Of OAuth and OpenID Connect.
    case openIDConfiguration = "OpenIDConfiguration"
    case keySet = "KeySet"
    case tokenDescription = "TokenDescription"
    case userInfo = "UserInfo"
    // Of the directory.
    case directoryError = "DirectoryError"
    case user = "User"
    case userChange = "UserChange"
    case passwordChange = "PasswordChange"
    case newContact = "NewContact"
    case newPhone = "NewPhone"
    case newApp = "NewAuthenticatorApp"
    case newPasskey = "NewPasskey"
    case passkeyConfirmation = "PasskeyConfirmation"
    case newIdentity = "NewIdentity"
    case identityConfirmation = "IdentityConfirmation"
    case recoveryCodes = "RecoveryCodes"
    case contactConfirmation = "ContactConfirmation"
    case contactChange = "ContactChange"
    case emailChangeUndo = "EmailChangeUndo"
    case methodName = "MethodName"
    case methodList = "MethodList"
    case sessionList = "SessionList"
    case sessionsEnded = "SessionsEnded"
    case deviceList = "RememberedDeviceList"
    case deletion = "Deletion"
    case export = "Export"
    // Of the directory for operators.
    case operatorUser = "OperatorUser"
    case operatorRequest = "OperatorRequest"
    case operatorRequestList = "OperatorRequestList"
    case userList = "UserList"
    case newUser = "NewUser"
    case userEdit = "UserEdit"
    case organization = "Organization"
    case application = "Application"
    case applicationList = "ApplicationList"
    case newApplication = "NewApplication"
    case applicationEdit = "ApplicationEdit"
    case newPassword = "NewPassword"
    case newPasswordAnswer = "PasswordCredential"
    case passwordKey = "PasswordKey"
    case servicePrincipal = "ServicePrincipal"
    case servicePrincipalList = "ServicePrincipalList"
    case applicationName = "ApplicationName"
    case applicationNameList = "ApplicationNameList"
    case grant = "Grant"
    case grantList = "GrantList"
    case newGrant = "NewGrant"
    case grantEdit = "GrantEdit"
    case assignment = "RoleAssignment"
    case assignmentList = "RoleAssignmentList"
    case newAssignment = "NewRoleAssignment"
    case userFlow = "UserFlow"
    case userFlowList = "UserFlowList"
    case newUserFlow = "NewUserFlow"
    case userFlowEdit = "UserFlowEdit"
    case providerList = "IdentityProviderList"
    case attribute = "UserFlowAttribute"
    case attributeList = "UserFlowAttributeList"
    case newAttribute = "NewUserFlowAttribute"
    case attributeEdit = "UserFlowAttributeEdit"
    case group = "Group"
    case groupList = "GroupList"
    case newGroup = "NewGroup"
    case groupEdit = "GroupEdit"
    case memberReference = "MemberReference"
    case `extension` = "CustomAuthenticationExtension"
    case extensionList = "CustomAuthenticationExtensionList"
    case newExtension = "NewCustomAuthenticationExtension"
    case extensionEdit = "CustomAuthenticationExtensionEdit"
    case extensionCheck = "CustomAuthenticationExtensionCheck"
    case objectIDs = "DirectoryObjectIds"
    case objectList = "DirectoryObjectList"
    case listener = "AuthenticationEventListener"
    case listenerList = "AuthenticationEventListenerList"
    case newListener = "NewAuthenticationEventListener"
    case listenerEdit = "AuthenticationEventListenerEdit"
    case batch = "Batch"
    case batchAnswers = "BatchAnswers"
    case signInList = "SignInList"
    case directoryAuditList = "DirectoryAuditList"

    var schema: Schema {
        switch self {
        case .error: .nativeError
        case .continuation:
            .object(
                ["continuation_token": .token],
                optional: ["description": .text.described("A hint for the developer; development profile only.")])
        case .codeSent:
            .object(
                [
                    "challenge_type": .words(["oob"]), "continuation_token": .token,
                    "challenge_channel": .words(
                        ["email"]
                            + [CodeChannel.textMessage, .authenticatorApp, .recoveryCode].map(\.rawValue)
                    ).described(
                        "Where the user gets the code from: a mail; a text message; an authenticator app or a list of recovery codes, to which nothing is sent."
                    ),
                    "challenge_target_label": .text.described(
                        "The masked address or telephone number, or the name of the method."),
                    "code_length": .whole.described(
                        "The number of digits of the code; of letters and digits of a recovery code."),
                    "binding_method": .words(["prompt"]),
                ],
                optional: ["interval": .whole.described("Seconds to wait before asking for another code.")])
        case .passkeyAsked:
            .object([
                "challenge_type": .words(["passkey"]), "continuation_token": .token,
                "public_key": .object([
                    "challenge": .text.described("32 random bytes, base64url; valid for 300 seconds, once."),
                    "rpId": .text, "timeout": .whole.described("Milliseconds."),
                    "userVerification": .words(["required"]),
                    "allowCredentials": .list(of: .passkeyReference).described(
                        "Those that may sign; empty: any of the relying party."),
                ]).described("PublicKeyCredentialRequestOptionsJSON (WebAuthn section 5.1)."),
            ])
        case .passkeyToMake:
            .object([
                "challenge_type": .words(["passkey"]), "continuation_token": .token, "public_key": .passkeyCreation,
            ])
        case .appToAdd:
            .object([
                "challenge_type": .words([CodeChannel.authenticatorApp.rawValue]), "continuation_token": .token,
                "code_length": .whole,
                "secret": .text.described("32 letters and digits: base32 without padding. It is shown once."),
                "otpauth_uri": .text.described("The same as an address, for a QR code or a link."),
                "algorithm": .words(["SHA1"]), "digits": .whole, "period": .whole.described("In seconds."),
            ])
        case .providerAsked:
            .object([
                "challenge_type": .words(["federated"]), "continuation_token": .token,
                "provider": .text.example("apple"),
                "nonce": .text.described("43 characters, which the provider's token must contain; valid once."),
                "expires_in": .whole.described("Seconds that the nonce is valid."),
            ])
        case .passwordRequired: .object(["challenge_type": .words(["password"]), "continuation_token": .token])
        case .redirect:
            .object([
                "challenge_type": .words(["redirect"]),
                "redirect_reason": .text.described("Why the app must go on in a browser."),
            ])
        case .methods: .object(["continuation_token": .token, "methods": .list(of: .method)])
        case .contactCodeSent:
            .object([
                "challenge_type": .words(["oob"]), "continuation_token": .token, "challenge_target": .text,
                "challenge_channel": .words(["email", CodeChannel.textMessage.rawValue]), "code_length": .whole,
                "binding_method": .words(["prompt"]),
            ])
        case .contactProven: .object(["challenge_type": .words(["preverified"]), "continuation_token": .token])
        case .passwordChoice:
            .object([
                "continuation_token": .token, "expires_in": .whole.described("Seconds left to submit the password."),
            ])
        case .passwordSubmitted:
            .object(["continuation_token": .token, "poll_interval": .whole.described("Seconds between polls.")])
        case .resetCompleted: .object(["status": .words(["succeeded"]), "continuation_token": .token])
        case .tokens: .tokens
        case .daemonToken:
            .object([
                "token_type": .words(["Bearer"]), "expires_in": .whole.described("Seconds."),
                "ext_expires_in": .whole.described("Seconds."), "access_token": .token,
            ])
        case .browserTicket:
            .object([
                "token_type": .words(["N_A"]), "issued_token_type": .words([TokenExchange.ticketType]),
                "expires_in": .whole.described("Seconds."),
                "access_token": .text.described("The ticket, for the parameter ticket of a page's address."),
            ])
        case .deviceCodes:
            .object([
                "device_code": .text.described("For the device alone."),
                "user_code": .text.described("For the user: eight letters and a hyphen."),
                "verification_uri": .url.described("The page that asks for the user's code."),
                "expires_in": .whole.described("Seconds."),
                "interval": .whole.described("Seconds between two requests for the tokens."),
                "message": .text.described("A sentence for the user."),
            ])
        case .pushedRequest:
            .object([
                "request_uri": .text.described("Stands for the request at the authorization endpoint, once."),
                "expires_in": .whole.described("Seconds."),
            ])
        case .empty: .object([:])
        case .openIDConfiguration: .openIDConfiguration
        case .keySet: .object(["keys": .list(of: .key)])
        case .tokenDescription: .tokenDescription
        case .userInfo: .userInfo
        case .directoryError: .directoryError
        case .user: .user
        case .userChange: .userChange
        case .passwordChange: .passwordChange
        case .newContact: .newContact
        case .newPhone: .newPhone
        case .recoveryCodes: .recoveryCodes
        case .newPasskey:
            .object(
                [:],
                optional: [
                    "continuationToken": .text.orNull.described(
                        "Of an addition that has begun: sends the code to the own mailbox again, or makes new options."),
                    "isUpgrade": .flag.orNull.described(
                        "Whether the device makes the passkey silently (conditional mediation): in the sign-in's own session, within five minutes of a sign-in with a password and another factor."
                    ),
                ])
        case .newApp:
            .object(
                [:],
                optional: [
                    "continuationToken": .text.orNull.described(
                        "Of an addition that has begun: sends the code to the own mailbox again.")
                ])
        case .passkeyConfirmation:
            .object(
                ["continuationToken": .text],
                optional: [
                    "code": .text.orNull.described("Of the mail to the own mailbox, where one was sent first."),
                    "publicKeyCredential": .anyObject.orNull.described(
                        "The authenticator's answer: RegistrationResponseJSON (WebAuthn section 5.1)."),
                    "displayName": .text.orNull.described("The user's name for the passkey, 1 to 64 characters."),
                ])
        case .newIdentity:
            .object(
                [:],
                optional: [
                    "provider": .text.orNull.described("The provider's id in the tenant, such as apple."),
                    "continuationToken": .text.orNull.described(
                        "Of an addition that has begun: sends the code to the own mailbox again, or gives a new nonce."),
                ]
            ).described("One of the two members.")
        case .identityConfirmation:
            .object(
                ["continuationToken": .text],
                optional: [
                    "code": .text.orNull.described("Of the mail to the own mailbox, where one was sent first."),
                    "idToken": .text.orNull.described(
                        "The provider's ID token, a JWT with the nonce of the answer before."),
                    "authorizationCode": .text.orNull.described("The code that Apple gives an app beside its token."),
                ])
        case .contactConfirmation: .object(["continuationToken": .text, "code": .text])
        case .contactChange: .contactChange
        case .emailChangeUndo:
            .object(["tenant": .text.described("The tenant's id, domain or subdomain."), "code": .text])
        case .methodName: .object([:], optional: ["displayName": .text.orNull])
        case .methodList: .object(["value": .list(of: .directoryMethod)])
        case .sessionList: .object(["value": .list(of: .session)])
        case .sessionsEnded: .object(["value": .flag])
        case .deviceList: .object(["value": .list(of: .rememberedDevice)])
        case .deletion: .object(["deletionDueDateTime": .moment])
        case .operatorUser: .operatorUser(required: ["@odata.context"])
        case .operatorRequest: .operatorRequest
        case .operatorRequestList: .object(["value": .list(of: .operatorRequest)])
        case .userList:
            .page(of: .operatorUser(required: []), optional: ["@odata.count": .whole])
        case .newUser: .newUser
        case .userEdit: .userEdit
        case .organization: .organization
        case .application: .application(required: ["@odata.context"])
        case .applicationList: .page(of: .application(required: []))
        case .newApplication: .applicationEdit(required: ["displayName"])
        case .applicationEdit: .applicationEdit(required: [])
        case .newPassword:
            .object(
                [:],
                optional: [
                    "passwordCredential": .object([:], optional: ["displayName": .text, "endDateTime": .moment])
                ])
        case .newPasswordAnswer: .passwordCredential
        case .passwordKey: .object(["keyId": .uuid])
        case .servicePrincipal: .servicePrincipal(required: ["id", "appId"])
        case .servicePrincipalList: .page(of: .servicePrincipal(required: []))
        case .applicationName: .object(["appId": .uuid])
        case .applicationNameList: .page(of: .object([:], optional: ["@odata.type": .text, "appId": .uuid]))
        case .grant: .grant(required: ["id", "clientId", "resourceId", "scope"])
        case .grantList: .page(of: .grant(required: []))
        case .newGrant:
            .object(
                ["clientId": .uuid, "resourceId": .uuid, "scope": .text],
                optional: ["consentType": .words(["AllPrincipals"])])
        case .grantEdit: .object(["scope": .text.described("Names with blanks between them.")])
        case .assignment: .assignment(required: ["id", "principalId", "resourceId", "appRoleId"])
        case .assignmentList: .page(of: .assignment(required: []))
        case .newAssignment: .object(["principalId": .uuid, "resourceId": .uuid, "appRoleId": .uuid])
        case .userFlow: .userFlow(required: ["id", "displayName", "@odata.type"])
        case .userFlowList: .page(of: .userFlow(required: []))
        case .newUserFlow:
            .userFlowEdit(required: ["@odata.type", "displayName", "onAuthenticationMethodLoadStart"])
        case .userFlowEdit: .userFlowEdit(required: ["@odata.type"])
        case .providerList: .page(of: .provider)
        case .attribute: .attribute(required: ["id", "displayName", "dataType", "userFlowAttributeType"])
        case .attributeList: .page(of: .attribute(required: []))
        case .newAttribute:
            .object(
                ["displayName": .text(1...100), "dataType": .words(["string", "boolean", "int64"])],
                optional: ["description": .text(0...256), "userFlowAttributeType": .words(["custom"])])
        case .attributeEdit: .object(["description": .text(0...256)])
        case .group: .group(required: ["id", "displayName"])
        case .groupList: .page(of: .group(required: []))
        case .newGroup: .groupEdit(required: ["displayName"])
        case .groupEdit: .groupEdit(required: [])
        case .memberReference:
            .object([
                "@odata.id": Schema.text(1...512).example(
                    "https://graph.microsoft.com/v1.0/directoryObjects/aaaabbbb-0000-cccc-1111-dddd2222eeee")
            ])
        case .extension: .customExtension(required: ["id", "@odata.type", "displayName"])
        case .extensionList: .page(of: .customExtension(required: []))
        case .newExtension:
            .customExtensionEdit(
                required: ["@odata.type", "displayName", "endpointConfiguration", "authenticationConfiguration"])
        case .extensionEdit: .customExtensionEdit(required: ["@odata.type"])
        case .extensionCheck:
            .object([
                "errors": .list(of: .object(["code": .text, "message": .text])),
                "warnings": .list(of: .object(["code": .text, "message": .text])),
            ])
        case .objectIDs:
            .object(
                ["ids": Schema.list(of: .uuid).described("At most 1,000.")],
                optional: [
                    "types": Schema.list(of: .text).described(
                        "Any of user, group, application, servicePrincipal and directoryObject, which is all of them and the default."
                    )
                ])
        case .objectList: .object(["@odata.context": .text, "value": .list(of: .directoryObject)])
        case .listener: .listener(required: ["id", "@odata.type"])
        case .listenerList: .page(of: .listener(required: []))
        case .newListener: .listenerEdit(required: ["@odata.type", "handler"])
        case .listenerEdit: .listenerEdit(required: ["@odata.type"])
        case .batch: .batch
        case .batchAnswers: .batchAnswers
        case .signInList: .page(of: .signIn)
        case .directoryAuditList: .page(of: .directoryAudit)
        case .export:
            .object([
                "user": .user(required: []), "methods": .list(of: .directoryMethod), "sessions": .list(of: .session),
                "rememberedDevices": .list(of: .rememberedDevice),
                "groups": .list(of: .object(["id": .uuid, "displayName": .text])),
                "allowedApplications": .list(
                    of: .object(["appId": .uuid, "scopes": .list(of: .text), "at": .moment])),
                "earlierAddresses": .list(of: .object(["emailAddress": .text, "canBeRestoredUntil": .moment])),
                "activity": .list(of: .event),
            ])
        }
    }
}
