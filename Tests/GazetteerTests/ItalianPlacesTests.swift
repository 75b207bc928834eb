import CSV
import Domain
import Foundation
import Geodata
import Testing

@testable import Gazetteer

private let shared = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/data").standardizedFileURL

@Suite("Places of Italy")
struct ItalianPlacesTests {
    private let gazetteer = try? Gazetteer(directory: Geodata.directory)

    @Test("At the seat of each comune, its comune is answered")
    func seats() throws {
        let gazetteer = try #require(gazetteer)
        let comuni = gazetteer.towns(of: "IT", language: .italian).filter { $0.level == .comune }
        #expect(comuni.count == 7_894)
        let wrong = try comuni.filter { comune in
            try gazetteer.reverse(comune.coordinate, language: .italian).place.comuneCode != comune.comuneCode
        }
        #expect(wrong.map(\.fullName) == [])
    }

    @Test(
        "A settlement belongs to the comune in whose boundaries it lies",
        arguments: [
            ("Ostia", "Roma"), ("Marghera", "Venezia"), ("Mestre", "Venezia"),
            ("Corigliano Calabro", "Corigliano-Rossano"),
            ("Zelarino", "Venezia"), ("Marina di Ragusa", "Ragusa"), ("Marettimo", "Favignana"), ("Penta", "Fisciano"),
            ("Marina di Carrara", "Carrara"), ("Saline Ioniche", "Montebello Jonico"),
        ]
    )
    func settlements(name: String, comune: String) throws {
        let found = try #require(gazetteer).search(name, language: .italian, limit: 1).first
        #expect(found?.comune == comune)
    }

    @Test("The locality of a point is a settlement of its comune within 3 km, or none")
    func localities() throws {
        let gazetteer = try #require(gazetteer)
        let ostia = try #require(Coordinate(lon: 12.2766, lat: 41.7321))
        let place = try gazetteer.reverse(ostia, language: .italian).place
        #expect(place.comune == "Roma" && place.locality == "Lido di Ostia")
        for step in 0..<400 {
            let point = try #require(Coordinate(lon: 8 + Double(step % 20) * 0.5, lat: 38 + Double(step / 20) * 0.4))
            let answer = try gazetteer.reverse(point, language: .italian)
            guard answer.isOnLand, answer.place.countryCode == "IT", answer.place.comune != nil else { continue }
            #expect(answer.place.locality == nil || answer.place.distance ?? .infinity < 3_010, "\(answer.place)")
        }
    }

    @Test(
        "The first words of a name come before the beginning of another word",
        arguments: [("San Donà", "San Donà di Piave"), ("Caldaro", "Caldaro sulla Strada del Vino")]
    )
    func firstWords(text: String, comune: String) throws {
        #expect(try #require(gazetteer).search(text, language: .italian, limit: 1).first?.comune == comune)
    }

    @Test("No name is UTF-8 that was read in another encoding, or has a capital preposition")
    func names() throws {
        for place in try #require(gazetteer).towns(of: "IT", language: .italian) {
            let name = place.locality ?? place.comune ?? ""
            #expect(
                !name.contains("Ã") && !name.contains("Å") && !name.contains(" Di ") && !name.contains(" Del "),
                "\(name)")
        }
    }
}

@Suite("Real names of Italy", .enabled(if: FileManager.default.fileExists(atPath: shared.path), "needs ../shared/data"))
struct ItalianNamesAccuracyTests {
    @Test("All comuni of 2023 are found first by their name with the sign of the province")
    func comuni() throws {
        let gazetteer = try Gazetteer(directory: Geodata.directory)
        let former = try String(
            contentsOf: shared.appending(path: "../../main/geodata/former_comuni.tsv"),
            encoding: .utf8
        )
        var successors: [String: String] = [:]
        for line in former.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t").map(String.init)
            successors["\(fields[0]) (\(fields[1]))"] = fields[2]
        }
        let file = try FileHandle(forReadingFrom: shared.appending(path: "geo/italy/it_comuni_2023.csv"))
        var reader = try CSVReader(file)
        var (count, missed) = (0, [String]())
        while let row = try reader.next() {
            let name = "\(row["name"] ?? "") (\(row["prov"] ?? ""))"
            let code = successors[name] ?? row["catasto"]
            let found = try gazetteer.search(name, language: .italian, limit: 1).first
            if found?.comuneCode != code { missed.append("\(name): \(found?.fullName ?? "nothing")") }
            count += 1
        }
        #expect(count == 7_899)
        #expect(missed == [])
    }
}
