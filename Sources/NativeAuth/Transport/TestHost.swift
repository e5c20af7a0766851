/// Stands in for the network, the clocks and the token cache of every client that is made while a test hosts a tenant, so that
/// an app's own code reaches the tenant unchanged.
///
/// ``NativeAuthClient/init(_:)`` looks for it in debug builds only, and for clients without an injected transport.
package struct TestHost: Sendable {
    /// The one of this task and its children; nil outside of such tests.
    @TaskLocal package static var current: TestHost?

    /// Changes what an app configured; sets ``NativeAuthConfiguration/refusal`` for an authority that is not the tenant's.
    package var adopt: @Sendable (inout NativeAuthConfiguration) -> Void

    package init(adopt: @escaping @Sendable (inout NativeAuthConfiguration) -> Void) {
        self.adopt = adopt
    }
}

/// A transport that goes to the network, and gives way to a ``TestHost``.
package protocol NetworkTransport: HTTPTransport {}

extension URLSessionTransport: NetworkTransport {}

extension NativeAuthConfiguration {
    /// This configuration, on the tenant that a test hosts, if it does.
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
