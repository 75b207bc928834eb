package import Domain
package import Foundation
import SQL
import SpatiaLite

/// Reads GeoNames tables of settlements (feature class P) or postal codes, in descending order of population.
///
/// The columns are described in https://download.geonames.org/export/dump/readme.txt and .../export/zip/readme.txt.
package struct GeoNamesFile {
    /// Feature codes of abandoned, destroyed and historical places, where no dog can be lost.
    private static let gone: Set<Substring> = ["PPLH", "PPLQ", "PPLW"]
    private static let maxNamesLength = 2_000

    private let scratch: StandaloneDatabase
    private let table: Table
    private var shown = 0
    package let lines: Int

    private enum Table {
        case settlements
        case postalCodes

        var columns: Int { self == .settlements ? 19 : 12 }
    }

    /// Reads the whole file into a temporary database. Throws if a line is invalid.
    package init(_ url: URL, _ file: PlaceFile, progress: (Int) -> Void = { _ in }) throws {
        table = if case .postalCodes = file { .postalCodes } else { .settlements }
        scratch = try .temporary()
        lines = try scratch.write { [table] db in
            try db.execute("CREATE TABLE line (population INTEGER, text TEXT)")
            var count = 0
            let insert = try PreparedStatement(db, "INSERT INTO line VALUES (?, ?)")
            try LineReader(url).read { text in
                count += 1
                if count.isMultiple(of: 50_000) { progress(count) }
                guard let (_, people) = try Self.parse(text, table, count, url) else { return }
                try insert.run([people, text])
            }
            try db.execute("CREATE TABLE sorted AS SELECT text FROM line ORDER BY population DESC, rowid")
            return count
        }
    }

    /// Returns the next places, at most `limit`; empty at the end.
    package mutating func next(atMost limit: Int = 5_000) throws -> [ImportedPlace] {
        let rows = try scratch.run { [shown] db in
            try db.values("SELECT text FROM sorted WHERE rowid > ? ORDER BY rowid LIMIT ?", [shown, limit]) as [String]
        }
        shown += rows.count
        return try rows.compactMap {
            try Self.place($0.split(separator: "\t", omittingEmptySubsequences: false), table)
        }
    }

    /// Returns nil for anything that is not an existing settlement. Throws if the line is not a row of the table.
    private static func parse(
        _ line: String,
        _ table: Table,
        _ number: Int,
        _ url: URL
    ) throws -> (ImportedPlace, Int)? {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == table.columns else {
            throw PlaceFileError(url, "line \(number): expected \(table.columns) columns, got \(columns.count)")
        }
        if table == .settlements, columns[6] != "P" || gone.contains(columns[7]) { return nil }
        do {
            guard let place = try place(columns, table) else {
                throw PlaceFileError(
                    url,
                    "line \(number): expected a name, a country code, and degrees of latitude and longitude"
                )
            }
            return (place, place.place.population ?? 0)
        } catch let error as PlaceText.TooLong {
            throw PlaceFileError(url, "line \(number): \(error.message)")
        }
    }

    private static func place(_ columns: [Substring], _ table: Table) throws(PlaceText.TooLong) -> ImportedPlace? {
        switch table {
        case .settlements: try settlement(columns)
        case .postalCodes: try postalCode(columns)
        }
    }

    private static func settlement(_ columns: [Substring]) throws(PlaceText.TooLong) -> ImportedPlace? {
        guard var place = place(lat: columns[4], lon: columns[5], country: columns[8]),
            let name = try PlaceText(columns[1])
        else { return nil }
        place.population = Int(columns[14]).map { max(0, $0) }
        var found = ImportedPlace(level: .settlement, name: name.text, place: place)
        var names = columns[3].prefix(maxNamesLength).split(separator: ",")
        // The last name may be truncated.
        if columns[3].count > maxNamesLength { names.removeLast() }
        found.otherNames = ([columns[2]] + names).map(String.init)
        return found
    }

    private static func postalCode(_ columns: [Substring]) throws(PlaceText.TooLong) -> ImportedPlace? {
        guard var place = place(lat: columns[9], lon: columns[10], country: columns[0]),
            let code = try PlaceText(columns[1]), let name = try PlaceText(columns[2])
        else { return nil }
        place.postalCode = code.text
        return ImportedPlace(level: .postalCode, name: name.text, place: place)
    }

    private static func place(lat: Substring, lon: Substring, country: Substring) -> Place? {
        guard let lat = Double(lat), let lon = Double(lon), let point = Coordinate(lon: lon, lat: lat),
            country.isEmpty || country.utf8.count == 2
        else { return nil }
        var place = Place(coordinate: point)
        place.countryCode = country.isEmpty ? nil : country.uppercased()
        return place
    }
}
