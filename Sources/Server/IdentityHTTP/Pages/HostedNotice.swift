/// What a page says first, as the whole query of its address.
enum HostedNotice: String, Hashable, Sendable, CaseIterable {
    /// It is shown in place of the answer to an old form.
    case again
    /// After a wish for another code.
    case sent
    /// The account is changed.
    case saved
    case passwordChanged = "changed"
    /// The codes of a change are used up, or too old.
    case over
    /// The new address has another account.
    case taken
    /// The provider did not sign the user in, or its account cannot be connected.
    case providerFailed = "failed"
    /// The account at the provider is connected to another user.
    case identityTaken = "connected"
    /// The user has added as many methods as a day allows.
    case enoughToday = "enough"

    var phrase: PagePhrase {
        switch self {
        case .again: .alreadyDone
        case .sent: .codeSentAgain
        case .saved: .saved
        case .passwordChanged: .passwordChanged
        case .over: .tookTooLong
        case .taken: .addressTaken
        case .providerFailed: .providerFailed
        case .identityTaken: .identityTaken
        case .enoughToday: .enoughToday
        }
    }
}
