import PortableFoundation

/// A file of environment variables, as a shell and systemd's `EnvironmentFile` read it: the settings of a server.
struct SettingsFile {
    let path: String

    /// Call it before anything else is made.
    ///
    /// - Throws: A sentence when the file exists, cannot be made, or cannot express a value.
    func check(_ options: [(name: String, value: String)]) throws(StartFailure) {
        if FileManager.default.fileExists(atPath: path) { throw Self.exists(path) }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if FileManager.default.fileExists(atPath: folder), !FileAccess.canWrite(folder) {
            throw .inputOutput(
                """
                The user \(FileAccess.user) cannot make files in the folder \(folder), so nothing was changed. Run native-authctl \
                init as root, or first chown \(FileAccess.user) \(folder).
                """)
        }
        // Both readers take all other characters between quotes as they are.
        for (name, value) in options
        where value.unicodeScalars.contains(where: {
            $0 == "'" || $0 == "\\" || $0.properties.generalCategory == .control
        }) {
            throw .usage([
                "--\(name) has a quote, a backslash or a control character, which the file \(path) cannot have."
            ])
        }
    }

    func write(_ options: [(name: String, value: String)]) throws(StartFailure) {
        let lines = options.map { name, value in
            let isPlain = value.wholeMatch(of: /[A-Za-z0-9_@%+=:,.\/-]*/) != nil
            return "NATIVE_AUTH_\(name.uppercased().replacing("-", with: "_"))=\(isPlain ? value : "'\(value)'")\n"
        }
        do {
            try PrivateFile.make(
                path, of: Array("# The options of native-auth serve --help, in capitals.\n\(lines.joined())".utf8))
        } catch {
            switch error {
            case .exists: throw .usage(["Another init made the file \(path) meanwhile."])
            case .failed(let reason): throw .inputOutput("The file \(path) cannot be made: \(reason).")
            }
        }
    }

    private static func exists(_ path: String) -> StartFailure {
        .usage(["There is a file \(path) already, so this server was prepared before; nothing was changed."])
    }
}
