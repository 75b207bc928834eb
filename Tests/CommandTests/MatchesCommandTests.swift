import Foundation
import TestSupport
import Testing

@Suite("Command matches")
struct MatchesCommandTests {
    private static let head = "reference,species,breed,sex,colour,description,last_seen_at,lon,lat\n"
    private static let lost =
        head
        + "L1,dog,Beagle,male,tricolour,,2026-10-10,14.25,40.85\nL2,dog,Boxer,female,fawn,,2026-10-09,14.26,40.86\n"
        + "L3,dog,Lab X,male,black,,2026-10-01,14.28,40.85\n"
    private static let found =
        head
        + "F1,dog,beagle,male,black/white/tan,,2026-10-11,14.251,40.851\nF2,dog,Poodle,,white,,2026-10-11,14.20,40.80\n"
    private static let truth = "found_reference,lost_reference\nF1,L1\n"

    /// What `--json` prints.
    private struct Result: Decodable {
        struct Alert: Decodable {
            let threshold: Double
            let precision: Double
            let reach: Double
            let perLost: Double
        }

        struct Ranking: Decodable {
            let first: Double
            let top5: Double

            enum CodingKeys: String, CodingKey {
                case first
                case top5 = "top_5"
            }
        }

        let found: Int
        let first: Double
        let top5: Double
        let meanRank: Double
        let ece: Double
        let eceLikely: Double
        let alerts: [Alert]
        let asm3: Ranking

        enum CodingKeys: String, CodingKey {
            case found, first, ece, alerts, asm3
            case top5 = "top_5"
            case meanRank = "mean_rank"
            case eceLikely = "ece_likely"
        }
    }

