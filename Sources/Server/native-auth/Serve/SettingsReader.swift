import Configuration
import IdentityHTTP
import PortableFoundation

/// Reads settings by name from the command line, and then from the environment; collects a sentence for each fault.
struct SettingsReader {
    /// One sentence for each fault, in the order of reading.
    var problems: [String] = []
    private let config: ConfigReader
    /// The environment variables of the settings that were read.
    private var known: Set<String> = []

    private static let secrets: Set<String> = [
        "smtp", "sms", "resource-server-secrets", "database", "master-key", "fixed-code",
    ]

    /// - Parameters:
    ///   - options: The values of the command line, by the names of the options without their dashes.
    ///   - environment: The process's environment.
    init(options: [String: String], environment: [String: String]) {
        var given: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, value) in options {
            given[AbsoluteConfigKey(Self.key(name))] = ConfigValue(
                .string(value), isSecret: Self.secrets.contains(name))
        }
        config = ConfigReader(providers: [
            InMemoryProvider(name: "command line", values: given),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ])
    }

    /// The value of a setting as it was given; nil when it was not.
    mutating func text(_ name: String) -> String? {
        known.insert("NATIVE_AUTH_" + name.uppercased().replacing("-", with: "_"))
        return config.string(forKey: Self.key(name), isSecret: Self.secrets.contains(name))
    }

    /// The value that `parse` makes of a setting; nil when it was not given, or is wrong.
    ///
    /// - Parameters:
    ///   - rule: What the value must be, for the fault's sentence. The sentence shows the value, unless it is a secret.
    ///   - label: The setting's name in the sentence; nil: that of the option.
    mutating func value<Value>(
        _ name: String, mustBe rule: String, as label: String? = nil, _ parse: (String) -> Value?
    ) -> Value? {
        guard let given = text(name) else { return nil }
        if let value = parse(given) { return value }
        let label = label ?? "--\(name)"
        problems.append(
            Self.secrets.contains(name)
                ? "\(label) must be \(rule)." : "\(label) is “\(Self.shown(given))”; it must be \(rule).")
        return nil
    }

    /// One of the words of `Value`.
    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String, _ fallback: Value
    ) -> Value where Value.RawValue == String {
        let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return value(name, mustBe: "one of: \(choices)", Value.init(rawValue:)) ?? fallback
    }

    /// A number within `range`.
    mutating func number(_ name: String, in range: ClosedRange<Int>, of unit: String = "") -> Int? {
        let rule = "a number\(unit) from \(range.lowerBound) to \(range.upperBound)"
        return value(name, mustBe: rule) { given in Int(given).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// A list of networks.
    mutating func networks(_ name: String) -> NetworkList? {
        guard let given = text(name) else { return nil }
        do {
            return try NetworkList(given)
        } catch {
            problems.append("--\(name) is “\(Self.shown(given))”; \(error.sentence).")
            return nil
        }
    }

    /// A sentence for each variable of this package that no setting has read: it is a mistake. The SDK reads
    /// `NATIVE_AUTH_EMULATOR`.
    func unknownVariables(_ environment: [String: String]) -> [String] {
        environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("NATIVE_AUTH_"), name != "NATIVE_AUTH_EMULATOR", !known.contains(name) else {
                return nil
            }
            let successor =
                name == "NATIVE_AUTH_RESOURCE_SERVER_SECRET"
                ? " NATIVE_AUTH_RESOURCE_SERVER_SECRETS, AUDIENCE=SECRET for each API, is in its place." : ""
            return "The environment variable \(Self.shown(name)) is not known.\(successor)"
        }
    }

    private static func key(_ name: String) -> ConfigKey {
        ConfigKey(["native", "auth"] + name.split(separator: "-").map(String.init))
    }

    /// A value for an error text: short, and without control characters.
    static func shown(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(80).map(Character.init))
    }
}
