#if canImport(os)
    import os
#else
    import Synchronization
#endif

/// A value behind a lock, on every platform of this package: `Mutex` needs a newer iOS than the package does.
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(os)
        private let lock: OSAllocatedUnfairLock<Value>

        package init(_ value: Value) {
            lock = OSAllocatedUnfairLock(initialState: value)
        }

        /// Runs `body` alone. It must neither wait nor call back into the app.
        package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            lock.withLockUnchecked(body)
        }
    #else
        private let lock: Mutex<Value>

        package init(_ value: Value) {
            lock = Mutex(value)
        }

        /// Runs `body` alone. It must neither wait nor call back into the app.
        package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            lock.withLock { value in body(&value) }
        }
    #endif
}
