import IdentityTLS

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tries the ports of a server before it starts, so that the sentence about one that cannot be opened names it.
enum ListenerPorts {
    private struct Listener {
        var host: String
        var port: Int
        var purpose: String
        var option: String
    }

    /// - Throws: A sentence for the first port that cannot be opened. Port 0 takes any free one.
    static func check(_ settings: ServeSettings) throws(StartFailure) {
        let apps = Listener(host: settings.host, port: settings.port, purpose: "", option: "port")
        for listener in [apps] + others(settings) where listener.port != 0 {
            guard let code = obstacle(listener.host, listener.port) else { continue }
            throw .unavailable(sentence(listener, code))
        }
    }

    /// Waits until the listeners beside that of apps accept connections; they start at the same time.
    static func waitForOthers(_ settings: ServeSettings) async {
        let deadline = ContinuousClock.now + .seconds(5)
        for listener in others(settings) {
            let host = reachable(listener.host)
            while ContinuousClock.now < deadline, !Task.isCancelled {
                do {
                    try await TLSPeer.reach(host, port: listener.port)
                    break
                } catch {
                    // Not open yet. A cancelled sleep ends the loop.
                    try? await Task.sleep(for: .milliseconds(10))
                }
            }
        }
    }

    /// The address at which this machine reaches a listener at `host`, which may stand for all addresses.
    static func reachable(_ host: String) -> String { ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host }

    /// The listeners at known ports beside that of apps.
    private static func others(_ settings: ServeSettings) -> [Listener] {
        var listeners: [Listener] = []
        if let metrics = settings.metricsPort {
            listeners.append(
                Listener(
                    host: settings.operationsHost, port: metrics, purpose: " for metrics", option: "metrics-port"))
        }
        if case .port(let operators) = settings.operators {
            listeners.append(
                Listener(
                    host: settings.operatorsHost, port: operators, purpose: " for operators", option: "operators"))
        }
        return listeners.filter { $0.port != 0 }
    }

    private static func sentence(_ listener: Listener, _ code: Int32) -> String {
        let port = "Port \(listener.port)\(listener.purpose) on \(SettingsReader.shown(listener.host))"
        switch code {
        case EADDRINUSE: return "\(port) is in use; choose another with --\(listener.option), or 0 for any free one."
        case EACCES:
            return """
                \(port): permission denied; ports below 1024 need the right CAP_NET_BIND_SERVICE, which the unit native-auth@ \
                gives. Choose another with --\(listener.option), or start the unit.
                """
        case EADDRNOTAVAIL: return "\(port): this machine has no such address."
        case _: return "\(port) cannot be opened: \(String(cString: strerror(code)))."
        }
    }

    /// Why a port cannot be opened; nil when it can, and for a host name, which the listener itself resolves.
    private static func obstacle(_ host: String, _ port: Int) -> Int32? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1 {
            return bound(AF_INET, &address)
        }
        var address6 = sockaddr_in6()
        address6.sin6_family = sa_family_t(AF_INET6)
        address6.sin6_port = in_port_t(port).bigEndian
        return inet_pton(AF_INET6, host, &address6.sin6_addr) == 1 ? bound(AF_INET6, &address6) : nil
    }

    private static func bound<Address>(_ family: Int32, _ address: inout Address) -> Int32? {
        let descriptor = socket(family, FreePort.streamType, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // As the listener does: connections that have just ended do not hold a port.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        return isBound ? nil : errno
    }
}
