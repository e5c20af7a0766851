import NativeAuthCore
package import PortableFoundation

/// What a code is sent to.
package enum Contact: Hashable, Sendable {
    case mailbox(EmailAddress)
    case phone(PhoneNumber)

    /// What a user typed: a telephone number with the code of its country, or an e-mail address.
    package init?(_ text: String) {
        if let number = PhoneNumber(text) {
            self = .phone(number)
        } else if let email = EmailAddress(text) {
            self = .mailbox(email)
        } else {
            return nil
        }
    }

    package var email: EmailAddress? {
        switch self {
        case .mailbox(let email): email
        case .phone: nil
        }
    }

    package var phone: PhoneNumber? {
        switch self {
        case .mailbox: nil
        case .phone(let number): number
        }
    }

    /// What codes are bound to: no mailbox has the bytes of a number.
    package var key: Data {
        switch self {
        case .mailbox(let email): email.key.bytes
        case .phone(let number): Data(number.text.utf8)
        }
    }

    /// What limits count by.
    var counted: Data {
        switch self {
        case .mailbox(let email): email.mailbox
        case .phone(let number): Data(number.text.utf8)
        }
    }

    /// In full, for the user who just typed it.
    package var display: String {
        switch self {
        case .mailbox(let email): email.display
        case .phone(let number): number.text
        }
    }

    /// The address or the number, as it is stored.
    package var address: String {
        switch self {
        case .mailbox(let email): email.address
        case .phone(let number): number.text
        }
    }

    package var masked: String {
        switch self {
        case .mailbox(let email): email.masked
        case .phone(let number): number.masked
        }
    }

    /// How the code gets there; nil: by mail.
    package var channel: CodeChannel? {
        switch self {
        case .mailbox: nil
        case .phone: .textMessage
        }
    }
}

extension UserAccount {
    /// The telephone that signs in by a code to its number alone (`SEC-SMS-16`). Nil when it is suspended, when it was enrolled on
    /// less than the account can give, such as the mailbox of a user with a password or an import, and when nothing has proven it for
    /// ``longestSilence``: the number may have another owner.
    func telephone(_ number: PhoneNumber, signingInAt now: Date) -> StrongMethod? {
        strongMethods.first { method in
            method.contact?.phone == number && method.suspendedAt == nil && method.isEnrolledWell
                && now.timeIntervalSince(method.lastUsedAt.map { max($0, method.provenAt) } ?? method.provenAt)
                    < Self.longestSilence
        }
    }

    /// Whether a code to the number of this method alone signs the user in where numbers do, as far as this account decides: a number that
    /// other accounts have, too, signs in to the one where it was proven last.
    package func signsIn(_ method: StrongMethod, at now: Date) -> Bool {
        method.contact?.phone.flatMap { telephone($0, signingInAt: now)?.id } == method.id
    }

    /// In seconds: 180 days.
    static let longestSilence = 180 * 86_400.0
}

extension StrongMethod {
    /// Whether it was enrolled on all that its account had: two factors, or the mailbox of a user who has nothing else.
    fileprivate var isEnrolledWell: Bool {
        switch enrolment.strength {
        case .twoFactors, .codes: true
        case .unknown, .password, .mailbox, .recoveryCode: false
        }
    }
}

/// Encoded as one text: an address as ``EmailAddress`` is, as versions wrote it that knew no other contact.
extension Contact: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        if let number = PhoneNumber(stored: text) {
            self = .phone(number)
        } else {
            self = .mailbox(try EmailAddress(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .mailbox(let email): try email.encode(to: encoder)
        case .phone(let number): try number.encode(to: encoder)
        }
    }
}
