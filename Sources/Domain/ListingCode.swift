/// The short code of a listing, for paper and the telephone: seven letters and digits, such as `7KF3M2Q`.
///
/// Codes are random, so that neither a neighbour's code nor the time of a post tells one.
package struct ListingCode: Hashable, Sendable {
    /// Capital letters and digits without those that look or sound alike (0 and O, 1, I and L), and without the vowels, so
    /// that no word arises.
    package static let alphabet = "23456789BCDFGHJKMNPQRSTVWXZ"
    package static let length = 7

    private static let letters = Array(alphabet.utf8)
    private static let allowed = Set(letters)

    package let text: String

    private init(_ letters: [UInt8]) { text = String(decoding: letters, as: UTF8.self) }

    /// Returns a random code, from the random numbers of the system.
    package static func random() -> ListingCode {
        var generator = SystemRandomNumberGenerator()
        return ListingCode((0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }

    /// Returns nil if the text is not exactly a code.
    package init?(_ text: String) {
        let letters = Array(text.utf8)
        guard letters.count == Self.length, letters.allSatisfy(Self.allowed.contains) else { return nil }
        self.init(letters)
    }

    /// Reads a code as a person types it: in any case, and with spaces and hyphens of any kind.
    ///
    /// - Returns: nil if the text is not a code.
    package init?(typed text: String) {
        let scalars = text.unicodeScalars
        // Longer texts are no codes with separators.
        guard scalars.count <= Self.maxTypedLength else { return nil }
        let letters = scalars.filter { !$0.properties.isWhitespace && !$0.properties.isDash }
        // Some letters outside of ASCII have capitals in it.
        guard letters.allSatisfy(\.isASCII) else { return nil }
        self.init(String(String.UnicodeScalarView(letters)).uppercased())
    }

    private static let maxTypedLength = 40

    /// The code in two groups, for people to read: `7KF-3M2Q`.
    package var grouped: String { "\(text.prefix(3))-\(text.dropFirst(3))" }

    /// The path of the address that leads to the listing.
    package var path: String { "/l/\(text)" }
}
