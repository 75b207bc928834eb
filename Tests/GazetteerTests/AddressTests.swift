import Domain
import Geodata
import Testing

@testable import Gazetteer

@Suite("Addresses in the field of a town")
struct AddressTests {
    private let gazetteer = try? Gazetteer(directory: Geodata.directory)

    @Test(
        "A street or landmark is divided from the town",
        arguments: [
            ("Via Roma 3, Fisciano", "Fisciano (SA)", "Via Roma 3"),
            ("via roma, 3 - 84084 Fisciano (SA)", "Fisciano (SA)", "via roma, 3"),
            ("Via Roma 3/A Fisciano", "Fisciano (SA)", "Via Roma 3/A"),
            ("Fisciano, via Roma 3", "Fisciano (SA)", "via Roma 3"),
            ("Fisciano (SA) via Roma 3", "Fisciano (SA)", "via Roma 3"),
            ("Fisciano (zona università)", "Fisciano (SA)", "zona università"),
            ("fisciano vicino alla scuola", "Fisciano (SA)", "vicino alla scuola"),
            ("Piazza Garibaldi, Penta, Fisciano", "Penta, Fisciano (SA)", "Piazza Garibaldi"),
            ("dietro il campo sportivo, Battipaglia", "Battipaglia (SA)", "dietro il campo sportivo"),
            ("Salerno centro", "Salerno (SA)", "centro"), ("C.da Monte, Eboli", "Eboli (SA)", "C.da Monte"),
            ("Viale 25 Aprile 10 Salerno", "Salerno (SA)", "Viale 25 Aprile 10"),
            ("12 High Street, Oxford", "Oxford", "12 High Street"),
        ]
    )
    func divided(text: String, town: String, whereabouts: String) throws {
        let (match, written) = try #require(gazetteer).address(text, language: .italian)
        guard case .town(let found) = match else {
            Issue.record("\(text): \(match)")
            return
        }
        #expect(found.fullName.hasPrefix(town), "\(found.fullName)")
        #expect(written?.whereabouts == whereabouts)
    }

    @Test(
        "The name of a town stays whole, also where it begins like a street",
        arguments: [
            "Fisciano", "Penta, Fisciano", "Villa San Giovanni", "Ponte (BN)", "Reggio Emilia", "Paris, France",
            "Bosco Chiesanuova", "Ponte San Pietro", "Marina di Campo", "Lungro", "Strada in Chianti", "Porto",
        ]
    )
    func whole(text: String) throws {
        let (match, written) = try #require(gazetteer).address(text, language: .italian)
        guard case .town = match else {
            if case .unclear(let candidates) = match { #expect(!candidates.isEmpty) }
            return
        }
        #expect(written == nil)
    }

    @Test(
        "What is no clear address is asked, with the town at its end first",
        arguments: [
            ("Via Roma", "Roma (RM)"), ("vicino alla stazione di Fisciano", "Fisciano (SA)"),
            ("via Nuova Battipaglia", "Battipaglia (SA)"),
        ]
    )
    func asked(text: String, candidate: String) throws {
        let (match, written) = try #require(gazetteer).address(text, language: .italian)
        guard case .unclear(let candidates) = match else {
            Issue.record("\(text): \(match)")
            return
        }
        #expect(written == nil && candidates.first?.fullName == candidate, "\(candidates.map(\.fullName))")
    }

    @Test("Only some readings of a long text are looked up")
    func bounded() {
        let text = String(repeating: "via 1 Roma, ", count: 5) + String(repeating: "via 2 ", count: 9)
        #expect(AddressReader.shared.addresses(in: text).count <= 5)
    }

    @Test(
        "A misspelt town, and two towns, are not divided",
        arguments: [
            "Fiscano, Salerno", "Roma, Milano", "Fisciano, Salermo", "Via, Fisciano", "3", "", ",,,", "(",
            "a - b - c - d - e - f - g - h",
        ]
    )
    func undivided(text: String) throws {
        let (match, written) = try #require(gazetteer).address(text, language: .italian)
        #expect(written == nil, "\(match) \(String(describing: written))")
    }
}
