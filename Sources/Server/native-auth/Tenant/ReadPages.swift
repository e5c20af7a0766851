import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// What a tenant document says about the tenant's hosted pages (docs/operate/tenant-file.md).
enum ReadPages {
    /// Reads the members. A faulty value is replaced by a placeholder that is never used.
    static func pages(_ members: YAMLMembers) -> TenantPages {
        var pages = TenantPages()
        pages.logo = logo("logo", of: members)
        pages.darkLogo = logo("darkLogo", of: members)
        if pages.darkLogo != nil, pages.logo == nil {
            members.add("darkLogo is for a tenant that has a logo.", at: "darkLogo")
        }
        pages.colours[.light] = colours("colours", .light, of: members)
        pages.colours[.dark] = colours("darkColours", .dark, of: members)
        if let links = members.members("links", of: "the member links") {
            for link in TenantPages.Link.allCases { pages.links[link] = address(link, of: links) }
            links.end()
        }
        if let languages = members.members("texts", of: "the member texts") {
            for language in MailLanguage.allCases {
                guard let entry = languages.members(language.rawValue, of: "the entry of a language") else { continue }
                for text in TenantPages.Text.allCases {
                    if let sentence = sentence(text, of: entry) { pages.texts[language, default: [:]][text] = sentence }
                }
                entry.end()
            }
            languages.end()
        }
        members.end()
        return pages
    }

    private static func logo(_ name: String, of members: YAMLMembers) -> TenantMail.Logo? {
        guard let text = members.text(name) else { return nil }
        let logo = Data(base64Encoded: text.filter { !$0.isWhitespace }).flatMap { TenantMail.Logo($0) }
        if logo == nil {
            members.add(
                "\(name) must be a PNG or JPEG file of at most \(TenantMail.Logo.maximumBytes / 1024) KiB in base64.",
                at: name)
        }
        return logo
    }

    private static func colours(
        _ name: String, _ scheme: TenantPages.Scheme, of members: YAMLMembers
    ) -> [TenantPages.Colour: HexColour]? {
        guard let entry = members.members(name, of: "the member \(name)") else { return nil }
        var colours: [TenantPages.Colour: HexColour] = [:]
        for colour in TenantPages.Colour.allCases {
            guard let text = hexText(colour.rawValue, of: entry) else { continue }
            colours[colour] = HexColour(text)
        }
        entry.end()
        for (colour, ground, contrast) in TenantPages.Palette(scheme, colours).unreadable {
            members.add(
                """
                \(name): \(colour.rawValue) on \(ground.rawValue) has a contrast of \((contrast * 10).rounded(.down) / 10) to 1; at \
                least 4.5 is needed to read it.
                """, at: name)
        }
        return colours.isEmpty ? nil : colours
    }

    /// The text of a colour; another text, or none, is a fault.
    static func hexText(_ name: String, of members: YAMLMembers) -> String? {
        let text = members.text(name)
        if let text {
            if HexColour(text) == nil {
                members.add(
                    "\(name) must be a colour such as “#1f2937”: # and six digits, 0 to 9 and a to f.", at: name)
            }
        } else if members.isEmpty(name) {
            members.add("\(name) has no value: # begins a comment, so write the colour with quotes.", at: name)
        }
        return text
    }

    private static func address(_ link: TenantPages.Link, of members: YAMLMembers) -> String? {
        guard let text = members.text(link.rawValue) else { return nil }
        let isAddress = text.hasPrefix("https://") || link == .support && text.hasPrefix("mailto:")
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
        if !isAddress || !isPlain || !(10...512).contains(text.utf8.count) || URL(string: text) == nil {
            members.add(
                "\(link.rawValue) must be an address that begins with https://\(link == .support ? " or mailto:" : ""), at most 512 bytes.",
                at: link.rawValue)
        }
        return text
    }

    private static func sentence(_ text: TenantPages.Text, of members: YAMLMembers) -> String? {
        guard let sentence = members.text(text.rawValue) else { return nil }
        if !(1...TenantPages.longestText).contains(sentence.utf8.count) || Terminal.harmless(sentence) != sentence
            || sentence.allSatisfy(\.isWhitespace)
        {
            members.add(
                "\(text.rawValue) must have 1 to \(TenantPages.longestText) bytes and no line end or control character.",
                at: text.rawValue)
        }
        return sentence
    }
}
