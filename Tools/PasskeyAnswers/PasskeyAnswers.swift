import Foundation
import NativeAuth
import SoftPasskeys

/// Answers as an authenticator in software: each line of the input has the options of a relying party as JSON, and its line of the
/// output has the answer as JSON, or what failed as a text in quotation marks. With the argument `synchronised`, the passkeys say
/// that they are backed up. Run by `scripts/check-passkeys`, whose verifiers are not ours.
@main
struct PasskeyAnswers {
    static func main() async {
        let device = SoftAuthenticator()
        if CommandLine.arguments.contains("synchronised") {
            device.behaviour.isBackupEligible = true
            device.behaviour.isBackedUp = true
        } else {
            device.behaviour.counter = .increasing
        }
        while let line = readLine() {
            do throws(PasskeyError) {
                print(try await answer(of: device, to: line))
            } catch {
                print("\(error)".quotedAsJSON)
            }
            fflush(nil)
        }
    }

    private static func answer(of device: SoftAuthenticator, to options: String) async throws(PasskeyError) -> String {
        // Only the creation of a passkey lists algorithms.
        guard options.contains(#""pubKeyCredParams""#) else {
            return try await device.get(PasskeyRequest(json: options), style: .modal).json
        }
        return try await device.create(PasskeyCreation(json: options)).json
    }
}
