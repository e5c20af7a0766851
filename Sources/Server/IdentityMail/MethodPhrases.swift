import IdentityEngine

/// The sentences of notices about verification methods in one language (`SEC-ENR-5`), as templates over `organisation`,
/// and the labels of their details.
struct MethodPhrases: Sendable {
    var registered: MailPhrases.Notice
    var removed: MailPhrases.Notice
    var suspended: MailPhrases.Notice
    var reactivated: MailPhrases.Notice
    var firstUsed: MailPhrases.Notice
    /// The label of the masked mailboxes.
    var method: String
    /// The label of the time.
    var time: String
    /// The label of the network.
    var network: String

    private init(
        event: (_ what: What) -> (subject: String, sentence: String), unasked: String, method: String, time: String,
        network: String
    ) {
        func notice(_ what: What) -> MailPhrases.Notice {
            let (subject, sentence) = event(what)
            return MailPhrases.Notice(subject: subject, event: sentence, unasked: unasked)
        }
        registered = notice(.registered)
        removed = notice(.removed)
        suspended = notice(.suspended)
        reactivated = notice(.reactivated)
        firstUsed = notice(.firstUsed)
        self.method = method
        self.time = time
        self.network = network
    }

    private enum What {
        case registered, removed, suspended, reactivated, firstUsed
    }

    static let english = MethodPhrases(
        event: { what in
            switch what {
            case .registered:
                (
                    "A verification method was added to your account at {{{organisation}}}",
                    "An e-mail address was added to your account at {{{organisation}}} as a way to prove who you are."
                )
            case .removed:
                (
                    "A verification method was removed from your account at {{{organisation}}}",
                    "An e-mail address is no longer a way to prove who you are at {{{organisation}}}."
                )
            case .suspended:
                (
                    "A verification method of your account at {{{organisation}}} is suspended",
                    "Your password at {{{organisation}}} was reset. An e-mail address that was added recently cannot be "
                        + "used to prove who you are for a day."
                )
            case .reactivated:
                (
                    "A verification method of your account at {{{organisation}}} is in use again",
                    "An e-mail address that was suspended was used to prove who you are at {{{organisation}}}."
                )
            case .firstUsed:
                (
                    "A new verification method of your account at {{{organisation}}} was used",
                    "An e-mail address was used for the first time to prove who you are at {{{organisation}}}."
                )
            }
        },
        unasked: "If this was not you, choose a new password at once and tell {{{organisation}}}.",
        method: "E-mail address", time: "Time", network: "Network")

    static let danish = MethodPhrases(
        event: { what in
            switch what {
            case .registered:
                (
                    "Der er tilføjet en bekræftelsesmetode til din konto hos {{{organisation}}}",
                    "En e-mailadresse er blevet knyttet til din konto hos {{{organisation}}} som bekræftelsesmetode."
                )
            case .removed:
                (
                    "En bekræftelsesmetode er fjernet fra din konto hos {{{organisation}}}",
                    "En e-mailadresse er ikke længere bekræftelsesmetode for din konto hos {{{organisation}}}."
                )
            case .suspended:
                (
                    "En bekræftelsesmetode for din konto hos {{{organisation}}} er sat på pause",
                    "Din adgangskode hos {{{organisation}}} er nulstillet. En e-mailadresse, der er tilføjet for nylig, "
                        + "kan ikke bruges som bekræftelsesmetode det næste døgn."
                )
            case .reactivated:
                (
                    "En bekræftelsesmetode for din konto hos {{{organisation}}} er i brug igen",
                    "En e-mailadresse, der var sat på pause, er brugt som bekræftelsesmetode hos {{{organisation}}}."
                )
            case .firstUsed:
                (
                    "En ny bekræftelsesmetode for din konto hos {{{organisation}}} er brugt",
                    "En e-mailadresse er for første gang brugt som bekræftelsesmetode hos {{{organisation}}}."
                )
            }
        },
        unasked: "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte {{{organisation}}}.",
        method: "E-mailadresse", time: "Tidspunkt", network: "Netværk")

