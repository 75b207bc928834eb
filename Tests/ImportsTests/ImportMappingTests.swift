import Domain
import Foundation
import Localization
import Storage
import TestSupport
import Testing

@testable import Imports

@Suite("Mappings of imports")
struct ImportMappingTests {
    private struct Result {
        var drafts: [ListingContent] = []
        var mistakes: [String] = []
        var unknown: [String] = []
    }

    private static func read(_ data: Data, _ mapping: ImportMapping.Name = .auto) async throws -> Result {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try data.write(to: url)
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let editor = ListingEditor(breeds: try Bundled.breeds(), finder: try Bundled.gazetteer(), language: .italian)
        let zones = try Localization(breeds: editor.breeds).timeZones
        var records = try ListingRecords(FileHandle(forReadingFrom: url), mapping: mapping)
        var result = Result()
        result.unknown = records.unknownColumns
        while let entry = try records.next() {
            switch entry {
            case .record(let record):
                do {
                    result.drafts.append(try record.row(editor, zones, owner: owner).draft.content)
                } catch { result.mistakes.append("\(error)") }
            case .mistake(let error): result.mistakes.append("\(error)")
            }
        }
        return result
    }

    private static let italian = """
        Codice annuncio;Tipo annuncio;Nome cane;Razza;Sesso;Taglia;Colore;Pelo;Data scomparsa;Luogo;Provincia;Telefono;Età;Foto;Meteo
        12;SMARRITO;Argo;meticcio;Maschio;Media;marrone;corto;20/11/2025 18:30;Fisciano;SA;089 123456;3 anni;a.jpg;sole
        13;Avvistata;;;femmina;grande;nero;;20.11.2025;Salerno;SA;;;;
        14;Ritrovato;Luna;;F;piccola;;;2025-11-20;Roma;;;;;

        """

    @Test("Italian columns and values, in each encoding and with each separator")
    func italianFile() async throws {
        let text = Self.italian
        var utf16 = Data([0xFF, 0xFE])
        utf16 += try #require(text.data(using: .utf16LittleEndian))
        let files = [
            Data(text.utf8), Data([0xEF, 0xBB, 0xBF] + text.utf8), utf16,
            try #require(text.data(using: .windowsCP1252)),
            Data(text.replacing(";", with: "\t").utf8), Data(text.replacing(";", with: ",").utf8),
        ]
        for (index, file) in files.enumerated() {
            let result = try await Self.read(file)
            #expect(result.mistakes.isEmpty, "file \(index): \(result.mistakes)")
            #expect(result.drafts.map(\.status) == [.lost, .sighted, .reunited], "file \(index)")
            #expect(result.drafts.map { $0[.reference] } == ["12", "13", "14"])
            let argo = try #require(result.drafts.first)
            #expect(argo.name == "Argo" && argo.sex == .male && argo.size == .medium && argo[.age] == "3 anni")
            #expect(argo[.marks] == "pelo: corto" && argo.contactPhone.value == "089 123456")
            #expect(result.unknown == ["Meteo"])
        }
    }

    @Test("A street in a column of its own, in that of the town, or beside it")
    func streets() async throws {
        let text = """
            stato;comune;località;luogo smarrimento;indirizzo
            smarrito;Fisciano;;;Via Roma 3
            smarrito;"Via Roma 3, Fisciano";;;
            smarrito;Fisciano;Penta;dietro la scuola;
            smarrito;Fisciano;Fisciano;;
            smarrito;;Fisciano;;

            """
        let result = try await Self.read(Data(text.utf8))
        #expect(result.mistakes.isEmpty && result.unknown.isEmpty, "\(result.mistakes) \(result.unknown)")
        #expect(result.drafts.map(\.place) == Array(repeating: "Fisciano", count: 5))
        #expect(result.drafts.map(\.whereabouts) == ["Via Roma 3", "Via Roma 3", "Penta, dietro la scuola", nil, nil])
    }

    @Test("Coordinates with decimal commas")
    func commas() async throws {
        let text = "stato;lat;lon;data\nsmarrito;40,77;14,79;20/11/2025\n"
        let result = try await Self.read(Data(text.utf8))
        #expect(result.drafts.first?.lat == 40.77 && result.drafts.first?.lon == 14.79)
    }

    @Test("Lost and found animals of ASM3")
    func asm3() async throws {
        let lost = """
            LFID,DATELOST,DATEFOUND,AREALOST,SPECIESNAME,BREEDNAME,BASECOLOURNAME,SEX,SEXNAME,AGEGROUP,DISTFEAT,COMMENTS,OWNERNAME,HOMETELEPHONE,MOBILETELEPHONE
            7,2025-11-20 00:00:00,,Fisciano (SA),Dog,Beagle,Tricolour,1,Male,Adult,White paw,Ran off,Anna R,089 123456,333 1234567
            8,2025-10-20 00:00:00,2025-10-22 00:00:00,Salerno,Cat,Domestic Short Hair,Black,0,Female,,,,Eva,,
            """
        let found = """
            ID,DATEFOUND,RETURNTOOWNERDATE,AREAFOUND,SPECIESNAME,BREEDNAME,BASECOLOURNAME,SEX,DISTFEAT
            7,2025-11-20 14:30:00,,Salerno,Dog,Boxer,Brown,0,
            """
        let result = try await Self.read(Data(lost.utf8))
        #expect(result.mistakes.isEmpty && result.unknown.isEmpty)
        let argo = try #require(result.drafts.first)
        #expect(argo.status == .lost && argo[.reference] == "lost-7" && argo.sex == .male && argo.species == .dog)
        #expect(
            argo.lastSeenAt?.text == "2025-11-20T11:00:00.000Z" && argo.lastSeenIsDay
                && argo.contactPhone.value == "333 1234567")
        #expect(argo[.marks] == "White paw" && argo.description == "Ran off")
        #expect(result.drafts.last?.status == .reunited && result.drafts.last?.species == .cat)
        let other = try await Self.read(Data(found.utf8), .asm3)
        #expect(other.mistakes.isEmpty)
        #expect(other.drafts.first?.status == .found && other.drafts.first?[.reference] == "found-7")
        #expect(other.drafts.first?.sex == .female)
    }

    @Test("English columns of a board")
    func board() async throws {
        let text = """
            Report ID,Report Type,Date Lost,Animal Type,Primary Breed,Gender,Coat,Location,Zip
            R1,Lost,2025-11-20,Dog,Beagle,Male,short,Fisciano (SA),84084
            """
        let result = try await Self.read(Data(text.utf8), .petfbi)
        #expect(result.mistakes.isEmpty && result.unknown.isEmpty)
        #expect(result.drafts.first?.status == .lost && result.drafts.first?[.marks] == "coat: short")
    }

    @Test("Features are read one by one, in pieces of any size")
    func features() throws {
        let text =
            #"{"crs": {"features": [1]}, "x": "features", "features": [{"a": "}]\"{"}, {"b": [[1], {}]}], "y": [{}]}"#
        for size in [1, 2, 7, 1000] {
            var rest = Data(text.utf8)
            var reader = FeatureReader { count in
                defer { rest = Data(rest.dropFirst(min(size, count))) }
                return Data(rest.prefix(min(size, count)))
            }
            var found: [String] = []
            while let data = try reader.next() { found.append(String(decoding: data, as: UTF8.self)) }
            #expect(found == [#"{"a": "}]\"{"}"#, #"{"b": [[1], {}]}"#])
        }
    }
}
