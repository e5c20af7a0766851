#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Seconds of processor time that this process has used: what others do on the machine does not count.
func processorSeconds() -> Double {
    // POSIX: a clock tick is a microsecond.
    Double(clock()) / 1_000_000
}
