public import Domain
import Foundation

extension Gazetteer {
    /// Places by name: whole names before beginnings before misspellings, then important before small, near before far.
    ///
    /// A qualifier after a comma or in brackets narrows: "Fisciano, SA", "Fisciano (Salerno)". Postal codes are names too.
    public func search(_ text: String, near: Coordinate? = nil, language: Language, limit: Int = 10) -> [Place] {
        matches(text, near: near, language: language, limit: limit, forgiving: true)
    }

    func matches(_ text: String, near: Coordinate?, language: Language, limit: Int, forgiving: Bool) -> [Place] {
        let question = Question(text)
        guard !question.name.isEmpty, limit > 0 else { return [] }
        var ranking = Ranking(near: near, language: language)
        for variant in question.variants { collectBeginnings(of: variant, wholeWords: !forgiving, into: &ranking) }
        var found = describe(ranking, question, language, limit)
        if found.isEmpty, forgiving {
            for variant in question.variants { collectMisspellings(of: variant, into: &ranking) }
            found = describe(ranking, question, language, limit)
        }
        return found
    }

    private func describe(_ ranking: Ranking, _ question: Question, _ language: Language, _ limit: Int) -> [Place] {
        var places: [Place] = []
        for index in ranking.ordered {
            guard let place = describe(index, language: language) else { continue }
            guard question.qualifier.isEmpty || place.lies(in: question.qualifier) else { continue }
            places.append(place)
            if places.count == limit { break }
        }
        return places
    }

    private func collectBeginnings(of name: String, wholeWords: Bool, into ranking: inout Ranking) {
        let bytes = Array(name.utf8)
        var index = firstKey(notBefore: bytes)
        while index < file.keyCount {
            let key = file.key(index)
            let text = file.stringBytes(key.text)
            guard text.starts(with: bytes) else { break }
            let rest = text.dropFirst(bytes.count)
            let endsWord = rest.first.map { $0 == UInt8(ascii: " ") } ?? true
            if endsWord || !wholeWords {
                let match: Ranking.Match =
                    rest.isEmpty ? (key.isInner ? .words : .whole) : endsWord ? .words : .beginning
                ranking.add(key.place, file.place(key.place), match, inner: key.isInner)
            }
            index += 1
        }
    }

    /// Scans the names of the same first letter, one or two edits away by length.
    private func collectMisspellings(of name: String, into ranking: inout Ranking) {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, bytes.count >= 4, bytes.count <= 40 else { return }
        let edits = bytes.count < 8 ? 1 : 2
        var index = firstKey(notBefore: [first])
        var distance = EditDistance(bytes)
        while index < file.keyCount {
            let key = file.key(index)
            let text = file.stringBytes(key.text)
            guard text.first == first else { break }
            if abs(text.count - bytes.count) <= edits, distance.measure(text, atMost: edits) {
                ranking.add(key.place, file.place(key.place), .misspelt, inner: key.isInner)
            }
            index += 1
        }
    }

    private func firstKey(notBefore bytes: [UInt8]) -> Int {
        var (low, high) = (0, file.keyCount)
        while low < high {
            let middle = (low + high) / 2
            if file.stringBytes(file.key(middle).text).lexicographicallyPrecedes(bytes) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

/// What is asked for, split into the name and what narrows it.
private struct Question {
    let name: String
    let qualifier: String

    init(_ text: String) {
        let short = text.prefix(200)
        let parts = short.split(maxSplits: 1) { $0 == "," || $0 == "(" }
        name = parts.first?.folded ?? ""
        qualifier = parts.count > 1 ? parts[1].folded : ""
    }

    /// The name as typed, and with "S." and its like spelt out.
    var variants: [String] {
        let words = name.split(separator: " ").map(String.init)
        guard let saint = words.firstIndex(where: { ["s", "st", "ss"].contains($0) }) else { return [name] }
        return [name]
            + ["san", "santa", "sant", "santo", "santi"].map { full in
                (words[..<saint] + [full] + words[(saint + 1)...]).joined(separator: " ")
            }
    }
}

extension Place {
    fileprivate func lies(in qualifier: String) -> Bool {
        [provinceCode, province, region, country, countryCode, comune].contains { name in
            guard let name = name?.folded else { return false }
            return name == qualifier || (qualifier.count > 2 && name.hasPrefix(qualifier))
        }
    }
}

/// The places found so far, each with its best score.
private struct Ranking {
    enum Match: Double {
        case misspelt = 0
        case beginning = 1
        case words = 1.6
        case whole = 2.6
    }

    private let near: Coordinate?
    private let language: Language
    private var scores: [Int: Double] = [:]

    init(near: Coordinate?, language: Language) {
        self.near = near
        self.language = language
    }

    mutating func add(_ index: Int, _ record: GazetteerFile.PlaceRecord, _ match: Match, inner: Bool) {
        var score = match.rawValue - (inner ? 0.4 : 0)
        // Ten million people weigh as much as a whole step of the match.
        score += log10(Double(record.population) + 1) / 7
        switch record.kind {
        case .seat: score += 0.25
        case .province, .region: score -= 0.3
        case .locality, .town: break
        }
        if language == .italian, record.kind != .town { score += 0.6 }
        if let near, let place = Coordinate(lon: Double(record.lon) / 1e5, lat: Double(record.lat) / 1e5) {
            score += 1 / (1 + near.greatCircle(to: place) / 50_000)
        }
        if score > scores[index] ?? -.infinity { scores[index] = score }
    }

    var ordered: [Int] {
        scores.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
