import Domain

/// The names of places in languages that `gazetteer.bin` does not have: those of the tables `countries`, `exonyms` and `regions`
/// in their folders, and of countries also those that are shown. They are found by readers of the language only.
extension Gazetteer {
    /// Returns the index of names for a language, which is made when it is first asked for.
    func names(in language: Language) -> NameIndex {
        languageNames.withLock { known in
            if let index = known[language] { return index }
            let added =
                countryNames(in: language) + rows("countries", in: language, countries(of:))
                + rows("exonyms", in: language, towns(of:)) + rows("regions", in: language, areas(of:))
            let index = names.adding(added)
            known[language] = index
            return index
        }
    }

    /// Returns the names in the last column of a table, for each of the places that the columns before it mean.
    private func rows(
        _ table: String,
        in language: Language,
        _ bearers: (ArraySlice<Substring>) -> [Int]
    ) -> [(place: Int, name: String)] {
        (language.table(table)?.rows ?? []).flatMap { row -> [(place: Int, name: String)] in
            let names = row.last?.split(separator: "|") ?? []
            return bearers(row.dropLast()).flatMap { place in names.map { (place: place, name: String($0)) } }
        }
    }

    private func countryNames(in language: Language) -> [(place: Int, name: String)] {
        places.range(.country).compactMap { place in
            places.ownCountryName(places.country(place), language).map { (place: place, name: $0) }
        }
    }

    /// - Parameter key: the code of a country.
    func countries(of key: ArraySlice<Substring>) -> [Int] {
        guard let code = key.first, let country = places.country(code: String(code)) else { return [] }
        return places.range(.country).filter { places.country($0) == country }
    }

    /// - Parameter key: the code of a country, and the name of a town there; that with most people is meant.
    func towns(of key: ArraySlice<Substring>) -> [Int] {
        let bearers = bearers(key, [.town, .comune])
        return bearers.max { places.population($0) < places.population($1) }.map { [$0] } ?? []
    }

    /// - Parameter key: the code of a country, and the name of a province, region or state there.
    func areas(of key: ArraySlice<Substring>) -> [Int] { bearers(key, [.province, .region, .admin]) }

    private func bearers(_ key: ArraySlice<Substring>, _ kinds: Set<PlaceTable.Kind>) -> [Int] {
        guard key.count == 2, let code = key.first, let name = key.last else { return [] }
        return Set(names.names(of: name.nameWords).map(names.place(ofName:))).filter { place in
            kinds.contains(places.kind(place)) && places.countryCode(places.country(place)) == code
        }
        .sorted()
    }
}
