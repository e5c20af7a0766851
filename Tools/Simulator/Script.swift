/// Small and repeatable: SplitMix64. Every choice of a simulation comes from one of these.
struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ count: Int) -> Int { count > 0 ? Int(next() % UInt64(count)) : 0 }

    mutating func percent(_ share: Int) -> Bool { below(100) < share }

    /// One of them, which must not be empty.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// One of them, each as often as its weight says.
    mutating func weighed<Value>(_ values: KeyValuePairs<Value, Int>) -> Value {
        var left = below(values.reduce(0) { $0 + $1.value })
        for (value, weight) in values {
            left -= weight
            if left < 0 { return value }
        }
        return values[0].key
    }
}

/// The next action; its details derive from the step's own seed and from the current state.
enum Action: String, CaseIterable, Sendable {
    /// A person begins to sign up, to sign in, or to reset a password.
    case begin
    /// A person continues a flow, with right or wrong input.
    case proceed
    /// A person returns to an older screen of a flow.
    case reuse
    /// The same input in the same step again.
    case again
    /// The app needs an access token, or several callers need one at once.
    case token
    case signOut
    /// A sign-out, or another sign-in, during a refresh.
    case race
    /// The app is started again: a new client on the same token cache.
    case relaunch
    /// An attacker presents a refresh token that was used before.
    case thief
    /// A delayed request arrives.
    case late
    /// The mail worker runs, or dies in the middle.
    case mail
    case wait
    /// An operator disables, enables, or deletes methods; keys rotate.
    case operate
    /// The server's node is started again: only the database is left.
    case restart
    /// Without any fault: right passwords work, earlier ones do not.
    case probe
}

/// One step of a history. Each has its own seed, so that others can be left out.
struct Step: Hashable, Sendable, CustomStringConvertible {
    var action: Action
    /// Which app installation acts.
    var device: Int
    var seed: UInt64
    /// No faults in this step.
    var isCalm = false

    var description: String {
        "\(action.rawValue) \(device) \(String(seed, radix: 16))\(isCalm ? " calm" : "")"
    }

    init(action: Action, device: Int, seed: UInt64) {
        self.action = action
        self.device = device
        self.seed = seed
    }

    /// Reads what ``description`` wrote.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 3, let action = Action(rawValue: String(words[0])), let device = Int(words[1]),
            let seed = UInt64(words[2], radix: 16)
        else { return nil }
        self.init(action: action, device: device, seed: seed)
        isCalm = words.count == 4 && words[3] == "calm"
    }
}

/// A history before it is played: a world and its steps.
struct Script: Sendable, CustomStringConvertible {
    var seed: UInt64
    var steps: [Step]

    var description: String {
        (["seed \(seed)"] + steps.map(\.description)).joined(separator: "\n")
    }

    init(seed: UInt64, count: Int) {
        self.seed = seed
        var chance = Chance(seed: seed ^ 0xA076_1D64_78BD_642F)
        steps = (0..<count).map { _ in
            let action = chance.weighed([
                Action.begin: 14, .proceed: 44, .reuse: 4, .again: 5, .token: 10, .signOut: 2, .race: 2, .relaunch: 1,
                .thief: 1, .late: 3, .mail: 2, .wait: 7, .operate: 2, .restart: 2, .probe: 1,
            ])
            return Step(action: action, device: chance.below(World.deviceCount), seed: chance.next())
        }
    }

    /// Reads what ``description`` wrote; empty lines do not count.
    init?(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.allSatisfy { $0 == " " } }
        guard let first = lines.first, first.hasPrefix("seed "), let seed = UInt64(first.dropFirst(5)) else {
            return nil
        }
        self.seed = seed
        steps = []
        for line in lines.dropFirst() {
            guard let step = Step(line) else { return nil }
            steps.append(step)
        }
    }
}
