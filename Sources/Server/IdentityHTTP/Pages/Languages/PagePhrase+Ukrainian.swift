import IdentityEngine

extension PagePhrase {
    var ukrainian: String {
        switch self {
        case .signIn: "Вхід"
        case .createAccount: "Створіть обліковий запис"
        case .enterPassword: "Введіть пароль"
        case .enterCode: "Перевірте пошту"
        case .choosePassword: "Виберіть пароль"
        case .chooseNewPassword: "Виберіть новий пароль"
        case .aboutYou: "Про вас"
        case .chooseMethod: "Ще один крок"
        case .addMailbox: "Додайте ще одну електронну адресу"
        case .cannotGoOn: "Не вдається продовжити"
        case .tookTooLong: "Минуло забагато часу"
        case .needsCookies: "Дозвольте файли cookie"
        case .begunElsewhere: "Розпочато в іншому місці"
        case .signedIn: "Ви ввійшли"
        case .movingOn: "Зачекайте"
        case .signOut: "Вийти?"
        case .signedOut: "Ви вийшли"
        case .busy: "Спробуйте трохи згодом"
        case .continueTo(let app): "Перейти до застосунку \(app)"
        case .toApp(let app): "щоб перейти до застосунку \(app)"
        case .codeSent(let address): "Ми надіслали код на адресу \(address)."
        case .codeIsValid: "Він дійсний десять хвилин. Якщо ви його не бачите, перегляньте папку зі спамом."
        case .signedInAs(let name): "Ви ввійшли як \(name)."
        case .appSignedInAs(let app, let name): "У застосунку «\(app)» виконано вхід як \(name)."
        case .goOnAs(let name): "Продовжити як \(name)"
        case .whyMailbox:
            "Цей застосунок вимагає додаткового підтвердження. Під час входу ми надсилатимемо коди на цю адресу."
        case .whyMethod: "Ця програма потребує другого фактора. Який спосіб ви хочете використати?"
        case .wantsAccess(let app): "Застосунок \(app) належить іншій організації. Він просить дозволу:"
        case .scopeOpenID: "знати, що це знову ви, коли ви повертаєтеся"
        case .scopeProfile: "бачити ваше ім’я"
        case .scopeEmail: "бачити вашу електронну адресу"
        case .scopeOffline: "залишатися підключеним, коли вас немає"
        case .scopeOther(let name): "використовувати \(name)"
        case .allow: "Дозволити"
        case .decline: "Не дозволяти"
        case .passwordRules:
            "Щонайменше 8 символів, серед них три з цих видів: малі літери, великі літери, цифри, інші знаки."
        case .cookiesHelp:
            "Ваш браузер відхиляє файл cookie, потрібний для входу. Дозвольте файли cookie для цієї адреси й спробуйте ще раз."
        case .begunElsewhereHelp:
            "Цей вхід розпочато не в цьому браузері, або його файли cookie видалено. Поверніться до застосунку й почніть знову."
        case .wrongAddressHelp:
            "Ми не знаємо застосунку, з якого ви прийшли, або не можемо відповісти на його запит. Поверніться й спробуйте ще раз. Якщо це повториться, повідомте розробників застосунку."
        case .strongerProofNeeded: "Тут потрібне надійніше підтвердження."
        case .whyPasskey:
            "Тут потрібне надійніше підтвердження. Створіть ключ доступу на цьому пристрої, щоб надалі входити з ним."
        case .addMethod: "Додати спосіб у своєму обліковому записі"
        case .policyHelp: "Ваш обліковий запис не дає змоги пройти підтвердження, якого вимагає цей застосунок."
        case .overHelp: "Цей вхід завершено. Ви можете почати знову."
        case .mayCloseWindow(let app): "Поверніться до застосунку \(app). Це вікно можна закрити."
        case .movingOnHelp(let app): "Повертаємо вас до застосунку \(app)."
        case .busyHelp:
            "Сервер зараз не може відповісти. Введені дані не втрачено: трохи згодом надішліть форму ще раз."
        case .signOutHelp(let tenant): "У цьому браузері буде завершено ваш сеанс у \(tenant)."
        case .signedOutHelp: "Це вікно можна закрити."
        case .requestNumber(let number): "Номер цього запиту: \(number)"
        case .email: "Електронна адреса"
        case .emailOrName: "Електронна адреса або ім’я користувача"
        case .password: "Пароль"
        case .newPassword: "Новий пароль"
        case .showPassword: "Показати пароль"
        case .code: "Код"
        case .staySignedIn: "Не виходити на цьому пристрої"
        case .optional: "необов’язково"
        case .attribute(let name): attribute(name)
        case .next: "Далі"
        case .signInButton: "Увійти"
        case .signOutButton: "Вийти"
        case .cancel: "Скасувати"
        case .sendAgain: "Надіслати новий код"
        case .forgotPassword: "Забули пароль?"
        case .otherAccount: "Інший обліковий запис"
        case .goOn: "Продовжити"
        case .haveAccount: "У мене є обліковий запис"
        case .noAccount: "Створити обліковий запис"
        case .startAgain: "Почати знову"
        case .backToApp(let app): "Назад до застосунку \(app)"
        case .wrongCode: "Цей код неправильний. Перевірте його або запросіть новий."
        case .oldCode: "Цей код застарів. Запросіть новий."
        case .wait(let seconds): "Забагато спроб. Зачекайте \(time(seconds, inSeconds, inMinutes)) і спробуйте ще раз."
        case .locked(let minutes):
            "Введено забагато неправильних паролів. Зачекайте \(inMinutes(minutes)) або скиньте пароль."
        case .wrongPassword: "Цей пароль неправильний."
        case .unknownUser: "Облікового запису з таким іменем немає. Перевірте його або створіть обліковий запис."
        case .userExists: "Для цієї адреси вже є обліковий запис. Увійдіть."
        case .disabledAccount: "Цей обліковий запис не можна використовувати."
        case .badEmail: "Введіть електронну адресу, наприклад name@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Цей пароль закороткий: потрібно щонайменше 8 символів."
            case .tooLong: "Цей пароль задовгий: може бути щонайбільше 256 символів."
            case .tooWeak: "Використайте три з цих видів: малі літери, великі літери, цифри, інші знаки."
            case .banned: "Цей пароль легко вгадати. Виберіть інший."
            case .recentlyUsed: "Це ваш поточний пароль. Виберіть інший."
            case .invalid: "Цей пароль містить символ, який не можна використовувати."
            }
        case .mailboxRefuses: "Поштовий сервер цієї адреси відхиляє наші листи. Скористайтеся іншою адресою."
        case .blockedContact: "Цю адресу зараз не можна додати. Спочатку скористайтеся адресою свого облікового запису."
        case .badAttributes: "Деякі відповіді не підходять. Перевірте їх."
        case .badField(let name): "Перевірте це: \(attribute(name))."
        case .missing: "Заповніть це поле."
        case .alreadyDone: "Цей крок уже виконано. Продовжуйте тут."
        case .codeSentAgain: "Якщо останній код надіслано понад хвилину тому, новий уже в дорозі."
        case .signUpClosed: "У цьому застосунку нові користувачі не можуть зареєструватися."
        case .noPassword: "Цей обліковий запис не має пароля. Увійдіть за допомогою коду."
        case .text(let text): text
        case .yourAccount: "Ваш обліковий запис"
        case .yourData: "Ваші дані"
        case .changeEmail: "Змінити електронну адресу"
        case .changePassword: "Змінити пароль"
        case .signInMethods: "Способи входу"
        case .sessions: "Де ви ввійшли"
        case .copyOfData: "Копія ваших даних"
        case .deleteAccount: "Видалити обліковий запис"
        case .confirmItIsYou: "Підтвердьте, що це ви"
        case .accountDeleted: "Ваш обліковий запис видалено"
        case .deletionPlanned: "Ваш обліковий запис буде видалено"
        case .confirmItIsYouHelp:
            "Наступний крок захищає ваш обліковий запис. Перш ніж продовжити, ще раз підтвердьте, що це ви."
        case .saved: "Зміну збережено."
        case .passwordChanged: "Ваш пароль змінено. В інших місцях сеанси завершено."
        case .newAddressHelp:
            "Ми надішлемо код на нову адресу. Можливо, спочатку надішлемо код на вашу теперішню адресу."
        case .methodsHelp: "Під час входу ми можемо також попросити код з одного з цих джерел."
        case .methodSuspended: "Зараз не можна використовувати, бо пароль було скинуто."
        case .sessionsHelp: "Не впізнаєте якийсь запис? Завершіть цей сеанс і змініть пароль."
        case .thisBrowser: "Цей браузер"
        case .browser: "Браузер"
        case .lastUsed: "Останнє використання"
        case .copyHelp: "Файл з усім, що ми зберігаємо про вас, у форматі JSON."
        case .deleteHelp: "Ваш обліковий запис буде видалено одразу, разом з усіма даними. Цього не можна скасувати."
        case .typeAddress: "Для підтвердження введіть електронну адресу свого облікового запису."
        case .notSet: "Не задано"
        case .deleteLaterHelp(let days):
            "Ваш обліковий запис буде видалено разом з усіма даними (через скільки днів: \(days)). До того часу ви можете ввійти й зберегти його."
        case .currentPassword: "Теперішній пароль"
        case .newEmail: "Нова електронна адреса"
        case .methodName: "Назва цього запису"
        case .save: "Зберегти"
        case .rename: "Перейменувати"
        case .remove: "Вилучити"
        case .endOthers: "Вийти всюди, крім цього браузера"
        case .endAll: "Вийти всюди"
        case .allowedApplications: "Застосунки, яким ви надали дозвіл"
        case .download: "Завантажити"
        case .keepAccount: "Зберегти мій обліковий запис"
        case .backToAccount: "Назад до вашого облікового запису"
        case .changedElsewhere: "Ваші дані тим часом змінено в іншому місці. Перевірте їх і збережіть ще раз."
        case .nameTaken: "Це ім’я зайнято. Виберіть інше."
        case .lastMethod: "Додаткове підтвердження обов’язкове, а це останнє."
        case .addressTaken: "Є інший обліковий запис із цією адресою."
        case .addressNotUsable: "Це не електронна адреса, або ваш обліковий запис уже має її."
        case .privacy: "Конфіденційність"
        case .terms: "Умови використання"
        case .support: "Допомога"
        case .deviceTitle: "Підключити пристрій"
        case .deviceHelp: "Введіть код, який показує ваш телевізор, командний рядок або інший пристрій."
        case .wrongDeviceCode: "Цей код неправильний або застарілий. Перевірте його або отримайте новий на пристрої."
        case .deviceAllowTitle(let app): "Увійти до \(app) на іншому пристрої?"
        case .deviceAsks(let app, let code):
            "Пристрій, який показує код \(code), просить користуватися \(app) з вашим обліковим записом."
        case .deviceSince(let minutes): "Хвилин від запиту пристрою: \(minutes)"
        case .deviceSameNetwork: "Пристрій у тій самій мережі, що й цей браузер."
        case .deviceOtherNetwork: "Пристрій в іншій мережі, ніж цей браузер."
        case .deviceWarning:
            "Ви почали це самі й бачите зараз цей код на власному пристрої? Якщо код вам дала інша людина, виберіть «Скасувати»: інакше вона увійде до вашого облікового запису."
        case .deviceAllowed: "Поверніться до свого пристрою"
        case .deviceDeclined: "Пристрій не ввійшов"
        case .authenticatorApp: "Застосунок автентифікації"
        case .enterAppCode: "Введіть код із застосунку"
        case .addApp: "Додати застосунок автентифікації"
        case .scanHelp:
            "Скануйте це зображення застосунком автентифікації. Потім введіть код, який він показує."
        case .keyByHand: "Або введіть цей ключ у застосунок:"
        case .openApp: "Відкрити застосунок на цьому пристрої"
        case .appCodeHelp:
            "Відкрийте застосунок автентифікації та введіть код, який він показує для цього облікового запису."
        case .wrongAppCode:
            "Код неправильний. Введіть той, який застосунок показує зараз; кожен код діє один раз."
        case .appNotAllowed: "Не можна додати ще один застосунок автентифікації."
        case .recoveryCodes: "Коди відновлення"
        case .recoveryHelp: "На день, коли ви не зможете скористатися жодним іншим способом. Кожен код діє один раз."
        case .makeCodes: "Створити нові коди"
        case .codesLeft(let count): "Залишилося кодів: \(count)"
        case .codesShownOnce:
            "Зберігайте ці коди в безпечному місці, наприклад у менеджері паролів. Їх показано лише зараз, а попередні коди більше не діють."
        case .enterRecoveryCode: "Введіть код відновлення"
        case .recoveryCodeHelp: "Введіть один із кодів, які ви зберегли. Кожен код діє один раз."
        case .wrongRecoveryCode: "Цей код неправильний або вже використаний."
        case .recoveredHelp:
            "Ви ввійшли за кодом відновлення. Додайте спосіб зараз. Щоб вилучити якийсь, спершу ввійдіть одним зі способів."
        case .continueWith(let name): "Продовжити через \(name)"
        case .linkHelp(let provider):
            "Обліковий запис із цією адресою вже існує. Підтвердьте один раз, що він ваш; потім ви входитимете через \(provider)."
        case .connect(let name): "Під’єднати \(name)"
        case .identityTaken: "Той обліковий запис в іншому сервісі пов’язано з іншим користувачем."
        case .enoughToday: "Сьогодні ви додали стільки способів, скільки дозволено за день. Спробуйте завтра."
        case .connectedAccounts: "Пов’язані облікові записи"
        case .nameMailboxHelp(let provider):
            "Ми не отримали від \(provider) підтвердженої адреси електронної пошти. Введіть свою, і ми надішлемо код."
        case .providerFailed:
            "Інший сервіс не виконав вхід. Спробуйте ще раз або увійдіть іншим способом."
        case .addPhone: "Додати телефон"
        case .phoneNumber: "Номер телефону"
        case .phoneHelp: "Коди надходитимуть у SMS. Укажіть номер із кодом країни, наприклад +380."
        case .enterTextCode: "Введіть код із SMS"
        case .textSent(let number): "Ми надіслали SMS із кодом на номер \(number). Він дійсний десять хвилин."
        case .badPhone: "Укажіть номер телефону з кодом країни, наприклад +380 50 123 4567."
        case .blockedPhone: "На цей номер неможливо надіслати SMS. Скористайтеся іншим номером або іншим способом."
        case .phoneNotAllowed: "Ви не можете додати ще один телефон."
        case .signInWithPasskey: "Увійти за допомогою ключа доступу"
        case .usePasskey: "Скористайтеся ключем доступу"
        case .passkeyHelp: "Браузер просить відбиток пальця, обличчя або PIN-код пристрою."
        case .noPasskeys: "Цей браузер не підтримує ключі доступу або не виконує скрипти."
        case .passkeyFailed: "Не вдалося, або дію скасовано. Ви можете спробувати ще раз."
        case .passkeyRefused: "Цей ключ доступу не прийнято. Спробуйте ще раз або скористайтеся іншим способом."
        case .passkey: "Ключ доступу"
        case .passkeys: "Ключі доступу"
        case .passkeysHelp: "Ви входите за відбитком пальця, обличчям або PIN-кодом пристрою, без пароля й без коду."
        case .addPasskey: "Додати ключ доступу"
        case .passkeyExists: "На цьому пристрої вже є ключ доступу до вашого облікового запису."
        case .passkeyNotAllowed: "Ви не можете додати ще один ключ доступу."
        case .added: "Додано"
        case .otherMethod: "Використати інший спосіб"
        case .errorPrefix: "Помилка"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Повне ім’я"
        case "givenName": "Ім’я"
        case "surname": "Прізвище"
        case "jobTitle": "Посада"
        case "country": "Країна"
        case "state": "Область"
        case "city": "Місто"
        case "streetAddress": "Вулиця та будинок"
        case "postalCode": "Поштовий індекс"
        case "preferredLanguage": "Мова"
        case AttributeDefinition.aliasName: "Ім’я користувача"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        counted(count, "секунду", "секунди", "секунд")
    }

    private func inMinutes(_ count: Int) -> String {
        counted(count, "хвилину", "хвилини", "хвилин")
    }

    private func counted(_ count: Int, _ one: String, _ few: String, _ many: String) -> String {
        switch (count % 10, count % 100) {
        case (_, 11...14): "\(count) \(many)"
        case (1, _): "\(count) \(one)"
        case (2...4, _): "\(count) \(few)"
        case _: "\(count) \(many)"
        }
    }
}
