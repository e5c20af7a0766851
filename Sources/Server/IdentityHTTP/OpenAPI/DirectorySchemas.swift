import IdentityEngine
import NativeAuthCore
import NativeAuthWire

// The forms of requests and replies of the directory (docs/protocol.md §18). `OpenAPITests` compares them with answers.
extension Schema {
    static let directoryError = object([
        "error": object(
            [
                "code": words(DirectoryErrorCode.allCases.map(\.rawValue)),
                "message": text.described("For developers. Its words may change: decide by the codes."),
                "innerError": object(["date": text, "request-id": uuid, "client-request-id": uuid]),
            ],
            optional: [
                "target": text.described("The property that the error is about."),
                "details": list(of: object(["code": text, "message": text])),
            ])
    ])

    static let user = user(required: ["@odata.context", "@odata.etag"])

    /// A user with the properties that every tenant has; a tenant's own attributes stand beside them.
    static func user(required: [String]) -> Schema {
        let texts = [
            "city", "country", "displayName", "givenName", "jobTitle", "mobilePhone", "officeLocation", "postalCode",
            "preferredLanguage", "state", "streetAddress", "surname",
        ]
        let identity = object(["signInType": text, "issuer": text, "issuerAssignedId": text])
        var members = Dictionary(uniqueKeysWithValues: texts.map { ($0, text.orNull) })
        members.merge([
            "id": uuid, "mail": text, "userPrincipalName": text, "businessPhones": list(of: text),
            "accountEnabled": flag, "userType": text, "createdDateTime": moment, "identities": list(of: identity),
            "nativeAuthDeletionDueDateTime": moment.orNull,
        ]) { $1 }
        let odata = Dictionary(uniqueKeysWithValues: required.map { ($0, text) })
        return Schema(
            json: object(odata, optional: members).json.merging(["additionalProperties": .boolean(true)]) { $1 })
    }

    /// A user as operators see it.
    static func operatorUser(required: [String]) -> Schema {
        let schema = user(required: required)
        guard case .object(let members)? = schema.json["properties"] else { return schema }
        let more: [String: JSONValue] = [
            "creationType": .object(text.json), "deletedDateTime": .object(moment.orNull.json),
            "passwordProfile": .object(["type": .string("null")]),
            "passwordPolicies": .object(["type": .string("null")]),
            "@odata.etag": .object(text.json),
        ]
        return Schema(json: schema.json.merging(["properties": .object(members.merging(more) { $1 })]) { $1 })
    }

    private static let identities = list(
        of: object(
            ["signInType": words(["emailAddress", "federated", "userName"]), "issuerAssignedId": filled],
            optional: ["issuer": text])
    ).described("All login names of the user: an address, and an alias if there is one.")

    private static func withAttributes(_ schema: Schema) -> Schema {
        Schema(
            json: schema.json.merging(
                ["additionalProperties": userChange.json["additionalProperties"] ?? .boolean(true)]) { $1 }
        ).described("Attributes stand beside the members that are listed.")
    }

    static let newUser = withAttributes(
        object(
            ["identities": identities],
            optional: [
                "accountEnabled": flag, "mail": text.described("The address of identities."),
                "passwordProfile": object(
                    ["password": filled],
                    optional: ["forceChangePasswordNextSignIn": Schema(json: ["const": .boolean(false)])]
                ), "passwordPolicies": text, "userType": text, "creationType": text,
            ]))

    static let userEdit = withAttributes(
        object([:], optional: ["identities": identities, "accountEnabled": flag, "mail": text]))

    /// A page of a list.
    static func page(of item: Schema, optional: [String: Schema] = [:]) -> Schema {
        object(
            ["@odata.context": text, "value": list(of: item)],
            optional: optional.merging(["@odata.nextLink": url]) { $1 })
    }

    private static let addresses = list(of: text(1...RedirectAddresses.maximumBytes))

    private static let redirects = object(
        [:], optional: ["redirectUris": addresses.described("Where the web may send users back to.")])

