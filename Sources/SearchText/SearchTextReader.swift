package import Domain

/// Reads what people type into the search field: "cane nero eboli".
///
/// The longest phrase at each word wins. Of phrases of one length, words of the tables come first, then names of breeds,
/// colours, marks, words of breeds' names, and places. English and Italian are read alike.
package struct SearchTextReader: Sendable {
    private let vocabulary: SearchVocabulary
    private let finder: any PlaceFinder
    package let language: Language

    /// - Parameter language: in which places are named.
    package init(_ vocabulary: SearchVocabulary, finder: any PlaceFinder, language: Language) {
        (self.vocabulary, self.finder, self.language) = (vocabulary, finder, language)
    }

    private var breeds: Breeds { vocabulary.breeds }
    private var colours: ColourReader { vocabulary.colours }

    /// Reads the words of a text. Text of any kind is accepted; words behind the first 40 are not read.
    ///
    /// - Parameter corrections: what is read in place of folded words.
    /// - Throws: errors of the database of places.
    package func read(_ text: String, corrections: [String: String] = [:]) throws -> SearchReading {
        var scan = Scan(tokens: SearchToken.tokens(of: text, corrections))
        while scan.position < scan.tokens.count { try takeNext(&scan) }
        return scan.reading
    }

    /// Returns the town or area that a text names, and nothing else: "zona Eboli", "Eboli (SA)", "provincia di Salerno".
    package func area(named text: String) throws -> NamedArea? {
        let parts = try read(text).parts
        guard parts.count == 1, case .area(let area) = parts[0].meaning else { return nil }
        return area
    }

    /// Returns the folded name of a town that differs from a word in one letter.
    package func similarTown(to word: String) throws -> String? {
        guard case .unclear(let similar) = try finder.town(named: word, language: language) else { return nil }
        let letters = Array(word.utf8)
        return similar.lazy.compactMap { $0.name?.folded }.first { isOneEdit(letters, Array($0.utf8)) }
    }

    /// The state of reading one text.
    private struct Scan {
        let tokens: [SearchToken]
        let words: [StemmedWord]
        var position = 0
        var reading: SearchReading
        /// The joint between the last part and the next word: "and", "or", or nil where there is another word.
        var joint: String?
        /// Places are looked up in the gazetteer, which costs more than all else.
        var lookups = 0

        init(tokens: [SearchToken]) {
            self.tokens = tokens
            words = tokens.map { StemmedWord($0.folded) }
            reading = SearchReading(tokens: tokens)
        }

        var rest: ArraySlice<StemmedWord> {
            let end = tokens[position...].firstIndex(where: \.isQuoted) ?? tokens.count
            return words[position..<max(end, position)]
        }

        mutating func add(_ meaning: SearchReading.Meaning, _ range: Range<Int>) {
            let typed = tokens[range].map(\.text).joined(separator: " ")
            let isCorrected = tokens[range].contains(where: \.isCorrected)
            let read = isCorrected ? tokens[range].map(\.folded).joined(separator: " ") : nil
            reading.parts.append(SearchReading.Part(meaning: meaning, words: typed, corrected: read, range: range))
            position = max(position, range.upperBound)
            joint = nil
        }
    }

    private static let maxLookups = 24
    private static let maxPlaceWords = 4
    /// In metres: "near Eboli".
    private static let nearRadius = 15_000.0
    /// In metres: the greatest radius of a search.
    private static let maxRadius = 500_000.0

    private func takeNext(_ scan: inout Scan) throws {
        guard !scan.tokens[scan.position].isQuoted else { return takeQuoted(&scan) }
        if takeMicrochip(&scan) || takeName(&scan) { return }
        if try takeCodedPlace(&scan) { return }
        let phrase = phrase(scan.rest, isExact: true)
        // "Città di Castello" is no castle in a town.
        if try takePlace(&scan, longerThan: max(phrase?.length ?? 0, 1)) { return }
        if try takeMarkedPlace(&scan) { return }
        if takeThing(&scan) { return }
        // Bologna is no other form of Bolognese.
        if phrase == nil, try takePlace(&scan, longerThan: 0) { return }
        if let phrase = phrase ?? self.phrase(scan.rest) { return take(phrase, &scan) }
        scan.add(.text(scan.words[scan.position].text), scan.position..<scan.position + 1)
    }

    private func takeQuoted(_ scan: inout Scan) {
        let end = scan.tokens[scan.position...].firstIndex { !$0.isQuoted } ?? scan.tokens.count
        let range = scan.position..<end
        scan.add(.text(scan.words[range].phrase), range)
    }

    /// Takes the word behind one that says that a name follows: "si chiama Bianca".
    private func takeName(_ scan: inout Scan) -> Bool {
        guard let length = startsWith(.name, scan.rest), scan.rest.count > length else { return false }
        let name = scan.words[scan.position + length].text
        scan.add(.name(name), scan.position..<scan.position + length + 1)
        return true
    }

    /// Takes a number of 15 digits, also with spaces between them. Other forms of chips are like other words.
    private func takeMicrochip(_ scan: inout Scan) -> Bool {
        var digits = ""
        for (count, word) in scan.rest.lazy.map(\.text).enumerated() {
            guard word.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
            digits += word
            guard digits.utf8.count < 15 else {
                guard digits.utf8.count == 15, let chip = try? Microchip(parsing: digits) else { return false }
                scan.add(.microchip(chip), scan.position..<scan.position + count + 1)
                return true
            }
        }
        return false
    }
}

