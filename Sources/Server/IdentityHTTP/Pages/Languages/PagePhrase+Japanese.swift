import IdentityEngine

extension PagePhrase {
    var japanese: String {
        switch self {
        case .signIn: "サインイン"
        case .createAccount: "アカウントの作成"
        case .enterPassword: "パスワードの入力"
        case .enterCode: "メールをご確認ください"
        case .choosePassword: "パスワードの設定"
        case .chooseNewPassword: "新しいパスワードの設定"
        case .aboutYou: "お客様について"
        case .chooseMethod: "あと 1 つ確認があります"
        case .addMailbox: "メール アドレスの追加"
        case .cannotGoOn: "続行できません"
        case .tookTooLong: "時間がかかりすぎました"
        case .needsCookies: "Cookie を許可してください"
        case .begunElsewhere: "別の場所で開始されています"
        case .signedIn: "サインインしました"
        case .movingOn: "しばらくお待ちください"
        case .signOut: "サインアウトしますか?"
        case .signedOut: "サインアウトしました"
        case .busy: "しばらくしてからお試しください"
        case .continueTo(let app): "\(app) に進む"
        case .toApp(let app): "この後、\(app) に進みます"
        case .codeSent(let address): "\(address) にコードを送信しました。"
        case .codeIsValid: "コードは 10 分間有効です。届かない場合は、迷惑メール フォルダーをご確認ください。"
        case .signedInAs(let name): "\(name) としてサインインしています。"
        case .whyMailbox: "このアプリには追加の本人確認が必要です。今後サインインする際に、このメール アドレスにコードをお送りします。"
        case .whyMethod: "このアプリには追加の本人確認が必要です。コードの送信先を選択してください。"
        case .wantsAccess(let app): "\(app) は別の組織のアプリです。次の操作の許可を求めています:"
        case .scopeOpenID: "再びアクセスしたときに同じユーザーだと確認する"
        case .scopeProfile: "名前を見る"
        case .scopeEmail: "メール アドレスを見る"
        case .scopeOffline: "お客様の不在時にも接続を保つ"
        case .scopeOther(let name): "\(name) を使う"
        case .allow: "許可する"
        case .decline: "許可しない"
        case .passwordRules: "8 文字以上で、英小文字、英大文字、数字、その他の記号のうち 3 種類を使ってください。"
        case .cookiesHelp: "サインインに必要な Cookie がブラウザーで拒否されています。このアドレスの Cookie を許可して、もう一度お試しください。"
        case .begunElsewhereHelp: "このサインインは別のブラウザーで開始されたか、Cookie が削除されています。アプリに戻って、最初からやり直してください。"
        case .wrongAddressHelp: "呼び出し元のアプリを確認できないか、その要求に応答できません。前の画面に戻って、もう一度お試しください。問題が続く場合は、アプリの提供元にお知らせください。"
        case .policyHelp: "このアカウントでは、アプリが求める本人確認を行えません。"
        case .overHelp: "このサインインは終了しました。最初からやり直すことができます。"
        case .mayCloseWindow(let app): "\(app) に戻ってください。このウィンドウは閉じてかまいません。"
        case .movingOnHelp(let app): "\(app) に戻ります。"
        case .busyHelp: "サーバーが応答できません。入力内容は失われていません。しばらくしてから、もう一度送信してください。"
        case .signOutHelp(let tenant): "このブラウザーで \(tenant) からサインアウトします。"
        case .signedOutHelp: "このウィンドウは閉じてかまいません。"
        case .requestNumber(let number): "リクエスト番号: \(number)"
        case .email: "メール アドレス"
        case .emailOrName: "メール アドレスまたはユーザー名"
        case .password: "パスワード"
        case .newPassword: "新しいパスワード"
        case .showPassword: "パスワードを表示"
        case .code: "コード"
        case .staySignedIn: "このデバイスでサインインしたままにする"
        case .optional: "省略可"
        case .attribute(let name): attribute(name)
        case .next: "次へ"
        case .signInButton: "サインイン"
        case .signOutButton: "サインアウト"
        case .cancel: "キャンセル"
        case .sendAgain: "新しいコードを送信"
        case .forgotPassword: "パスワードをお忘れですか?"
        case .otherAccount: "別のアカウントを使う"
        case .goOn: "続ける"
        case .haveAccount: "アカウントを持っている"
        case .noAccount: "アカウントを作成"
        case .startAgain: "最初からやり直す"
        case .backToApp(let app): "\(app) に戻る"
        case .wrongCode: "コードが正しくありません。もう一度確認するか、新しいコードを請求してください。"
        case .oldCode: "コードの有効期限が切れています。新しいコードを請求してください。"
        case .wait(let seconds): "試行回数が多すぎます。\(time(seconds, inSeconds, inMinutes))待ってから、もう一度お試しください。"
        case .locked(let minutes): "誤ったパスワードが何度も入力されました。\(inMinutes(minutes))待つか、パスワードを再設定してください。"
        case .wrongPassword: "パスワードが正しくありません。"
        case .unknownUser: "この名前のアカウントはありません。もう一度確認するか、アカウントを作成してください。"
        case .userExists: "このメール アドレスのアカウントはすでにあります。サインインしてください。"
        case .disabledAccount: "このアカウントは使用できません。"
        case .badEmail: "メール アドレスを入力してください (例: name@example.com)。"
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "パスワードが短すぎます。8 文字以上にしてください。"
            case .tooLong: "パスワードが長すぎます。256 文字以内にしてください。"
            case .tooWeak: "英小文字、英大文字、数字、その他の記号のうち 3 種類を使ってください。"
            case .banned: "このパスワードは推測されやすいものです。別のパスワードにしてください。"
            case .recentlyUsed: "現在のパスワードと同じです。別のパスワードにしてください。"
            case .invalid: "パスワードに使用できない文字が含まれています。"
            }
        case .mailboxRefuses: "このメール アドレスのサーバーがメールを拒否しています。別のメール アドレスをお使いください。"
        case .blockedContact: "このメール アドレスは現在追加できません。まずアカウントのメール アドレスをお使いください。"
        case .badAttributes: "使用できない入力内容があります。ご確認ください。"
        case .badField(let name): "次の項目をご確認ください: \(attribute(name))"
        case .missing: "この項目を入力してください。"
        case .alreadyDone: "そのステップは完了しています。こちらから続けてください。"
        case .codeSentAgain: "前回のコードから 1 分以上たっている場合は、新しいコードをお送りしています。"
        case .signUpClosed: "このアプリでは、新規ユーザーの登録はできません。"
        case .noPassword: "このアカウントにはパスワードがありません。コードでサインインしてください。"
        case .text(let text): text
        case .errorPrefix: "エラー"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "氏名"
        case "givenName": "名"
        case "surname": "姓"
        case "jobTitle": "役職"
        case "country": "国"
        case "state": "都道府県"
        case "city": "市区町村"
        case "streetAddress": "番地"
        case "postalCode": "郵便番号"
        case "preferredLanguage": "言語"
        case AttributeDefinition.aliasName: "ユーザー名"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        "\(count) 秒"
    }

    private func inMinutes(_ count: Int) -> String {
        "\(count) 分"
    }
}
