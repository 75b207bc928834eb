import Domain
import Testing

@testable import Matching

@Suite("Stored subjects of matches")
struct EncodingTests {
    private func full() throws -> MatchSubject {
        try Subjects.lost {
            ($0.breed, $0.colour, $0.sex, $0.size) = ("Lab X Shep X Husky", "black & tan", .female, .large)
            ($0.age, $0.marks, $0.collar) = ("3 years", "cicatrice sul muso", "pelle marrone")
            ($0.description, $0.microchip) = ("Sterilizzata, 28 kg", "380260000000001")
        }
    }

    @Test("Everything that was read comes back")
    func roundTrip() throws {
        let photo = try Subjects.found {
            $0.species = .cat
            $0.photoBreeds = [(key: "siamese", probability: 0.7), (key: "persian", probability: 0.1)]
        }
        for subject in [try full(), photo, try Subjects.lost()] {
            let bytes = subject.encoded
            #expect(MatchSubject(encoded: bytes) == subject)
            #expect(bytes.count < 250)
        }
    }

    @Test("Truncated, longer and changed bytes are refused or read as another subject, without a trap")
    func hostileBytes() throws {
        let bytes = try full().encoded
        for length in bytes.indices { #expect(MatchSubject(encoded: Array(bytes.prefix(length))) == nil) }
        #expect(MatchSubject(encoded: bytes + [0]) == nil)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                guard let subject = MatchSubject(encoded: changed) else { continue }
                #expect(!Subjects.scorer.bits(subject, subject, distanceMetres: 10).isNaN)
            }
        }
        #expect(MatchSubject(encoded: [UInt8](repeating: 255, count: 200)) == nil)
    }

    @Test("Another version is refused, and other tables have another fingerprint")
    func versions() throws {
        var bytes = try full().encoded
        bytes[0] += 1
        #expect(MatchSubject(encoded: bytes) == nil)
        let header = "key\tspecies\tname\tsynonyms\tfci_number\tfci_group\tfrequency\n"
        let other = MatchReader(breeds: try Breeds(tsv: header + "boxer\tdog\tBoxer\t\t\t\t5\n"))
        #expect(other.fingerprint != Subjects.reader.fingerprint)
        #expect(try full().tables == Subjects.reader.fingerprint)
    }
}
