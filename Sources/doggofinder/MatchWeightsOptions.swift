import ArgumentParser
import Domain
import Foundation
import Matching

/// The option for weights that an operator has counted, for commands that find matches.
struct MatchWeightsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A table of weights for possible matches that matches count has written. (default: the program's own)",
            valueName: "file"
        )
    )
    var matchWeights: String?

    func weights() throws -> MatchWeights {
        guard let file = matchWeights ?? Environment.text("match-weights") else { return .standard }
        return try MatchWeights(file: file)
    }
}

extension MatchWeights {
    init(file: String) throws {
        let text = try String(contentsOf: inputFile(file), encoding: .utf8)
        do {
            try self.init(tsv: text)
        } catch {
            throw ServiceError.invalid(file, "\(error)")
        }
    }
}
