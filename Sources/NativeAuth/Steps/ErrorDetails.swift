#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is known about an error or a refusal, beyond its kind. Nothing in it is secret, and nothing is for users to read.
public struct ErrorDetails: Hashable, Sendable {
    /// Stands in the server's log too.
    public var correlationID: UUID
    /// The numbers of the server (`AADSTS…`), possibly none.
    public var errorCodes: [Int]
    /// For developers, in English: the server's description, or ours.
    public var message: String?
    /// Where the server says more.
    public var errorURI: String?
    /// The server's word for the error, such as `invalid_grant`; an unknown one survives.
    public var error: String?
    /// The server's second word, such as `password_too_weak`; an unknown one survives.
    public var suberror: String?
    /// Whether the same state may be used again.
    package var canRetry: Bool
    /// What happened, as a sentence.
    package var reason: String?
    /// What of it only this library knows.
    package var circumstance: Circumstance?
    /// The scopes that it is about.
    package var scopes: [String] = []

    /// Describes an error.
    package init(
        correlationID: UUID, errorCodes: [Int] = [], message: String? = nil, errorURI: String? = nil,
        error: String? = nil, suberror: String? = nil, canRetry: Bool = false
    ) {
        self.correlationID = correlationID
        self.errorCodes = errorCodes
        self.message = message
        self.errorURI = errorURI
        self.error = error
        self.suberror = suberror
        self.canRetry = canRetry
    }
}

extension ErrorDetails: CustomStringConvertible {
    /// For developers, in English.
    public var description: String {
        [reason, message, "Correlation ID: \(correlationID).", remedy].compactMap(\.self).joined(separator: " ")
    }
}

/// An error of this library: each carries ``ErrorDetails`` and prints as a sentence for developers.
public protocol NativeAuthFailure: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What is known about it.
    var details: ErrorDetails { get }
}

extension NativeAuthFailure {
    public var description: String { details.description }
    /// As `description`.
    public var errorDescription: String? { description }
}
