/// The facets by which searches find listings by their colours.
package enum CoatFacets {
    /// Returns a facet for each colour that people may call one of a coat.
    ///
    /// - Parameter coat: names of `ColourReader`.
    package static func colours(_ coat: Set<String>) -> Set<String> {
        var all = coat
        // The tan of a black and tan dog is a marking, which nobody calls fawn; a dog that is all tan is.
        if coat.contains("fawn") { all.insert("tan") }
        if coat == ["tan"] { all.insert("fawn") }
        return Set(all.map(colour))
    }

    /// Returns the colours of a cat: the third of a cat with three is red.
    package static func ofCat(_ coat: Set<String>) -> Set<String> {
        coat == ["black", "white", "tan"] ? ["black", "white", "red"] : coat
    }

    package static let white = "white"

    /// Returns for each of some colours the facets of coats that have it, of which one is enough. Beside another colour, many
    /// say brown for tan: "bianco, nero e marrone" is a tricolour.
    package static func clauses(_ names: Set<String>) -> [Set<String>] {
        let isCompound = names.subtracting(["brown", "tan"]).count > 0
        let browns: Set<String> = ["brown", "tan"]
        guard isCompound, !names.isDisjoint(with: browns) else { return names.sorted().map { [colour($0)] } }
        return names.subtracting(browns).sorted().map { [colour($0)] } + [Set(browns.map(colour))]
    }

    private static func colour(_ name: String) -> String { "colour:\(name)" }

    /// Returns the facet of coats of exactly these colours.
    package static func coat(_ coat: Set<String>) -> String {
        let alike = coat.count > 1 ? ["fawn", "brown"] : ["fawn"]
        return "coat:" + Set(coat.map { alike.contains($0) ? "tan" : $0 }).sorted().joined(separator: "+")
    }
}
