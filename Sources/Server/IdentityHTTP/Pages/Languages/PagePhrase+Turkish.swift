import IdentityEngine

extension PagePhrase {
    var turkish: String {
        switch self {
        case .signIn: "Oturum açın"
        case .createAccount: "Hesabınızı oluşturun"
        case .enterPassword: "Şifrenizi girin"
        case .enterCode: "E-postanızı kontrol edin"
        case .choosePassword: "Bir şifre belirleyin"
        case .chooseNewPassword: "Yeni bir şifre belirleyin"
        case .aboutYou: "Hakkınızda"
        case .chooseMethod: "Bir adım daha"
        case .addMailbox: "Başka bir e-posta adresi ekleyin"
        case .cannotGoOn: "Devam edilemiyor"
        case .tookTooLong: "Bu işlem çok uzun sürdü"
        case .needsCookies: "Çerezlere izin verin"
        case .begunElsewhere: "Başka bir yerde başlatıldı"
        case .signedIn: "Oturum açtınız"
        case .movingOn: "Lütfen bekleyin"
        case .signOut: "Oturum kapatılsın mı?"
        case .signedOut: "Oturumunuz kapatıldı"
        case .busy: "Biraz sonra yeniden deneyin"
        case .continueTo(let app): "\(app) uygulamasına devam edin"
        case .toApp(let app): "\(app) uygulamasına devam etmek için"
        case .codeSent(let address): "\(address) adresine bir kod gönderdik."
        case .codeIsValid: "On dakika geçerlidir. Kodu göremiyorsanız istenmeyen posta klasörüne bakın."
        case .signedInAs(let name): "\(name) olarak oturum açtınız."
        case .whyMailbox: "Bu uygulama ek bir doğrulama istiyor. Oturum açtığınızda bu adrese kod göndereceğiz."
        case .whyMethod: "Bu uygulama ek bir doğrulama istiyor. Kodu nereye gönderelim?"
        case .wantsAccess(let app): "\(app) uygulaması başka bir kuruluşa ait. Şunlar için izin istiyor:"
        case .scopeOpenID: "geri geldiğinizde aynı kullanıcı olduğunuzu bilmek"
        case .scopeProfile: "adınızı görmek"
        case .scopeEmail: "e-posta adresinizi görmek"
        case .scopeOffline: "siz yokken bağlı kalmak"
        case .scopeOther(let name): "\(name) öğesini kullanmak"
        case .allow: "İzin ver"
        case .decline: "İzin verme"
        case .passwordRules: "En az 8 karakter ve şunlardan üçü: küçük harf, büyük harf, rakam, diğer işaretler."
        case .cookiesHelp:
            "Tarayıcınız, oturum açmak için gereken çerezi kabul etmiyor. Bu adres için çerezlere izin verin ve yeniden deneyin."
        case .begunElsewhereHelp:
            "Bu oturum açma işlemi bu tarayıcıda başlatılmadı veya çerezler silindi. Uygulamaya dönün ve yeniden başlayın."
        case .wrongAddressHelp:
            "Sizi buraya gönderen uygulamayı tanımıyoruz veya isteğine yanıt veremiyoruz. Geri dönün ve yeniden deneyin. Bu durum tekrarlanırsa uygulamanın geliştiricilerine bildirin."
        case .policyHelp: "Hesabınız, bu uygulamanın istediği doğrulamayı sağlayamıyor."
        case .overHelp: "Bu oturum açma işlemi sona erdi. Yeniden başlayabilirsiniz."
        case .mayCloseWindow(let app): "\(app) uygulamasına dönün. Bu pencereyi kapatabilirsiniz."
        case .movingOnHelp(let app): "Sizi \(app) uygulamasına geri götürüyoruz."
        case .busyHelp: "Sunucu şu anda yanıt veremiyor. Yazdıklarınız kaybolmadı: Formu biraz sonra yeniden gönderin."
        case .signOutHelp(let tenant): "Bu tarayıcıda \(tenant) oturumunuz kapatılacak."
        case .signedOutHelp: "Bu pencereyi kapatabilirsiniz."
        case .requestNumber(let number): "Bu isteğin numarası: \(number)"
        case .email: "E-posta adresi"
        case .emailOrName: "E-posta adresi veya kullanıcı adı"
        case .password: "Şifre"
        case .newPassword: "Yeni şifre"
        case .showPassword: "Şifreyi göster"
        case .code: "Kod"
        case .staySignedIn: "Bu cihazda oturumu açık tut"
        case .optional: "isteğe bağlı"
        case .attribute(let name): attribute(name)
        case .next: "İleri"
        case .signInButton: "Oturum aç"
        case .signOutButton: "Oturumu kapat"
        case .cancel: "İptal"
        case .sendAgain: "Yeni kod gönder"
        case .forgotPassword: "Şifrenizi mi unuttunuz?"
        case .otherAccount: "Başka bir hesap kullan"
        case .goOn: "Devam et"
        case .haveAccount: "Hesabım var"
        case .noAccount: "Hesap oluştur"
        case .startAgain: "Yeniden başla"
        case .backToApp(let app): "\(app) uygulamasına dön"
        case .wrongCode: "Bu kod doğru değil. Kontrol edin veya yeni bir kod isteyin."
        case .oldCode: "Bu kodun süresi doldu. Yeni bir kod isteyin."
        case .wait(let seconds):
            "Çok fazla deneme yapıldı. \(time(seconds, inSeconds, inMinutes)) bekleyin ve yeniden deneyin."
        case .locked(let minutes):
            "Çok fazla yanlış şifre girildi. \(inMinutes(minutes)) bekleyin veya şifreyi sıfırlayın."
        case .wrongPassword: "Bu şifre doğru değil."
        case .unknownUser: "Bu ada sahip bir hesap yok. Adı kontrol edin veya hesap oluşturun."
        case .userExists: "Bu adresle zaten bir hesap var. Oturum açın."
        case .disabledAccount: "Bu hesap kullanılamıyor."
        case .badEmail: "Bir e-posta adresi girin, örneğin ad@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Bu şifre çok kısa: En az 8 karakter olmalı."
            case .tooLong: "Bu şifre çok uzun: En fazla 256 karakter olabilir."
            case .tooWeak: "Şunlardan üçünü kullanın: küçük harf, büyük harf, rakam, diğer işaretler."
            case .banned: "Bu şifreyi tahmin etmek kolay. Başka bir şifre belirleyin."
            case .recentlyUsed: "Bu sizin şu anki şifreniz. Başka bir şifre belirleyin."
            case .invalid: "Bu şifrede kullanılamayan bir karakter var."
            }
        case .mailboxRefuses: "Bu adresin e-posta sunucusu e-postalarımızı kabul etmiyor. Başka bir adres kullanın."
        case .blockedContact: "Bu adres şu anda eklenemiyor. Önce hesabınızın adresini kullanın."
        case .badAttributes: "Bazı yanıtlar kullanılamıyor. Bunları kontrol edin."
        case .badField(let name): "Şunu kontrol edin: \(attribute(name))."
        case .missing: "Bu alanı doldurun."
        case .alreadyDone: "Bu adım zaten tamamlandı. Buradan devam edin."
        case .codeSentAgain: "Son kodun üzerinden bir dakikadan fazla geçtiyse yeni bir kod yolda."
        case .signUpClosed: "Bu uygulamada yeni kullanıcılar hesap oluşturamıyor."
        case .noPassword: "Bu hesabın şifresi yok. Bir kodla oturum açın."
        case .text(let text): text
        case .deviceTitle: "Bir cihaz bağlayın"
        case .deviceHelp: "Televizyonunuzun, komut satırınızın veya başka bir cihazın gösterdiği kodu girin."
        case .wrongDeviceCode: "Bu kod doğru değil ya da çok eski. Kontrol edin veya cihazda yeni bir kod alın."
        case .deviceAllowTitle(let app): "Başka bir cihazda \(app) oturumu açılsın mı?"
        case .deviceAsks(let app, let code):
            "\(code) kodunu gösteren bir cihaz, hesabınızla \(app) kullanmak istiyor."
        case .deviceSince(let minutes): "Cihazın isteğinden bu yana geçen dakika: \(minutes)"
        case .deviceSameNetwork: "Cihaz bu tarayıcıyla aynı ağda."
        case .deviceOtherNetwork: "Cihaz bu tarayıcıdan başka bir ağda."
        case .deviceWarning:
            "Bunu kendiniz mi başlattınız ve bu kodu şu anda kendi cihazınızda görüyor musunuz? Kodu size başka biri verdiyse “İptal”i seçin: yoksa o kişi hesabınıza girer."
        case .deviceAllowed: "Cihazınıza dönün"
        case .deviceDeclined: "Cihazda oturum açılmadı"
        case .errorPrefix: "Hata"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Ad ve soyad"
        case "givenName": "Ad"
        case "surname": "Soyad"
        case "jobTitle": "Unvan"
        case "country": "Ülke"
        case "state": "İl veya eyalet"
        case "city": "Şehir"
        case "streetAddress": "Açık adres"
        case "postalCode": "Posta kodu"
        case "preferredLanguage": "Dil"
        case AttributeDefinition.aliasName: "Kullanıcı adı"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        "\(count) saniye"
    }

    private func inMinutes(_ count: Int) -> String {
        "\(count) dakika"
    }
}
