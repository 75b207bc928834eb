import Domain

/// The places of a search.
extension SearchTextReader {
    private static let maxLookups = 24
    private static let maxPlaceWords = 4
    /// In metres: "near Eboli".
    private static let nearRadius = 15_000.0
    /// In metres: the greatest radius of a search.
    private static let maxRadius = 500_000.0

    /// Takes a place behind words that say that one follows: "vicino a Eboli", "entro 10 km da Eboli", "in Toscana".
    func takeMarkedPlace(_ scan: inout Scan) throws -> Bool {
        let words = scan.rest
        if let (length, radius) = distance(words) {
            guard let found = try place(words.dropFirst(length), &scan) else { return false }
            return add(found, behind: length, radius: radius, &scan)
        }
        for kind in [SearchWords.Kind.province, .near, .in] {
            for length in (1...SearchWords.shared.longest).reversed() where length < words.count {
                guard !SearchWords.shared.entries(words.prefix(length).phrase, kind).isEmpty,
                    kind != .in || !saysMore(words.dropFirst(length)),
                    let found = try place(words.dropFirst(length), &scan, isProvince: kind == .province)
                else { continue }
                return add(found, behind: length, radius: kind == .near ? Self.nearRadius : nil, &scan)
            }
        }
        return false
    }

    /// Whether the next words mean something else than a place: "cucciolo di labrador" is no puppy in Labrador.
    private func saysMore(_ words: ArraySlice<StemmedWord>) -> Bool {
        switch phrase(words, isExact: true)?.source {
        case .breeds, .colours, .marks: true
        case .entries(let entries): entries.contains { $0.meaning != nil }
        case nil: false
        }
    }

    /// Takes a town with the code of its province: "Castro (LE)" is no Castro Laboreiro.
    func takeCodedPlace(_ scan: inout Scan) throws -> Bool {
        let words = scan.rest
        for (length, word) in words.enumerated().prefix(Self.maxPlaceWords + 1).dropFirst() {
            let code = word.text
            guard code.utf8.count == 2, scan.lookups < Self.maxLookups, mayBePlace(words.prefix(length)) else {
                continue
            }
            scan.lookups += 1
            let name = words.prefix(length).phrase
            let places = try finder.places(called: name, language: language)
            guard let town = places.first(where: { $0.provinceCode?.lowercased() == code && $0.level == .comune })
            else {
                continue
            }
            return add(FoundPlace(place: town, length: length + 1, name: name), behind: 0, radius: nil, &scan)
        }
        return false
    }

    /// Takes a place that no word announces.
    ///
    /// - Parameter length: the number of words that have another meaning together. Only longer names are places.
    func takePlace(_ scan: inout Scan, longerThan length: Int) throws -> Bool {
        guard var found = try place(scan.rest, &scan, longerThan: length), isKnown(found.place) else { return false }
        found.isBare = true
        return add(found, behind: 0, radius: nil, &scan)
    }

    private struct FoundPlace {
        var place: Place
        var length: Int
        var name: String
        var radius: Double?
        var isBare = false
    }

    /// Returns the place with the longest name at the beginning of the words.
    private func place(
        _ words: ArraySlice<StemmedWord>,
        _ scan: inout Scan,
        longerThan least: Int = 0,
        isProvince: Bool = false
    ) throws -> FoundPlace? {
        for length in stride(from: min(words.count, Self.maxPlaceWords), to: least, by: -1) {
            let name = words.prefix(length)
            guard scan.lookups < Self.maxLookups, mayBePlace(name) else { continue }
            scan.lookups += 1
            let joined = name.phrase
            let places = try finder.places(called: joined, language: language)
            let rest = words.dropFirst(length)
            let wantsProvince = isProvince || startsWith(.provinceBehind, rest) != nil
            let province = wantsProvince ? places.first { $0.level == .province } : nil
            guard var found = province ?? places.town ?? places.first else { continue }
            var end = length + (province == nil || isProvince ? 0 : startsWith(.provinceBehind, rest) ?? 0)
            // "Eboli SA" and "Eboli (SA)".
            if let code = rest.first?.text, code.utf8.count == 2,
                let coded = places.first(where: { $0.provinceCode?.lowercased() == code && $0.level <= .comune })
            {
                (found, end) = (coded, end + 1)
            }
            var result = FoundPlace(place: found, length: end, name: joined)
            if province == nil, let near = startsWith(.nearBehind, words.dropFirst(end)) {
                (result.radius, result.length) = (Self.nearRadius, end + near)
            } else if found.level <= .comune, let behind = startsWith(.inBehind, words.dropFirst(end)) {
                result.length = end + behind
            }
            return result
        }
        return nil
    }

