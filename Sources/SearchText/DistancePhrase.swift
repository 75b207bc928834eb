package import Domain

/// Writes places as `SearchTextReader` reads them.
package enum DistancePhrase {
    /// Returns "entro 25 km da Eboli" or "within 25 km of Eboli".
    package static func within(_ kilometres: Int, of place: String, _ language: Language) -> String {
        let forms = SearchWords.shared.distances
        return (forms[language] ?? forms[.english] ?? "").replacing("{n}", with: String(kilometres))
            .replacing("{place}", with: place)
    }
}
