public import PortableFoundation

/// The details of an error or a refusal, beyond its kind. They contain no secret, and are not meant for users.
public struct ErrorDetails: Hashable, Sendable {
    /// Identifies the flow in the server's log too.
    public var correlationID: UUID
    /// The server's numbers (`AADSTS…`); may be empty.
    public var errorCodes: [Int]
    /// A text for developers, in English: the server's description, or this library's.
    public var message: String?
    /// A page of the server with more information.
    public var errorURI: String?
    /// The server's word for the error, such as `invalid_grant`; unknown words are kept.
    public var error: String?
    /// The server's second word, such as `password_too_weak`; unknown words are kept.
    public var suberror: String?
    /// Whether the same state can be used again.
    package var canRetry: Bool
    /// The error as a sentence.
    package var reason: String?
    /// The cause that only this library knows.
    package var condition: ClientCondition?
    /// The scopes that the error is about.
    package var scopes: [String] = []
    /// What a browser needs to continue the flow; nil unless the error requires one.
    package var browser: BrowserFallback?

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
    /// The error as text for developers, in English.
    public var description: String {
        [reason, message, "Correlation ID: \(correlationID).", remedy].compactMap(\.self).joined(separator: " ")
    }
}

/// An error of this library. Every one has ``ErrorDetails`` and is printed as a sentence for developers.
public protocol NativeAuthFailure: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The details of the error.
    var details: ErrorDetails { get }
}

extension NativeAuthFailure {
    public var description: String { details.description }
    /// As `description`.
    public var errorDescription: String? { description }
}
