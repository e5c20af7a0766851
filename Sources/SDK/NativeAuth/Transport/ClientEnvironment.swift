#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The environment variables that a client depends on.
enum ClientEnvironment {
    private static let names = [Emulator.variable] + Languages.variables

    /// Their present values. To read all variables of a process takes longer than everything else that makes a client.
    static var current: [String: String] {
        var values: [String: String] = [:]
        for name in names { values[name] = getenv(name).map { String(cString: $0) } }
        return values
    }
}
