#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A page of memory mapped to a file: a process notes the number of the input in it before the input runs, and the
/// parent reads it when the process has died.
struct Page: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private static let size = 4096

    /// - Parameter path: Made, or emptied.
    init?(_ path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard ftruncate(file, off_t(Self.size)) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        self.memory = memory
    }

    deinit { munmap(memory, Self.size) }

    /// The number of the input; 0 in the beginning.
    var index: Int {
        get { memory.load(as: Int.self) }
        nonmutating set { memory.storeBytes(of: newValue, as: Int.self) }
    }
}

enum Usage {
    /// Seconds of all processors that this process has used: what others do on the machine does not count.
    static var seconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    /// The most memory that was resident, in MiB.
    static var peak: Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss >> 20
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss >> 10
        #endif
    }
}
