/// The relying party of a tenant (WebAuthn Level 3 section 5): which site the passkeys belong to.
package struct RelyingParty: Hashable, Sendable {
    /// A host name in small letters, for example "example.org".
    package var id: String
    /// The origins that may use the passkeys, compared byte by byte (`SEC-PK-2`).
    ///
    /// Of a page or an Apple app: scheme, host and port, for example "https://example.org". Of an Android app:
    /// "android:apk-key-hash:" and the base64url SHA-256 digest of its signing certificate.
    package var origins: Set<String>

    package init(id: String, origins: Set<String>) {
        self.id = id
        self.origins = origins
    }
}
