/// Why a store could not do what was asked. Each case asks for another reaction of the caller.
package enum StoreError: Error {
    /// The database cannot be reached, is read-only or is full: nothing was changed as far as anyone knows; try later.
    case unavailable(any Error)
    /// A row does not read back as what was written: a damaged database or one from a newer version.
    case corrupt(String)
}
