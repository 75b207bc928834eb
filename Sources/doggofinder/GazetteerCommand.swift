import ArgumentParser
import Domain
import Foundation
import Gazetteer

struct GazetteerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gazetteer",
        abstract: "Places by position and by name.",
        subcommands: [
            Reverse.self, Search.self, Import.self, Sources.self, Remove.self, Evaluate.self,
        ]
    )

    struct Reverse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tell the place of a point, as JSON.",
            discussion: "reverse - reads lines of lon,lat and answers each with one line, in order."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var languages: LanguageOptions
        // A longitude may be negative and must not be parsed as an option.
        @Argument(parsing: .allUnrecognized, help: "LON LAT in degrees, or -.") var point: [String]

        func run() async throws {
            let gazetteer = try dataOptions.gazetteer()
            if point == ["-"] { return try answerLines(gazetteer) }
            let point = point.filter { $0 != "--" }
            guard point.count == 2, let coordinate = Self.coordinate(point) else {
                throw ValidationError("expected LON LAT in degrees, like 14.79 40.77, or - for standard input")
            }
            print(try answer(coordinate, gazetteer))
        }

        private func answerLines(_ gazetteer: Gazetteer) throws {
            var number = 0
            var answers = ""
            while let line = readLine() {
                number += 1
                guard let coordinate = Self.coordinate(line.split(separator: ",").map(String.init)) else {
                    print(answers, terminator: "")
                    throw ServiceError.invalid(
                        "line \(number)",
                        "expected lon,lat in degrees, got '\(line.prefix(60))'"
                    )
                }
                answers += try answer(coordinate, gazetteer) + "\n"
                if answers.utf8.count > 1 << 16 {
                    print(answers, terminator: "")
                    answers = ""
                }
            }
            print(answers, terminator: "")
        }

        private func answer(_ coordinate: Coordinate, _ gazetteer: Gazetteer) throws -> String {
            try gazetteer.reverse(coordinate, language: languages.language, alternatives: 3).jsonLine
        }

        private static func coordinate(_ parts: [String]) -> Coordinate? {
            let numbers = parts.map { Double($0.trimmed) }
            guard numbers.count == 2, let lon = numbers[0], let lat = numbers[1] else { return nil }
            return Coordinate(lon: lon, lat: lat)
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Find places by name.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var languages: LanguageOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The name, or its beginning; \"Fisciano, SA\" narrows.") var name: String
        @OptionGroup var limits: LimitOption

        func run() async throws {
            let most = limits.limit ?? 10
            let places = try dataOptions.gazetteer().search(name, language: languages.language, limit: most)
            if output.json {
                for place in places { printJSONObject { $0.fields(place) } }
            } else {
                printTable(
                    places.map { place in
                        [
                            place.locality ?? place.comune ?? place.province ?? place.region ?? "", place.comune ?? "",
                            place.provinceCode ?? place.region ?? "", place.country ?? "", place.postalCode ?? "",
                            "\(place.coordinate.lon),\(place.coordinate.lat)",
                        ]
                    }
                )
            }
            if places.isEmpty { throw ExitCode(1) }
        }
    }
}

struct LanguageOptions: ParsableArguments {
    private static let names = Language.allCases.map(\.code).joined(separator: ", ")

    @Option(help: "A language: \(Self.names).") var lang = Language.english.code

    var language: Language { Language(rawValue: lang) ?? .english }

    func validate() throws {
        guard Language(rawValue: lang) != nil else {
            throw ValidationError("lang: expected \(Self.names), got '\(lang)'")
        }
    }
}
