import Domain
import Foundation

/// The encoding of a shapefile's texts, as an iconv name.
struct TextEncoding {
    static let expectation: ErrorMessage =
        "expected the name of an encoding, like UTF-8, ISO-8859-1 or 1252"

    let name: String

    /// Returns nil if iconv does not know the encoding. Accepts the forms that programs write to .cpg files: `1252`,
    /// `ANSI 1252`, `88591`, `65001`, `UTF8`.
    init?(_ text: String) {
        let stated = text.trimmingCharacters(in: Self.padding).uppercased()
        let bare = stated.filter { !" -_:/".contains($0) }
        let candidate =
            if ["65001", "CP65001"].contains(bare) {
                "UTF-8"
            } else if let part = bare.wholeMatch(of: /(?:ISO)?8859([0-9]{1,2})/)?.1 {
                "ISO-8859-\(part)"
            } else if let page = bare.wholeMatch(of: /(?:ANSI|OEM|CP|MS|IBM|WINDOWS)?([0-9]{3,4})/)?.1 {
                "CP\(page)"
            } else {
                stated
            }
        guard Self.isKnown(candidate) else { return nil }
        name = candidate
    }

    /// A byte order mark, white space, line breaks and the null character.
    static let padding = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}\0"))

    /// Only these characters are accepted, because the name is inserted into SQL; iconv's names have no others.
    private static func isKnown(_ name: String) -> Bool {
        guard name.wholeMatch(of: /[0-9A-Z._:\-]+/) != nil, let converter = iconv_open("UTF-8", name),
            converter != iconv_t(bitPattern: -1)
        else { return false }
        iconv_close(converter)
        return true
    }
}