// MARK: - Phrases

extension SearchTextReader {
    private struct Phrase {
        enum Source {
            case entries([SearchWords.Entry])
            case breeds([String])
            case colours(Set<String>, SearchReading.ColourMatch)
            case marks([String])
        }

        let length: Int
        let source: Source
    }

    /// Returns the longest phrase with a meaning at the beginning of the words.
    ///
    /// - Parameter isExact: whether other forms of the words are left out.
    private func phrase(_ words: ArraySlice<StemmedWord>, isExact: Bool = false) -> Phrase? {
        guard let first = words.first else { return nil }
        let most = min(words.count, vocabulary.maxLength(ofPhraseFrom: first))
        for length in stride(from: most, to: 0, by: -1) {
            let phrase = words.prefix(length)
            if let source = source(phrase) ?? (isExact ? nil : sourceLike(phrase)) {
                return Phrase(length: length, source: source)
            }
        }
        return nil
    }

    /// Returns the meaning of a phrase with the same stems.
    private func sourceLike(_ words: ArraySlice<StemmedWord>) -> Phrase.Source? {
        vocabulary.phrase(like: words).flatMap { source($0.stemmedWords[...]) }
    }

    private func source(_ words: ArraySlice<StemmedWord>) -> Phrase.Source? {
        let phrase = words.phrase
        if let entries = SearchWords.shared.entries[phrase], entries.contains(where: \.kind.isMeaning) {
            return .entries(entries)
        }
        if isBreed(words), !hasColourBeside(words), let keys = breedKeys(phrase),
            keys != [Self.commonCat] || colours.colours(ofPhrase: phrase) == nil
        {
            return .breeds(keys)
        }
        if let found = colours.colours(ofPhrase: phrase) {
            return .colours(
                found, colours.choices.contains(phrase) ? .any : colours.compounds.contains(phrase) ? .exactly : .all)
        }
        if let marks = MarkReader.shared.marks(words) { return .marks(marks) }
        if words.count == 1, breeds.isPartOfNames(phrase), SearchWords.shared.entries(phrase, .plain).isEmpty,
            let keys = breedKeys(phrase)
        {
            return .breeds(keys)
        }
        return nil
    }

    /// The breed of cats without one, of which some names are those of colours: "tabby".
    private static let commonCat = "domestic_cat"

    /// Whether the words are a colour beside the name of a breed or the word for an animal: "labrador nero", "black lab",
    /// "white dog". The colour is read by itself then, though some of these are names of breeds as well.
    private func hasColourBeside(_ words: ArraySlice<StemmedWord>) -> Bool {
        guard words.count > 1, let first = words.first, let last = words.last else { return false }
        if colours.colours(ofPhrase: last.text) != nil, isBreed(words.dropLast()) { return true }
        guard colours.colours(ofPhrase: first.text) != nil else { return false }
        let rest = words.dropFirst().phrase
        return !SearchWords.shared.entries(rest, .species).isEmpty
            || isBreed(words.dropFirst()) && breedKeys(rest) == breedKeys(words.phrase)
    }

    private func isBreed(_ words: ArraySlice<StemmedWord>) -> Bool { breeds.reader.isName(words.lazy.map(\.text)) }

    private func breedKeys(_ phrase: String) -> [String]? {
        let keys = breeds.group(named: phrase).breeds.map(\.key)
        return keys.isEmpty ? nil : keys
    }

    private func take(_ phrase: Phrase, _ scan: inout Scan) {
        let range = scan.position..<scan.position + phrase.length
        switch phrase.source {
        case .entries(let entries): take(entries, range, &scan)
        case .breeds(let keys): scan.add(keys == [Breed.mixedKey] ? .cross : .breeds(keys), range)
        case .colours(let found, let match): add(found, match, range, &scan)
        case .marks(let names): scan.add(.marks(names), range)
        }
    }

