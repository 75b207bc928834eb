import Domain
import Foundation

/// How often reverse geocoding is right on points whose place is known.
public struct Accuracy: Sendable, Equatable {
    /// The kind of points, as the truth file names it: `interior`, `border`, `popw`, `settle`, `world`.
    public let kind: String
    public private(set) var points = 0
    /// Points with the right answer at each level. The world's truth has no comune and no province.
    public private(set) var comune = 0
    public private(set) var province = 0
    public private(set) var region = 0
    public private(set) var country = 0
    /// By tenth of confidence: points answered so, and how many of them with the right comune.
    public private(set) var calibration = [Calibration](repeating: Calibration(), count: 10)

    public struct Calibration: Sendable, Equatable {
        public internal(set) var points = 0
        public internal(set) var right = 0
        /// The mean of the confidences is this divided by `points`.
        public internal(set) var sum = 0.0
    }

    init(kind: String) {
        self.kind = kind
    }

    mutating func add(_ truth: Truth, _ answer: Place) {
        let isRight = truth.isComune(answer)
        points += 1
        comune += isRight ? 1 : 0
        province += truth.isProvince(answer) ? 1 : 0
        region += truth.isRegion(answer) ? 1 : 0
        country += truth.country == answer.countryCode ? 1 : 0
        let confidence = answer.confidence ?? 0
        let bin = min(9, max(0, Int(confidence * 10)))
        calibration[bin].points += 1
        calibration[bin].right += isRight ? 1 : 0
        calibration[bin].sum += confidence
    }
}

extension Gazetteer {
    /// Answers every point of a truth file and counts the right ones, for each kind of points in the order they appear.
    ///
    /// - Parameter csv: the text of a file with a header and, in any order, `lat lon` and either
    ///   `kind comune sigla provincia regione` (Italy) or `cc admin1_ne` (the world).
    /// - Throws: `GazetteerError.malformedTruth` with the number of the offending line.
    public func accuracy(onTruth csv: String) throws -> [Accuracy] {
        var result: [Accuracy] = []
        for truth in try Truth.read(csv) {
            let answer = reverse(truth.coordinate, language: .italian).place
            if result.last?.kind != truth.kind, !result.contains(where: { $0.kind == truth.kind }) {
                result.append(Accuracy(kind: truth.kind))
            }
            guard let index = result.firstIndex(where: { $0.kind == truth.kind }) else { continue }
            result[index].add(truth, answer)
        }
        return result
    }
}

/// A row of a truth file.
struct Truth {
    let coordinate: Coordinate
    let kind: String
    let country: String
    private let comune: String
    private let provinceCode: String
    private let region: String

    static func read(_ csv: String) throws -> [Truth] {
        let lines = csv.split(whereSeparator: \.isNewline).map(String.init)
        guard let head = lines.first else { throw GazetteerError.malformedTruth(line: 1) }
        let columns = fields(head)
        return try lines.enumerated().dropFirst().map { number, line in
            let values = fields(line)
            guard values.count == columns.count,
                let truth = Truth(Dictionary(zip(columns, values)) { first, _ in first })
            else { throw GazetteerError.malformedTruth(line: number + 1) }
            return truth
        }
    }

    private init?(_ row: [String: String]) {
        guard let lon = row["lon"].flatMap(Double.init), let lat = row["lat"].flatMap(Double.init),
            let coordinate = Coordinate(lon: lon, lat: lat), let region = row["regione"] ?? row["admin1_ne"]
        else { return nil }
        self.coordinate = coordinate
        self.region = region.folded
        kind = row["kind"] ?? "world"
        country = row["cc"] ?? "IT"
        comune = (row["comune"] ?? "").folded
        provinceCode = row["sigla"] ?? ""
    }

    /// By name and province, as several comuni bear the same name.
    func isComune(_ place: Place) -> Bool {
        !comune.isEmpty && place.comune?.folded == comune && isProvince(place)
    }

    func isProvince(_ place: Place) -> Bool {
        !provinceCode.isEmpty && place.provinceCode == provinceCode
    }

    /// Natural Earth's first level is the second one of GeoNames in some countries.
    func isRegion(_ place: Place) -> Bool {
        place.region?.folded == region || provinceCode.isEmpty && place.province?.folded == region
    }

    /// The values of a line of RFC 4180, without line breaks in them.
    private static func fields(_ line: String) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
