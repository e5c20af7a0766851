#if DEBUG || Server
    // The catalogue of errors: facts of the vendor's documentation and of docs/protocol.md §13, in this project's words.
    // The names are the vendor's where it publishes one.
    extension ErrorRemedy {
        /// The chapters in the order of the documentation.
        package static let chapters: [(title: String, remedies: [ErrorRemedy])] = [
            ("The app and its tenant", application), ("Accounts and passwords", accounts), ("Attributes", attributes),
            ("One-time passcodes", codes), ("Second factor", secondFactor), ("The order of a flow", order),
            ("Sessions, tokens and scopes", tokens), ("Daemons", daemons), ("The browser", browser),
            ("Requests", requests),
            ("The server", server), ("Words of the server, where it gives no number", words),
            ("Errors that this library detects", ClientCondition.allCases.map(ErrorRemedy.init)),
        ]

        private static let application: [ErrorRemedy] = [
            Self(
                50_059, "MissingTenantRealmAndNoUserInformationProvided", "The request names no tenant.",
                "End the authority with the tenant, as in https://contoso.ciamlogin.com/contoso.onmicrosoft.com."),
            Self(
                50_105, "EntitlementGrantsNotFound",
                "The app is for assigned users only, and this one is not assigned.",
                "Switch the requirement of assignment off for the app, or assign the user."),
            Self(
                50_128, "InvalidDomainName", "The domain in the request belongs to no tenant.",
                "Put the tenant's subdomain, domain or id into the authority."),
            Self(
                50_194, "NotMultiTenantApplication", "The authority ends with common, and the app is for one tenant.",
                "Replace common with the tenant's domain or id."),
            Self(
                53_003, "BlockedByConditionalAccess", "A rule of conditional access refuses tokens here.",
                "Look up the correlation ID in the tenant's sign-in log, and change the rule that it names."),
            Self(
                70_001, "UnauthorizedClient",
                "The app is off, has no native authentication, no user flow that allows a sign-up, or may not open this page in a browser.",
                "Enable native authentication and public client flows, add the app to a user flow, or list the page in its opensInBrowser."
            ),
            Self(
                90_002, "InvalidTenantName", "No tenant has the name or id in the authority.",
                "Correct the tenant's subdomain, domain or id."),
            Self(
                90_019, "MissingTenantRealm", "The request does not say which tenant it is for.",
                "End the authority with the tenant's domain or id."),
            Self(
                90_094, "AdminConsentRequired", "The app needs the consent of an administrator, which is missing.",
                "Have an administrator grant consent for the app's permissions in the tenant."),
            Self(
                500_207, "AccountTypeNotForResource", "This kind of account cannot be used with what the app asks for.",
                "Take the authority of the external tenant, such as https://contoso.ciamlogin.com, and scopes of its own apps."
            ),
            Self(
                500_208, "DomainNotForAccountType", "The account belongs to another kind of tenant than the authority.",
                "Take the authority of the external tenant, such as https://contoso.ciamlogin.com."),
            Self(
                500_222, "CredentialRecoveryUnsupported",
                "The tenant has no password reset, or the account has no password.",
                "Offer sign-in with a one-time passcode, or enable passcodes by e-mail and password reset in the tenant."
            ),
            Self(
                550_022, "ConfidentialClientNotSupported", "The app is registered with a secret or as a web app.",
                "Register it as a public client without a secret: a mobile or desktop app with public client flows allowed."
            ),
            Self(
                700_011, "UnauthorizedClientAppNotFoundInOrgIdTenant", "The tenant has no app with this client ID.",
                "Compare clientID with the app's registration, and the tenant with the one it is registered in."),
            Self(
                700_016, "UnauthorizedClient_DoesNotMatchRequest", "The tenant has no app with this client ID.",
                "Compare clientID with the app's registration, and the tenant with the one it is registered in."),
            Self(
                901_007, "RedirectMissing", "The list of challenge types lacks redirect.",
                "Add redirect to challenge_type; this library always adds it."),
            Self(
                7_000_112, "UnauthorizedClientApplicationDisabled", "The app is switched off in the tenant.",
                "Have an administrator switch the app on."),
            Self(
                7_000_218, "ClientSecretRequired", "The server takes the app for one that has a secret.",
                "Allow public client flows in the app's registration, and send no secret."),
        ]

        private static let accounts: [ErrorRemedy] = [
            Self(
                50_034, "UserAccountNotFound", "No user of the tenant signs in with this name.",
                "Offer sign-up or another name, and check that the app talks to the tenant where the account is."),
            Self(
                50_053, "IdsLocked",
                "Too many wrong passwords were tried, or the requests come from an address with a bad name.",
                "Ask the user to wait or to reset the password, and do not repeat wrong passwords by program."),
            Self(
                50_055, "InvalidPasswordExpiredPassword", "The user's password has expired.",
                "Lead the user to the password reset."),
            Self(
                50_056, "InvalidOrNullPassword", "The account has no password.",
                "Offer sign-in with a one-time passcode, or a password reset."),
            Self(
                50_057, "UserDisabled", "The account is switched off.",
                "Tell the user to ask the operator of the service; an administrator can switch the account on."),
            Self(
                50_126, "InvalidUserNameOrPassword", "The username or the password is not correct.",
                "Ask the user again, and offer the password reset."),
            Self(
                50_142, "PasswordChangeRequired",
                "A rule of the tenant requires a new password before the next sign-in.",
                "Lead the user to the password reset."),
            Self(
                90_101, "InvalidEmailAddress", "The text is not an e-mail address.",
                "Send an address such as dana@example.com, without blanks around it."),
            Self(
                120_002, "PasswordChangeInvalidNewPasswordWeak", "The new password is too weak.",
                "Show the rules of the password, and ask for another one."),
            Self(
                120_003, "PasswordChangeInvalidNewPasswordContainsMemberName",
                "The new password contains the user's name.",
                "Ask for a password without name and address in it."),
            Self(
                120_018, "PasswordChangePasswordDoesnotComplyFuzzyPolicy",
                "The new password is too similar to a common one.",
                "Ask for a password that is not in use everywhere."),
            Self(
                399_246, "PasswordTooWeak", "The password breaks a rule, and suberror names the rule.",
                "Show the rule that suberror names, and ask for another password."),
            Self(
                400_002, "InvalidAuthenticationType", "The user signs in with another method than the request names.",
                "Follow the step that the server answers: ask for the code or for the password, whichever it names."),
            Self(
                1_003_023, "CustomExtensionBlocked", "The system that the tenant asks about sign-ups ended this one.",
                "Show the reason, which stands in the description of the error."),
            Self(
                1_003_037, "UserAlreadyExists", "An account with this address or name exists already.",
                "Offer to sign in, or to reset the password."),
        ]

        private static let attributes: [ErrorRemedy] = [
            Self(
                55_102, "AttributesRequired", "The user flow asks for attributes that were not sent.",
                "Ask the user for what required_attributes lists, and submit it in the step that the server answered."),
            Self(
                55_106, "AttributesRequired", "The user flow asks for attributes that were not sent.",
                "Ask the user for what required_attributes lists, and submit it in the step that the server answered."),
            Self(
                1_002_027, "AttributeValidationError", "An attribute breaks the rule of the user flow.",
                "Correct the attributes that the answer names, by their programmable names and rules."),
        ]

        private static let codes: [ErrorRemedy] = [
            Self(
                50_181, "OneTimePasscodeWrong", "The one-time passcode is not correct.",
                "Ask the user for the code of the newest mail, and offer to send another one."),
            Self(
                50_184, "OneTimePasscodeExpired", "The one-time passcode is wrong or too old.",
                "Send the user another code."),
            Self(
                501_811, "OneTimePasscodeWrongForUser", "The one-time passcode is not correct.",
                "Ask the user for the code of the newest mail, and offer to send another one."),
            Self(
                701_014, "NoMoreOneTimePasscodes", "This flow has sent its maximum number of codes.",
                "Start the flow again later, and disable the button for another code for as long as the step says."),
        ]

        private static let secondFactor: [ErrorRemedy] = [
            Self(
                50_072, "UserStrongAuthEnrollmentRequiredInterrupt", "The user has to register a second factor first.",
                "Add .registrationRequired to capabilities, and the screens for it."),
            Self(
                50_074, "UserStrongAuthClientAuthNRequiredInterrupt", "A second factor is required.",
                "Add .mfaRequired to capabilities, and the screens for it."),
            Self(
                50_076, "UserStrongAuthClientAuthNRequired", "More proof is required, or a fresh one.",
                "Sign the user in again with .mfaRequired among the capabilities."),
            Self(
                50_078, "UserStrongAuthExpired", "The second factor was given too long ago.",
                "Sign the user in again."),
            Self(
                50_079, "UserStrongAuthEnrollmentRequired", "The user has to register a second factor first.",
                "Sign the user in again with .registrationRequired among the capabilities."),
            Self(
                50_087, "SasRetryableError", "The second factor failed for a passing reason.",
                "Offer to try again."),
            Self(
                50_088, "TelecomLimitReached", "Too many text messages or calls were sent.",
                "Offer another method, or wait some minutes."),
            Self(
                550_024, "MethodBlocked",
                "The method of the second factor is blocked, because of its reputation or by a rule.",
                "Offer another method."),
            Self(
                901_001, "InvalidVerificationContact",
                "The contact to register is no address or number of that channel.",
                "Send an e-mail address for email, and a number such as +4520123456 for sms."),
        ]

        private static let order: [ErrorRemedy] = [
            Self(
                50_089, "FlowTokenExpired", "The flow took too long.",
                "Start the flow again."),
            Self(
                55_000, "ContinuationTokenUnusable",
                "The continuation token is not one of this flow, client and tenant.",
                "Use the newest step of the flow, or start again."),
            Self(
                55_103, "CredentialRequired", "The code was right, and a password is asked for next.",
                "Ask for the password in the step that the server answered."),
            Self(
                55_112, "ContinuationTokenExpired", "The continuation token is too old.",
                "Start the flow again."),
            Self(
                55_200, "ContinuationTokenInvalid",
                "The continuation token is used up, of another flow, or the steps are out of order.",
                "Use the newest step of the flow, or start again."),
            Self(
                552_003, "ContinuationTokenExpired", "The continuation token is too old.",
                "Start the flow again."),
        ]

        private static let tokens: [ErrorRemedy] = [
            Self(
                50_001, "InvalidResource", "The resource of a scope does not exist, or is switched off.",
                "Compare the scopes with the Application ID URI of the API that they belong to."),
            Self(
                50_132, "SsoArtifactInvalidOrExpired", "The session ended because the password expired or was changed.",
                "Begin a new sign-in."),
            Self(
                50_133, "SsoArtifactRevoked", "The session ended because the password expired or was changed.",
                "Begin a new sign-in."),
            Self(
                50_173, "FreshTokenNeeded", "The session was ended: by sign-out, an administrator, or a new password.",
                "Begin a new sign-in."),
            Self(
                65_001, "DelegationDoesNotExist", "No user or administrator has consented to the scopes for this app.",
                "Add the scopes to the app's permissions, and have an administrator grant consent."),
            Self(
                65_004, "UserDeclinedConsent", "The user does not allow what the app asks for.",
                "Tell the user why the app needs it, and ask again later."),
            Self(
                65_005, "MisconfiguredApplication", "The app asks for a resource that its registration does not list.",
                "Add the API to the permissions of the app's registration."),
            Self(
                70_000, "InvalidGrant", "The refresh token, or the code, is not valid.",
                "Begin a new sign-in, and see that tokens are kept whole and for the same app and tenant."),
            Self(
                70_003, "UnsupportedGrantType", "The server does not know the grant type.",
                "Send one of the grant types of the token endpoint; this library chooses the right one."),
            Self(
                70_008, "ExpiredOrRevokedGrant", "The refresh token has expired.",
                "Begin a new sign-in."),
            Self(
                70_011, "InvalidScope", "A scope is unknown, or not written as a scope.",
                "Write scopes as api://APPLICATION-ID/NAME, all of one resource."),
            Self(
                70_016, "AuthorizationPending", "The user of the device has not answered yet.",
                "Ask again after the interval, until an answer comes."),
            Self(
                70_018, "BadVerificationCode", "The device code is not one of this app and tenant.",
                "Send the device_code of the same request, unchanged."),
            Self(
                70_019, "CodeExpired", "The device code is older than fifteen minutes.",
                "Ask for a new code, and show it to the user."),
            Self(
                70_043, "BadTokenDueToSignInFrequency", "A rule of the tenant requires the user to sign in more often.",
                "Begin a new sign-in."),
            Self(
                500_011, "InvalidResourceServicePrincipalNotFound",
                "The tenant has no app for the resource of a scope.",
                "Register the API in the same tenant, and compare the scopes with its Application ID URI."),
            Self(
                650_057, "InvalidResource", "The app asks for a resource that its registration does not list.",
                "Add the API to the permissions of the app's registration."),
            Self(
                700_022, "InvalidMultipleResourcesScope", "The scopes belong to more than one resource.",
                "Ask for the scopes of one resource at a time."),
            Self(
                700_023, "InvalidResourcelessScope", "A scope names no resource.",
                "Write scopes as api://APPLICATION-ID/NAME."),
            Self(
                700_082, "ExpiredOrRevokedGrantInactiveToken", "The refresh token was not used for too long.",
                "Begin a new sign-in."),
            Self(
                700_084, "SinglePageAppTokenExpired",
                "The refresh token belongs to a web app in a browser, and has expired.",
                "Begin a new sign-in, and register the app as a mobile or desktop app."),
        ]

        private static let daemons: [ErrorRemedy] = [
            Self(
                700_024, "ClientAssertionNotWithinValidTimeRange",
                "The client assertion has expired, is not valid yet, or is valid for over an hour.",
                "Set the clock of the daemon, and make an assertion for ten minutes at each request."),
            Self(
                700_027, "InvalidClientAssertion",
                "The client assertion is unreadable, not signed by a key of the daemon, for another server, or was used before.",
                "Compare key, iss, sub and aud with the registration of the daemon, and give each assertion a new jti."),
            Self(
                700_025, "InvalidClientPublicClientWithCredential",
                "A public application sent a client secret or an assertion.",
                "Send neither, or register a secret or a key for the application."),
            Self(
                1_002_012, "ScopeNotDefault", "The scope of a daemon is not a resource with /.default.",
                "Ask for one resource, followed by /.default; the roles come from the registration of the daemon."),
            Self(
                7_000_215, "InvalidClientSecret", "The client secret is wrong.",
                "Send the text of the secret, not its id; make another one where the text is lost."),
            Self(
                7_000_216, "MissingClientAuthentication", "A daemon sent neither a secret nor an assertion.",
                "Send client_secret, HTTP Basic, or client_assertion with its type."),
            Self(
                7_000_222, "InvalidClientSecretExpired", "The client secret has ended.",
                "Make another secret, give it to the daemon, and take the old one out."),
        ]

        private static let browser: [ErrorRemedy] = [
            Self(
                50_011, "InvalidReplyTo", "The redirect URI is not one of the app's registration.",
                "Add the redirect URI, letter by letter, to the app's registration."),
            Self(
                50_147, "MissingCodeChallenge", "The code challenge is missing or has the wrong length.",
                "Send a code_challenge of 43 characters by the method S256."),
            Self(
                50_149, "InvalidCodeChallengeMethod", "The method of the code challenge is not known.",
                "Send code_challenge_method=S256."),
            Self(
                54_005, "AuthorizationCodeRedeemed", "The authorization code was used before.",
                "Redeem each code once, and start again in the browser."),
            Self(
                500_112, "ReplyAddressDoesNotMatch", "The redirect URI is not the one of the authorization request.",
                "Send the same redirect_uri again, byte for byte."),
            Self(
                501_481, "CodeVerifierMismatch", "The code verifier does not belong to the code challenge.",
                "Send the verifier of the same request, unchanged."),
            Self(
                501_491, "InvalidCodeChallengeMethodInvalidSize", "The code challenge has the wrong length.",
                "Send a code_challenge of 43 characters by the method S256."),
            Self(
                900_971, "NoReplyAddress", "The app's registration has no redirect URI.",
                "Add a redirect URI to the app's registration."),
        ]

        private static let requests: [ErrorRemedy] = [
            Self(
                90_004, "InvalidRequestFormat", "The request is not well-formed.",
                "Send a form with the documented parameters, each of them once."),
            Self(
                90_014, "MissingRequiredField", "A parameter is missing.",
                "Send the parameter that the message names."),
            Self(
                90_023, "InvalidRequest", "A parameter, or an attribute, has a value that is not allowed.",
                "Correct what the message names."),
            Self(
                90_100, "InvalidRequestParameter", "A parameter is empty or not valid, and the message names it.",
                "Send an e-mail address as username, and the UUID of the app's registration as client_id."),
            Self(
                900_144, "MissingParameter", "A parameter is missing, and the message names it.",
                "Send the parameter, in the body and not in the URL."),
            Self(
                900_561, "BadResourceRequestInvalidRequest", "The endpoint takes another HTTP method.",
                "Send POST to the endpoints of native authentication, and see that no proxy or redirect turns it into GET."
            ),
            Self(
                901_002, "ResourceParameterNotSupported",
                "The request has the parameter resource of an older protocol.",
                "Send scope instead of resource."),
            Self(
                9_002_326, "CrossOriginNotAllowed",
                "A page called from an origin that the application does not have, or redeemed the code of another kind of program.",
                "List the origin in allowedOrigins, or register the page's address as spa."),
            Self(
                9_002_327, "OriginMissing", "The code of a page was redeemed by another program.",
                "Redeem it from the page's script, or register the address as web or publicClient."),
            Self(
                9_002_313, "InvalidRequest", "The request is malformed.",
                "Send application/x-www-form-urlencoded in UTF-8, in the body, each parameter once."),
        ]

        private static let server: [ErrorRemedy] = [
            Self(
                50_000, "TokenIssuanceError", "The server could not issue tokens.",
                "Try again later, and give the correlation ID to the operator of the server."),
            Self(
                50_033, "RetryableError", "Something failed for a passing reason.", "Offer to try again."),
            Self(
                50_196, "LoopDetected", "The app has sent the same request too often.",
                "Keep tokens until they expire, and do not repeat refused requests."),
            Self(
                90_006, "ExternalServerRetryableError", "The server cannot answer for a while.",
                "Offer to try again later."
            ),
            Self(
                90_012, "RequestTimeout", "The server took too long.", "Offer to try again."),
            Self(
                90_024, "RequestBudgetExceededError", "Something failed for a passing reason.", "Offer to try again."),
            Self(
                90_033, "MsodsServiceUnavailable", "The server cannot answer for a while.", "Offer to try again later."),
            Self(
                90_036, "MsodsServiceUnretryableFailure", "The server's directory failed.",
                "Give the correlation ID to the operator of the server."),
            Self(
                90_055, "TenantThrottlingError",
                "The tenant, or the address of the device, has sent too many requests.",
                "Wait as long as the error says before the next request."),
        ]

        /// The members `error` and `suberror`. A word with the same meaning as a number is not repeated here.
        static let words: [ErrorRemedy] = [
            Self(
                nil, "attribute_validation_failed", "An attribute is unknown to the user flow or breaks its rule.",
                "Correct the attributes that the error names; names are case-sensitive, as in givenName."),
            Self(
                nil, "auth_not_supported", "The way of signing in is not supported for this user.",
                "Compare the sign-in method of the app's user flow with challengeTypes."),
            Self(
                nil, "expired_refresh_token", "The refresh token has expired.", "Begin a new sign-in."),
            Self(
                nil, "expired_token", "The flow took too long.", "Start the flow again."),
            Self(
                nil, "id_token_invalid", "The token of the identity provider proves nothing to the server.",
                "Pass the nonce on unchanged, list the app in nativeClients, and read the server's audit trail."),
            Self(
                nil, "introspect_required", "The server requires a request for the list of methods first.",
                "Ask for the methods of the second factor, and name one of them."),
            Self(
                nil, "invalid_client", "The app is not a public client, or may not use native authentication.",
                "Allow public client flows, and enable native authentication, in the app's registration."),
            Self(
                nil, "invalid_oob_value", "The one-time passcode is not correct.",
                "Ask the user for the code of the newest mail, and offer to send another one."),
            Self(
                nil, "mfa_required", "A second factor is required.",
                "Handle the step of the second factor, and keep .mfaRequired among the capabilities."),
            Self(
                nil, "nativeauthapi_disabled", "Native authentication is not enabled for the app.",
                "Set “Enable native authentication” to Yes in the app's registration, or nativeAuthentication to true in the tenant file."
            ),
            Self(
                nil, "password_banned", "The password is too common, or contains a name or a word that is not allowed.",
                "Ask for a password that is not in use everywhere, without name and address in it."),
            Self(
                nil, "password_is_invalid", "The password has a character that is not allowed.",
                "Ask for a password of letters, digits and symbols of an English keyboard."),
            Self(
                nil, "password_recently_used", "The password was used before.", "Ask for a new one."),
            Self(
                nil, "password_too_long", "The password has more than 256 characters.", "Ask for a shorter one."),
            Self(
                nil, "password_too_short", "The password has fewer than 8 characters.", "Ask for a longer one."),
            Self(
                nil, "password_too_weak", "The password has too few kinds of characters.",
                "Ask for three of: lower-case letters, capitals, digits, symbols."),
            Self(
                nil, "provider_blocked_by_admin", "An administrator has blocked the method.", "Offer another method."),
            Self(
                nil, "provider_blocked_by_rep", "The method is blocked because of its reputation.",
                "Offer another method."),
            Self(
                nil, "registration_required", "A second factor has to be registered first.",
                "Handle the step of the registration, and keep .registrationRequired among the capabilities."),
            Self(
                nil, "server_error", "The server failed.",
                "Try again later, and give the correlation ID to the operator of the server."),
            Self(
                nil, "slow_down", "The app asks too often.", "Double the time between the requests."),
            Self(
                nil, "temporarily_unavailable", "The server is busy.", "Offer to try again later."),
            Self(
                nil, "unauthorized_client", "The tenant has no app with this client ID, or the app may not do this.",
                "Compare clientID with the app's registration, and the tenant with the one it is registered in."),
            Self(
                nil, "unsupported_auth_method", "The way of signing in is not supported for this user.",
                "Compare the sign-in method of the app's user flow with challengeTypes."),
            Self(
                nil, "unsupported_challenge_type",
                "The list of challenge types lacks redirect, or has an unknown word.",
                "Send oob, password and redirect only, and redirect always; this library adds it."),
            Self(
                nil, "verification_required",
                "Attributes came before the e-mail address was verified, or a provider has proven no address.",
                "Submit the attributes after the code, or ask the user for an address."),
        ]
    }
#endif
