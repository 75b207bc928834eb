import Domain
import Matching

/// A listing that a match compares with another one.
struct MatchCandidate {
    let key: Int64
    /// In metres between the public points, lengthened by their uncertainty.
    let distance: Double
    let subject: MatchSubject
}

/// The candidates of a listing. Their subjects stay encoded, a third of their size in memory, because one search reads
/// tens of thousands and copies of them took a sixth of its time.
struct MatchCandidates: RandomAccessCollection {
    /// What is needed of all candidates before the first is compared.
    private struct Entry {
        let key: Int64
        let distance: Double
        let coordinate: Coordinate
        let firstBreed: Int
        let bytes: Range<Int>
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }
    var coordinates: [Coordinate] { entries.map(\.coordinate) }
    var firstBreeds: [Int] { entries.map(\.firstBreed) }

    subscript(position: Int) -> MatchCandidate {
        let entry = entries[position]
        return MatchCandidate(key: entry.key, distance: entry.distance, subject: subject(at: position))
    }

    func key(at position: Int) -> Int64 { entries[position].key }

    func distance(at position: Int) -> Double { entries[position].distance }

    func subject(at position: Int) -> MatchSubject {
        let range = entries[position].bytes
        let subject = bytes.withUnsafeBytes { MatchSubject(encoded: UnsafeRawBufferPointer(rebasing: $0[range])) }
        guard let subject else { preconditionFailure("only bytes that were decoded before are appended") }
        return subject
    }

    /// Appends a candidate whose subject is encoded. Returns false, and appends nothing, if the bytes are not those of a
    /// subject that was read with the tables.
    mutating func append(key: Int64, distance: Double, encoded: UnsafeRawBufferPointer, tables: UInt32) -> Bool {
        guard let subject = MatchSubject(encoded: encoded, withPhotos: false), subject.tables == tables else {
            return false
        }
        append(key, distance, subject.coordinate, subject.firstBreed, encoded)
        return true
    }

    mutating func append(_ candidate: MatchCandidate) {
        let subject = candidate.subject
        subject.encoded.withUnsafeBytes {
            append(candidate.key, candidate.distance, subject.coordinate, subject.firstBreed, $0)
        }
    }

    private mutating func append(
        _ key: Int64,
        _ distance: Double,
        _ coordinate: Coordinate,
        _ firstBreed: Int,
        _ encoded: UnsafeRawBufferPointer
    ) {
        let range = bytes.count..<bytes.count + encoded.count
        bytes.append(contentsOf: encoded)
        entries.append(
            Entry(key: key, distance: distance, coordinate: coordinate, firstBreed: firstBreed, bytes: range)
        )
    }

    /// Removes and returns the candidate with a key.
    mutating func remove(_ key: Int64) -> MatchCandidate? {
        guard let position = entries.firstIndex(where: { $0.key == key }) else { return nil }
        defer { entries.remove(at: position) }
        return self[position]
    }
}