    private static let web = object(
        [:],
        optional: [
            "redirectUris": addresses.described("Where the web may send users back to."),
            "homePageUrl": text(1...RedirectAddresses.maximumBytes).orNull.described(
                "The page that error pages may link to."),
            "logoutUrl": text(1...RedirectAddresses.maximumBytes).orNull.described(
                "Where browsers tell the application that a session has ended."),
        ])

    /// What an application is to the web, besides what the vendor has.
    private static let webMembers: [String: Schema] = [
        "nativeAuthPostLogoutRedirectUris": addresses.described("Where a sign-out in the browser may lead back to."),
        "nativeAuthBackChannelLogoutUri": text(1...RedirectAddresses.maximumBytes).orNull.described(
            "Where the server tells the application that a session has ended."),
        "nativeAuthAllowedOrigins": addresses.described(
            "The origins of pages that may call the native endpoints from a browser."),
        "nativeAuthRequiresPkce": flag.described("False only for an application with a secret or a key."),
        "nativeAuthIsThirdParty": flag.described("Whether users are asked for consent."),
        "nativeAuthRequiresPushedRequests": flag.described("Whether authorization requests must be pushed."),
        "nativeAuthAllowsDeviceFlow": flag.described("Whether users can sign in on devices without a browser."),
        "nativeAuthOpensInBrowser": addresses.described(
            "What its app may open in a browser, signed in: account for the account page, or client ids."),
    ]

    static func application(required: [String]) -> Schema {
        let credential = object(
            ["keyId": uuid, "endDateTime": moment],
            optional: [
                "displayName": text, "hint": text.described("The first characters of the secret."),
                "secretText": text.orNull,
                "startDateTime": moment.orNull, "type": text, "usage": text,
            ])
        let members: [String: Schema] = [
            "@odata.context": text, "id": uuid, "appId": uuid, "displayName": text, "signInAudience": text,
            "isFallbackPublicClient": flag, "nativeAuthenticationApisEnabled": words(["all", "none"]),
            "nativeAuthSignIn": text.orNull.described(
                "What users sign in with: emailOneTimePasscode or emailPassword; null for a daemon."),
            "nativeAuthUserFlowId": text.orNull.described("The user flow that the application shares with others."),
            "publicClient": redirects, "spa": redirects, "web": web,
            "groupMembershipClaims": text.orNull.described("SecurityGroup: tokens have the claim groups."),
            "appRoles": list(of: appRole),
            "nativeAuthScopes": list(of: text).described("The scopes that an application may ask for."),
            "nativeAuthRoles": list(of: text).described("The roles of a daemon."),
            "passwordCredentials": list(of: credential), "keyCredentials": list(of: credential),
        ].merging(webMembers) { $1 }
        return object(
            members.filter { required.contains($0.key) }, optional: members.filter { !required.contains($0.key) })
    }

    private static let appRole = object(
        [
            "id": uuid.described("Chosen by the caller."),
            "value": text(1...ApplicationRole.longestValue).described("The word in the claim roles."),
            "allowedMemberTypes": list(of: words(["User", "Application"])).described("At least one."),
            "isEnabled": flag,
        ],
        optional: ["displayName": text(1...256), "description": text.orNull])

    static func applicationEdit(required: [String]) -> Schema {
        let members: [String: Schema] = [
            "displayName": text(1...256),
            "isFallbackPublicClient": flag.described(
                "True makes an application of an app; without redirect addresses another one is a daemon."),
            "nativeAuthenticationApisEnabled": words(["all", "none"]),
            "nativeAuthSignIn": words(UserFlow.Method.allCases.map(\.rawValue)).described("What users sign in with."),
            "nativeAuthScopes": list(of: text).described("The scopes that an application may ask for."),
            "publicClient": redirects, "spa": redirects, "web": web,
            "groupMembershipClaims": words(["SecurityGroup", "All", "None"]).described(
                "Whether tokens have the claim groups."),
            "appRoles": list(of: appRole).described("All roles that the application has from then on."),
            "signInAudience": words(["AzureADMyOrg"]),
        ].merging(webMembers) { $1 }
        return object(
            members.filter { required.contains($0.key) }, optional: members.filter { !required.contains($0.key) }
        ).described("Other members of the vendor's application are accepted and not kept.")
    }