    static let dutch = MethodPhrases(
        event: { what in
            switch what {
            case .registered:
                (
                    "Er is een verificatiemethode toegevoegd aan uw account bij {{{organisation}}}",
                    "Aan uw account bij {{{organisation}}} is een e-mailadres als verificatiemethode toegevoegd."
                )
            case .removed:
                (
                    "Er is een verificatiemethode verwijderd uit uw account bij {{{organisation}}}",
                    "Een e-mailadres is geen verificatiemethode meer voor uw account bij {{{organisation}}}."
                )
            case .suspended:
                (
                    "Een verificatiemethode van uw account bij {{{organisation}}} is opgeschort",
                    "Uw wachtwoord bij {{{organisation}}} is opnieuw ingesteld. Een e-mailadres dat onlangs is toegevoegd, "
                        + "kan een dag lang niet als verificatiemethode worden gebruikt."
                )
            case .reactivated:
                (
                    "Een verificatiemethode van uw account bij {{{organisation}}} is weer in gebruik",
                    "Een opgeschort e-mailadres is gebruikt als verificatiemethode bij {{{organisation}}}."
                )
            case .firstUsed:
                (
                    "Een nieuwe verificatiemethode van uw account bij {{{organisation}}} is gebruikt",
                    "Een e-mailadres is voor het eerst gebruikt als verificatiemethode bij {{{organisation}}}."
                )
            }
        },
        unasked:
            "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op met {{{organisation}}}.",
        method: "E-mailadres", time: "Tijdstip", network: "Netwerk")

    static let french = MethodPhrases(
        event: { what in
            switch what {
            case .registered:
                (
                    "Un moyen de vérification a été ajouté à votre compte chez {{{organisation}}}",
                    "Une adresse e-mail a été ajoutée à votre compte chez {{{organisation}}} comme moyen de vérification."
                )
            case .removed:
                (
                    "Un moyen de vérification a été retiré de votre compte chez {{{organisation}}}",
                    "Une adresse e-mail n’est plus un moyen de vérification de votre compte chez {{{organisation}}}."
                )
            case .suspended:
                (
                    "Un moyen de vérification de votre compte chez {{{organisation}}} est suspendu",
                    "Votre mot de passe chez {{{organisation}}} a été réinitialisé. Une adresse e-mail ajoutée récemment ne "
                        + "peut pas servir de moyen de vérification pendant un jour."
                )
            case .reactivated:
                (
                    "Un moyen de vérification de votre compte chez {{{organisation}}} est de nouveau utilisé",
                    "Une adresse e-mail suspendue a servi de moyen de vérification chez {{{organisation}}}."
                )
            case .firstUsed:
                (
                    "Un nouveau moyen de vérification de votre compte chez {{{organisation}}} a été utilisé",
                    "Une adresse e-mail a servi pour la première fois de moyen de vérification chez {{{organisation}}}."
                )
            }
        },
        unasked:
            "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez {{{organisation}}}.",
        method: "Adresse e-mail", time: "Date et heure", network: "Réseau")

    static let japanese = MethodPhrases(
        event: { what in
            switch what {
            case .registered:
                (
                    "{{{organisation}}} のアカウントに本人確認方法が追加されました",
                    "{{{organisation}}} のアカウントに、本人確認方法としてメール アドレスが追加されました。"
                )
            case .removed:
                (
                    "{{{organisation}}} のアカウントから本人確認方法が削除されました",
                    "{{{organisation}}} のアカウントで、メール アドレスが本人確認方法ではなくなりました。"
                )
            case .suspended:
                (
                    "{{{organisation}}} のアカウントの本人確認方法が停止されました",
                    "{{{organisation}}} のパスワードが再設定されました。最近追加されたメール アドレスは、翌日まで本人確認に使用できません。"
                )
            case .reactivated:
                (
                    "{{{organisation}}} のアカウントの本人確認方法が再び使用されました",
                    "停止されていたメール アドレスが、{{{organisation}}} の本人確認に使用されました。"
                )
            case .firstUsed:
                (
                    "{{{organisation}}} のアカウントの新しい本人確認方法が使用されました",
                    "メール アドレスが、{{{organisation}}} の本人確認に初めて使用されました。"
                )
            }
        },
        unasked: "お心当たりがない場合は、すぐに新しいパスワードを設定し、{{{organisation}}} にご連絡ください。",
        method: "メール アドレス", time: "日時", network: "ネットワーク")
}
