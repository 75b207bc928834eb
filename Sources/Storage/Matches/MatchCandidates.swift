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

/// The candidates of a listing. Their photos are read later, and of few.
struct MatchCandidates: RandomAccessCollection {
    private struct Entry {
        let key: Int64
        let distance: Double
        /// The place of its sketches in `sketches`.
        let sketches: Range<Int>
    }

    private var entries: [Entry] = []
    /// Without photos, in the order of the entries.
    private(set) var subjects: [MatchSubject] = []
    private var sketches: [UInt8] = []
    /// Those that were read, by the keys of the listings.
    private var photos: [Int64: PhotoTraits] = [:]

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }

    subscript(position: Int) -> MatchCandidate {
        let entry = entries[position]
        var subject = subjects[position]
        if let photos = photos[entry.key] { subject.photos = photos }
        return MatchCandidate(key: entry.key, distance: entry.distance, subject: subject)
    }

    func key(at position: Int) -> Int64 { entries[position].key }

    func distance(at position: Int) -> Double { entries[position].distance }

    /// Appends a candidate whose subject is encoded. Returns false, and appends nothing, if the bytes are not those of a
    /// subject that was read with the tables.
    mutating func append(key: Int64, distance: Double, encoded: UnsafeRawBufferPointer, tables: UInt32) -> Bool {
        guard let subject = MatchSubject(encoded: encoded), subject.tables == tables else { return false }
        append(key, distance, subject, PhotoSketches.encoded(inSubject: encoded))
        return true
    }

    mutating func append(_ candidate: MatchCandidate) {
        var subject = candidate.subject
        photos[candidate.key] = subject.photos
        subject.sketches.encoded.withUnsafeBytes { sketches in
            subject.photos = PhotoTraits()
            append(candidate.key, candidate.distance, subject, sketches)
        }
    }

    private mutating func append(
        _ key: Int64,
        _ distance: Double,
        _ subject: MatchSubject,
        _ encodedSketches: UnsafeRawBufferPointer
    ) {
        let start = sketches.count
        sketches.append(contentsOf: encodedSketches)
        entries.append(Entry(key: key, distance: distance, sketches: start..<sketches.count))
        subjects.append(subject)
    }

    /// Removes and returns the candidate with a key.
    mutating func remove(_ key: Int64) -> MatchCandidate? {
        guard let position = entries.firstIndex(where: { $0.key == key }) else { return nil }
        defer {
            entries.remove(at: position)
            subjects.remove(at: position)
        }
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
        let compared = sketches.withUnsafeBytes { sketches in
            indices.compactMap { position in
                photos.bits(UnsafeRawBufferPointer(rebasing: sketches[entries[position].sketches]))
                    .map { Likelihood(bits: bits[position] + $0, position: position) }
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

    /// Reads the photos of candidates that were read without them. See the decision "Keep the photos of candidates apart".
    mutating func readPhotos(at positions: some Sequence<Int>, _ reader: MatchReader, _ db: SQLConnection) throws {
        let keys = positions.map { entries[$0].key }.filter { photos[$0] == nil }
        let found = try MatchPhotos.read(keys, reader, db)
        photos.merge(found) { $1 }
    }
}
