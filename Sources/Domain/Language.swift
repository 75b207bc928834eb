import Foundation

/// A language of the user interface: a folder of `Languages`, with its texts and the words by which people write.
public struct Language: Hashable, Sendable {
    /// The tag of the language (BCP 47), such as `it`.
    public let code: String
    /// The contents of `language.json`.
    package let properties: Properties

    package struct Properties: Decodable, Sendable {
        /// Its own name, such as "Italiano".
        package let name: String
        /// The locale whose dates and numbers it has, such as `it_IT`.
        package let locale: String
        package let direction: Direction
        /// Whether the colour of a thing stands before it, as in "red collar".
        package let coloursPrecede: Bool
        /// The country of most readers, whose towns come first in searches: `IT`. Nil if there is no such country.
        package let country: String?
        /// The position in lists of languages. The words of a language count before those of the following ones.
        package let order: Int
        /// The plural forms but `other`, with their conditions by CLDR.
        package let plurals: [String: String]

        package init(
            name: String,
            locale: String,
            direction: Direction = .leftToRight,
            coloursPrecede: Bool = false,
            country: String? = nil,
            order: Int = .max,
            plurals: [String: String] = ["one": "i = 1 and v = 0"]
        ) {
            (self.name, self.locale, self.direction) = (name, locale, direction)
            (self.coloursPrecede, self.country, self.order) = (coloursPrecede, country, order)
            self.plurals = plurals
        }
    }

    package enum Direction: String, Decodable, Sendable {
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    package init(code: String, properties: Properties) {
        (self.code, self.properties) = (code, properties)
    }

    public static func == (left: Language, right: Language) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension Language: CaseIterable, RawRepresentable {
    /// All languages that have a folder, in their order.
    public static let allCases: [Language] = Bundle.module.fileNames(in: folder).map(read)
        .sorted { ($0.properties.order, $0.code) < ($1.properties.order, $1.code) }

    private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    /// The language where none is asked for, whose texts stand for those that are missing in others.
    public static let english = known("en")
    /// That of the places of Italy's comuni.
    public static let italian = known("it")

    public var rawValue: String { code }

    /// - Returns: nil if there is no folder for the language.
    public init?(rawValue: String) {
        guard let language = Self.byCode[rawValue] else { return nil }
        self = language
    }

    private static func known(_ code: String) -> Language {
        guard let language = byCode[code] else { preconditionFailure("the program is not complete: \(folder)/\(code)") }
        return language
    }
}

extension Language {
    private static let folder = "Languages"

    private static func read(_ code: String) -> Language {
        let file = Data(Bundle.module.bytes(of: "\(folder)/\(code)/language.json"))
        do {
            return Language(code: code, properties: try JSONDecoder().decode(Properties.self, from: file))
        } catch {
            preconditionFailure("\(folder)/\(code)/language.json: \(error)")
        }
    }

    /// The translations of templates of `ErrorMessage`. English has none: the templates are its texts.
    package var errorMessages: [String: String] { Self.errorMessages[self] ?? [:] }

    private static let errorMessages = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { language in
            readErrorMessages(language.code).map { (language, $0) }
        }
    )

    private static func readErrorMessages(_ code: String) -> [String: String]? {
        let name = "\(folder)/\(code)/errors.json"
        guard let file = Bundle.module.bytesIfThere(of: name) else { return nil }
        do { return try JSONDecoder().decode([String: String].self, from: Data(file)) } catch {
            preconditionFailure("\(name): \(error)")
        }
    }

    /// Returns the bytes of a file in the language's folder.
    package func bytes(of file: String) -> [UInt8] { Bundle.module.bytes(of: "\(Self.folder)/\(code)/\(file)") }

    /// Returns nil if there is no such file in the language's folder.
    package func bytesIfThere(of file: String) -> [UInt8]? {
        Bundle.module.bytesIfThere(of: "\(Self.folder)/\(code)/\(file)")
    }

    /// Returns a table in the language's folder; nil if there is no such file. A language need not have each.
    package func table(_ name: String) -> WordTable? {
        Bundle.module.tableIfThere("\(Self.folder)/\(code)/\(name).tsv")
    }

    /// Returns the tables of this name of all languages, in their order.
    package static func tables(_ name: String) -> [(language: Language, table: WordTable)] {
        allCases.compactMap { language in language.table(name).map { (language, $0) } }
    }

    /// Returns the bytes of the tables of this name of all languages.
    package static func bytes(ofTables name: String) -> [UInt8] { tables(name).flatMap(\.table.bytes) }
}
