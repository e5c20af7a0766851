// The one place that chooses the Foundation module: FoundationEssentials where it exists, which is small and fast to load;
// Apple's SDKs have it inside Foundation.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
