import CSV
package import Domain
package import Storage

/// All listings of a search as a file, produced in parts, so that large files need little memory.
package struct ListingFile: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case geojson
        case csv
    }

    private let format: Format
    private let search: ListingSearch
    private let base: String
    private let full: Bool
    private let titles: FeatureTitles?
    private let columns: [ListingColumn]
    private let csv = CSVWriter()
    private var query: ListingQuery
    private var isBegun = false
    private var hasFeatures = false
    private var isComplete = false

    /// - Parameters:
    ///   - query: the search; its limit is the number of listings per part.
    ///   - base: the prefix for the paths of photos.
    ///   - full: whether to include private fields.
    ///   - titles: the titles of features; nil for features without one.
    package init(
        _ format: Format,
        of query: ListingQuery,
        with search: ListingSearch,
        base: String = "",
        full: Bool,
        titles: FeatureTitles? = nil
    ) {
        let columns = ListingColumn.all.filter { full || !$0.isPrivate }
        self.init(format, columns, of: query, with: search, base: base, full: full, titles: titles)
    }

    /// A CSV file with the columns of another program, with private fields.
    ///
    /// - Parameters:
    ///   - query: as above.
    ///   - records: what is noted of the animals, by the `Listing.key`.
    ///   - base: the prefix for the paths of photos.
    ///   - day: returns the day of a moment where a listing is, such as `2026-11-12`.
    package init(
        for program: ShelterProgram,
        of query: ListingQuery,
        with search: ListingSearch,
        records: [Int64: AnimalRecord],
        base: String,
        day: @escaping @Sendable (Timestamp, ListingLocation) -> String
    ) {
        self.init(.csv, program.columns(records, base: base, day: day), of: query, with: search, base: base, full: true)
    }

    private init(
        _ format: Format,
        _ columns: [ListingColumn],
        of query: ListingQuery,
        with search: ListingSearch,
        base: String,
        full: Bool,
        titles: FeatureTitles? = nil
    ) {
        (self.format, self.search, self.base, self.full) = (format, search, base, full)
        (self.titles, self.query, self.columns) = (titles, query, columns)
    }

    /// Returns the next part; nil after the last one. No read is open between two parts, because a long read would
    /// prevent the write-ahead log from being copied into the database.
    package mutating func next() throws -> [UInt8]? {
        guard !isComplete else { return nil }
        var piece: [UInt8] = []
        if !isBegun { begin(&piece) }
        query.cursor = try format == .csv ? appendRows(to: &piece) : appendFeatures(to: &piece)
        isBegun = true
        isComplete = query.cursor == nil
        if isComplete, format == .geojson { piece += "\n]}\n".utf8 }
        return piece
    }

    private func begin(_ piece: inout [UInt8]) {
        switch format {
        case .geojson: piece += "{\"type\":\"FeatureCollection\",\"features\":[\n".utf8
        case .csv: csv.append(columns.map(\.name), to: &piece)
        }
    }

    private func appendRows(to piece: inout [UInt8]) throws -> ListingQuery.Cursor? {
        try search.find(query) { row, _ in
            csv.append(try columns.map { try $0.cell(row, full) ?? "" }, to: &piece)
        }
    }

    private mutating func appendFeatures(to piece: inout [UInt8]) throws -> ListingQuery.Cursor? {
        func append(_ write: (inout JSONWriter) throws -> Void) rethrows {
            var json = JSONWriter()
            try write(&json)
            if hasFeatures { piece += ",\n".utf8 }
            json.withBytes { piece += $0 }
            hasFeatures = true
        }
        if !full, query.isOpen {
            return try search.findFeatures(query) { feature, _ in
                append { $0.feature(begun: feature, base: base, titles: titles) }
            }
        }
        return try search.find(query) { row, _ in
            try append { try $0.feature(row, base: base, full: full, titles: titles) }
        }
    }
}
