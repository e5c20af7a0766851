import IdentityEngine

extension PagePhrase {
    var arabic: String {
        switch self {
        case .signIn: "تسجيل الدخول"
        case .createAccount: "إنشاء حسابك"
        case .enterPassword: "إدخال كلمة المرور"
        case .enterCode: "يُرجى التحقق من بريدك الإلكتروني"
        case .choosePassword: "اختيار كلمة مرور"
        case .chooseNewPassword: "اختيار كلمة مرور جديدة"
        case .aboutYou: "معلومات عنك"
        case .chooseMethod: "خطوة أخرى"
        case .addMailbox: "إضافة عنوان بريد إلكتروني آخر"
        case .cannotGoOn: "لا يمكن المتابعة"
        case .tookTooLong: "استغرق ذلك وقتًا طويلًا"
        case .needsCookies: "يُرجى السماح بملفات تعريف الارتباط"
        case .begunElsewhere: "بدأ تسجيل الدخول في مكان آخر"
        case .signedIn: "تم تسجيل الدخول"
        case .movingOn: "لحظة من فضلك"
        case .signOut: "تسجيل الخروج؟"
        case .signedOut: "تم تسجيل الخروج"
        case .busy: "يُرجى المحاولة بعد قليل"
        case .continueTo(let app): "المتابعة إلى \(app)"
        case .toApp(let app): "للمتابعة إلى \(app)"
        case .codeSent(let address): "أرسلنا رمزًا إلى \(address)."
        case .codeIsValid: "الرمز صالح لمدة عشر دقائق. إذا لم يظهر لك، فيُرجى البحث في مجلد الرسائل غير المرغوب فيها."
        case .signedInAs(let name): "تم تسجيل دخولك باسم \(name)."
        case .appSignedInAs(let app, let name): "تطبيق «\(app)» مسجَّل الدخول باسم \(name)."
        case .goOnAs(let name): "المتابعة باسم \(name)"
        case .whyMailbox: "يطلب هذا التطبيق تحققًا إضافيًا. عند تسجيل الدخول سنرسل رموزًا إلى هذا العنوان."
        case .whyMethod: "يطلب هذا التطبيق تحققًا إضافيًا. إلى أين يمكننا إرسال الرمز؟"
        case .wantsAccess(let app): "ينتمي التطبيق \(app) إلى مؤسسة أخرى. ويطلب الإذن بما يلي:"
        case .scopeOpenID: "معرفة أنك المستخدم نفسه عند عودتك"
        case .scopeProfile: "رؤية اسمك"
        case .scopeEmail: "رؤية عنوان بريدك الإلكتروني"
        case .scopeOffline: "البقاء متصلًا في غيابك"
        case .scopeOther(let name): "استخدام \(name)"
        case .allow: "السماح"
        case .decline: "عدم السماح"
        case .passwordRules: "8 أحرف على الأقل، مع ثلاثة من هذه الأنواع: أحرف صغيرة، أحرف كبيرة، أرقام، رموز أخرى."
        case .cookiesHelp:
            "يرفض متصفحك ملف تعريف الارتباط اللازم لتسجيل الدخول. يُرجى السماح بملفات تعريف الارتباط لهذا العنوان والمحاولة مرة أخرى."
        case .begunElsewhereHelp:
            "لم يبدأ تسجيل الدخول في هذا المتصفح، أو تم حذف ملفات تعريف الارتباط. يُرجى العودة إلى التطبيق والبدء من جديد."
        case .wrongAddressHelp:
            "التطبيق الذي أرسلك إلى هنا غير معروف لدينا، أو لا يمكننا الرد على طلبه. يُرجى العودة والمحاولة مرة أخرى. إذا تكرر ذلك، فيُرجى إبلاغ القائمين على التطبيق."
        case .policyHelp: "لا يتيح حسابك التحقق الذي يطلبه هذا التطبيق."
        case .overHelp: "انتهت عملية تسجيل الدخول هذه. يمكنك البدء من جديد."
        case .mayCloseWindow(let app): "يُرجى العودة إلى \(app). يمكنك إغلاق هذه النافذة."
        case .movingOnHelp(let app): "نعيدك الآن إلى \(app)."
        case .busyHelp: "لا يمكن للخادم الرد الآن. لم يضِع ما كتبته: يُرجى إرسال النموذج مرة أخرى بعد قليل."
        case .signOutHelp(let tenant): "سيتم تسجيل خروجك من \(tenant) في هذا المتصفح."
        case .signedOutHelp: "يمكنك إغلاق هذه النافذة."
        case .requestNumber(let number): "رقم هذا الطلب: \(number)"
        case .email: "عنوان البريد الإلكتروني"
        case .emailOrName: "عنوان البريد الإلكتروني أو اسم المستخدم"
        case .password: "كلمة المرور"
        case .newPassword: "كلمة المرور الجديدة"
        case .showPassword: "إظهار كلمة المرور"
        case .code: "الرمز"
        case .staySignedIn: "إبقاء تسجيل الدخول على هذا الجهاز"
        case .optional: "اختياري"
        case .attribute(let name): attribute(name)
        case .next: "التالي"
        case .signInButton: "تسجيل الدخول"
        case .signOutButton: "تسجيل الخروج"
        case .cancel: "إلغاء"
        case .sendAgain: "إرسال رمز جديد"
        case .forgotPassword: "هل نسيت كلمة المرور؟"
        case .otherAccount: "استخدام حساب آخر"
        case .goOn: "متابعة"
        case .haveAccount: "لديّ حساب"
        case .noAccount: "إنشاء حساب"
        case .startAgain: "البدء من جديد"
        case .backToApp(let app): "العودة إلى \(app)"
        case .wrongCode: "هذا الرمز غير صحيح. يُرجى التحقق منه أو طلب رمز جديد."
        case .oldCode: "انتهت صلاحية هذا الرمز. يُرجى طلب رمز جديد."
        case .wait(let seconds):
            "محاولات كثيرة جدًا. يُرجى الانتظار \(time(seconds, inSeconds, inMinutes)) ثم المحاولة مرة أخرى."
        case .locked(let minutes):
            "تم إدخال كلمات مرور خاطئة كثيرة. يُرجى الانتظار \(inMinutes(minutes)) أو إعادة تعيين كلمة المرور."
        case .wrongPassword: "كلمة المرور غير صحيحة."
        case .unknownUser: "لا يوجد حساب بهذا الاسم. يُرجى التحقق منه أو إنشاء حساب."
        case .userExists: "يوجد حساب بهذا العنوان بالفعل. يُرجى تسجيل الدخول."
        case .disabledAccount: "لا يمكن استخدام هذا الحساب."
        case .badEmail: "يُرجى إدخال عنوان بريد إلكتروني، مثل name@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "كلمة المرور قصيرة جدًا: يجب ألا تقل عن 8 أحرف."
            case .tooLong: "كلمة المرور طويلة جدًا: يجب ألا تزيد على 256 حرفًا."
            case .tooWeak: "يُرجى استخدام ثلاثة من هذه الأنواع: أحرف صغيرة، أحرف كبيرة، أرقام، رموز أخرى."
            case .banned: "من السهل تخمين كلمة المرور هذه. يُرجى اختيار كلمة مرور أخرى."
            case .recentlyUsed: "هذه هي كلمة مرورك الحالية. يُرجى اختيار كلمة مرور أخرى."
            case .invalid: "تحتوي كلمة المرور على حرف لا يمكن استخدامه."
            }
        case .mailboxRefuses: "يرفض خادم البريد لهذا العنوان رسائلنا. يُرجى استخدام عنوان آخر."
        case .blockedContact: "لا يمكن إضافة هذا العنوان الآن. يُرجى استخدام عنوان حسابك أولًا."
        case .badAttributes: "لا يمكن استخدام بعض الإجابات. يُرجى التحقق منها."
        case .badField(let name): "يُرجى التحقق من: \(attribute(name))."
        case .missing: "يُرجى ملء هذا الحقل."
        case .alreadyDone: "تمت هذه الخطوة بالفعل. يُرجى المتابعة من هنا."
        case .codeSentAgain: "إذا مرّ أكثر من دقيقة على آخر رمز، فسيصلك رمز جديد."
        case .signUpClosed: "لا يسمح هذا التطبيق بتسجيل مستخدمين جدد."
        case .noPassword: "ليست لهذا الحساب كلمة مرور. يُرجى تسجيل الدخول برمز."
        case .text(let text): text
        case .yourAccount: "حسابك"
        case .yourData: "بياناتك"
        case .changeEmail: "تغيير عنوان بريدك الإلكتروني"
        case .changePassword: "تغيير كلمة مرورك"
        case .secondFactor: "تحقق إضافي"
        case .sessions: "أماكن تسجيل دخولك"
        case .copyOfData: "نسخة من بياناتك"
        case .deleteAccount: "حذف حسابك"
        case .confirmItIsYou: "تأكيد هويتك"
        case .accountDeleted: "تم حذف حسابك"
        case .deletionPlanned: "سيتم حذف حسابك"
        case .confirmItIsYouHelp: "الخطوة التالية تحمي حسابك. قبل المتابعة، يُرجى تأكيد هويتك مرة أخرى."
        case .saved: "تم حفظ التغيير."
        case .passwordChanged: "تم تغيير كلمة مرورك. تم تسجيل خروجك من كل مكان آخر."
        case .newAddressHelp: "سنرسل رمزًا إلى العنوان الجديد. قد نرسل أولًا رمزًا إلى عنوانك الحالي."
        case .methodsHelp: "بعد كلمة المرور قد نطلب رمزًا نرسله إلى أحد هذه العناوين."
        case .methodSuspended: "لا يمكن استخدامه الآن لأن كلمة المرور أُعيد تعيينها."
        case .sessionsHelp: "هل هناك ما لا تعرفه؟ يُرجى تسجيل خروجه وتغيير كلمة مرورك."
        case .thisBrowser: "هذا المتصفح"
        case .browser: "متصفح"
        case .lastUsed: "آخر استخدام"
        case .copyHelp: "ملف يضم كل ما نحفظه عنك، بصيغة JSON."
        case .deleteHelp: "سيُحذف حسابك فورًا مع جميع بياناتك. لا يمكن التراجع عن ذلك."
        case .typeAddress: "للتأكيد، اكتب عنوان البريد الإلكتروني لحسابك."
        case .notSet: "غير محدد"
        case .deleteLaterHelp(let days):
            "سيُحذف حسابك مع جميع بياناتك (عدد الأيام: \(days)). حتى ذلك الحين يمكنك تسجيل الدخول والاحتفاظ به."
        case .currentPassword: "كلمة المرور الحالية"
        case .newEmail: "عنوان البريد الإلكتروني الجديد"
        case .methodName: "اسم هذا العنوان"
        case .save: "حفظ"
        case .rename: "إعادة التسمية"
        case .remove: "إزالة"
        case .endOthers: "تسجيل الخروج من كل مكان آخر"
        case .endAll: "تسجيل الخروج من كل مكان"
        case .allowedApplications: "التطبيقات التي سمحت لها"
        case .download: "تنزيل"
        case .keepAccount: "الاحتفاظ بحسابي"
        case .backToAccount: "العودة إلى حسابك"
        case .changedElsewhere: "تم تغيير بياناتك في مكان آخر في هذه الأثناء. يُرجى التحقق منها والحفظ مرة أخرى."
        case .nameTaken: "هذا الاسم مستخدم. يُرجى اختيار اسم آخر."
        case .lastMethod: "التحقق الإضافي مطلوب، وهذا هو الأخير."
        case .addressTaken: "يوجد حساب آخر بهذا العنوان."
        case .addressNotUsable: "هذا ليس عنوان بريد إلكتروني، أو أنه موجود في حسابك بالفعل."
        case .privacy: "الخصوصية"
        case .terms: "شروط الاستخدام"
        case .support: "المساعدة"
        case .deviceTitle: "ربط جهاز"
        case .deviceHelp: "أدخل الرمز الذي يظهر على تلفازك أو في سطر الأوامر أو على جهاز آخر."
        case .wrongDeviceCode: "هذا الرمز غير صحيح أو قديم جدًا. تحقق منه، أو احصل على رمز جديد على الجهاز."
        case .deviceAllowTitle(let app): "تسجيل الدخول إلى \(app) على جهاز آخر؟"
        case .deviceAsks(let app, let code): "جهاز يعرض الرمز \(code) يطلب استخدام \(app) بحسابك."
        case .deviceSince(let minutes): "الدقائق منذ طلب الجهاز: \(minutes)"
        case .deviceSameNetwork: "الجهاز في الشبكة نفسها التي فيها هذا المتصفح."
        case .deviceOtherNetwork: "الجهاز في شبكة غير شبكة هذا المتصفح."
        case .deviceWarning:
            "هل بدأت هذا بنفسك، وهل ترى هذا الرمز الآن على جهازك؟ إذا أعطاك شخص آخر الرمز فاختر «إلغاء»، وإلا دخل ذلك الشخص إلى حسابك."
        case .deviceAllowed: "عد إلى جهازك"
        case .deviceDeclined: "لم يتم تسجيل الدخول على الجهاز"
        case .errorPrefix: "خطأ"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "الاسم الكامل"
        case "givenName": "الاسم الأول"
        case "surname": "اسم العائلة"
        case "jobTitle": "المسمى الوظيفي"
        case "country": "البلد"
        case "state": "الولاية أو المنطقة"
        case "city": "المدينة"
        case "streetAddress": "عنوان الشارع"
        case "postalCode": "الرمز البريدي"
        case "preferredLanguage": "اللغة"
        case AttributeDefinition.aliasName: "اسم المستخدم"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        counted(count, "ثانية واحدة", "ثانيتين", "ثوانٍ", "ثانية")
    }

    private func inMinutes(_ count: Int) -> String {
        counted(count, "دقيقة واحدة", "دقيقتين", "دقائق", "دقيقة")
    }

    private func counted(_ count: Int, _ one: String, _ two: String, _ few: String, _ many: String) -> String {
        switch (count, count % 100) {
        case (1, _): one
        case (2, _): two
        case (_, 3...10): "\(count) \(few)"
        case _: "\(count) \(many)"
        }
    }
}
