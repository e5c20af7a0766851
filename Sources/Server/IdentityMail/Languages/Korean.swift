// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let korean = MailPhrases(
        codeSubject: "{{{organisation}}} 인증 코드",
        signUp: "{{{organisation}}} 계정을 만들려면 이 코드를 사용하세요.",
        signIn: "{{{organisation}}} 계정에 로그인하려면 이 코드를 사용하세요.",
        passwordReset: "{{{organisation}}} 계정의 새 비밀번호를 설정하려면 이 코드를 사용하세요.",
        secondFactor: "{{{organisation}}} 계정에 로그인하는 사람이 본인임을 확인하려면 이 코드를 사용하세요.",
        registration: "이 이메일 주소를 {{{organisation}}} 계정의 인증 수단으로 추가하려면 이 코드를 사용하세요.",
        accountChange: "{{{organisation}}} 계정의 변경 사항을 확인하려면 이 코드를 사용하세요.",
        emailChange: "이 주소를 {{{organisation}}} 계정의 이메일 주소로 설정하려면 이 코드를 사용하세요.",
        label: "인증 코드:",
        validity: "이 코드는 {{minutes}}분 동안 유효합니다.",
        validityInDays: "이 코드는 {{days}}일 동안 유효합니다.",
        secrecy: "이 코드를 누구에게도 알려 주지 마세요. {{{organisation}}}에서는 절대로 이 코드를 요청하지 않습니다.",
        notAsked: "이 코드를 요청하지 않았다면 이 메일을 무시하셔도 됩니다.",
        notMe: "본인이 한 것이 아니라면 즉시 새 비밀번호를 설정하고 {{{organisation}}}에 알려 주세요.",
        emailChanged: Notice(
            subject: "{{{organisation}}} 계정의 이메일 주소가 변경되었습니다",
            event: "{{{organisation}}} 계정의 이메일 주소가 다른 주소로 변경되었습니다. 아래 코드를 사용하면 변경이 취소되고 모든 기기에서 로그아웃됩니다.",
            unasked: "본인이 변경했다면 이 메일을 무시하셔도 됩니다."),
        emailChangeUndone: Notice(
            subject: "{{{organisation}}} 계정의 이메일 주소가 이전 주소로 되돌아갔습니다",
            event: "{{{organisation}}} 계정의 이메일 주소 변경이 취소되었습니다. 모든 기기에서 로그아웃되었습니다.",
            unasked: "즉시 새 비밀번호를 설정하세요. 다른 사람이 이전 비밀번호를 알고 있을 수 있습니다."),
        emailReplaced: Notice(
            subject: "{{{organisation}}} 계정의 이메일 주소가 변경되었습니다",
            event: "{{{organisation}}}에서 회원님 계정의 이메일 주소를 다른 주소로 변경하고 모든 기기에서 로그아웃했습니다.",
            unasked: "이 변경을 요청하지 않았다면 {{{organisation}}}에 알려 주세요."),
        resetRequired: Notice(
            subject: "{{{organisation}}} 계정의 새 비밀번호를 설정하세요",
            event:
                "{{{organisation}}}에서 회원님 계정의 비밀번호를 무효화하고 모든 기기에서 로그아웃했습니다. 다시 로그인하려면 앱을 열고 비밀번호를 잊었을 때와 같은 방법으로 새 비밀번호를 설정하세요.",
            unasked: "이에 관해 궁금한 점이 있으면 {{{organisation}}}에 문의하세요."),
        accountDeleted: Notice(
            subject: "{{{organisation}}} 계정이 삭제되었습니다",
            event: "{{{organisation}}} 계정과 계정에 있던 데이터가 삭제되었습니다.",
            unasked: "본인이 한 것이 아니라면 {{{organisation}}}에 알려 주세요."),
        deletionScheduled: Notice(
            subject: "{{{organisation}}} 계정이 삭제될 예정입니다",
            event: "{{{organisation}}} 계정이 {{days}}일 후에 삭제됩니다. 계정을 유지하려면 그 전에 로그인하여 계정 유지를 선택하세요.",
            unasked: "본인이 한 것이 아니라면 로그인하여 계정을 유지하고 새 비밀번호를 설정하세요."),
        passwordChanged: Notice(
            subject: "{{{organisation}}} 비밀번호가 변경되었습니다",
            event: "{{{organisation}}} 계정의 비밀번호가 변경되었습니다."),
        methodRegistered: Notice(
            subject: "{{{organisation}}} 계정에 인증 수단이 추가되었습니다",
            event: "{{{organisation}}} 계정에 이메일 주소가 인증 수단으로 추가되었습니다."),
        methodRemoved: Notice(
            subject: "{{{organisation}}} 계정에서 인증 수단이 삭제되었습니다",
            event: "이메일 주소 하나가 더 이상 {{{organisation}}} 계정의 인증 수단이 아닙니다."),
        methodSuspended: Notice(
            subject: "{{{organisation}}} 계정의 인증 수단이 일시 중지되었습니다",
            event: "{{{organisation}}} 비밀번호가 재설정되었습니다. 최근에 추가된 이메일 주소는 하루 동안 인증 수단으로 사용할 수 없습니다."),
        methodReactivated: Notice(
            subject: "{{{organisation}}} 계정의 인증 수단이 다시 사용되고 있습니다",
            event: "일시 중지되었던 이메일 주소가 {{{organisation}}} 계정의 인증 수단으로 사용되었습니다."),
        methodFirstUsed: Notice(
            subject: "{{{organisation}}} 계정의 새 인증 수단이 사용되었습니다",
            event: "이메일 주소가 {{{organisation}}} 계정의 인증 수단으로 처음 사용되었습니다."),
        passkeySuspect: Notice(
            subject: "{{{organisation}}} 계정의 패스키가 평소와 다르게 응답했습니다",
            event:
                "{{{organisation}}} 계정의 패스키가 이전과 다르게 응답했습니다. 복사되었거나 더 이상 백업이 없을 수 있습니다.",
            unasked:
                "이유를 알 수 없다면 계정에서 이 패스키를 삭제하고 새 패스키를 추가하세요."),
        recoveryCodeUsed: Notice(
            subject: "{{{organisation}}} 계정의 복구 코드가 사용되었습니다",
            event: "{{{organisation}}} 계정에 로그인하는 데 복구 코드가 사용되었습니다."),
        accountExists: Notice(
            subject: "이미 {{{organisation}}} 계정이 있습니다",
            event:
                "누군가가(회원님 본인일 수 있습니다) 이 이메일 주소로 새 {{{organisation}}} 계정을 요청했습니다. 이 주소에는 이미 계정이 있습니다. 로그인하거나, 비밀번호를 잊으셨다면 재설정하세요.",
            unasked: "본인이 한 것이 아니라면 아무것도 하지 않으셔도 됩니다. 계정은 그대로입니다."),
        signInLocked: Notice(
            subject: "누군가 {{{organisation}}} 계정에 로그인하려고 합니다",
            event: "{{{organisation}}} 계정에 잘못된 비밀번호가 여러 번 입력되었습니다. 당분간 비밀번호로 로그인할 수 없으며, 새 비밀번호를 설정하면 즉시 해제됩니다.",
            unasked: "본인이 한 것이 아니더라도 계정은 보호되고 있습니다. 다른 곳에서 사용하지 않는 비밀번호를 사용하세요."),
        signedInAfterFailures: Notice(
            subject: "잘못된 비밀번호가 여러 번 입력된 후 {{{organisation}}} 계정에 로그인되었습니다",
            event: "잘못된 비밀번호가 여러 번 입력된 후 {{{organisation}}} 계정의 올바른 비밀번호가 입력되었습니다."),
        methodLabel: "이메일 주소",
        authenticatorApp: "인증 앱",
        passkey: "패스키",
        recoveryCodes: "복구 코드",
        recoveryCodesLeft: "남은 복구 코드",
        timeLabel: "시간",
        networkLabel: "네트워크")
}
