package import Foundation

/// An error in a breed table, with its line number, counted from 1.
package struct BreedTableError: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let message: String

    package var description: String { "breeds, line \(line): \(message)" }
}

extension Breeds {
    /// Parses the tab-separated table that `geodata/BREEDS.md` describes.
    package init(tsv data: Data) throws(BreedTableError) {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw BreedTableError(line: 1, message: "not UTF-8")
        }
        try self.init(tsv: text)
    }

    package init(tsv text: String) throws(BreedTableError) {
        var table = BreedTable()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if index == 0 {
                try BreedTable.check(header: line)
            } else if !line.isEmpty {
                try table.add(line, at: index + 1)
            }
        }
        self.init(table.breeds, keys: table.keys, positions: table.positions)
    }
}

private struct BreedTable {
    private static let columns = [
        "key", "species", "name", "synonyms", "fci_number", "fci_group", "frequency",
    ]

    /// The names of breeds in other languages than English, by their keys.
    private static let translations = Dictionary(
        uniqueKeysWithValues: Language.tables("breeds").map { language, table in
            (language, Dictionary(table.rows.map { (String($0[0]), String($0[1])) }) { first, _ in first })
        }
    )

    var breeds: [Breed] = []
    var keys: [String: Int] = [:]
    var positions: [String: Int] = [:]

    static func check(header: Substring) throws(BreedTableError) {
        guard header.split(separator: "\t").map(String.init) == columns else {
            throw BreedTableError(line: 1, message: "expected the columns \(columns.joined(separator: " "))")
        }
    }

    mutating func add(_ line: Substring, at number: Int) throws(BreedTableError) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == Self.columns.count else {
            throw BreedTableError(line: number, message: "expected \(Self.columns.count) fields, found \(fields.count)")
        }
        let breed = try Self.breed(fields, at: number)
        guard keys.updateValue(breeds.count, forKey: breed.key) == nil else {
            throw BreedTableError(line: number, message: "the key \(breed.key) is taken")
        }
        for name in [breed.key] + breed.names + breed.synonyms { try register(name, of: breed, at: number) }
        breeds.append(breed)
    }

    private mutating func register(_ name: String, of breed: Breed, at number: Int) throws(BreedTableError) {
        let folded = name.folded
        guard !folded.isEmpty else { throw BreedTableError(line: number, message: "\(breed.key) has an empty name") }
        if let other = positions.updateValue(breeds.count, forKey: folded), other != breeds.count {
            throw BreedTableError(line: number, message: "\"\(name)\" of \(breed.key) also names \(breeds[other].key)")
        }
    }

    private static func breed(_ fields: [String], at number: Int) throws(BreedTableError) -> Breed {
        guard isKey(fields[0]) else {
            throw BreedTableError(line: number, message: "key: expected lower-case ASCII words joined by _")
        }
        guard let species = Species(rawValue: fields[1]) else {
            throw BreedTableError(line: number, message: "species: expected dog, cat or other")
        }
        guard let frequency = Int(fields[6]), frequency >= 0 else {
            throw BreedTableError(line: number, message: "frequency: expected a number from 0")
        }
        return Breed(
            key: fields[0],
            species: species,
            name: fields[2],
            translations: translations.compactMapValues { $0[fields[0]] },
            synonyms: fields[3].split(separator: "|").map(String.init),
            fciNumber: try optionalNumber(fields[4], "fci_number", at: number),
            fciGroup: try optionalNumber(fields[5], "fci_group", at: number),
            frequency: frequency
        )
    }

    /// A regular expression would be compiled for each row: 25 times as long.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        }
    }

    private static func optionalNumber(_ field: String, _ name: String, at line: Int) throws(BreedTableError) -> Int? {
        if field.isEmpty { return nil }
        guard let number = Int(field), number > 0 else {
            throw BreedTableError(line: line, message: "\(name): expected a number from 1, or nothing")
        }
        return number
    }
}