    /// An object of any kind: its members are those of a user, group, application or service principal.
    static let directoryObject = Schema(
        json: object(["@odata.type": text, "id": uuid]).json.merging(["additionalProperties": .boolean(true)]) { $1 })

    static let passwordCredential = object(
        ["keyId": uuid, "endDateTime": moment, "startDateTime": moment, "hint": text, "secretText": text],
        optional: ["@odata.context": text, "displayName": text])

    /// An object of which a list with `$select` shows a part.
    private static func partly(_ members: [String: Schema], required: [String]) -> Schema {
        object(
            members.filter { required.contains($0.key) }, optional: members.filter { !required.contains($0.key) })
    }

    static func servicePrincipal(required: [String]) -> Schema {
        let scope = object(
            ["id": uuid, "value": text, "isEnabled": flag, "type": text, "adminConsentDisplayName": text])
        return partly(
            [
                "@odata.context": text, "id": uuid, "appId": uuid, "displayName": text, "appDisplayName": text,
                "servicePrincipalType": text, "accountEnabled": flag,
                "appRoles": list(of: appRole).described("The roles that it gives daemons and groups."),
                "oauth2PermissionScopes": list(of: scope),
            ], required: required)
    }

    static func grant(required: [String]) -> Schema {
        partly(
            [
                "@odata.context": text, "id": uuid, "clientId": uuid, "consentType": text, "principalId": text.orNull,
                "resourceId": uuid, "scope": text.described("Names with blanks between them."),
            ], required: required)
    }

    static func assignment(required: [String]) -> Schema {
        partly(
            [
                "@odata.context": text, "id": uuid, "principalId": uuid, "principalDisplayName": text.orNull,
                "principalType": text, "resourceId": uuid, "resourceDisplayName": text, "appRoleId": uuid,
            ], required: required)
    }

    static let provider = object(
        [:], optional: ["@odata.type": text, "id": text, "displayName": text, "identityProviderType": text])

    static func attribute(required: [String]) -> Schema {
        partly(
            [
                "@odata.context": text, "id": text, "displayName": text, "description": text.orNull,
                "userFlowAttributeType": words(["builtIn", "custom"]),
                "dataType": words(["string", "boolean", "int64"]),
            ], required: required)
    }

    private static let input = object(
        ["attribute": text, "label": text(1...256), "inputType": words(["text", "boolean"])],
        optional: [
            "defaultValue": Schema(json: ["type": .string("null")]), "hidden": flag, "editable": flag,
            "writeToDirectory": flag, "required": flag,
            "validationRegEx": text.orNull.described(
                "A POSIX extended regular expression that the whole value matches."),
            "options": list(of: text),
        ])

    private static let page = object(
        [
            "views": list(
                of: object(["inputs": list(of: input)], optional: ["title": text.orNull, "description": text.orNull]))
        ],
        optional: ["customStringsFileId": text.orNull])

    private static let flowType = words(["#microsoft.graph.externalUsersSelfServiceSignUpEventsFlow"])

    /// The parts of a user flow.
    private static func parts(_ attribute: Schema) -> [String: Schema] {
        let type = ["@odata.type": text]
        return [
            "conditions": object([
                "applications": object(
                    [:],
                    optional: [
                        "includeAllApplications": Schema(json: ["const": .boolean(false)]),
                        "includeApplications": list(of: object(["appId": uuid], optional: type)),
                    ])
            ]),
            "onInteractiveAuthFlowStart": object(["isSignUpAllowed": flag], optional: type),
            "onAuthenticationMethodLoadStart": object(
                [
                    "identityProviders": list(
                        of: object(
                            ["id": words(["EmailPassword-OAUTH", "EmailOtpSignup-OAUTH"])],
                            optional: [
                                "@odata.type": text, "displayName": text, "identityProviderType": text,
                            ]))
                ], optional: type),
            "onAttributeCollection": object(
                [:],
                optional: [
                    "@odata.type": text, "attributes": list(of: attribute), "attributeCollectionPage": page,
                ]),
            "onUserCreateStart": object([:], optional: ["@odata.type": text, "userTypeToCreate": words(["member"])]),
        ]
    }

