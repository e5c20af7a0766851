// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let arabic = MailPhrases(
        codeSubject: "رمز التحقق الخاص بك لدى {{{organisation}}}",
        signUp: "يُرجى استخدام هذا الرمز لإنشاء حسابك لدى {{{organisation}}}.",
        signIn: "يُرجى استخدام هذا الرمز لتسجيل الدخول إلى حسابك لدى {{{organisation}}}.",
        passwordReset: "يُرجى استخدام هذا الرمز لاختيار كلمة مرور جديدة لحسابك لدى {{{organisation}}}.",
        secondFactor: "يُرجى استخدام هذا الرمز لتأكيد أنك من يسجّل الدخول إلى حسابك لدى {{{organisation}}}.",
        registration:
            "يُرجى استخدام هذا الرمز لإضافة عنوان البريد الإلكتروني هذا إلى حسابك لدى {{{organisation}}} كطريقة تحقق.",
        accountChange: "يُرجى استخدام هذا الرمز لتأكيد تغيير في حسابك لدى {{{organisation}}}.",
        emailChange: "يُرجى استخدام هذا الرمز لجعل هذا العنوان عنوان البريد الإلكتروني لحسابك لدى {{{organisation}}}.",
        label: "الرمز الخاص بك:",
        validity: "مدة صلاحية الرمز بالدقائق: {{minutes}}.",
        validityInDays: "مدة صلاحية الرمز بالأيام: {{days}}.",
        secrecy: "يُرجى عدم مشاركة هذا الرمز مع أي شخص. لن يطلبه منك فريق {{{organisation}}} أبدًا.",
        notAsked: "إذا لم يصدر طلب هذا الرمز منك، فيمكنك تجاهل هذه الرسالة.",
        notMe: "إذا لم يصدر هذا الإجراء منك، فيُرجى اختيار كلمة مرور جديدة فورًا وإبلاغ {{{organisation}}}.",
        emailChanged: Notice(
            subject: "تم تغيير عنوان البريد الإلكتروني لحسابك لدى {{{organisation}}}",
            event:
                "أصبح لحسابك لدى {{{organisation}}} عنوان بريد إلكتروني آخر. الرمز أدناه يلغي هذا التغيير ويسجّل الخروج من جميع الأجهزة.",
            unasked: "إذا أجريت هذا التغيير بنفسك، فيمكنك تجاهل هذه الرسالة."),
        emailChangeUndone: Notice(
            subject: "عاد حسابك لدى {{{organisation}}} إلى عنوان بريده الإلكتروني القديم",
            event:
                "تم إلغاء تغيير عنوان البريد الإلكتروني لحسابك لدى {{{organisation}}}. وتم تسجيل الخروج من جميع الأجهزة.",
            unasked: "يُرجى اختيار كلمة مرور جديدة فورًا: فقد يعرف شخص آخر كلمة المرور القديمة."),
        emailReplaced: Notice(
            subject: "تم تغيير عنوان البريد الإلكتروني لحسابك لدى {{{organisation}}}",
            event: "عيّن فريق {{{organisation}}} عنوان بريد إلكتروني آخر لحسابك وسجّل الخروج من جميع الأجهزة.",
            unasked: "إذا لم يصدر طلب هذا التغيير منك، فيُرجى إبلاغ {{{organisation}}}."),
        resetRequired: Notice(
            subject: "يُرجى اختيار كلمة مرور جديدة لحسابك لدى {{{organisation}}}",
            event:
                "أبطل فريق {{{organisation}}} كلمة مرور حسابك وسجّل الخروج من جميع الأجهزة. لتسجيل الدخول من جديد، يُرجى فتح التطبيق واختيار كلمة مرور جديدة، كما لو أنك نسيت كلمة المرور القديمة.",
            unasked: "إذا كانت لديك أسئلة حول ذلك، فيُرجى التواصل مع {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "تم حذف حسابك لدى {{{organisation}}}",
            event: "تم حذف حسابك لدى {{{organisation}}} والبيانات الموجودة فيه.",
            unasked: "إذا لم يصدر هذا الإجراء منك، فيُرجى إبلاغ {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "سيتم حذف حسابك لدى {{{organisation}}}",
            event:
                "سيتم حذف حسابك لدى {{{organisation}}}. عدد الأيام المتبقية قبل الحذف: {{days}}. إذا رغبت في الاحتفاظ بالحساب، فيُرجى تسجيل الدخول قبل ذلك واختيار الاحتفاظ به.",
            unasked: "إذا لم يصدر هذا الإجراء منك، فيُرجى تسجيل الدخول والاحتفاظ بالحساب واختيار كلمة مرور جديدة."),
        passwordChanged: Notice(
            subject: "تم تغيير كلمة مرورك لدى {{{organisation}}}",
            event: "تم تغيير كلمة مرور حسابك لدى {{{organisation}}}."),
        methodRegistered: Notice(
            subject: "تمت إضافة طريقة تحقق إلى حسابك لدى {{{organisation}}}",
            event: "تمت إضافة عنوان بريد إلكتروني إلى حسابك لدى {{{organisation}}} كطريقة تحقق."),
        methodRemoved: Notice(
            subject: "تمت إزالة طريقة تحقق من حسابك لدى {{{organisation}}}",
            event: "لم يعد أحد عناوين البريد الإلكتروني طريقة تحقق لحسابك لدى {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "إحدى طرق التحقق لحسابك لدى {{{organisation}}} معلّقة",
            event:
                "تمت إعادة تعيين كلمة مرورك لدى {{{organisation}}}. لا يمكن استخدام عنوان بريد إلكتروني أُضيف مؤخرًا كطريقة تحقق لمدة يوم واحد."
        ),
        methodReactivated: Notice(
            subject: "إحدى طرق التحقق لحسابك لدى {{{organisation}}} قيد الاستخدام من جديد",
            event: "تم استخدام عنوان بريد إلكتروني كان معلّقًا كطريقة تحقق لدى {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "تم استخدام طريقة تحقق جديدة لحسابك لدى {{{organisation}}}",
            event: "تم استخدام عنوان بريد إلكتروني لأول مرة كطريقة تحقق لدى {{{organisation}}}."),
        recoveryCodeUsed: Notice(
            subject: "تم استخدام رمز استرداد لحسابك لدى {{{organisation}}}",
            event: "تم استخدام رمز استرداد لتسجيل الدخول إلى حسابك لدى {{{organisation}}}."),
        accountExists: Notice(
            subject: "لديك بالفعل حساب لدى {{{organisation}}}",
            event:
                "طلب شخص ما، وربما كان الطلب منك، إنشاء حساب جديد لدى {{{organisation}}} بعنوان البريد الإلكتروني هذا. لهذا العنوان حساب بالفعل: يُرجى تسجيل الدخول، أو إعادة تعيين كلمة المرور إذا نسيتها.",
            unasked: "إذا لم يصدر هذا الطلب منك، فلا داعي لفعل أي شيء: حسابك لم يتغيّر."),
        signInLocked: Notice(
            subject: "يحاول شخص ما تسجيل الدخول إلى حسابك لدى {{{organisation}}}",
            event:
                "تمت تجربة كلمات مرور خاطئة كثيرة لحسابك لدى {{{organisation}}}. تسجيل الدخول بكلمة المرور محظور لبعض الوقت، واختيار كلمة مرور جديدة يلغي الحظر فورًا.",
            unasked:
                "إذا لم تصدر هذه المحاولات منك، فحسابك محمي. يُرجى استخدام كلمة مرور هنا غير مستخدمة في أي مكان آخر."),
        signedInAfterFailures: Notice(
            subject: "تم تسجيل الدخول إلى حسابك لدى {{{organisation}}} بعد كلمات مرور خاطئة كثيرة",
            event: "تم إدخال كلمة المرور الصحيحة لحسابك لدى {{{organisation}}} بعد كلمات مرور خاطئة كثيرة."),
        methodLabel: "عنوان البريد الإلكتروني",
        authenticatorApp: "تطبيق المصادقة",
        passkey: "مفتاح مرور",
        recoveryCodes: "رموز الاسترداد",
        recoveryCodesLeft: "رموز الاسترداد المتبقية",
        timeLabel: "الوقت",
        networkLabel: "الشبكة")
}
