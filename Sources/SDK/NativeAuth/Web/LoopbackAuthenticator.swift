import NativeAuthCore

#if canImport(FoundationNetworking)
    public import Foundation
#else
    public import PortableFoundation
#endif

/// Shows pages in the user's browser, and receives the answer on a port of this machine (RFC 8252 §7.3): for programs
/// on Linux and for command-line tools on macOS.
///
/// The port is open before the page is shown, and closed after the answer; it accepts connections from this machine
/// only. For the host `localhost` both addresses of it are taken, so that no other program receives the answer there.
/// Anything but the answer itself is refused and does not end the wait: other paths, other hosts, a wrong `state`
/// (`SDK-WEB-4`). The wait ends after five minutes.
public struct LoopbackAuthenticator: WebAuthenticator {
    private let open: @Sendable (URL) async -> Bool
    private let limits: LoopbackReceiver.Limits

    /// Opens pages with the program in the environment variable `BROWSER`, or with `xdg-open` or `open`.
    ///
    /// - Parameter showAddress: Called with the page's address when no browser opens, for example to print it; the wait
    ///   goes on. With nil the sign-in then fails with ``WebAuthenticationError/couldNotShow(_:)``. The address is a
    ///   secret until the sign-in is over: do not log it.
    public init(showAddress: (@Sendable (URL) -> Void)? = nil) {
        self.init { url in
            if await BrowserProgram.open(url) { return true }
            showAddress?(url)
            return showAddress != nil
        }
    }

    /// Opens pages with a function of the app.
    ///
    /// - Parameter open: Shows the page, and returns whether it could.
    public init(opening open: @escaping @Sendable (URL) async -> Bool) {
        self.init(limits: .init(), opening: open)
    }

    /// The same as ``init(opening:)``, with other limits.
    package init(limits: LoopbackReceiver.Limits, opening open: @escaping @Sendable (URL) async -> Bool) {
        self.open = open
        self.limits = limits
    }

    public func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
        guard request.callback.isLoopback else {
            throw .couldNotShow("The redirect URI is not an http address of this machine.")
        }
        let receiver = try LoopbackReceiver(for: request.callback, limits: limits)
        let request = request.moved(toPort: receiver.port)
        let (url, open) = (request.url, open)
        let opening = Task {
            if await !open(url) { receiver.end(with: .failure(.couldNotShow("No browser could be opened."))) }
        }
        defer { opening.cancel() }
        return try await receiver.answer(to: request)
    }
}

/// Starts the user's browser.
package enum BrowserProgram {
    /// Whether a program showed the page. It runs without a shell, and the address is one argument.
    package static func open(_ url: URL) async -> Bool {
        #if os(macOS) || os(Linux)
            for command in commands(ProcessInfo.processInfo.environment, url) where await run(command) { return true }
        #endif
        return false
    }

    /// The commands to try. `BROWSER` is a list separated by colons; `%s` in a command is the address.
    static func commands(_ environment: [String: String], _ url: URL) -> [[String]] {
        let address = url.absoluteString
        var commands = (environment["BROWSER"] ?? "").split(separator: ":").map { command in
            let words = command.split(separator: " ").map(String.init)
            let isComplete = words.contains { $0.contains("%s") }
            return words.map { $0.replacing("%s", with: address) } + (isComplete ? [] : [address])
        }
        #if os(macOS)
            commands.append(["/usr/bin/open", address])
        #else
            // Without a display it would take over the terminal.
            if environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil {
                commands.append(["xdg-open", address])
            }
        #endif
        return commands
    }

    #if os(macOS) || os(Linux)
        /// Whether the program started, and did not fail within 3 s. Some run as long as the browser does.
        private static func run(_ command: [String]) async -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["--"] + command
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let race = Race<Bool>()
            process.terminationHandler = { race.end(with: .success($0.terminationStatus == 0)) }
            do {
                try process.run()
            } catch {
                return false
            }
            let timer = Task {
                do {
                    try await Task.sleep(for: .seconds(3))
                } catch {
                    // The program has ended, or the sign-in has; the browser stays.
                }
                race.end(with: .success(true))
            }
            defer { timer.cancel() }
            do {
                return try await withCheckedThrowingContinuation { race.begin($0) }
            } catch {
                return false
            }
        }
    #endif
}
