import CSV
import Domain
import Foundation
import Imports
import Matching

/// The files of `matches evaluate`.
enum MatchFiles {
    /// Reads listings. Columns may be in any order and have the names that imports accept; only the reference, the point and
    /// the day are required.
    static func entries(
        _ file: String,
        areLost: Bool,
        vectors: [String: [[Int8]]],
        _ reader: MatchReader,
        progress: (Int) -> Void
    ) throws -> [MatchEvaluation.Entry] {
        var entries: [MatchEvaluation.Entry] = []
        var references: Set<String> = []
        try ListingRecords.read(file) { record in
            let entry: MatchEvaluation.Entry
            do {
                entry = try record.matchEntry(isLost: areLost, vectors, reader)
                guard references.insert(entry.reference).inserted else {
                    throw ServiceError.invalid("reference", "\(entry.reference) is in two rows")
                }
            } catch let error as ServiceError {
                throw ServiceError(.invalid, "\(file), \(record.position): \(error.message)")
            }
            entries.append(entry)
            if entries.count.isMultiple(of: 1000) { progress(entries.count) }
        }
        guard !entries.isEmpty else { throw ServiceError.invalid(file, "expected at least one listing") }
        return entries
    }

    /// Reads the vectors of photos by the references of listings, in the order of the rows.
    static func vectors(_ file: String) throws -> [String: [[Int8]]] {
        var reader = try CSVReader(FileHandle(forReadingFrom: inputFile(file)))
        var vectors: [String: [[Int8]]] = [:]
        while let row = try reader.next() {
            guard let reference = row["reference"], let vector = row["vector"].flatMap({ Data(base64Encoded: $0) })
            else {
                throw ServiceError.invalid(file, "line \(row.line): expected a reference and a vector in Base64")
            }
            vectors[reference, default: []].append(vector.map(Int8.init(bitPattern:)))
        }
        return vectors
    }

    /// Reads the references of the right lost listings for each found one.
    static func truth(_ file: String) throws -> [String: Set<String>] {
        var reader = try CSVReader(FileHandle(forReadingFrom: inputFile(file)))
        var links: [String: Set<String>] = [:]
        for column in ["found_reference", "lost_reference"] where !reader.header.names.contains(column) {
            throw ServiceError.invalid(file, "expected a column \(column)")
        }
        while let row = try reader.next() {
            guard let found = row["found_reference"], let lost = row["lost_reference"], !found.isEmpty, !lost.isEmpty
            else {
                throw ServiceError.invalid(file, "line \(row.line): expected a found_reference and a lost_reference")
            }
            links[found, default: []].insert(lost)
        }
        return links
    }
}

extension ListingRecords.Record {
    fileprivate func matchEntry(
        isLost: Bool, _ vectors: [String: [[Int8]]], _ reader: MatchReader
    ) throws -> MatchEvaluation.Entry {
        guard let reference = try text(.reference) ?? text("id") else {
            throw ServiceError.invalid("reference", "expected a reference")
        }
        var description = MatchDescription(
            isLost: isLost,
            species: try text(.species).map { Species(rawValue: $0) ?? .other } ?? .dog,
            coordinate: try coordinate(),
            day: try day()
        )
        description.breed = try text(.breed)
        description.colour = try text(.colour)
        description.sex = try text(.sex).flatMap(Listing.Sex.init)
        description.size = try text(.size).flatMap(Listing.Size.init)
        description.age = try text(.age)
        description.marks = try text(.marks)
        description.collar = try text(.collar)
        description.description = try text(.description)
        description.microchip = try text(.microchip)
        description.photoVectors = vectors[reference] ?? []
        return .init(reference: reference, subject: reader.subject(description), age: description.age ?? "")
    }

    private func coordinate() throws -> Coordinate {
        guard let lon = number(.lon), let lat = number(.lat), let point = Coordinate(lon: lon, lat: lat) else {
            throw ServiceError.invalid("lon and lat", "expected degrees, like 14.25 and 40.85")
        }
        return point
    }

    /// The local calendar day: of a time with an offset, the day as it is written.
    private func day() throws -> Int {
        guard let text = try text(.lastSeenAt), let time = Timestamp(parsing: text) else {
            throw ServiceError.invalid("last_seen_at", Timestamp.expectation)
        }
        let written = Timestamp(parsing: String(text.prefix(10))) ?? time
        return Int((Double(written.milliseconds) / 86_400_000).rounded(.down))
    }
}
