// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let japanese = MailPhrases(
        codeSubject: "{{{organisation}}} の確認コード",
        signUp: "{{{organisation}}} のアカウントを作成するには、次のコードを入力してください。",
        signIn: "{{{organisation}}} にサインインするには、次のコードを入力してください。",
        passwordReset: "{{{organisation}}} のアカウントの新しいパスワードを設定するには、次のコードを入力してください。",
        secondFactor: "{{{organisation}}} へのサインインがご本人によるものであることを確認するため、次のコードを入力してください。",
        registration: "このメール アドレスを {{{organisation}}} のアカウントの本人確認方法として登録するには、次のコードを入力してください。",
        accountChange: "{{{organisation}}} のアカウントの変更を確認するには、このコードを使用してください。",
        emailChange: "このメール アドレスを {{{organisation}}} のアカウントのメール アドレスに設定するには、このコードを使用してください。",
        label: "確認コード:",
        validity: "このコードは {{minutes}} 分間有効です。",
        validityInDays: "有効期間は {{days}} 日です。",
        secrecy: "このコードを誰にも教えないでください。{{{organisation}}} の担当者がコードをお尋ねすることはありません。",
        notAsked: "お心当たりがない場合は、このメールを無視してください。",
        notMe: "お心当たりがない場合は、すぐに新しいパスワードを設定し、{{{organisation}}} にご連絡ください。",
        emailChanged: Notice(
            subject: "{{{organisation}}} のアカウントのメール アドレスが変更されました",
            event: "{{{organisation}}} のアカウントのメール アドレスが変更されました。下のコードを使用すると、変更が取り消され、すべてのデバイスがサインアウトされます。",
            unasked: "ご自身で変更された場合は、このメッセージを無視してください。"),
        emailChangeUndone: Notice(
            subject: "{{{organisation}}} のアカウントのメール アドレスが元に戻りました",
            event: "{{{organisation}}} のアカウントのメール アドレスの変更が取り消されました。すべてのデバイスがサインアウトされました。",
            unasked: "すぐに新しいパスワードを設定してください。古いパスワードを他の人が知っている可能性があります。"),
        emailReplaced: Notice(
            subject: "{{{organisation}}} のアカウントのメール アドレスが変更されました",
            event: "{{{organisation}}} がお客様のアカウントのメール アドレスを変更し、すべてのデバイスをサインアウトしました。",
            unasked: "この変更を依頼していない場合は、{{{organisation}}} にご連絡ください。"),
        resetRequired: Notice(
            subject: "{{{organisation}}} の新しいパスワードを設定してください",
            event:
                "{{{organisation}}} がお客様のアカウントのパスワードを無効にし、すべてのデバイスをサインアウトしました。再びサインインするには、アプリを開き、パスワードを忘れた場合と同じ手順で新しいパスワードを設定してください。",
            unasked: "ご不明な点は、{{{organisation}}} にお問い合わせください。"),
        accountDeleted: Notice(
            subject: "{{{organisation}}} のアカウントが削除されました",
            event: "{{{organisation}}} のアカウントとそのデータが削除されました。",
            unasked: "お心当たりがない場合は、{{{organisation}}} にご連絡ください。"),
        deletionScheduled: Notice(
            subject: "{{{organisation}}} のアカウントは削除されます",
            event: "{{{organisation}}} のアカウントは {{days}} 日後に削除されます。アカウントを残すには、それまでにサインインし、アカウントを残すことを選択してください。",
            unasked: "お心当たりがない場合は、サインインしてアカウントを残し、新しいパスワードを設定してください。"),
        passwordChanged: Notice(
            subject: "{{{organisation}}} のパスワードが変更されました",
            event: "{{{organisation}}} のアカウントのパスワードが変更されました。"),
        methodRegistered: Notice(
            subject: "{{{organisation}}} のアカウントに本人確認方法が追加されました",
            event: "{{{organisation}}} のアカウントに、本人確認方法としてメール アドレスが追加されました。"),
        methodRemoved: Notice(
            subject: "{{{organisation}}} のアカウントから本人確認方法が削除されました",
            event: "{{{organisation}}} のアカウントで、メール アドレスが本人確認方法ではなくなりました。"),
        methodSuspended: Notice(
            subject: "{{{organisation}}} のアカウントの本人確認方法が一時停止されています",
            event: "{{{organisation}}} のパスワードが再設定されました。最近追加されたメール アドレスは、丸一日、本人確認に使用できません。"),
        methodReactivated: Notice(
            subject: "{{{organisation}}} のアカウントの本人確認方法が再び使用されました",
            event: "一時停止されていたメール アドレスが、{{{organisation}}} の本人確認に使用されました。"),
        methodFirstUsed: Notice(
            subject: "{{{organisation}}} のアカウントの新しい本人確認方法が使用されました",
            event: "メール アドレスが、{{{organisation}}} の本人確認に初めて使用されました。"),
        passkeySuspect: Notice(
            subject: "{{{organisation}}} のアカウントのパスキーが通常と異なる応答をしました",
            event:
                "{{{organisation}}} のアカウントのパスキーが以前と異なる応答をしました。コピーされたか、バックアップがなくなった可能性があります。",
            unasked:
                "心当たりがない場合は、アカウントからこのパスキーを削除し、新しいパスキーを追加してください。"),
        recoveryCodeUsed: Notice(
            subject: "{{{organisation}}} のアカウントで回復コードが使用されました",
            event: "{{{organisation}}} のアカウントへのサインインに回復コードが使用されました。"),
        accountExists: Notice(
            subject: "{{{organisation}}} のアカウントはすでにあります",
            event:
                "どなたか (お客様ご本人かもしれません) が、このメール アドレスで {{{organisation}}} の新しいアカウントの作成を求めました。このメール アドレスのアカウントはすでにあります。サインインしてください。パスワードをお忘れの場合は、再設定してください。",
            unasked: "お心当たりがない場合は、何もする必要はありません。アカウントに変更はありません。"),
        signInLocked: Notice(
            subject: "{{{organisation}}} のアカウントにサインインしようとしている人がいます",
            event:
                "{{{organisation}}} のアカウントに対して、誤ったパスワードが何度も入力されました。しばらくの間、パスワードではサインインできません。新しいパスワードを設定すると、すぐに解除されます。",
            unasked: "お心当たりがない場合も、アカウントは保護されています。ほかで使っていないパスワードをお使いください。"),
        signedInAfterFailures: Notice(
            subject: "誤ったパスワードが何度も入力された後、{{{organisation}}} のアカウントへのサインインがありました",
            event: "{{{organisation}}} のアカウントに、誤ったパスワードが何度も入力された後、正しいパスワードが入力されました。"),
        methodLabel: "メール アドレス",
        authenticatorApp: "認証アプリ",
        passkey: "パスキー",
        recoveryCodes: "回復コード",
        recoveryCodesLeft: "残りの回復コード",
        timeLabel: "日時",
        networkLabel: "ネットワーク")
}
