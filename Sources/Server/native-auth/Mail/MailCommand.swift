import ArgumentParser
import IdentityEngine
import IdentityHTTP
import IdentityMail
import NativeAuthCore
import PortableFoundation

/// `native-auth mail`: shows the mails of a tenant, and sends one.
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Look at the mails that users get, or send one of them to yourself.",
        discussion: "A tenant's document changes sender, logo, colours, texts and templates: docs/operate/mails.md.",
        subcommands: [Preview.self, Test.self])

    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the mails of a tenant with made-up codes, or write them into a folder as pages.",
            discussion: """
                The tenant is that of --file, a tenant file that need not be in force; without it, that of the database. \
                index.html of the folder has them all.
                """)

        @OptionGroup var place: DatabaseLocation
        @Option(help: "A tenant file to look at before it is applied.") var file: String?
        @OptionGroup var choice: MailChoice
        @Option(help: "Write a page for each mail into this folder, all languages unless --language is given.")
        var output: String?

        func run() async throws {
            if let file {
                return try await DatabaseLocation.telling {
                    let directory: TenantDirectory
                    do {
                        directory = try TenantFile(try TenantFile.text(of: file, named: file), named: file).directory
                    } catch let error as ServeSettings.Invalid {
                        throw StartFailure.usage(error.problems)
                    }
                    try await show(directory)
                }
            }
            try await place.open { opened in
                guard let directory = opened.directory else { return }
                try await show(directory)
            }
        }

        private func show(_ directory: TenantDirectory) async throws {
            let tenant = try await MailChoice.tenant(place.tenant, in: directory)
            guard let output else {
                let language = choice.language ?? tenant.mailLanguage()
                let samples = try choice.purposes.map { try MailPreview.sample(of: $0, for: tenant, in: language) }
                let mails = samples.map {
                    "\($0.purpose.rawValue): \($0.occasion)\n\nSubject: \($0.subject)\n\n\($0.text)\n"
                }
                return Terminal.write(mails.joined(separator: "\n" + String(repeating: "-", count: 72) + "\n"))
            }
            let folder = URL(filePath: output)
            let languages = choice.language.map { [$0] } ?? MailLanguage.allCases
            var rows = ""
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for language in languages {
                    for purpose in choice.purposes {
                        let mail = try MailPreview.sample(of: purpose, for: tenant, in: language)
                        let name = "\(purpose.rawValue).\(language.rawValue)"
                        try Data(mail.html.utf8).write(
                            to: folder.appending(path: "\(name).html"), options: .atomic)
                        try Data("\(mail.subject)\n\n\(mail.text)\n".utf8).write(
                            to: folder.appending(path: "\(name).txt"), options: .atomic)
                        rows +=
                            "<li><a href=\"\(name).html\">\(purpose.rawValue), \(language.title)</a> <a href=\"\(name).txt\">text</a></li>\n"
                    }
                }
                let index =
                    "<!doctype html><meta charset=\"utf-8\"><title>Mails</title><h1>Mails</h1><ul>\n\(rows)</ul>\n"
                try Data(index.utf8).write(to: folder.appending(path: "index.html"), options: .atomic)
            } catch {
                throw StartFailure.inputOutput("The folder \(output) cannot be written.")
            }
            say("wrote \(counted(languages.count * choice.purposes.count, "mail")) and index.html into \(output)")
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a mail with a made-up code by the mail server of the settings.",
            discussion: """
                The settings are those of serve, from the environment: native-authctl mail test reads them from \
                /etc/native-auth/env. The mail is as users of the tenant get it, and goes out at once; whether it arrives, \
                and not as spam, the mailbox shows.
                """)

        @OptionGroup var place: DatabaseLocation
        @OptionGroup var choice: MailChoice
        @Option(help: "Mail server: smtp://HOST:587 or smtps://HOST:465 (default: NATIVE_AUTH_SMTP).") var smtp: String?
        @Option(name: .customLong("smtp-ca-file"), help: "Certificates (PEM) that vouch for the mail server.")
        var smtpCAFile: String?
        @Option(
            name: .customLong("mail-from"), help: "Sender, unless the tenant has one (default: NATIVE_AUTH_MAIL_FROM).")
        var mailFrom: String?
        @Argument(help: "The address that gets the mail.") var address: String

        func run() async throws {
            try await place.open { opened in
                guard let directory = opened.directory else { return }
                let tenant = try await MailChoice.tenant(place.tenant, in: directory)
                let settings: ServeSettings
                do {
                    let options = ["smtp": smtp, "smtp-ca-file": smtpCAFile, "mail-from": mailFrom].compactMapValues(
                        \.self)
                    let names = ["SMTP", "SMTP_CA_FILE", "MAIL_FROM"].map { "NATIVE_AUTH_" + $0 }
                    settings = try ServeSettings(
                        options: options,
                        environment: ProcessInfo.processInfo.environment.filter { names.contains($0.key) })
                } catch let error as ServeSettings.Invalid {
                    throw StartFailure.usage(error.problems)
                }
                guard let url = settings.smtpURL else {
                    throw StartFailure.usage(["There is no mail server: give --smtp."])
                }
                let letterhead = IdentityService.letterhead(
                    of: tenant.id, in: directory, mailFrom: settings.mailFrom.flatMap { try? MailAddress($0) })
                var content = MailContent.sample(
                    of: choice.purpose ?? .signUp, for: tenant, in: choice.language ?? tenant.mailLanguage())
                content.recipient = address
                content.sentAt = opened.now
                let mail: RenderedMail
                do {
                    mail = try MailRenderer().render(
                        content, id: SystemRandomness().uuid(at: opened.now).text, letterhead: letterhead)
                } catch MailFormatError.address {
                    throw StartFailure.usage(["\(Terminal.harmless(address)) is no mail address."])
                }
                do {
                    try await SMTPTransport(url: url, caFile: settings.smtpCAFile).send(mail)
                } catch let error as MailTransportError {
                    throw StartFailure.unavailable("The mail was not taken: \(error).")
                }
                say("sent from \(letterhead.sender.text); the mail server took it")
            }
        }
    }
}

/// Which mail a command is about.
struct MailChoice: ParsableArguments {
    @Option(help: "A mail, such as signUp (default: preview shows all, test sends signUp).") var purpose:
        MailContent.Purpose?
    @Option(help: "A language, such as de (default: the tenant's).") var language: MailLanguage?

    var purposes: [MailContent.Purpose] { purpose.map { [$0] } ?? MailContent.Purpose.allCases }

    /// The tenant of this name, or the first one.
    static func tenant(_ name: String?, in directory: TenantDirectory) async throws -> Tenant {
        guard let name else {
            guard let first = directory.entries.first else { throw StartFailure.usage(["There is no tenant."]) }
            return first.tenant
        }
        guard let tenant = try await directory.tenant(named: name) else {
            throw StartFailure.usage(["--tenant names no tenant that is configured."])
        }
        return tenant
    }
}

extension MailContent.Purpose: ExpressibleByArgument {}
extension MailLanguage: ExpressibleByArgument {}
