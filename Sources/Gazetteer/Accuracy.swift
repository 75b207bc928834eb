import Domain
import Foundation

/// The accuracy of reverse geocoding, measured on points whose place is known.
public struct Accuracy: Sendable, Equatable {
    /// The kind of points, as named in the truth file: `interior`, `border`, `popw` or `settle`; otherwise `world`,
    /// `named` or `municipality`.
    public let kind: String
    /// The method that produced the answers.
    public let method: Method
    /// The total time for all points.
    public let time: Duration
    public private(set) var points = 0
    /// The number of points with the right answer at each level. The world truth file has no comuni and provinces.
    public private(set) var comune = 0
    public private(set) var province = 0
    public private(set) var region = 0
    public private(set) var country = 0
    /// The points grouped by tenths of confidence: how many there are, and how many of them have the right comune.
    public private(set) var calibration = [Calibration](repeating: Calibration(), count: 10)

    public enum Method: String, Sendable, CaseIterable {
        case gazetteer
        /// Takes the settlement of the same tables with the shortest straight-line distance.
        case nearest
    }

    public struct Calibration: Sendable, Equatable {
        public internal(set) var points = 0
        public internal(set) var right = 0
        /// The sum of the confidences; divided by `points`, it gives their mean.
        public internal(set) var sum = 0.0
    }

    init(kind: String, method: Method, time: Duration) {
        self.kind = kind
        self.method = method
        self.time = time
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
    /// Answers every point of a truth file and counts the right answers for each kind of points, in the order in which
    /// the kinds appear.
    ///
    /// - Parameter csv: The text of a file with a header and the columns `lat lon`, in any order, plus either `kind
    ///   comune sigla provincia regione` (Italy), `cc admin1_ne` (the world), or `true` or `municipality` (the name).
    /// - Throws: `GazetteerError.malformedTruth` with the number of the first invalid line.
    public func accuracy(onTruth csv: String, method: Accuracy.Method = .gazetteer) throws -> [Accuracy] {
        let truths = try Truth.read(csv)
        var kinds: [String] = []
        for truth in truths where !kinds.contains(truth.kind) { kinds.append(truth.kind) }
        return try kinds.map { kind in
            let asked = truths.filter { $0.kind == kind }
            var answers: [Place] = []
            answers.reserveCapacity(asked.count)
            let time = try ContinuousClock().measure {
                for truth in asked { answers.append(try answer(truth.coordinate, method)) }
            }
            var accuracy = Accuracy(kind: kind, method: method, time: time)
            for (truth, answer) in zip(asked, answers) { accuracy.add(truth, answer) }
            return accuracy
        }
    }

    private func answer(_ coordinate: Coordinate, _ method: Accuracy.Method) throws -> Place {
        switch method {
        case .gazetteer: try reverse(coordinate, language: .italian).place
        case .nearest: places.place(nearestSettlement(coordinate), .italian) ?? Place(coordinate: coordinate)
        }
    }

    /// Scans all comuni and hamlets of Italy linearly: this method is only a reference for comparison and need not be
    /// fast.
    private func nearestSettlement(_ coordinate: Coordinate) -> Int {
        let query = UnitVector(coordinate)
        let town = towns.nearest(to: query, atMost: 1).first
        var (best, least) = (town?.index ?? 0, town?.squaredChord ?? .infinity)
        for comune in places.range(.comune) {
            let squared = query.squaredChord(to: places.vector(comune))
            if squared < least { (best, least) = (comune, squared) }
            for hamlet in places.hamlets(ofComune: comune) {
                let squared = query.squaredChord(to: places.vector(hamlet))
                if squared < least { (best, least) = (hamlet, squared) }
            }
        }
        return best
    }
}

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
            let coordinate = Coordinate(lon: lon, lat: lat),
            let comune = row["comune"] ?? row["true"] ?? row["municipality"] ?? row["admin1_ne"].map({ _ in "" })
        else { return nil }
        self.coordinate = coordinate
        self.comune = comune.folded
        region = (row["regione"] ?? row["admin1_ne"] ?? "").folded
        let named = row["municipality"] == nil ? "named" : "municipality"
        kind = row["kind"] ?? (comune.isEmpty ? "world" : named)
        country = row["cc"] ?? "IT"
        provinceCode = row["sigla"] ?? ""
    }

    /// Compares the name and, if the truth file has it, the province, because several comuni share a name.
    func isComune(_ place: Place) -> Bool {
        !comune.isEmpty && place.comune?.folded == comune && (provinceCode.isEmpty || isProvince(place))
    }

    func isProvince(_ place: Place) -> Bool {
        !provinceCode.isEmpty && place.provinceCode == provinceCode
    }

    /// The first administrative level of Natural Earth is the second level of GeoNames in some countries.
    func isRegion(_ place: Place) -> Bool {
        guard !region.isEmpty else { return false }
        return place.region?.folded == region || provinceCode.isEmpty && place.province?.folded == region
    }

    /// Splits a line as RFC 4180 defines, except that quoted values cannot contain line breaks.
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
