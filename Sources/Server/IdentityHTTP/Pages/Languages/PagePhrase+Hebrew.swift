import IdentityEngine

extension PagePhrase {
    var hebrew: String {
        switch self {
        case .signIn: "התחברות"
        case .createAccount: "יצירת חשבון"
        case .enterPassword: "הזנת הסיסמה"
        case .enterCode: "כדאי לבדוק את האימייל"
        case .choosePassword: "בחירת סיסמה"
        case .chooseNewPassword: "בחירת סיסמה חדשה"
        case .aboutYou: "קצת עליך"
        case .chooseMethod: "עוד שלב אחד"
        case .addMailbox: "הוספת כתובת אימייל נוספת"
        case .cannotGoOn: "אי אפשר להמשיך"
        case .tookTooLong: "זה לקח יותר מדי זמן"
        case .needsCookies: "יש לאפשר קובצי Cookie"
        case .begunElsewhere: "ההתחברות התחילה במקום אחר"
        case .signedIn: "התחברת"
        case .movingOn: "רק רגע"
        case .signOut: "להתנתק?"
        case .signedOut: "התנתקת"
        case .busy: "כדאי לנסות שוב בעוד רגע"
        case .continueTo(let app): "המשך אל \(app)"
        case .toApp(let app): "כדי להמשיך אל \(app)"
        case .codeSent(let address): "שלחנו קוד אל \(address)."
        case .codeIsValid: "הקוד תקף למשך עשר דקות. אם הוא לא מופיע, כדאי לבדוק בתיקיית הספאם."
        case .signedInAs(let name): "התחברת בתור \(name)."
        case .whyMailbox: "האפליקציה הזו דורשת אימות נוסף. בעת ההתחברות נשלח קודים לכתובת הזו."
        case .whyMethod: "האפליקציה הזו דורשת אימות נוסף. לאן אפשר לשלוח קוד?"
        case .wantsAccess(let app): "האפליקציה \(app) שייכת לארגון אחר. היא מבקשת:"
        case .scopeOpenID: "לדעת שזה שוב אותו משתמש בביקור הבא"
        case .scopeProfile: "לראות את השם שלך"
        case .scopeEmail: "לראות את כתובת האימייל שלך"
        case .scopeOffline: "להישאר מחוברת גם בהיעדרך"
        case .scopeOther(let name): "להשתמש ב־\(name)"
        case .allow: "לאשר"
        case .decline: "לא לאשר"
        case .passwordRules: "לפחות 8 תווים, ובהם שלושה מהסוגים האלה: אותיות קטנות, אותיות גדולות, ספרות, סימנים אחרים."
        case .cookiesHelp:
            "הדפדפן שלך חוסם את קובץ ה־Cookie שנדרש להתחברות. יש לאפשר קובצי Cookie לכתובת הזו ולנסות שוב."
        case .begunElsewhereHelp:
            "ההתחברות לא התחילה בדפדפן הזה, או שקובצי ה־Cookie שלו נמחקו. יש לחזור לאפליקציה ולהתחיל מחדש."
        case .wrongAddressHelp:
            "האפליקציה שהפנתה אותך לכאן אינה מוכרת לנו, או שאיננו יכולים לענות לבקשה שלה. יש לחזור ולנסות שוב. אם זה קורה שוב, כדאי ליידע את יוצרי האפליקציה."
        case .policyHelp: "החשבון שלך לא מאפשר את האימות שהאפליקציה דורשת."
        case .overHelp: "ההתחברות הזו הסתיימה. אפשר להתחיל מחדש."
        case .mayCloseWindow(let app): "יש לחזור אל \(app). אפשר לסגור את החלון הזה."
        case .movingOnHelp(let app): "מיד נחזיר אותך אל \(app)."
        case .busyHelp: "השרת לא יכול לענות כרגע. מה שהוקלד לא אבד: יש לשלוח את הטופס שוב בעוד רגע."
        case .signOutHelp(let tenant): "חשבון \(tenant) שלך ינותק בדפדפן הזה."
        case .signedOutHelp: "אפשר לסגור את החלון הזה."
        case .requestNumber(let number): "מספר הבקשה: \(number)"
        case .email: "כתובת אימייל"
        case .emailOrName: "כתובת אימייל או שם משתמש"
        case .password: "סיסמה"
        case .newPassword: "סיסמה חדשה"
        case .showPassword: "הצגת הסיסמה"
        case .code: "קוד"
        case .staySignedIn: "שמירת ההתחברות במכשיר הזה"
        case .optional: "אופציונלי"
        case .attribute(let name): attribute(name)
        case .next: "הבא"
        case .signInButton: "התחברות"
        case .signOutButton: "התנתקות"
        case .cancel: "ביטול"
        case .sendAgain: "שליחת קוד חדש"
        case .forgotPassword: "שכחת את הסיסמה?"
        case .otherAccount: "שימוש בחשבון אחר"
        case .goOn: "המשך"
        case .haveAccount: "יש לי חשבון"
        case .noAccount: "יצירת חשבון"
        case .startAgain: "התחלה מחדש"
        case .backToApp(let app): "חזרה אל \(app)"
        case .wrongCode: "הקוד שגוי. יש לבדוק אותו או לבקש קוד חדש."
        case .oldCode: "תוקף הקוד פג. יש לבקש קוד חדש."
        case .wait(let seconds): "היו יותר מדי ניסיונות. יש להמתין \(time(seconds, inSeconds, inMinutes)) ולנסות שוב."
        case .locked(let minutes): "הוזנו יותר מדי סיסמאות שגויות. יש להמתין \(inMinutes(minutes)) או לאפס את הסיסמה."
        case .wrongPassword: "הסיסמה שגויה."
        case .unknownUser: "אין חשבון בשם הזה. יש לבדוק את השם או ליצור חשבון."
        case .userExists: "כבר יש חשבון עם הכתובת הזו. אפשר להתחבר."
        case .disabledAccount: "אי אפשר להשתמש בחשבון הזה."
        case .badEmail: "יש להזין כתובת אימייל, למשל name@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "הסיסמה קצרה מדי: נדרשים לפחות 8 תווים."
            case .tooLong: "הסיסמה ארוכה מדי: אפשר עד 256 תווים."
            case .tooWeak: "יש להשתמש בשלושה מהסוגים האלה: אותיות קטנות, אותיות גדולות, ספרות, סימנים אחרים."
            case .banned: "קל לנחש את הסיסמה הזו. יש לבחור סיסמה אחרת."
            case .recentlyUsed: "זו הסיסמה הנוכחית שלך. יש לבחור סיסמה אחרת."
            case .invalid: "יש בסיסמה תו שאי אפשר להשתמש בו."
            }
        case .mailboxRefuses: "שרת הדואר של הכתובת הזו דוחה את ההודעות שלנו. יש להשתמש בכתובת אחרת."
        case .blockedContact: "אי אפשר להוסיף את הכתובת הזו כרגע. יש להשתמש קודם בכתובת של החשבון שלך."
        case .badAttributes: "אי אפשר להשתמש בחלק מהתשובות. יש לבדוק אותן."
        case .badField(let name): "יש לבדוק: \(attribute(name))."
        case .missing: "יש למלא את השדה הזה."
        case .alreadyDone: "השלב הזה כבר הושלם. אפשר להמשיך כאן."
        case .codeSentAgain: "אם עברה יותר מדקה מאז הקוד האחרון, קוד חדש כבר בדרך."
        case .signUpClosed: "האפליקציה הזו לא מאפשרת למשתמשים חדשים להירשם."
        case .noPassword: "לחשבון הזה אין סיסמה. אפשר להתחבר באמצעות קוד."
        case .text(let text): text
        case .yourAccount: "החשבון שלך"
        case .yourData: "הנתונים שלך"
        case .changeEmail: "שינוי כתובת האימייל"
        case .changePassword: "שינוי הסיסמה"
        case .secondFactor: "אימות נוסף"
        case .sessions: "היכן החשבון מחובר"
        case .copyOfData: "עותק של הנתונים שלך"
        case .deleteAccount: "מחיקת החשבון"
        case .confirmItIsYou: "אימות הזהות שלך"
        case .accountDeleted: "החשבון שלך נמחק"
        case .deletionPlanned: "החשבון שלך יימחק"
        case .confirmItIsYouHelp: "השלב הבא מגן על החשבון שלך. לפני שממשיכים, יש לאמת שוב את הזהות."
        case .saved: "השינוי נשמר."
        case .passwordChanged: "הסיסמה שלך שונתה. החשבון נותק בכל מקום אחר."
        case .newAddressHelp: "נשלח קוד לכתובת החדשה. ייתכן שנשלח קודם קוד לכתובת הנוכחית שלך."
        case .methodsHelp: "אחרי הסיסמה ייתכן שנבקש קוד שנשלח לאחת מהכתובות האלה."
        case .methodSuspended: "אי אפשר להשתמש בה כרגע, כי הסיסמה אופסה."
        case .sessionsHelp: "יש כאן משהו לא מוכר? יש לנתק אותו ולשנות את הסיסמה."
        case .thisBrowser: "הדפדפן הזה"
        case .browser: "דפדפן"
        case .lastUsed: "שימוש אחרון"
        case .copyHelp: "קובץ עם כל מה ששמרנו עליך, בפורמט JSON."
        case .deleteHelp: "החשבון נמחק מיד עם כל הנתונים שלך. אי אפשר לבטל זאת."
        case .typeAddress: "כדי לאשר, יש להקליד את כתובת האימייל של החשבון שלך."
        case .notSet: "לא הוגדר"
        case .deleteLaterHelp(let days):
            "החשבון יימחק עם כל הנתונים שלך בעוד \(days == 1 ? "יום" : "\(days) ימים"). עד אז אפשר להתחבר ולשמור אותו."
        case .currentPassword: "הסיסמה הנוכחית"
        case .newEmail: "כתובת אימייל חדשה"
        case .methodName: "שם לכתובת הזו"
        case .save: "שמירה"
        case .rename: "שינוי שם"
        case .remove: "הסרה"
        case .endOthers: "התנתקות מכל מקום אחר"
        case .endAll: "התנתקות מכל מקום"
        case .allowedApplications: "יישומים שאישרת"
        case .download: "הורדה"
        case .keepAccount: "לשמור את החשבון שלי"
        case .backToAccount: "חזרה לחשבון שלך"
        case .changedElsewhere: "הנתונים שלך שונו בינתיים במקום אחר. יש לבדוק אותם ולשמור שוב."
        case .nameTaken: "השם הזה תפוס. יש לבחור שם אחר."
        case .lastMethod: "נדרש אימות נוסף, וזה האחרון."
        case .addressTaken: "יש חשבון אחר עם הכתובת הזו."
        case .addressNotUsable: "זו לא כתובת אימייל, או שהיא כבר שייכת לחשבון שלך."
        case .privacy: "פרטיות"
        case .terms: "תנאי שימוש"
        case .support: "עזרה"
        case .deviceTitle: "חיבור מכשיר"
        case .deviceHelp: "יש להזין את הקוד שמופיע בטלוויזיה, בשורת הפקודה או במכשיר אחר."
        case .wrongDeviceCode: "הקוד אינו נכון או ישן מדי. יש לבדוק אותו, או לקבל קוד חדש במכשיר."
        case .deviceAllowTitle(let app): "להיכנס אל \(app) במכשיר אחר?"
        case .deviceAsks(let app, let code): "מכשיר שמציג את הקוד \(code) מבקש להשתמש ב-\(app) עם החשבון שלך."
        case .deviceSince(let minutes): "דקות מאז בקשת המכשיר: \(minutes)"
        case .deviceSameNetwork: "המכשיר נמצא באותה רשת כמו הדפדפן הזה."
        case .deviceOtherNetwork: "המכשיר נמצא ברשת אחרת מזו של הדפדפן הזה."
        case .deviceWarning:
            "האם התחלת את זה בעצמך, והאם הקוד מופיע עכשיו במכשיר שלך? אם אדם אחר נתן לך את הקוד, יש לבחור ב„ביטול”: אותו אדם היה נכנס לחשבון שלך."
        case .deviceAllowed: "אפשר לחזור למכשיר"
        case .deviceDeclined: "המכשיר לא נכנס לחשבון"
        case .errorPrefix: "שגיאה"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "שם מלא"
        case "givenName": "שם פרטי"
        case "surname": "שם משפחה"
        case "jobTitle": "תפקיד"
        case "country": "מדינה"
        case "state": "מחוז"
        case "city": "עיר"
        case "streetAddress": "רחוב ומספר בית"
        case "postalCode": "מיקוד"
        case "preferredLanguage": "שפה"
        case AttributeDefinition.aliasName: "שם משתמש"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        counted(count, "שנייה אחת", "שתי שניות", "שניות")
    }

    private func inMinutes(_ count: Int) -> String {
        counted(count, "דקה אחת", "שתי דקות", "דקות")
    }

    private func counted(_ count: Int, _ one: String, _ two: String, _ many: String) -> String {
        switch count {
        case 1: one
        case 2: two
        case _: "\(count) \(many)"
        }
    }
}
