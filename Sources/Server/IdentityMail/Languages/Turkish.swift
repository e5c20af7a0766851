// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let turkish = MailPhrases(
        codeSubject: "{{{organisation}}} doğrulama kodunuz",
        signUp: "{{{organisation}}} hesabınızı oluşturmak için bu kodu kullanın.",
        signIn: "{{{organisation}}} hesabınızda oturum açmak için bu kodu kullanın.",
        passwordReset: "{{{organisation}}} hesabınıza yeni bir şifre belirlemek için bu kodu kullanın.",
        secondFactor:
            "{{{organisation}}} hesabınızda oturum açan kişinin siz olduğunu onaylamak için bu kodu kullanın.",
        registration:
            "Bu e-posta adresini {{{organisation}}} hesabınıza doğrulama yöntemi olarak eklemek için bu kodu kullanın.",
        accountChange: "{{{organisation}}} hesabınızdaki bir değişikliği onaylamak için bu kodu kullanın.",
        emailChange: "Bu adresi {{{organisation}}} hesabınızın e-posta adresi yapmak için bu kodu kullanın.",
        label: "Kodunuz:",
        validity: "{{minutes}} dakika geçerlidir.",
        validityInDays: "{{days}} gün geçerlidir.",
        secrecy: "Bu kodu kimseyle paylaşmayın. {{{organisation}}} bu kodu sizden hiçbir zaman istemez.",
        notAsked: "Bu kodu siz istemediyseniz bu mesajı yok sayabilirsiniz.",
        notMe: "Bunu siz yapmadıysanız hemen yeni bir şifre belirleyin ve {{{organisation}}} ile iletişime geçin.",
        emailChanged: Notice(
            subject: "{{{organisation}}} hesabınızın e-posta adresi değiştirildi",
            event:
                "{{{organisation}}} hesabınızın artık başka bir e-posta adresi var. Aşağıdaki kod bu değişikliği geri alır ve tüm cihazlardaki oturumları kapatır.",
            unasked: "Bu değişikliği siz yaptıysanız bu mesajı yok sayabilirsiniz."),
        emailChangeUndone: Notice(
            subject: "{{{organisation}}} hesabınız yeniden eski e-posta adresini kullanıyor",
            event:
                "{{{organisation}}} hesabınızın e-posta adresindeki değişiklik geri alındı. Tüm cihazlardaki oturumlar kapatıldı.",
            unasked: "Hemen yeni bir şifre belirleyin: Eski şifreyi başka biri biliyor olabilir."),
        emailReplaced: Notice(
            subject: "{{{organisation}}} hesabınızın e-posta adresi değiştirildi",
            event:
                "{{{organisation}}}, hesabınıza başka bir e-posta adresi atadı ve tüm cihazlardaki oturumları kapattı.",
            unasked: "Bu değişikliği siz istemediyseniz {{{organisation}}} ile iletişime geçin."),
        resetRequired: Notice(
            subject: "{{{organisation}}} hesabınız için yeni bir şifre belirleyin",
            event:
                "{{{organisation}}}, hesabınızın şifresini geçersiz kıldı ve tüm cihazlardaki oturumları kapattı. Yeniden oturum açmak için uygulamayı açın ve eski şifrenizi unutmuşsunuz gibi yeni bir şifre belirleyin.",
            unasked: "Bu konuda sorularınız varsa {{{organisation}}} ile iletişime geçin."),
        accountDeleted: Notice(
            subject: "{{{organisation}}} hesabınız silindi",
            event: "{{{organisation}}} hesabınız ve içindeki veriler silindi.",
            unasked: "Bunu siz yapmadıysanız {{{organisation}}} ile iletişime geçin."),
        deletionScheduled: Notice(
            subject: "{{{organisation}}} hesabınız silinecek",
            event:
                "{{{organisation}}} hesabınız {{days}} gün sonra silinecek. Hesabı korumak istiyorsanız bundan önce oturum açın ve hesabı korumayı seçin.",
            unasked: "Bunu siz yapmadıysanız oturum açın, hesabı koruyun ve yeni bir şifre belirleyin."),
        passwordChanged: Notice(
            subject: "{{{organisation}}} şifreniz değiştirildi",
            event: "{{{organisation}}} hesabınızın şifresi değiştirildi."),
        methodRegistered: Notice(
            subject: "{{{organisation}}} hesabınıza bir doğrulama yöntemi eklendi",
            event: "{{{organisation}}} hesabınıza doğrulama yöntemi olarak bir e-posta adresi eklendi."),
        methodRemoved: Notice(
            subject: "{{{organisation}}} hesabınızdan bir doğrulama yöntemi kaldırıldı",
            event: "Bir e-posta adresi artık {{{organisation}}} hesabınızın doğrulama yöntemi değil."),
        methodSuspended: Notice(
            subject: "{{{organisation}}} hesabınızın bir doğrulama yöntemi askıya alındı",
            event:
                "{{{organisation}}} şifreniz sıfırlandı. Kısa süre önce eklenen bir e-posta adresi bir gün boyunca doğrulama yöntemi olarak kullanılamaz."
        ),
        methodReactivated: Notice(
            subject: "{{{organisation}}} hesabınızın bir doğrulama yöntemi yeniden kullanımda",
            event:
                "Askıya alınmış bir e-posta adresi {{{organisation}}} hesabınızda doğrulama yöntemi olarak kullanıldı."),
        methodFirstUsed: Notice(
            subject: "{{{organisation}}} hesabınızın yeni bir doğrulama yöntemi kullanıldı",
            event: "Bir e-posta adresi {{{organisation}}} hesabınızda ilk kez doğrulama yöntemi olarak kullanıldı."),
        passkeySuspect: Notice(
            subject: "{{{organisation}}} hesabınızdaki bir geçiş anahtarı alışılmadık şekilde yanıt verdi",
            event:
                "{{{organisation}}} hesabınızdaki bir geçiş anahtarı öncekinden farklı yanıt verdi: kopyalanmış olabilir veya artık yedeği yoktur.",
            unasked:
                "Bunu açıklayamıyorsanız geçiş anahtarını hesabınızdan kaldırın ve yenisini ekleyin."),
        recoveryCodeUsed: Notice(
            subject: "{{{organisation}}} hesabınızın bir kurtarma kodu kullanıldı",
            event: "{{{organisation}}} hesabınızda oturum açmak için bir kurtarma kodu kullanıldı."),
        accountExists: Notice(
            subject: "Zaten bir {{{organisation}}} hesabınız var",
            event:
                "Biri, belki siz, bu e-posta adresiyle yeni bir {{{organisation}}} hesabı istedi. Bu adresin zaten bir hesabı var: Oturum açın veya unuttuysanız şifrenizi sıfırlayın.",
            unasked: "Bunu siz yapmadıysanız bir şey yapmanız gerekmez: Hesabınızda bir değişiklik olmadı."),
        signInLocked: Notice(
            subject: "Biri {{{organisation}}} hesabınızda oturum açmaya çalışıyor",
            event:
                "{{{organisation}}} hesabınız için birçok yanlış şifre denendi. Şifreyle oturum açma bir süreliğine engellendi; yeni bir şifre bu engeli hemen kaldırır.",
            unasked:
                "Bunu siz yapmadıysanız hesabınız koruma altındadır. Burada, başka hiçbir yerde kullanmadığınız bir şifre kullanın."
        ),
        signedInAfterFailures: Notice(
            subject: "Birçok yanlış şifreden sonra {{{organisation}}} hesabınızda oturum açıldı",
            event: "Birçok yanlış şifreden sonra {{{organisation}}} hesabınızın doğru şifresi girildi."),
        methodLabel: "E-posta adresi",
        authenticatorApp: "Kimlik doğrulama uygulaması",
        passkey: "Geçiş anahtarı",
        recoveryCodes: "Kurtarma kodları",
        recoveryCodesLeft: "Kalan kurtarma kodları",
        timeLabel: "Tarih ve saat",
        networkLabel: "Ağ")
}
