import Foundation
import NativeAuth

/// Keeps a few bytes over restarts of the app.
@MainActor
protocol StepStorage {
    /// Nil: none.
    var bytes: Data? { get nonmutating set }
}

/// A file. What it holds is sealed, and no more than an unfinished flow is lost with it.
struct FileStepStorage: StepStorage {
    let file: URL

    var bytes: Data? {
        get { try? Data(contentsOf: file) }
        nonmutating set {
            if let newValue {
                try? newValue.write(to: file, options: .atomic)
            } else {
                try? FileManager.default.removeItem(at: file)
            }
        }
    }
}

/// The step at which the user left a flow, so that it goes on there when the app starts again: they look for the code
/// in their mail, and the system ends the app meanwhile.
@MainActor
struct UnfinishedFlow {
    let storage: any StepStorage
    /// Keep it in the keychain.
    let key: ResumeKey

    func remember<Step: FlowStep & ~Copyable>(_ kept: Kept<Step>) {
        storage.bytes = try? JSONEncoder().encode(kept.saved(with: key))
    }

    func forget() {
        storage.bytes = nil
    }

    /// The step that was remembered, if it is one of this kind.
    func step<Step: FlowStep & ~Copyable>(_ kind: Step.Type, of client: NativeAuthClient) -> Kept<Step>? {
        guard let bytes = storage.bytes else { return nil }
        do {
            let saved = try JSONDecoder().decode(Saved<Step>.self, from: bytes)
            return try client.resume(saved, with: key).kept()
        } catch {
            return nil
        }
    }
}