    private static let timing = object(
        [:],
        optional: [
            "timeoutInMilliseconds": whole.described("200 to 2,000."), "maximumRetries": whole.described("0 or 1."),
        ])
    private static let behaviour = object(
        ["@odata.type": words(["#microsoft.graph.fallbackToMicrosoftProviderOnError"])])

    private static let extensionParts: [String: Schema] = [
        "@odata.type": words([
            "#microsoft.graph.onTokenIssuanceStartCustomExtension",
            "#microsoft.graph.onAttributeCollectionStartCustomExtension",
            "#microsoft.graph.onAttributeCollectionSubmitCustomExtension", "#microsoft.graph.onOtpSendCustomExtension",
            "#microsoft.graph.onPasswordSubmitCustomExtension",
        ]),
        "endpointConfiguration": object(["targetUrl": text(1...2_048)], optional: ["@odata.type": text]),
        "authenticationConfiguration": object(
            ["resourceId": text(1...512).example("api://hooks.example.com/aaaabbbb-0000-cccc-1111-dddd2222eeee")],
            optional: ["@odata.type": text]),
        "clientConfiguration": timing,
        "claimsForTokenConfiguration": list(of: object(["claimIdInApiResponse": text(1...128)])),
    ]

    static func customExtension(required: [String]) -> Schema {
        partly(
            extensionParts.merging([
                "claimsForTokenConfiguration": list(of: object(["claimIdInApiResponse": text(1...128)])).orNull,
                "@odata.context": text, "id": uuid, "displayName": text, "description": text.orNull,
                "behaviorOnError": behaviour.orNull, "nativeAuthEncryptionKey": text.orNull,
            ]) { $1 }, required: required)
    }

    static func customExtensionEdit(required: [String]) -> Schema {
        partly(
            extensionParts.merging([
                "displayName": text(1...256), "behaviorOnError": behaviour.orNull,
                "nativeAuthEncryptionKey": text(1...16_384),
            ]) { $1 }, required: required)
    }

    private static func listenerParts(_ behaviour: Schema) -> [String: Schema] {
        [
            "@odata.type": words([
                "#microsoft.graph.onTokenIssuanceStartListener", "#microsoft.graph.onAttributeCollectionStartListener",
                "#microsoft.graph.onAttributeCollectionSubmitListener", "#microsoft.graph.onEmailOtpSendListener",
                "#microsoft.graph.onPasswordSubmitListener",
            ]),
            "conditions": object([
                "applications": object(
                    [:],
                    optional: [
                        "includeAllApplications": flag, "includeApplications": list(of: object(["appId": uuid])),
                    ])
            ]),
            "handler": object(
                ["customExtension": object(["id": uuid])],
                optional: [
                    "@odata.type": text, "migrationPropertyId": text.orNull,
                    "configuration": object(
                        [:], optional: ["behaviorOnError": behaviour, "clientConfiguration": timing]),
                ]),
        ]
    }

    static func listener(required: [String]) -> Schema {
        partly(
            listenerParts(behaviour.orNull).merging([
                "@odata.context": text, "id": uuid, "displayName": text, "priority": whole,
                "authenticationEventsFlowId": text.orNull,
            ]) { $1 }, required: required)
    }

    static func listenerEdit(required: [String]) -> Schema {
        partly(
            listenerParts(behaviour.orNull).merging([
                "displayName": text(0...256), "priority": Schema(json: ["const": .integer(500)]),
                "authenticationEventsFlowId": uuid,
            ]) { $1 }, required: required)
    }

    static func group(required: [String]) -> Schema {
        partly(
            [
                "@odata.context": text, "@odata.type": text, "id": uuid, "displayName": text,
                "description": text.orNull, "createdDateTime": moment, "securityEnabled": flag, "mailEnabled": flag,
                "mail": text.orNull, "groupTypes": list(of: text),
            ], required: required)
    }

    static func groupEdit(required: [String]) -> Schema {
        partly(
            [
                "displayName": text(1...256), "description": text(0...1_024),
                "mailEnabled": Schema(json: ["const": .boolean(false)]),
                "securityEnabled": Schema(json: ["const": .boolean(true)]), "mailNickname": text(0...256),
            ], required: required)
    }