    /// Whether words may be the name of a place: the first and the last one say something.
    private func mayBePlace(_ words: ArraySlice<StemmedWord>) -> Bool {
        guard let first = words.first?.text, let last = words.last?.text else { return false }
        guard words.count > 1 || first.utf8.count >= 3 else { return false }
        return [first, last].allSatisfy { word in
            SearchWords.shared.entries[word]?.contains { $0.kind == .empty || $0.kind == .joint || $0.kind == .species }
                != true
                || word == first && words.count > 1 && SearchWords.shared.entries(word, .species).isEmpty
        }
    }

    /// Whether a place is so well known, or so near, that its name alone means it: a comune in Italy, a city, an area, or a
    /// town in the area of the site. Hamlets have the names of many animals.
    private func isKnown(_ place: Place) -> Bool {
        place.level > .comune || place.level == .comune && place.countryCode == "IT"
            || place.population ?? 0 >= Self.cityPopulation || finder.region?.contains(place.coordinate) == true
    }

    private static let cityPopulation = 500_000

    func startsWith(_ kind: SearchWords.Kind, _ words: ArraySlice<StemmedWord>) -> Int? {
        (1...SearchWords.shared.longest).reversed().first { length in
            length <= words.count
                && !SearchWords.shared.entries(words.prefix(length).phrase, kind).isEmpty
        }
    }

    /// Reads "entro 10 km da", "within 5 miles of", "10km da". Returns the number of words and the metres.
    private func distance(_ words: ArraySlice<StemmedWord>) -> (length: Int, metres: Double)? {
        let start = startsWith(.within, words) ?? 0
        var rest = words.dropFirst(start)
        guard let word = rest.first?.text, let number = Double(word.prefix(6).prefix { $0.isASCIIDigit }), number > 0
        else {
            return nil
        }
        var unit = String(word.drop { $0.isASCIIDigit })
        rest = rest.dropFirst()
        if unit.isEmpty {
            unit = rest.first?.text ?? ""
            rest = rest.dropFirst()
        }
        guard let metres = SearchWords.shared.entries(unit, .unit).first.flatMap({ Double($0.value) }),
            let from = startsWith(.from, rest)
        else { return nil }
        rest = rest.dropFirst(from)
        return (words.count - rest.count, min(number * metres, Self.maxRadius))
    }

    /// How far from the outlines the listings of an area may be, for example at sea, in degrees.
    private static func margin(_ level: Place.Level) -> Double { level == .country ? 1 : 0.2 }
    /// How far a town may extend from its centre, in degrees: Rome, the widest of Italy, is 0.4 degrees wide.
    private static let townDegrees = 0.5

    private func extent(of place: Place) -> BoundingBox? {
        guard place.level > .comune else { return BoundingBox(around: place.coordinate, reach: Self.townDegrees) }
        return finder.extent(of: place)?.expanded(by: Self.margin(place.level))
    }

    private func add(_ found: FoundPlace, behind start: Int, radius: Double?, _ scan: inout Scan) -> Bool {
        var area = NamedArea(found.place, named: found.name)
        area.radius = radius ?? found.radius
        area.isBare = found.isBare && area.radius == nil
        area.extent = extent(of: found.place)
        scan.add(.area(area), scan.position..<scan.position + start + found.length)
        return true
    }
}

extension NamedArea {
    /// - Parameter typed: the folded name by which the place was found, which may be in another language.
    fileprivate init(_ place: Place, named typed: String) {
        name = place.name ?? typed
        level = place.level
        places = Set([typed, place.name?.folded].compactMap(\.self))
        countryCode = place.level == .country ? place.countryCode : nil
        centre = place.coordinate
    }
}

extension [Place] {
    /// The town that gives its name to the first place, if that is a province.
    fileprivate var town: Place? {
        guard let area = first, area.level == .province else { return nil }
        return first { $0.level == .comune && $0.countryCode == area.countryCode && $0.province == area.province }
    }
}
