/// The version of this package, of which the SDK and the server are parts.
package enum ProductVersion {
    /// Such as `1.2.3` (semver.org): what `native-auth --version` prints, the label `version` of the metric `native_auth_info`,
    /// and the header `x-client-ver` of the SDK's requests.
    package static let current = "0.1.0"
}