    static func userFlow(required: [String]) -> Schema {
        let nothing = Schema(json: ["type": .string("null")])
        return partly(
            parts(attribute(required: [])).merging([
                "@odata.context": text, "@odata.type": flowType, "id": uuid, "displayName": text,
                "description": text.orNull, "priority": whole, "onAttributeCollectionStart": nothing,
                "onAttributeCollectionSubmit": nothing,
            ]) { $1 }, required: required)
    }

    static func userFlowEdit(required: [String]) -> Schema {
        partly(
            parts(object(["id": text])).merging([
                "@odata.type": flowType, "displayName": text(1...256), "description": text(0...256),
                "priority": whole,
            ]) { $1 }, required: required)
    }

    private static func headers(_ names: String...) -> Schema {
        object([:], optional: Dictionary(uniqueKeysWithValues: names.map { ($0, text) }))
    }

    static let batch = object([
        "requests": list(
            of: object(
                ["id": text(1...64), "method": words(["GET", "POST", "PATCH", "DELETE"]), "url": filled],
                optional: [
                    "headers": headers("Content-Type", "If-Match", "ConsistencyLevel"),
                    "body": Schema(json: ["type": .string("object"), "additionalProperties": .boolean(true)]),
                    "dependsOn": list(of: text).described("Ids of requests in front of this one."),
                ]))
    ])

    static let batchAnswers = object([
        "responses": list(
            of: object(
                [
                    "id": text, "status": whole,
                    "headers": headers("Content-Type", "Location", "ETag", "Retry-After", "Allow", "WWW-Authenticate"),
                ],
                optional: ["body": Schema(json: [:]).described("JSON, or a text.")]))
    ])

    private static let line: [String: Schema] = [
        "id": text, "nativeAuthFlow": uuid.orNull.described("The flow of the sign-up, sign-in or reset."),
        "nativeAuthSource": text.orNull.described("A keyed pseudonym of the address that the request came from."),
        "nativeAuthPosition": whole.orNull.described("The place in the sealed chain; null for the first second."),
    ]

    static let signIn = object(
        line.merging([
            "createdDateTime": moment, "userId": uuid.orNull, "userPrincipalName": text.orNull, "appId": uuid.orNull,
            "appDisplayName": text.orNull, "isInteractive": flag,
            "status": object([
                "errorCode": whole.described("0 for success."), "failureReason": text.orNull,
                "additionalDetails": text.orNull,
            ]),
        ]) { $1 })

    static let directoryAudit = object(
        line.merging([
            "activityDateTime": moment, "activityDisplayName": text, "category": text, "loggedByService": text,
            "result": words(["success", "failure"]), "resultReason": text.orNull,
            "initiatedBy": object([
                "user": object(["id": uuid]).orNull,
                "app": object(["appId": uuid.orNull, "displayName": text.orNull]).orNull,
            ]), "targetResources": list(of: object(["id": uuid, "type": text])),
        ]) { $1 })

    static let organization = object([
        "value": list(
            of: object([
                "id": uuid, "displayName": text,
                "verifiedDomains": list(of: object(["name": text, "isDefault": flag, "isInitial": flag])),
            ]))
    ])

    static let userChange = Schema(json: [
        "type": .string("object"), "maxProperties": .integer(UserFlow.maximumAttributes),
        "additionalProperties": .object([
            "anyOf": .array(
                ["string", "integer", "boolean", "null"].map { .object(["type": .string($0)]) })
        ]),
    ]).described("The properties to change. Null removes a value.")

    static let passwordChange = object(
        ["newPassword": text],
        optional: [
            "currentPassword": text.orNull,
            "keepOtherSessions": flag.orNull.described("Whether the other sessions stay; without it they end."),
        ])

    static let newContact = object(
        [:],
        optional: [
            "emailAddress": text.orNull,
            "continuationToken": text.orNull.described("Of a change that has begun: sends its next code."),
        ]
    ).described("One of the two members.")

    static let newPhone = object(
        [:],
        optional: [
            "phoneNumber": text.orNull.described("With the code of the country, such as +15555550123."),
            "continuationToken": text.orNull.described("Of a change that has begun: sends its next code."),
        ]
    ).described("One of the two members.")

