import IdentityEngine

extension PagePhrase {
    var korean: String {
        switch self {
        case .signIn: "로그인"
        case .createAccount: "계정 만들기"
        case .enterPassword: "비밀번호 입력"
        case .enterCode: "이메일을 확인하세요"
        case .choosePassword: "비밀번호 설정"
        case .chooseNewPassword: "새 비밀번호 설정"
        case .aboutYou: "회원 정보"
        case .chooseMethod: "한 단계 더 남았습니다"
        case .addMailbox: "이메일 주소 추가"
        case .cannotGoOn: "계속할 수 없습니다"
        case .tookTooLong: "시간이 너무 오래 걸렸습니다"
        case .needsCookies: "쿠키를 허용하세요"
        case .begunElsewhere: "다른 곳에서 시작되었습니다"
        case .signedIn: "로그인되었습니다"
        case .movingOn: "잠시만 기다려 주세요"
        case .signOut: "로그아웃하시겠습니까?"
        case .signedOut: "로그아웃되었습니다"
        case .busy: "잠시 후 다시 시도하세요"
        case .continueTo(let app): "\(app) 앱으로 계속하기"
        case .toApp(let app): "완료되면 \(app) 앱으로 이동합니다"
        case .codeSent(let address): "\(address) 주소로 코드를 보냈습니다."
        case .codeIsValid: "이 코드는 10분 동안 유효합니다. 보이지 않으면 스팸 메일함을 확인하세요."
        case .signedInAs(let name): "\(name) 계정으로 로그인되어 있습니다."
        case .whyMailbox: "이 앱에는 추가 인증이 필요합니다. 앞으로 로그인할 때 이 주소로 코드를 보내 드립니다."
        case .whyMethod: "이 앱에는 추가 인증이 필요합니다. 코드를 어디로 보낼까요?"
        case .wantsAccess(let app): "\(app) 앱은 다른 조직의 앱입니다. 다음을 허용해 달라고 요청합니다:"
        case .scopeOpenID: "다시 방문할 때 같은 사용자인지 확인하기"
        case .scopeProfile: "이름 보기"
        case .scopeEmail: "이메일 주소 보기"
        case .scopeOffline: "자리에 없을 때도 연결 유지하기"
        case .scopeOther(let name): "\(name) 사용하기"
        case .allow: "허용"
        case .decline: "허용 안 함"
        case .passwordRules: "8자 이상이어야 하며 소문자, 대문자, 숫자, 기타 기호 중 세 가지를 포함해야 합니다."
        case .cookiesHelp: "로그인에 필요한 쿠키를 브라우저가 거부했습니다. 이 주소의 쿠키를 허용하고 다시 시도하세요."
        case .begunElsewhereHelp: "이 브라우저에서 시작한 로그인이 아니거나 쿠키가 삭제되었습니다. 앱으로 돌아가 처음부터 다시 시작하세요."
        case .wrongAddressHelp: "이 페이지로 연결한 앱을 알 수 없거나 앱의 요청에 응답할 수 없습니다. 뒤로 돌아가 다시 시도하세요. 문제가 계속되면 앱 제공자에게 알려 주세요."
        case .policyHelp: "회원님의 계정으로는 이 앱에 필요한 인증을 할 수 없습니다."
        case .overHelp: "이 로그인은 종료되었습니다. 처음부터 다시 시작할 수 있습니다."
        case .mayCloseWindow(let app): "\(app) 앱으로 돌아가세요. 이 창은 닫으셔도 됩니다."
        case .movingOnHelp(let app): "\(app) 앱으로 돌아갑니다."
        case .busyHelp: "지금은 서버가 응답할 수 없습니다. 입력한 내용은 그대로 있습니다. 잠시 후 다시 보내 주세요."
        case .signOutHelp(let tenant): "이 브라우저에서 \(tenant) 계정이 로그아웃됩니다."
        case .signedOutHelp: "이 창은 닫으셔도 됩니다."
        case .requestNumber(let number): "요청 번호: \(number)"
        case .email: "이메일 주소"
        case .emailOrName: "이메일 주소 또는 사용자 이름"
        case .password: "비밀번호"
        case .newPassword: "새 비밀번호"
        case .showPassword: "비밀번호 표시"
        case .code: "코드"
        case .staySignedIn: "이 기기에서 로그인 상태 유지"
        case .optional: "선택 사항"
        case .attribute(let name): attribute(name)
        case .next: "다음"
        case .signInButton: "로그인"
        case .signOutButton: "로그아웃"
        case .cancel: "취소"
        case .sendAgain: "새 코드 보내기"
        case .forgotPassword: "비밀번호를 잊으셨나요?"
        case .otherAccount: "다른 계정 사용"
        case .goOn: "계속"
        case .haveAccount: "계정이 있습니다"
        case .noAccount: "계정 만들기"
        case .startAgain: "처음부터 다시"
        case .backToApp(let app): "\(app) 앱으로 돌아가기"
        case .wrongCode: "코드가 올바르지 않습니다. 코드를 확인하거나 새 코드를 요청하세요."
        case .oldCode: "코드가 만료되었습니다. 새 코드를 요청하세요."
        case .wait(let seconds): "시도 횟수가 너무 많습니다. \(time(seconds, inSeconds, inMinutes)) 후에 다시 시도하세요."
        case .locked(let minutes): "잘못된 비밀번호가 너무 많이 입력되었습니다. \(inMinutes(minutes)) 동안 기다리거나 비밀번호를 재설정하세요."
        case .wrongPassword: "비밀번호가 올바르지 않습니다."
        case .unknownUser: "이 이름의 계정이 없습니다. 이름을 확인하거나 계정을 만드세요."
        case .userExists: "이 주소에는 이미 계정이 있습니다. 로그인하세요."
        case .disabledAccount: "이 계정은 사용할 수 없습니다."
        case .badEmail: "이메일 주소를 입력하세요(예: name@example.com)."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "비밀번호가 너무 짧습니다. 8자 이상이어야 합니다."
            case .tooLong: "비밀번호가 너무 깁니다. 256자 이하여야 합니다."
            case .tooWeak: "소문자, 대문자, 숫자, 기타 기호 중 세 가지를 사용하세요."
            case .banned: "추측하기 쉬운 비밀번호입니다. 다른 비밀번호를 사용하세요."
            case .recentlyUsed: "현재 사용 중인 비밀번호입니다. 다른 비밀번호를 사용하세요."
            case .invalid: "비밀번호에 사용할 수 없는 문자가 있습니다."
            }
        case .mailboxRefuses: "이 주소의 메일 서버가 메일을 거부합니다. 다른 주소를 사용하세요."
        case .blockedContact: "지금은 이 주소를 추가할 수 없습니다. 먼저 계정의 주소를 사용하세요."
        case .badAttributes: "사용할 수 없는 항목이 있습니다. 확인해 주세요."
        case .badField(let name): "다음 항목을 확인하세요: \(attribute(name))"
        case .missing: "이 항목을 입력하세요."
        case .alreadyDone: "이미 완료된 단계입니다. 여기에서 계속하세요."
        case .codeSentAgain: "마지막 코드를 보낸 지 1분이 지났다면 새 코드를 보내 드립니다."
        case .signUpClosed: "이 앱에는 새 사용자가 가입할 수 없습니다."
        case .noPassword: "이 계정에는 비밀번호가 없습니다. 코드로 로그인하세요."
        case .text(let text): text
        case .errorPrefix: "오류"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "성명"
        case "givenName": "이름"
        case "surname": "성"
        case "jobTitle": "직책"
        case "country": "국가"
        case "state": "시/도"
        case "city": "시/군/구"
        case "streetAddress": "상세 주소"
        case "postalCode": "우편번호"
        case "preferredLanguage": "언어"
        case AttributeDefinition.aliasName: "사용자 이름"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        "\(count)초"
    }

    private func inMinutes(_ count: Int) -> String {
        "\(count)분"
    }
}