    private static func result(_ outcome: Program.Outcome) throws -> Result {
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 1)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .useDefaultKeys
        return try decoder.decode(Result.self, from: Data(outcome.output.replacing("per_lost", with: "perLost").utf8))
    }

    private func evaluate(
        lost: String = lost,
        found: String = found,
        truth: String = truth,
        _ options: String...
    ) throws -> Program.Outcome {
        let program = try Program()
        let files = try [
            program.write(lost, "lost.csv"), program.write(found, "found.csv"), program.write(truth, "truth.csv"),
        ]
        return try program.run(["matches", "evaluate"] + files + options, data: program.folder.url)
    }

    @Test("The right listing of a small set is first, without a database")
    func small() throws {
        let program = try Program()
        let files = try [
            program.write(Self.lost, "lost.csv"), program.write(Self.found, "found.csv"),
            program.write(Self.truth, "truth.csv"),
        ]
        let outcome = try program.run(["matches", "evaluate"] + files + ["--json"], data: program.folder.url)
        let result = try Self.result(outcome)
        #expect(result.found == 2 && result.first == 1 && result.top5 == 1 && result.meanRank == 1)
        #expect(result.alerts.map(\.threshold) == [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
        #expect(
            result.alerts.allSatisfy { $0.precision == 1 && $0.reach == 1 && $0.perLost > 0.33 && $0.perLost < 0.34 }
        )
        let data = try FileManager.default.contentsOfDirectory(atPath: program.folder.url.path)
        #expect(!data.contains { $0.contains("sqlite") })
        let table = try program.run(["matches", "evaluate"] + files, data: program.folder.url)
        for part in ["matches", "points of ASM3", "of the first answer", "owners reached %", "0.02", "0.8"] {
            #expect(table.output.contains(part), "\(part)")
        }
    }

    @Test("Columns in another order, with other names or missing are read")
    func columns() throws {
        let lost = "Longitudine;Latitudine;razza;data;riferimento\n14,25;40,85;Beagle;2026-10-10;L1\n"
        let found = "lat,lon,date,reference,colour\n40.851,14.251,2026-10-11T08:00:00+02:00,F1,tricolour\n"
        let truth = "chance;lost_reference;found_reference\n0;L1;F1\n"
        let result = try Self.result(try evaluate(lost: lost, found: found, truth: truth, "--json"))
        #expect(result.first == 1)
    }

    @Test("Mistakes are told with the file, the line and what is expected")
    func mistakes() throws {
        func errors(lost: String = Self.lost, truth: String = Self.truth, _ options: String...) throws -> String {
            let program = try Program()
            let files = try [
                program.write(lost, "lost.csv"), program.write(Self.found, "found.csv"),
                program.write(truth, "truth.csv"),
            ]
            let outcome = try program.run(["matches", "evaluate"] + files + options, data: program.folder.url)
            #expect(outcome.status != 0 && outcome.output.isEmpty)
            return outcome.errors
        }
        let row = "L1,dog,Beagle,male,tricolour,,2026-10-10,14.25,40.85\n"
        #expect(try errors(lost: Self.head + row + row).contains("line 3: reference: L1 is in two rows"))
        #expect(
            try errors(lost: Self.head + row.replacing("14.25", with: "east")).contains(
                "line 2: lon and lat: expected degrees"
            )
        )
        #expect(
            try errors(lost: Self.head + row.replacing("2026-10-10", with: "soon")).contains(
                "line 2: last_seen_at: expected"
            )
        )
        #expect(try errors(lost: Self.head + row.replacing("L1", with: "")).contains("line 2: reference: expected"))
        #expect(try errors(lost: Self.head).contains("expected at least one listing"))
        #expect(try errors(lost: "").contains("expected a header line"))
        #expect(try errors(truth: "found,lost\nF1,L1\n").contains("expected a column found_reference"))
        #expect(try errors(truth: Self.truth + "F2,\n").contains("line 3: expected a found_reference"))
        #expect(try errors("--weights", "/nowhere").contains("cannot read /nowhere"))
    }

    @Test("Unknown references of the truth are told and count as not found")
    func unknown() throws {
        let outcome = try evaluate(truth: Self.truth + "F9,L1\nF2,L9\n", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("such as F9") && outcome.errors.contains("such as L9"))
        #expect(outcome.output.contains(#""first":0.5"#))
    }

    @Test("Counted weights are written and can be measured")
    func counting() throws {
        let program = try Program()
        let files = try [
            program.write(Self.lost, "lost.csv"), program.write(Self.found, "found.csv"),
            program.write(Self.truth, "truth.csv"),
        ]
        let table = program.folder.url.appending(path: "weights.tsv").path
        let counting = try program.run(
            ["matches", "evaluate"] + files + ["--write-weights", table],
            data: program.folder.url
        )
        #expect(counting.status == 0, "\(counting.errors)")
        #expect(try String(contentsOfFile: table, encoding: .utf8).contains("breed\tsame_words\t"))
        let again = try program.run(["matches", "evaluate"] + files + ["--weights", table], data: program.folder.url)
        #expect(again.status == 0, "\(again.errors)")
        _ = try program.write("breed\tsame_words\tmuch\n", "bad.tsv")
        let bad = program.folder.url.appending(path: "bad.tsv").path
        let refused = try program.run(["matches", "evaluate"] + files + ["--weights", bad], data: program.folder.url)
        #expect(refused.status != 0 && refused.errors.contains("line 2") || refused.errors.contains("line 1"))
    }

    private static let hasPairs = FileManager.default.fileExists(atPath: SharedData.url("reunion/city").path)

    @Test(
        "Real pairs are found, and probabilities are right",
        .enabled(if: hasPairs, "needs ../shared/data/reunion"),
        arguments: [("city", 0.92, 0.975), ("hard", 0.88, 0.97)]
    )
    func realPairs(set: String, first: Double, top5: Double) throws {
        let files = ["lost", "found", "truth"].map { SharedData.url("reunion/\(set)/\($0).csv").path }
        let program = try Program()
        let outcome = try program.run(["matches", "evaluate"] + files + ["--json"], data: program.folder.url)
        print(set, outcome.output)
        let result = try Self.result(outcome)
        #expect(result.found == 6502)
        #expect(result.first >= first && result.top5 >= top5)
        // Words that are read anew move it by some 0.0003.
        #expect(result.ece <= 0.011 && result.eceLikely <= 0.03)
        #expect(result.asm3.first < result.first - 0.2 && result.asm3.top5 < result.top5 - 0.05)
    }
}
