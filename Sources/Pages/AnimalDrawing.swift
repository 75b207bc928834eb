import Domain
import Mustache

/// The picture that a page shows instead of a photo: a drawn dog or cat, or a paw for other animals.
struct DrawingView: TemplateView {
    /// The name of a symbol in `animals.svg`.
    let animal: String?
    /// The colours of the coat and of its markings; nil if the listing says none.
    let coat, markings: String?
}

extension PageBuilder {
    /// Returns nil for a listing with photos.
    func drawing(of listing: Listing) -> DrawingView? {
        guard listing.photos.isEmpty else { return nil }
        let content = listing.content
        let colours = content[.colour].map(AnimalColours.init(of:))
        return DrawingView(
            animal: content.species == .other ? nil : content.species.rawValue, coat: colours?.coat,
            markings: colours?.markings)
    }
}

/// The colours of a drawn animal.
private struct AnimalColours {
    let coat, markings: String?

    private static let reader = ColourReader()

    /// For each colour of `ColourReader`, that of a coat and that of its lighter parts.
    private static let tones = [
        "black": ("#3a373e", "#5b5761"), "white": ("#f4eee2", "#fffdf8"), "cream": ("#f0dfbd", "#faf3e2"),
        "tan": ("#d3a063", "#e8cda3"), "brown": ("#85542f", "#b08562"), "gold": ("#dda950", "#f0d49a"),
        "red": ("#b8652f", "#dba274"), "grey": ("#8d9098", "#bfc2c8"), "brindle": ("#8f6a44", "#bb9c7c"),
        "merle": ("#a9b0ba", "#d3d8de"), "roan": ("#9a8478", "#c4b4aa"), "fawn": ("#ddb887", "#efdabd"),
    ]

    /// The first colour that a text names is that of the coat. White is the likeliest colour of markings.
    init(of text: String) {
        let reading = Self.reader.read(text)
        let names = Self.reader.names
        guard reading.first > 0, let tone = Self.tones[names[Int(reading.first) - 1]] else {
            (coat, markings) = (nil, nil)
            return
        }
        let others = names.enumerated().filter { index, _ in
            index != Int(reading.first) - 1 && reading.colours & 1 << UInt16(index) != 0
        }.map(\.element)
        let second = others.contains("white") ? "white" : others.first
        (coat, markings) = (tone.0, second.flatMap { Self.tones[$0]?.0 } ?? tone.1)
    }
}
