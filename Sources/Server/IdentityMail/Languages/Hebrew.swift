// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let hebrew = MailPhrases(
        codeSubject: "קוד האימות שלך עבור {{{organisation}}}",
        signUp: "יש להשתמש בקוד הזה כדי ליצור את חשבון {{{organisation}}} שלך.",
        signIn: "יש להשתמש בקוד הזה כדי להתחבר לחשבון {{{organisation}}} שלך.",
        passwordReset: "יש להשתמש בקוד הזה כדי לבחור סיסמה חדשה לחשבון {{{organisation}}} שלך.",
        secondFactor: "יש להשתמש בקוד הזה כדי לאשר שההתחברות לחשבון {{{organisation}}} שלך מתבצעת על ידך.",
        registration: "יש להשתמש בקוד הזה כדי להוסיף את כתובת האימייל הזו לחשבון {{{organisation}}} שלך כשיטת אימות.",
        accountChange: "יש להשתמש בקוד הזה כדי לאשר שינוי בחשבון {{{organisation}}} שלך.",
        emailChange: "יש להשתמש בקוד הזה כדי להגדיר את הכתובת הזו ככתובת האימייל של חשבון {{{organisation}}} שלך.",
        label: "הקוד שלך:",
        validity: "הקוד תקף למשך {{#single}}דקה {{/single}}{{minutes}}{{^single}} דקות{{/single}}.",
        validityInDays: "הקוד תקף למשך {{days}} ימים.",
        secrecy: "אין לשתף את הקוד הזה עם אף אחד. צוות {{{organisation}}} לעולם לא יבקש אותו ממך.",
        notAsked: "אם לא ביקשת את הקוד הזה, אפשר להתעלם מההודעה הזו.",
        notMe: "אם הפעולה לא בוצעה על ידך, יש לבחור מיד סיסמה חדשה וליידע את {{{organisation}}}.",
        emailChanged: Notice(
            subject: "כתובת האימייל של חשבון {{{organisation}}} שלך שונתה",
            event:
                "לחשבון {{{organisation}}} שלך יש עכשיו כתובת אימייל אחרת. הקוד שלמטה מבטל את השינוי ומנתק את החשבון מכל המכשירים.",
            unasked: "אם ביצעת את השינוי הזה, אפשר להתעלם מההודעה הזו."),
        emailChangeUndone: Notice(
            subject: "כתובת האימייל הישנה של חשבון {{{organisation}}} שלך הוחזרה",
            event: "שינוי כתובת האימייל של חשבון {{{organisation}}} שלך בוטל. החשבון נותק מכל המכשירים.",
            unasked: "יש לבחור מיד סיסמה חדשה: ייתכן שאדם אחר יודע את הסיסמה הישנה."),
        emailReplaced: Notice(
            subject: "כתובת האימייל של חשבון {{{organisation}}} שלך שונתה",
            event: "צוות {{{organisation}}} החליף את כתובת האימייל של החשבון שלך וניתק את החשבון מכל המכשירים.",
            unasked: "אם לא ביקשת את השינוי הזה, יש ליידע את {{{organisation}}}."),
        resetRequired: Notice(
            subject: "יש לבחור סיסמה חדשה לחשבון {{{organisation}}} שלך",
            event:
                "צוות {{{organisation}}} ביטל את הסיסמה של החשבון שלך וניתק את החשבון מכל המכשירים. כדי להתחבר שוב, יש לפתוח את האפליקציה ולבחור סיסמה חדשה, כאילו שכחת את הסיסמה הישנה.",
            unasked: "אם יש לך שאלות בנושא, אפשר לפנות אל {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "חשבון {{{organisation}}} שלך נמחק",
            event: "חשבון {{{organisation}}} שלך והנתונים שבו נמחקו.",
            unasked: "אם הפעולה לא בוצעה על ידך, יש ליידע את {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "חשבון {{{organisation}}} שלך יימחק",
            event:
                "חשבון {{{organisation}}} שלך יימחק בעוד {{#oneDay}}יום {{/oneDay}}{{days}}{{^oneDay}} ימים{{/oneDay}}. אם ברצונך לשמור אותו, יש להתחבר לפני כן ולבחור לשמור את החשבון.",
            unasked: "אם הפעולה לא בוצעה על ידך, יש להתחבר, לשמור את החשבון ולבחור סיסמה חדשה."),
        passwordChanged: Notice(
            subject: "הסיסמה של חשבון {{{organisation}}} שלך שונתה",
            event: "הסיסמה של חשבון {{{organisation}}} שלך שונתה."),
        methodRegistered: Notice(
            subject: "שיטת אימות נוספה לחשבון {{{organisation}}} שלך",
            event: "כתובת אימייל נוספה לחשבון {{{organisation}}} שלך כשיטת אימות."),
        methodRemoved: Notice(
            subject: "שיטת אימות הוסרה מחשבון {{{organisation}}} שלך",
            event: "כתובת אימייל כבר אינה שיטת אימות של חשבון {{{organisation}}} שלך."),
        methodSuspended: Notice(
            subject: "שיטת אימות של חשבון {{{organisation}}} שלך הושעתה",
            event:
                "הסיסמה של חשבון {{{organisation}}} שלך אופסה. כתובת אימייל שנוספה לאחרונה לא תוכל לשמש כשיטת אימות במשך יממה."
        ),
        methodReactivated: Notice(
            subject: "שיטת אימות של חשבון {{{organisation}}} שלך שוב בשימוש",
            event: "כתובת אימייל שהושעתה שימשה כשיטת אימות בחשבון {{{organisation}}} שלך."),
        methodFirstUsed: Notice(
            subject: "נעשה שימוש בשיטת אימות חדשה של חשבון {{{organisation}}} שלך",
            event: "כתובת אימייל שימשה לראשונה כשיטת אימות בחשבון {{{organisation}}} שלך."),
        passkeySuspect: Notice(
            subject: "מפתח גישה בחשבונך ב-{{{organisation}}} הגיב באופן חריג",
            event:
                "מפתח גישה בחשבונך ב-{{{organisation}}} הגיב אחרת מבעבר: ייתכן שהוא הועתק, או שאין לו עוד גיבוי.",
            unasked:
                "אם אין לך הסבר לכך, יש להסיר את מפתח הגישה מהחשבון ולהוסיף חדש."),
        recoveryCodeUsed: Notice(
            subject: "נעשה שימוש בקוד שחזור של חשבון {{{organisation}}} שלך",
            event: "נעשה שימוש בקוד שחזור לכניסה לחשבון {{{organisation}}} שלך."),
        accountExists: Notice(
            subject: "כבר יש לך חשבון {{{organisation}}}",
            event:
                "מישהו, וייתכן שהבקשה הגיעה ממך, ביקש לפתוח חשבון {{{organisation}}} חדש עם כתובת האימייל הזו. לכתובת הזו כבר יש חשבון: אפשר להתחבר, או לאפס את הסיסמה אם שכחת אותה.",
            unasked: "אם הבקשה לא הגיעה ממך, אין צורך לעשות דבר: החשבון שלך נשאר כפי שהיה."),
        signInLocked: Notice(
            subject: "מישהו מנסה להתחבר לחשבון {{{organisation}}} שלך",
            event:
                "הוזנו סיסמאות שגויות רבות בניסיון להתחבר לחשבון {{{organisation}}} שלך. ההתחברות באמצעות סיסמה חסומה לזמן מה; סיסמה חדשה מסירה את החסימה מיד.",
            unasked: "אם הניסיונות לא נעשו על ידך, החשבון שלך מוגן. כדאי להשתמש כאן בסיסמה שאינה בשימוש בשום מקום אחר."),
        signedInAfterFailures: Notice(
            subject: "התבצעה התחברות לחשבון {{{organisation}}} שלך אחרי סיסמאות שגויות רבות",
            event: "הסיסמה הנכונה של חשבון {{{organisation}}} שלך הוזנה אחרי סיסמאות שגויות רבות."),
        methodLabel: "כתובת אימייל",
        authenticatorApp: "אפליקציית אימות",
        passkey: "מפתח גישה",
        recoveryCodes: "קודי שחזור",
        recoveryCodesLeft: "קודי שחזור שנותרו",
        timeLabel: "מועד",
        networkLabel: "רשת")
}
