/// A tenant's passkeys (docs/operate/passkeys.md). Every value was checked when the document was read.
package struct PasskeySettings: Hashable, Sendable {
    /// The host name that passkeys are bound to, the relying party id (WebAuthn section 5.4.2). With another one, no passkey of the
    /// tenant works any more.
    package var relyingPartyID: String
    /// Origins of pages, besides `https://` and the relying party id, such as `https://login.example.org`.
    package var origins: [String]
    /// The apps of iOS and macOS, as `TEAMID.bundle.identifier`.
    package var appleApps: [String]
    package var androidApps: [AndroidApp]

    /// An app of Android.
    package struct AndroidApp: Hashable, Sendable {
        /// Such as `org.example.app`.
        package var package: String
        /// The SHA-256 of the certificates that sign the app, 32 bytes each, never empty.
        package var certificates: [[UInt8]]

        package init(package: String, certificates: [[UInt8]]) {
            self.package = package
            self.certificates = certificates
        }
    }

    package init(
        relyingPartyID: String, origins: [String] = [], appleApps: [String] = [], androidApps: [AndroidApp] = []
    ) {
        self.relyingPartyID = relyingPartyID
        self.origins = origins
        self.appleApps = appleApps
        self.androidApps = androidApps
    }
}
