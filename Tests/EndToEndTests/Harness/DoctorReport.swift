/// What `native-auth doctor --json` prints.
struct DoctorReport: Decodable {
    struct Finding: Decodable {
        let area: String
        let state: String
        let about: String
        let text: String
        let remedy: String?
    }

    let isFine: Bool
    let findings: [Finding]

    var problems: [Finding] { findings.filter { $0.state == "problem" } }
    func finding(_ about: String) -> Finding? { findings.first { $0.about == about } }
    func findings(_ about: String) -> [Finding] { findings.filter { $0.about == about } }
}
