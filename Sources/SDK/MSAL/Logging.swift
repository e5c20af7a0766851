public import Foundation
internal import NativeAuthCore

/// How much is logged.
public enum MSALLogLevel: Int, Sendable, CaseIterable {
    /// Nothing.
    case nothing
    /// Failures.
    case error
    /// Failures and unexpected events.
    case warning
    /// Also the app's calls and their results.
    case info
    /// Everything.
    case verbose

    /// The highest level.
    public static var last: MSALLogLevel { .verbose }
}

/// The personal data that log lines may show. Here they never show any, at any level.
public enum MSALLogMaskingLevel: Int, Sendable, CaseIterable {
    /// No personal data.
    case settingsMaskAllPII
    /// No data that identifies a user.
    case settingsMaskEUIIOnly
    /// No secrets.
    case settingsMaskSecretsOnly
}

/// Shows a page; see ``MSALGlobalConfig/webAuthenticator``.
public typealias MSALWebAuthenticator = @Sendable (_ page: URL, _ redirectURI: URL) async throws -> URL

/// Settings of the whole process.
public final class MSALGlobalConfig: NSObject {
    /// The receiver of log lines.
    public static let loggerConfig = MSALLoggerConfig()
    private static let browser = Locked<MSALWebAuthenticator?>(nil)

    /// Shows pages in place of the system's browser, for tests and for other user agents; nil for the system's. Not a part of
    /// the vendor's library.
    ///
    /// It receives the address of the page and the redirect URI, and returns the address at which the page ended. To cancel,
    /// throw `CancellationError`; any other error means that the page cannot be shown.
    public static var webAuthenticator: MSALWebAuthenticator? {
        get { browser.withLock(\.self) }
        set { browser.withLock { $0 = newValue } }
    }

    private override init() {}
}

/// The receiver of log lines. No line contains personal data, a code, a password or a token.
public final class MSALLoggerConfig: NSObject, @unchecked Sendable {
    // Sendable holds because every access to the mutable properties holds the lock.
    private let lock = NSLock()
    private var lockedLevel = MSALLogLevel.info
    private var lockedMaskingLevel = MSALLogMaskingLevel.settingsMaskAllPII
    private var lockedCallback: (@Sendable (MSALLogLevel, String?, Bool) -> Void)?

    override init() {}

    /// Lines above this level are not created.
    public var logLevel: MSALLogLevel {
        get { lock.withLock { lockedLevel } }
        set { lock.withLock { lockedLevel = newValue } }
    }

    /// No effect: lines never show personal data.
    public var logMaskingLevel: MSALLogMaskingLevel {
        get { lock.withLock { lockedMaskingLevel } }
        set { lock.withLock { lockedMaskingLevel = newValue } }
    }

    /// Sets the receiver of log lines: level, text, and whether the text contains personal data, which is never the
    /// case. It is called from any thread; a later one replaces it.
    public func setLogCallback(_ callback: @escaping @Sendable (MSALLogLevel, String?, Bool) -> Void) {
        lock.withLock { lockedCallback = callback }
    }

    /// The callback that was set last.
    public func callback() -> (@Sendable (MSALLogLevel, String?, Bool) -> Void)? {
        lock.withLock { lockedCallback }
    }

    /// Logs one line, outside the lock, so that a callback may use this object.
    func log(_ level: MSALLogLevel, _ line: @autoclosure () -> String) {
        let callback = lock.withLock { level.rawValue <= lockedLevel.rawValue ? lockedCallback : nil }
        callback?(level, line(), false)
    }
}
