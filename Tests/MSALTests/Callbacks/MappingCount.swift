import Testing

/// Whether every line of the mapping tables is tested.
struct MappingCount {
    static let tables =
        WireTableTests.tables + SignUpTableTests.tables + SignInAfterTableTests.tables + SignInTableTests.tables
        + MFATableTests.tables + RegistrationTableTests.tables + ResetPasswordTableTests.tables
        + AccessTokenTableTests.tables

    /// How many lines the tables of each section have, as docs/sdk-surface.md says. A table for several calls counts
    /// once: that of §3.4 is for two, and that of the token replies in §3.5 for three.
    static let counted = [
        ("§3.2", 7), ("§3.3", 12 + 4 + 12 + 5 + 5), ("§3.4", 6), ("§3.5", 10 + 14 + 4), ("§3.6", 11), ("§3.7", 12),
        ("§3.8", 20), ("§3.9", 6), ("docs/protocol.md §14.2", 24),
    ]

    @Test("Every line of every mapping table is tested", arguments: tables)
    func everyLineIsTested(_ table: MappingTable) {
        #expect(Set(table.mappings.map(\.row)).sorted() == Array(1...table.rowCount))
    }

    @Test("The mapping tables have as many lines as those of the reference")
    func theTablesAreWhole() {
        let columns = ["sign-in after a reset", "tokens, password", "tokens, code"]
        var report: [String] = []
        var total = 0
        for (section, count) in Self.counted {
            let tables = Self.tables.filter { $0.section == section && !columns.contains($0.name) }
            let rows = tables.reduce(0) { $0 + Set($1.mappings.map(\.row)).count }
            #expect(rows == count, "\(section)")
            total += rows
            report.append("\(section) \(rows)")
        }
        #expect(Set(WireTableTests.bodies.map(\.row)) == Set(1...15))
        let replies = Self.tables.reduce(0) { $0 + $1.mappings.count }
        print("mapping rows: \(report.joined(separator: ", ")), total \(total) (\(replies) replies)")
        print("endpoint rows: §3.2 15 (\(WireTableTests.bodies.count) requests)")
    }
}
