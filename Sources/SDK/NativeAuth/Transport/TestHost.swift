/// Replaces the network, the clocks and the token cache of every client that is made while a test hosts a tenant, so
/// that an app's unchanged code reaches that tenant.
///
/// ``NativeAuthClient/init(_:)`` looks for it only in debug builds, and only for clients without an injected transport.
package struct TestHost: Sendable {
    /// The host of this task and its children; nil outside such tests.
    @TaskLocal package static var current: TestHost?

    /// Changes what an app configured; sets ``NativeAuthConfiguration/refusal`` for an authority that is not the
    /// tenant's.
    package var adopt: @Sendable (inout NativeAuthConfiguration) -> Void

    package init(adopt: @escaping @Sendable (inout NativeAuthConfiguration) -> Void) {
        self.adopt = adopt
    }
}

/// A transport that uses the network, and is replaced by a ``TestHost``.
package protocol NetworkTransport: HTTPTransport {}

extension URLSessionTransport: NetworkTransport {}

extension NativeAuthConfiguration {
    /// This configuration, changed for the tenant that a test hosts, if there is one.
    var hosted: NativeAuthConfiguration {
        #if DEBUG
            guard transport is any NetworkTransport, let host = TestHost.current else { return self }
            var configuration = self
            host.adopt(&configuration)
            return configuration
        #else
            return self
        #endif
    }
}
