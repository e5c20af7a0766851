import NativeAuthCore
import PortableFoundation

/// How a tenant's hosted pages differ from those that we ship (docs/operate/tenant-file.md). Every value was checked when
/// the document was read.
package struct TenantPages: Hashable, Sendable {
    /// In place of the tenant's name.
    package var logo: TenantMail.Logo?
    /// For dark screens; nil: the same.
    package var darkLogo: TenantMail.Logo?
    package var colours: [Scheme: [Colour: HexColour]] = [:]
    /// At the foot of each page.
    package var links: [Link: String] = [:]
    package var texts: [MailLanguage: [Text: String]] = [:]

    package init() {}

    package static let unchanged = TenantPages()

    /// The two sets of colours: a reader's system says which.
    package enum Scheme: String, Hashable, Sendable, CaseIterable {
        case light, dark
    }

    package enum Colour: String, Hashable, Sendable, CaseIterable {
        /// Behind the panel; behind all that is read.
        case page, panel
        case text
        /// Buttons and links; the words on a button.
        case accent, accentText
        case error
    }

    package enum Link: String, Hashable, Sendable, CaseIterable {
        case privacy, terms, support
    }

    /// A sentence of the tenant's own, at most ``longestText`` bytes.
    package enum Text: String, Hashable, Sendable, CaseIterable {
        /// The title of the first page of a sign-in, and of a sign-up.
        case signIn, createAccount
        /// At the foot of each page.
        case help
    }

    package static let longestText = 256

    // The parts that are long are compared, and not hashed.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(logo?.bytes.count)
        hasher.combine(colours)
        hasher.combine(links)
        hasher.combine(texts.count)
    }
}

// MARK: - Colours

extension TenantPages {
    /// All colours of a scheme. Those that the tenant does not name are between the named ones, as readable as they must be.
    package struct Palette: Hashable, Sendable {
        private let named: [Colour: HexColour]

        /// - Parameter named: In place of the usual ones.
        package init(_ scheme: Scheme, _ named: [Colour: HexColour]) {
            self.named = Self.usual[scheme, default: [:]].merging(named) { $1 }
        }

        private static let usual: [Scheme: [Colour: HexColour]] = [
            .light: colours("#f5f6f8", "#ffffff", "#1b1f24", "#b4531a", "#ffffff", "#b3261e"),
            .dark: colours("#101418", "#1a2027", "#e8ebef", "#f09a5f", "#14181d", "#ff9d94"),
        ]

        private static func colours(_ texts: String...) -> [Colour: HexColour] {
            var colours: [Colour: HexColour] = [:]
            for (colour, text) in zip(Colour.allCases, texts) { colours[colour] = HexColour(text) }
            return colours
        }

        /// The pairs that are too close to be read (WCAG 2.2, 1.4.3), with their contrast.
        package var unreadable: [(colour: Colour, on: Colour, contrast: Double)] {
            let pairs: [(Colour, Colour)] = [
                (.text, .panel), (.accent, .panel), (.accentText, .accent), (.error, .panel),
            ]
            return pairs.compactMap { colour, ground in
                guard let one = named[colour], let other = named[ground] else { return nil }
                let contrast = one.contrast(to: other)
                return contrast < 4.5 ? (colour, ground, contrast) : nil
            }
        }

        /// The variables of the style sheet.
        package var variables: String {
            guard let page = named[.page], let panel = named[.panel], let text = named[.text],
                let accent = named[.accent], let onAccent = named[.accentText], let error = named[.error]
            else { return "" }
            /// The first mixture of one with another that has the contrast; the one itself when none has.
            func mixed(
                _ one: HexColour, _ other: HexColour, _ shares: [Double], _ contrast: Double, to ground: HexColour?
            ) -> HexColour {
                shares.map { one.mixed($0, with: other) }.first { $0.contrast(to: ground ?? $0) >= contrast } ?? one
            }
            let rising = stride(from: 0.5, to: 1, by: 0.05)
            let soft = mixed(text, panel, rising.filter { $0 >= 0.7 }, 4.7, to: panel)
            let edge = mixed(text, panel, Array(rising), 3.1, to: panel)
            let deep = mixed(accent, text, [0.82, 0.9], 4.5, to: onAccent)
            // The more of the error's colour lies behind its words, the less they differ from it.
            let wash = [0.08, 0.05, 0.02, 0].map { error.mixed($0, with: panel) }
            let badWash = wash.first { $0.contrast(to: error) >= 4.5 } ?? panel
            let values: [(String, HexColour)] = [
                ("ink", text), ("soft", soft), ("line", text.mixed(0.12, with: panel)), ("edge", edge),
                ("ground", page), ("glow", accent.mixed(0.1, with: page)), ("card", panel), ("accent", accent),
                ("accent-deep", deep.contrast(to: panel) >= 4.5 ? deep : accent), ("on-accent", onAccent),
                ("bad", error), ("bad-wash", badWash), ("wash", text.mixed(0.04, with: panel)),
            ]
            return values.map { "--\($0):\($1.text)" }.joined(separator: ";")
        }
    }

    /// A style sheet that comes after the usual one; empty when no colour differs.
    package var style: String {
        Scheme.allCases.compactMap { scheme -> String? in
            guard let named = colours[scheme], !named.isEmpty else { return nil }
            let rule = ":root{\(Palette(scheme, named).variables)}"
            return switch scheme {
            // Not for dark screens, whose colours can be the usual ones.
            case .light: "@media not (prefers-color-scheme:dark){\(rule)}\n"
            case .dark: "@media (prefers-color-scheme:dark){\(rule)}\n"
            }
        }.joined()
    }

    /// A name for style and pictures that changes with them; nil when the tenant has none.
    package var version: String? {
        let style = style
        guard !style.isEmpty || logo != nil else { return nil }
        var content = Data(style.utf8)
        for logo in [logo, darkLogo] { content += Data([0]) + (logo?.bytes ?? Data()) }
        return Vault.checksum(content).prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
    }
}