    private func take(_ entries: [SearchWords.Entry], _ range: Range<Int>, _ scan: inout Scan) {
        let meanings = entries.compactMap(\.meaning)
        for meaning in meanings { scan.add(meaning, range) }
        guard meanings.isEmpty else { return }
        scan.joint = entries.first { $0.kind == .joint }?.value
        scan.position = range.upperBound
        // "Black coat" and "nero di pelo": words for the coat say nothing behind its colour, or before it.
        guard entries.contains(where: { $0.kind == .coat && $0.value == "hair" }), !isColour(scan.rest),
            !scan.reading.endsWithColours(at: range.lowerBound)
        else { return }
        scan.add(.text(scan.words[range].phrase), range)
    }

    private func isColour(_ words: ArraySlice<StemmedWord>) -> Bool {
        if case .colours? = phrase(words)?.source { return true }
        return false
    }

    /// Joins colours to those before them: "bianco e nero".
    private func add(
        _ found: Set<String>,
        _ match: SearchReading.ColourMatch,
        _ range: Range<Int>,
        _ scan: inout Scan
    ) {
        guard let last = scan.reading.parts.last, case .colours(let known, let before) = last.meaning,
            last.range.upperBound == range.lowerBound
                || scan.joint != nil && last.range.upperBound + 1 == range.lowerBound,
            // "Bianco e beige" are two parts, because beige alone is a choice.
            scan.joint == "or" || before != .any && match != .any
        else { return scan.add(.colours(found, match), range) }
        // "Black or brown and white": the last colour is one more choice.
        let isOr = scan.joint == "or" || before == .any
        scan.reading.parts.removeLast()
        scan.add(.colours(known.union(found), isOr ? .any : .all), last.range.lowerBound..<range.upperBound)
    }

    /// Takes a thing with its colour: "collare rosso", "collare di colore rosso", "red collar". Both words are searched in the
    /// texts, because the colour is not that of the coat.
    private func takeThing(_ scan: inout Scan) -> Bool {
        guard let found = MarkReader.shared.thingWithColour(scan.rest) else { return false }
        scan.add(.marks([found.mark]), scan.position..<scan.position + found.length)
        return true
    }
}

// MARK: - Places

extension SearchTextReader {
    /// Takes a place behind words that say that one follows: "vicino a Eboli", "entro 10 km da Eboli", "in Toscana".
    private func takeMarkedPlace(_ scan: inout Scan) throws -> Bool {
        let words = scan.rest
        if let (length, radius) = distance(words) {
            guard let found = try place(words.dropFirst(length), &scan) else { return false }
            return add(found, behind: length, radius: radius, &scan)
        }
        for kind in [SearchWords.Kind.province, .near, .in] {
            for length in (1...3).reversed() where length < words.count {
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
    private func takeCodedPlace(_ scan: inout Scan) throws -> Bool {
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
    private func takePlace(_ scan: inout Scan, longerThan length: Int) throws -> Bool {
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

    private func startsWith(_ kind: SearchWords.Kind, _ words: ArraySlice<StemmedWord>) -> Int? {
        (1...3).reversed().first { length in
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

extension SearchReading {
    fileprivate func endsWithColours(at index: Int) -> Bool {
        guard let last = parts.last, case .colours = last.meaning else { return false }
        return last.range.upperBound == index
    }
}

extension SearchWords.Kind {
    /// Whether the words have a meaning without others, or none at all. Other words only lead to a place.
    fileprivate var isMeaning: Bool {
        switch self {
        case .species, .breeds, .status, .sex, .size, .age, .mixed, .coat, .joint, .empty, .near: true
        case .thing, .tint, .plain, .name, .material, .within, .unit, .from, .province, .in, .nearBehind, .inBehind,
            .provinceBehind:
            false
        }
    }
}

extension SearchWords.Entry {
    fileprivate var meaning: SearchReading.Meaning? {
        switch kind {
        case .species: Species(rawValue: value).map { .species($0) }
        case .status: .statuses(value.split(separator: " ").compactMap { Listing.Status(rawValue: String($0)) })
        case .sex: Listing.Sex(rawValue: value).map { .sex($0) }
        case .size: Listing.Size(rawValue: value).map { .size($0) }
        case .age: SearchReading.Age(rawValue: value).map { .age($0) }
        case .mixed: .cross
        case .breeds: .breeds(value.split(separator: " ").map(String.init))
        default: nil
        }
    }
}
