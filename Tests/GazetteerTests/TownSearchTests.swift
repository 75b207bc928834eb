import Domain
import Geodata
import Testing

@testable import Gazetteer

@Suite("Towns of listings")
struct TownSearchTests {
    private let gazetteer = try? Gazetteer(directory: Geodata.directory)

    private func town(_ name: String, _ language: Language = .italian) throws -> Place? {
        guard case .town(let place) = try #require(gazetteer).town(named: name, language: language) else { return nil }
        return place
    }

    private func candidates(_ name: String, _ language: Language = .italian) throws -> [String]? {
        guard case .unclear(let places) = try #require(gazetteer).town(named: name, language: language) else {
            return nil
        }
        return places.map(\.fullName)
    }

    @Test("Places near the site's users come first, and a town that is far more important stays the one that is meant")
    func nearUsers() throws {
        let salerno = try Gazetteer(directory: Geodata.directory, home: Coordinate(lon: 14.8, lat: 40.7))
        for language in [Language.italian, .english] {
            let first = try #require(try salerno.search("Penta", language: language).first)
            #expect(first.fullName == "Penta, Fisciano (SA)" && first.distance == nil)
        }
        #expect(
            try salerno.town(named: "Roma", language: .italian) == gazetteer?.town(named: "Roma", language: .italian))
        guard case .unclear(let towns) = try salerno.town(named: "San Teodoro", language: .italian) else {
            Issue.record("San Teodoro is one town")
            return
        }
        let here = towns.first?.provinceCode
        #expect(here == "SA", "\(towns.map(\.fullName))")
    }

    @Test("Words behind a name are areas only if they are whole names of areas")
    func areasBehind() throws {
        #expect(try town("Del Valle") == nil)
        #expect(try town("Penta Fisciano")?.fullName == "Penta, Fisciano (SA)")
        #expect(try town("Bova Reggio Calabria")?.fullName == "Bova (RC)")
        #expect(try town("Gioia Tauro RC Calabria")?.fullName == "Gioia Tauro (RC)")
        #expect(try town("Paris France", .english)?.countryCode == "FR")
    }

    @Test(
        "A complete name of one town is taken",
        arguments: [
            ("Roma", "Roma (RM)"), ("roma", "Roma (RM)"), ("Fisciano", "Fisciano (SA)"),
            ("Fisciano (SA)", "Fisciano (SA)"),
            ("Fisciano, Salerno", "Fisciano (SA)"), ("Fisciano SA", "Fisciano (SA)"), ("Salerno", "Salerno (SA)"),
            ("Milano", "Milano (MI)"), ("Milan", "Milano (MI)"), ("Verona", "Verona (VR)"),
            ("Reggio Emilia", "Reggio nell'Emilia (RE)"),
            ("San Giovanni La Punta", "San Giovanni La Punta (CT)"),
            ("S. Giovanni La Punta", "San Giovanni La Punta (CT)"),
            ("Bolzano/Bozen", "Bolzano (BZ)"), ("Bozen", "Bolzano (BZ)"), ("Forli", "Forlì (FC)"),
            ("Castro (LE)", "Castro (LE)"),
            ("Città di Castello", "Città di Castello (PG)"), ("città di Salerno", "Salerno (SA)"),
            ("Sovizzo", "Sovizzo (VI)"), ("Gambugliano", "Sovizzo (VI)"), ("Quero Vas", "Setteville (BL)"),
            ("SantAmbrogio di Torino", "Sant'Ambrogio di Torino (TO)"), ("bellizzi sa", "Bellizzi (SA)"),
            ("rho mi", "Rho (MI)"), ("Seclì LE", "Seclì (LE)"), ("Iesi", "Jesi (AN)"),
            ("Parigi", "Paris"), ("Monaco di Baviera", "Munich"), ("L'Aquila", "L'Aquila (AQ)"),
            ("Ne (GE)", "Ne (GE)"),
            ("comune di Parma", "Parma (PR)"), ("84084 Fisciano", "Fisciano (SA)"),
        ]
    )
    func taken(name: String, wanted: String) throws {
        let (found, others) = (try town(name), try candidates(name))
        #expect(found?.fullName.hasPrefix(wanted) == true, "\(found?.fullName ?? "") \(others ?? [])")
    }

    @Test(
        "A name of no town, of several, or a misspelt one is a question",
        arguments: [
            "Italia", "Campania", "Lombardia", "SA", "US", "KE", "Paperopoli", "San Giovanni", "Castro", "Zzzqx",
            "Fiscianoo", "",
            "Francia", "RE", "Ne", "Provincia di Salerno", "12345", ",", "Milan, Francia",
        ]
    )
    func asked(name: String) throws {
        let found = try town(name)
        #expect(found == nil, "\(found?.fullName ?? "")")
    }

    @Test("The candidates of an unclear name lead to towns")
    func candidatesAreTowns() throws {
        let castro = try #require(try candidates("Castro"))
        #expect(castro.contains("Castro (LE)") && castro.contains("Castro (BG)"))
        #expect(try #require(try candidates("Fiscianoo")).first == "Fisciano (SA)")
        #expect(try #require(try candidates("Paperopoli")).contains("Paternopoli (AV)"))
        #expect(try candidates("Zzzqx") == [])
        #expect(try candidates("SA")?.first == "Salerno (SA)" && candidates("SA", .english)?.first == "Salerno (SA)")
        #expect(try #require(try candidates("Re")).first == "Reggio nell'Emilia (RE)")
        // A part of Samo is called so.
        let saints = try #require(try candidates("San Giovanni"))
        #expect(saints.contains("San Giovanni Rotondo (FG)") && !saints.contains("Samo (RC)"))
        for name in ["Castro", "San Giovanni", "Springfield", "Paperopoli", "Fiscianoo"] {
            let names = try #require(try candidates(name))
            #expect(names.count <= 8 && Set(names).count == names.count)
            for candidate in names {
                let found = try town(candidate)
                #expect(found != nil, "\(candidate)")
            }
        }
    }

    @Test("A name that towns in Italy and abroad have means the one in Italy in Italian, and is a question in English")
    func home() throws {
        #expect(try town("Siracusa")?.provinceCode == "SR")
        #expect(try town("Parma", .italian)?.provinceCode == "PR")
        #expect(try town("Rome", .english)?.provinceCode == "RM")
        #expect(try town("Springfield", .english) == nil)
    }
}
