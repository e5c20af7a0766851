#if DEBUG || Server
    extension ErrorRemedy {
        /// The entry for an error that this library detects.
        package init(_ condition: ClientCondition) {
            let (cause, remedy) =
                switch condition {
                case .answerLost:
                    (
                        "The connection was lost, or the server took too long, after the request had left.",
                        "Offer to try again, and look up the correlation ID in the server's log when it happens often."
                    )
                case .answerRedirects:
                    (
                        "The server answered with a redirect to another address, which is not followed.",
                        "Put the address that the server redirects to into the authority."
                    )
                case .answerUnreadable:
                    (
                        "The answer is not JSON of this protocol, as when a proxy, a gateway or a sign-in page of a network answers.",
                        "Open the authority's discovery document in a browser, and correct the authority, or what stands between."
                    )
                case .browserRequired:
                    (
                        "The server sends the user to a browser, and gives no reason.",
                        "Compare challengeTypes and capabilities with the user flow of the app, or fall back to the web."
                    )
                case .capabilityMissing:
                    (
                        "The tenant asks for a second factor, or for the registration of one, and the app did not declare that capability.",
                        "Add .mfaRequired and .registrationRequired to capabilities, with the screens for them."
                    )
                case .challengeTypeMissing:
                    (
                        "The user flow of the app needs a challenge type that the app does not list.",
                        "List .oneTimePasscode for a flow with codes, .oneTimePasscode and .password for one with passwords."
                    )
                case .connectionFailed:
                    (
                        "There was no connection to the server.",
                        "Check the authority's host and port, and the network of the device."
                    )
                case .connectionRefused:
                    (
                        "Nothing listens at the authority's host and port.",
                        "Start the server, or correct host and port of the authority."
                    )
                case .connectionTooSlow:
                    (
                        "The host took more than ten seconds to accept a connection.",
                        "Check host and port of the authority, and any firewall on the way."
                    )
                case .certificateExpired:
                    (
                        TLSFault.certificateExpired.sentence,
                        "Renew the certificate, or set the clock of this device right."
                    )
                case .certificateNotYetValid:
                    (
                        TLSFault.certificateNotYetValid.sentence,
                        "Set the clock of this device right, or give the server a certificate that is valid now."
                    )
                case .certificateOfOtherHost:
                    (
                        TLSFault.certificateOfOtherHost.sentence,
                        "Use a host name of the certificate in the authority, or give the server a certificate for its name."
                    )
                case .certificateRefused:
                    (
                        TLSFault.certificateRefused.sentence,
                        "Show the reason with openssl s_client -connect HOST:443, and replace the certificate."
                    )
                case .certificateUntrusted:
                    (
                        TLSFault.certificateUntrusted.sentence,
                        "Use a certificate of a trusted authority, send its chain too, or add your authority to the system's store."
                    )
                case .clientCertificateRequired:
                    (
                        TLSFault.clientCertificateRequired.sentence,
                        "Ask for no client certificate at the endpoints of native authentication."
                    )
                case .emulatorInvalid:
                    (
                        "NATIVE_AUTH_EMULATOR is set, and is neither an https URL nor an http URL of this machine.",
                        "Set it to the base URL of the server, such as http://127.0.0.1:8765, or unset it."
                    )
                case .hostNotFound:
                    (
                        "The authority's host has no address.",
                        "Correct the tenant's subdomain or the authority's host, or see whether the device is online."
                    )
                case .offline:
                    (
                        "The device has no connection to the internet.",
                        "Offer to try again later."
                    )
                case .promptMissing:
                    (
                        "The server asks a question that the app's prompts do not implement.",
                        "Implement the method of FlowPrompts that the error names."
                    )
                case .scopeReserved:
                    (
                        "A scope is reserved, unknown, or not granted to the app.",
                        "Leave out openid, profile and offline_access, which are added, and list scopes of one resource only."
                    )
                case .signInNotAvailable:
                    (
                        "The server gave no token with which a sign-in could follow at once.",
                        "Begin a sign-in of its own."
                    )
                case .signInRequired:
                    (
                        "No user is signed in, or the session has ended.",
                        "Begin a new sign-in."
                    )
                case .stepAlreadyUsed:
                    (
                        "The step has succeeded before, or is under way, and nothing was sent.",
                        "Continue with what the first call returned, and disable the button while a call is under way."
                    )
                case .throttled:
                    (
                        "The server takes no more requests for now.",
                        "Wait as long as the error says before the next request."
                    )
                case .tlsFailed:
                    (
                        TLSFault.handshakeFailed.sentence,
                        "Let the server, or the proxy before it, speak TLS 1.2 or newer with common ciphers."
                    )
                case .tlsMissing:
                    (
                        TLSFault.notTLS.sentence,
                        "Correct the port of the authority, or write http for a server on this machine."
                    )
                case .urlInsecure:
                    (
                        "The address is neither https nor http on this machine.",
                        "Use https, or 127.0.0.1 or localhost for a server on this machine."
                    )
                }
            self.init(nil, condition.rawValue, cause, remedy)
        }
    }
#endif
