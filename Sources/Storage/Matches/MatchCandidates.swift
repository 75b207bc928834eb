import Domain
import HeapModule
import Matching
import SQL

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
    /// Those that were read, by the keys of the listings.
    private var photos: [Int64: PhotoTraits] = [:]

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }
    var coordinates: [Coordinate] { entries.map(\.coordinate) }
    var firstBreeds: [Int] { entries.map(\.firstBreed) }

    subscript(position: Int) -> MatchCandidate {
        let entry = entries[position]
        var subject = subject(at: position)
        if let photos = photos[entry.key] { subject.photos = photos }
        return MatchCandidate(key: entry.key, distance: entry.distance, subject: subject)
    }

    func key(at position: Int) -> Int64 { entries[position].key }

    func distance(at position: Int) -> Double { entries[position].distance }

    /// Without photos.
    func subject(at position: Int) -> MatchSubject {
        guard let subject = withBytes(at: position, MatchSubject.init(encoded:)) else {
            preconditionFailure("only bytes that were decoded before are appended")
        }
        return subject
    }

    private func withBytes<Value>(at position: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[entries[position].bytes])) }
    }

    /// Appends a candidate whose subject is encoded. Returns false, and appends nothing, if the bytes are not those of a
    /// subject that was read with the tables.
    mutating func append(key: Int64, distance: Double, encoded: UnsafeRawBufferPointer, tables: UInt32) -> Bool {
        guard let subject = MatchSubject(encoded: encoded), subject.tables == tables else {
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
        photos[candidate.key] = subject.photos
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

    /// Chooses the likeliest of the candidates with photos: those of the greatest sums of bits without photos and of the likeness
    /// that the sketches show.
    ///
    /// - Parameters:
    ///   - bits: those of all candidates without photos.
    ///   - count: the greatest number of positions.
    func likeliest(_ count: Int, bits: [Double], photos: PhotoSketches) -> [Int] {
        guard !photos.isEmpty else { return [] }
        let compared = indices.compactMap { position in
            withBytes(at: position, photos.bits(ofSubject:)).map {
                Likelihood(bits: bits[position] + $0, position: position)
            }
        }
        guard compared.count > count else { return compared.map(\.position) }
        var heap = Heap(compared)
        return (0..<count).compactMap { _ in heap.popMax()?.position }
    }

    private struct Likelihood: Comparable {
        let bits: Double
        let position: Int

        static func < (left: Likelihood, right: Likelihood) -> Bool {
            (left.bits, left.position) < (right.bits, right.position)
        }
    }

    /// Reads the photos of candidates that were read without them. A search reads them of few of its candidates only, because they
    /// took two thirds of its time.
    mutating func readPhotos(at positions: some Sequence<Int>, _ reader: MatchReader, _ db: SQLConnection) throws {
        let keys = positions.map { entries[$0].key }.filter { photos[$0] == nil }
        let found = try MatchPhotos.read(keys, reader, db)
        photos.merge(found) { $1 }
    }
}
