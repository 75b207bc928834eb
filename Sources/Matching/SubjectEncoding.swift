import Domain

/// The bytes in which a subject is stored, so that texts are read once. They hold what was read, not the texts, and the sketches of
/// photos, not their traits.
extension MatchSubject {
    /// Changes when the form of the bytes or the meaning of their values changes.
    private static let version: UInt8 = 3

    /// The first bytes of all subjects that were read with the tables of a fingerprint.
    package static func beginning(tables: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.write(tables)
        return writer.bytes
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(tables)
        writer.write(UInt8(Species.allCases.firstIndex(of: species) ?? 0) << 2 | (isLost ? 1 : 0) | (isMixed ? 2 : 0))
        writer.write(coordinate.lon.bitPattern)
        writer.write(coordinate.lat.bitPattern)
        writer.write(Int32(clamping: day))
        writer.write(choices)
        writer.write(colours)
        writer.write(closeColours)
        writer.write(firstColour)
        writer.write(age ?? .max)
        writer.write(weight.bitPattern)
        writer.write(usualWeight.bitPattern)
        writer.write(breedText)
        writer.write(variants)
        writer.write(alike)
        writer.write(microchip)
        writer.writeList((0..<4).map { breeds[$0] }.filter { $0 > 0 }) { $0.write($1) }
        writer.writeList(photoBreeds) { writer, photo in
            writer.write(photo.breed)
            writer.write(photo.probability.bitPattern)
            writer.write(photo.variants)
            writer.write(photo.alike)
        }
        writer.writeList((0..<MarkReader.maxWords).map { marks[$0] }.filter { $0 > 0 }) { $0.write($1) }
        return writer.bytes + sketches.encoded
    }

    /// Returns nil if the bytes are of another version or are not those of a subject. The subject has no photos.
    package init?(encoded: [UInt8]) {
        guard let subject = encoded.withUnsafeBytes({ Self(encoded: $0) }) else { return nil }
        self = subject
    }

    /// The same without a copy of the bytes, because a search reads tens of thousands of subjects.
    package init?(encoded: UnsafeRawBufferPointer) {
        var reader = ByteReader(encoded)
        guard reader.read(UInt8.self) == Self.version, let tables = reader.read(UInt32.self),
            let flags = reader.read(UInt8.self), Int(flags >> 2) < Species.allCases.count,
            let lon = reader.read(UInt64.self), let lat = reader.read(UInt64.self), let day = reader.read(Int32.self),
            let place = Coordinate(lon: Double(bitPattern: lon), lat: Double(bitPattern: lat))
        else { return nil }
        self.init(
            isLost: flags & 1 != 0,
            species: Species.allCases[Int(flags >> 2)],
            coordinate: place,
            day: Int(day),
            tables: tables
        )
        isMixed = flags & 2 != 0
        guard readFacts(&reader), readLists(&reader), PhotoSketches.areEncoded(reader.rest) else { return nil }
    }

    private mutating func readFacts(_ reader: inout ByteReader) -> Bool {
        guard let choices = reader.read(UInt8.self), let colours = reader.read(UInt16.self),
            let closeColours = reader.read(UInt16.self), let firstColour = reader.read(UInt8.self),
            let age = reader.read(UInt16.self), let weight = reader.read(UInt32.self),
            let usualWeight = reader.read(UInt32.self), let breedText = reader.read(UInt32.self),
            let variants = reader.read(UInt64.self), let alike = reader.read(UInt64.self),
            let microchip = reader.read(UInt64.self), setChoices(choices)
        else { return false }
        (self.colours, self.closeColours, self.firstColour) = (colours, closeColours, firstColour)
        self.age = age == .max ? nil : age
        (self.weight, self.usualWeight) = (Float(bitPattern: weight), Float(bitPattern: usualWeight))
        (self.breedText, self.variants, self.alike, self.microchip) = (breedText, variants, alike, microchip)
        return self.weight.isFinite && self.usualWeight.isFinite
    }

    private mutating func readLists(_ reader: inout ByteReader) -> Bool {
        guard let breedCount = reader.readCount(limit: 4) else { return false }
        for index in 0..<breedCount {
            guard let breed = reader.read(UInt16.self), breed > 0 else { return false }
            breeds[index] = breed
        }
        guard let photoCount = reader.readCount(limit: 4) else { return false }
        for _ in 0..<photoCount {
            guard let breed = reader.read(UInt16.self), breed > 0, let share = reader.read(UInt32.self),
                (0...1).contains(Float(bitPattern: share)), let variants = reader.read(UInt64.self),
                let alike = reader.read(UInt64.self)
            else { return false }
            let probability = Float(bitPattern: share)
            photoBreeds.append(PhotoBreed(breed: breed, probability: probability, variants: variants, alike: alike))
        }
        guard let markCount = reader.readCount(limit: MarkReader.maxWords) else { return false }
        for index in 0..<markCount {
            guard let mark = reader.read(UInt32.self), mark > 0 else { return false }
            marks[index] = mark
        }
        return true
    }

    /// Two bits each for the sex, whether neutered, and the size; 0 where a thing is not said.
    private var choices: UInt8 {
        let sexes = sex.flatMap { Listing.Sex.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let sizes = size.flatMap { Listing.Size.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let neutering = neutered.map { $0 ? 1 : 2 } ?? 0
        return UInt8(sexes | neutering << 2 | sizes << 4)
    }

    private mutating func setChoices(_ choices: UInt8) -> Bool {
        let (sexes, neutering, sizes) = (Int(choices & 3), choices >> 2 & 3, Int(choices >> 4 & 3))
        guard sexes < 3, neutering < 3, choices >> 6 == 0 else { return false }
        sex = sexes == 0 ? nil : Listing.Sex.allCases[sexes - 1]
        neutered = neutering == 0 ? nil : neutering == 1
        size = sizes == 0 ? nil : Listing.Size.allCases[sizes - 1]
        return true
    }
}

private struct ByteWriter {
    var bytes: [UInt8] = []

    /// Writes the least significant byte first.
    mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func writeList<Element>(_ list: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        self.write(UInt8(list.count))
        for element in list { write(&self, element) }
    }
}

private struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    mutating func read<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard position + size <= bytes.count else { return nil }
        defer { position += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    mutating func readCount(limit: Int) -> Int? {
        read(UInt8.self).flatMap { Int($0) <= limit ? Int($0) : nil }
    }
}