    static let contactChange = object(
        ["continuationToken": text],
        optional: [
            "codeLength": whole, "targetLabel": text.described("The masked address or telephone number."),
            "channel": words([CodeChannel.textMessage.rawValue]).described(
                "How the code gets there, when not by mail."),
            "resendAfter": whole.described("Seconds until another code can be asked for."),
            "secretKey": text.described("The secret for an authenticator app in base32. The next code is the app's."),
            "keyUri": text.described("The same, as an address for a QR code or a link."),
            "publicKey": passkeyCreation,
            "nonce": text.described("For the provider, unchanged: its ID token must have it."),
            "nonceExpiresIn": whole.described("Seconds for which the nonce is accepted, once."),
        ])

    static let passkeyCreation = object([
        "rp": object(["id": text, "name": text]),
        "user": object(["id": text, "name": text, "displayName": text]),
        "challenge": text.described("32 random bytes, base64url; valid for 300 seconds, once."),
        "pubKeyCredParams": list(of: object(["type": words(["public-key"]), "alg": whole])),
        "timeout": whole.described("Milliseconds."), "excludeCredentials": list(of: passkeyReference),
        "authenticatorSelection": object([
            "residentKey": words(["required"]), "requireResidentKey": flag,
            "userVerification": words(["required", "preferred"]).described("`preferred` in an upgrade alone."),
        ]), "attestation": words(["none"]), "extensions": object(["credProps": flag]),
    ]).described(
        "PublicKeyCredentialCreationOptionsJSON (WebAuthn section 5.1): let an authenticator make the passkey.")

    static let directoryMethod = object(
        [
            "@odata.type": words([
                Directory.Method.email, Directory.Method.password, Directory.Method.app, Directory.Method.phone,
                Directory.Method.passkey, Directory.Method.identity,
            ]), "id": uuid,
        ],
        optional: [
            "createdDateTime": moment, "emailAddress": text.described("The masked address."),
            "phoneNumber": text.described("The masked number."), "phoneType": words(["mobile"]),
            "smsSignInState": words(Directory.Method.SignInState.allCases.map(\.rawValue)).described(
                "Whether a code to the number alone signs the user in; for operators the member is left out."),
            "displayName": text,
            "lastUsedDateTime": moment, "isSuspended": flag,
        ])

    static let recoveryCodes = object(
        ["remaining": whole.described("Those that are not used yet, 0 to 10.")],
        optional: [
            "createdDateTime": moment,
            "renewal": .words(RecoveryRenewal.allCases.map(\.rawValue)).described(
                "Whether the user is to make new ones: none; suggested, with three or fewer left; demanded, with none left."
            ),
            "codes": list(of: text).described("New codes; in the answer that made them alone."),
        ])

    static let operatorRequest = object(
        [
            "id": uuid,
            "action": words([
                "removeMethod", "removeMethods", "changeEmail", "requireReset", "trustPassword", "relaxSecondFactor",
            ]), "userId": uuid, "createdDateTime": moment, "expirationDateTime": moment,
            "confirmationsNeeded": whole.described("How many operators still have to confirm it, 1 or 2."),
        ],
        optional: [
            "requestedBy": text.described("The id of the daemon or of the operator; left out for a command."),
            "methodId": uuid, "mail": text.described("The new address."),
        ])

    static let session = object(
        ["id": uuid, "createdDateTime": moment, "lastUsedDateTime": moment, "appId": uuid, "isCurrent": flag],
        optional: [
            "appDisplayName": text, "network": text.described("The network of the last use, such as 192.0.2.0/24."),
            "deviceModel": text, "operatingSystem": text,
        ])

    static let rememberedDevice = object(
        ["id": uuid, "createdDateTime": moment, "expirationDateTime": moment, "appId": uuid],
        optional: [
            "lastUsedDateTime": moment,
            "network": text.described("The network in which it was remembered, such as 192.0.2.0/24."),
            "deviceModel": text, "operatingSystem": text,
        ])

    static let event = object(["at": moment, "event": text], optional: ["appId": uuid, "detail": text])
}
