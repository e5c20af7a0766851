/// The version of this package, which includes the SDK and the server.
package enum ProductVersion {
    /// The version, such as `1.2.3` (semver.org): printed by `native-auth --version`, and sent as the label `version`
    /// of the metric `native_auth_info` and the header `x-client-ver` of the SDK's requests.
    package static let current = "0.1.0"
}
