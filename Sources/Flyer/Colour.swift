import Domain

/// Red, green and blue in sRGB, from 0 to 1.
struct Colour: Equatable {
    let red: Double
    let green: Double
    let blue: Double

    static let white = Colour(red: 1, green: 1, blue: 1)
    static let black = Colour(red: 0, green: 0, blue: 0)
    /// Light enough for black text, even on a black-and-white printer.
    static let yellow = Colour(red: 1, green: 0.84, blue: 0.1)
    static let paper = Colour(red: 0.94, green: 0.92, blue: 0.89)
    /// The colour of the site's icon.
    static let brand = Colour(red: 0.66, green: 0.23, blue: 0.05)
    static let grey = Colour(red: 0.33, green: 0.33, blue: 0.33)
}

extension Listing.Status {
    /// Dark enough for white text, even on a black-and-white printer.
    var colour: Colour {
        switch self {
        case .lost: Colour(red: 0.76, green: 0.05, blue: 0.13)
        case .found: Colour(red: 0.02, green: 0.42, blue: 0.24)
        case .sighted: Colour(red: 0.05, green: 0.31, blue: 0.60)
        case .reunited: Colour(red: 0.35, green: 0.18, blue: 0.52)
        case .closed: .grey
        }
    }
}
