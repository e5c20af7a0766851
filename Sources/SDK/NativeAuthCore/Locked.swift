#if canImport(os)
    import os
#else
    import Synchronization
#endif

/// A value behind a lock, on every platform of this package: `Mutex` needs a newer iOS than this package.
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(os)
        private let lock: OSAllocatedUnfairLock<Value>

        package init(_ value: Value) {
            lock = OSAllocatedUnfairLock(initialState: value)
        }

        /// Runs `body` with exclusive access. It must neither wait nor call the app.
        package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            lock.withLockUnchecked(body)
        }
    #else
        private let lock: Mutex<Value>

        package init(_ value: Value) {
            lock = Mutex(value)
        }

        /// Runs `body` with exclusive access. It must neither wait nor call the app.
        package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            lock.withLock { value in body(&value) }
        }
    #endif
}
