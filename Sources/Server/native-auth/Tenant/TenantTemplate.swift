import NativeAuthCore
import PortableFoundation

/// The document of `native-auth tenant init` and `native-auth init`.
enum TenantTemplate {
    /// A document with one tenant, two applications and fresh ids.
    static func text(
        subdomain: String = "example", domain: String = "login.example.com", displayName: String = "Example"
    ) -> String {
        """
        # Tenants and their applications; docs/operate/tenant-file.md describes each member. A line that begins with # is a comment:
        # take the # away from a member to use it.
        #
        #   native-auth tenant check FILE     reports what is wrong
        #   native-auth tenant apply FILE     puts the file in force on all servers of a database
        #   native-auth serve --config FILE   starts a server with it
        tenants:
          # The id stands in each token. Keep it for as long as the tenant has users.
          - id: \(UUID().text)
            # The short name in addresses: http://127.0.0.1:8765/example
            subdomain: \(subdomain.yamlText)
            # The full name; mails come from no-reply@ this domain, unless --mail-from names another sender.
            domain: \(domain.yamlText)
            # How mails call the tenant.
            displayName: \(displayName.yamlText)

            # What strangers may learn about accounts: compat, bulk or strict. In production bulk is the default.
            # enumeration: bulk
            # The look of the server's pages; colours with quotes.
            # pages:
            #   colours: {accent: "#0b57d0"}
            #   links: {privacy: https://www.example.com/privacy}
            # Who may enrol a second factor: proven or compatible. In production proven is the default.
            # enrolment: proven
            # For how many days lines of the audit trail are kept.
            # auditDays: 400
            # For how many days users who delete their account can take that back.
            # deletionGraceDays: 0
            # Users may add an authenticator app as a second factor.
            authenticatorApps: true
            # Users with a second factor may have ten recovery codes, for the loss of it.
            recoveryCodes: true
            # For how many days, 1 to 30, users may have a device remembered, which is not asked for the second factor.
            # rememberedDeviceDays: 14
            # Users may get codes as text messages, as a second factor; the server needs a gateway: --sms and --sms-from.
            # sms:
            #   callingCodes: [1, 44, 49]
            #   prices: {others: 0.08}
            #   costPerDay: 50
            # Users may sign in with passkeys. With another domain than this one, no passkey works any more: choose it for ever.
            # passkeys:
            #   domain: \(domain.yamlText)
            #   appleApps: [A1B2C3D4E5.com.example.app]

            applications:
              # The client id is a setting of your app.
              - clientId: \(UUID().text)
                displayName: Example app
                # Users get a code by mail; or emailPassword.
                signIn: emailOneTimePasscode
                # Attributes that a sign-up must give, of the built-in ones or of those below.
                # requiredAttributes: [country]
                # Where the server's pages may send users back to: apps, pages without a server, programs on a server.
                # redirectUris:
                #   publicClient: [msauth.com.example.app://auth, http://localhost]
                #   spa: [http://localhost:3000/]
                #   web: [https://app.example.com/done]
                # Users may sign in on devices without a browser.
                # deviceFlow: true

              - clientId: \(UUID().text)
                displayName: Example members
                signIn: emailPassword
                # Scopes of your APIs, as RESOURCE/NAME; RESOURCE/* is all of them.
                # scopes: [api://orders/Orders.Read]
                # A second factor, at every sign-in.
                # requiresSecondFactor: true
                # attributes:
                #   - name: extension_memberNumber
                #     type: string
                #     required: true
                #     regex: 'M-[0-9]{4}'
                #     maximumLength: 6
                #     userMayChange: true
                # Attributes that tokens carry; without in: the ID token and userinfo.
                # claims:
                #   - name: member_number
                #     attribute: extension_memberNumber
                #     in: [id, access]

            # What some sign-ins must be worth, and how old their proofs may be; docs/use/second-factor.md.
            # levels:
            #   - level: l2
            #     maxAge: 3600
            #     scopes: [api://orders/Orders.Pay]

            # Programs that get tokens of their own, without a user; docs/operate/daemons.md.
            # daemons:
            #   - clientId: \(UUID().text)
            #     displayName: Example job
            # What it may do: RESOURCE/NAME of your APIs, or a role of the directory.
            #     roles: [api://orders/Orders.Process]
            # The lines that native-auth daemon secret prints; several at a time to replace one without an interruption.
            #     secrets: []

        """
    }
}

extension String {
    /// The text as a scalar of YAML on one line: quoted, unless it is a plain name.
    fileprivate var yamlText: String {
        let isPlain = wholeMatch(of: /[A-Za-z][A-Za-z0-9.-]*/) != nil && lowercased() != "null"
        return isPlain ? self : "'\(replacing("'", with: "''"))'"
    }
}
