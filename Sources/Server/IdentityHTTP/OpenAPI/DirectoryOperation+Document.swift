import NativeAuthWire

extension DirectoryOperation {
    /// What the document says of an operation beside its method, path, scopes and errors. A new operation does not compile
    /// until it has an outline.
    struct Outline {
        var summary: String
        var body: SchemaName?
        /// The body of an answer 200.
        var reply: SchemaName?
        var parameters: [DocumentedParameter] = []
        var tag = DocumentedOperation.Tag.account
    }

    var outline: Outline {
        switch self {
        case .readProfile: Outline(summary: "Reads the user", reply: .user, parameters: [.select])
        case .changeProfile:
            Outline(summary: "Changes properties of the user", body: .userChange, parameters: [.ifMatch])
        case .deleteAccount: Outline(summary: "Deletes the account")
        case .keepAccount: Outline(summary: "Calls off a deletion")
        case .changePassword: Outline(summary: "Changes the password, or sets the first one", body: .passwordChange)
        case .endAllSessions: Outline(summary: "Ends all sessions", reply: .sessionsEnded)
        case .endAllSessionsBeta: Outline(summary: "Ends all sessions, under an older name", reply: .sessionsEnded)
        case .listMethods: Outline(summary: "Lists all methods", reply: .methodList)
        case .listEmailMethods: Outline(summary: "Lists the methods by e-mail", reply: .methodList)
        case .listPasswordMethods: Outline(summary: "Lists the password, if there is one", reply: .methodList)
        case .listAppMethods: Outline(summary: "Lists the authenticator apps", reply: .methodList)
        case .removeApp: Outline(summary: "Removes an authenticator app", parameters: [.id])
        case .renameApp: Outline(summary: "Names an authenticator app", body: .methodName, parameters: [.id])
        case .addApp: Outline(summary: "Begins to add an authenticator app", body: .newApp)
        case .confirmApp: Outline(summary: "Confirms a new authenticator app", body: .contactConfirmation)
        case .listPhoneMethods: Outline(summary: "Lists the telephones", reply: .methodList)
        case .removePhone: Outline(summary: "Removes a telephone", parameters: [.id])
        case .renamePhone: Outline(summary: "Names a telephone", body: .methodName, parameters: [.id])
        case .addPhone: Outline(summary: "Begins to add a telephone, or sends its next code", body: .newPhone)
        case .confirmPhone: Outline(summary: "Confirms a new telephone", body: .contactConfirmation)
        case .listPasskeys: Outline(summary: "Lists the passkeys", reply: .methodList)
        case .removePasskey: Outline(summary: "Removes a passkey", parameters: [.id])
        case .renamePasskey: Outline(summary: "Names a passkey", body: .methodName, parameters: [.id])
        case .addPasskey: Outline(summary: "Begins to add a passkey", body: .newPasskey)
        case .confirmPasskey: Outline(summary: "Confirms a new passkey", body: .passkeyConfirmation)
        case .addIdentity: Outline(summary: "Begins to link an account at a provider", body: .newIdentity)
        case .confirmIdentity: Outline(summary: "Links the account at a provider", body: .identityConfirmation)
        case .readRecoveryCodes: Outline(summary: "Says how many recovery codes are left", reply: .recoveryCodes)
        case .makeRecoveryCodes: Outline(summary: "Makes new recovery codes", reply: .recoveryCodes)
        case .removeMethod: Outline(summary: "Removes a method", parameters: [.id])
        case .renameMethod: Outline(summary: "Names a method", body: .methodName, parameters: [.id])
        case .addMethod: Outline(summary: "Begins to add a method, or sends its next code", body: .newContact)
        case .confirmMethod: Outline(summary: "Confirms a new method", body: .contactConfirmation)
        case .changeEmail: Outline(summary: "Begins to change the address, or sends the next code", body: .newContact)
        case .confirmEmail: Outline(summary: "Confirms the new address", body: .contactConfirmation)
        case .undoEmailChange: Outline(summary: "Takes a change of the address back", body: .emailChangeUndo)
        case .listSessions: Outline(summary: "Lists the sessions", reply: .sessionList)
        case .endSession: Outline(summary: "Ends a session", parameters: [.id])
        case .endOtherSessions: Outline(summary: "Ends all other sessions")
        case .listDevices: Outline(summary: "Lists the remembered devices", reply: .deviceList)
        case .forgetDevice: Outline(summary: "Forgets a remembered device", parameters: [.id])
        case .export: Outline(summary: "Exports everything that is stored about the user", reply: .export)
        }
    }

    var hasBody: Bool { outline.body != nil }

    /// The operation in the document.
    var documented: DocumentedOperation {
        DocumentedOperation(
            id: "\(self)", method: documentedMethod, path: "/\(path)", tag: outline.tag, summary: outline.summary,
            parameters: outline.parameters + [.acceptLanguage, .clientRequestID],
            security: scopes.isEmpty ? .none : .bearer(scopes: scopes), body: outline.body.map { .json($0) },
            answers: DirectoryAnswerName.answers(of: self))
    }

    private var documentedMethod: DocumentedOperation.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .patch: .patch
        case .delete: .delete
        }
    }
}
