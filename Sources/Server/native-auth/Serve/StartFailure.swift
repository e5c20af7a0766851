import IdentityEngine

/// Why a server does not start: one sentence, and its exit code (sysexits.h).
enum StartFailure: Error {
    /// 64: a wrong value on the command line, in the environment or in the tenant file.
    case usage([String])
    /// 65: the data was changed or damaged; one sentence for each place.
    case damaged([String])
    /// 69: a needed resource is in use: the port, or the database by another process.
    case unavailable(String)
    /// 74: a file cannot be read or written.
    case inputOutput(String)

    init(_ error: DataKeyError) {
        self =
            switch error {
            case .otherMasterKey, .store: .inputOutput(error.description)
            case .sameMasterKey, .unfinished: .usage([error.description])
            }
    }

    var exitCode: Int32 {
        switch self {
        case .usage: 64
        case .damaged: 65
        case .unavailable: 69
        case .inputOutput: 74
        }
    }

    var sentences: [String] {
        switch self {
        case .usage(let problems), .damaged(let problems): problems
        case .unavailable(let sentence), .inputOutput(let sentence): [sentence]
        }
    }
}
