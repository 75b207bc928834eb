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

    private static func read(
        _ data: Data,
        _ mapping: ImportMapping.Name = .auto,
        plan: ImportPlan = ImportPlan(),
        language: Language = .italian
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try data.write(to: url)
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let editor = ListingEditor(breeds: try Bundled.breeds(), finder: try Bundled.gazetteer(), language: language)
        let zones = try Localization(breeds: editor.breeds).timeZones
        var records = try ListingRecords(url, mapping: mapping, plan: plan)
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

    @Test(
        "Files of shelters in other languages",
        arguments: [
            "de": """
            Tiernummer;Meldung;Tierart;Rufname;Rasse;Geschlecht;Größe;Fellfarbe;Gewicht;Vermisst seit;Ort;Handy;Alter;Aufnahmedatum;Zwinger Nr.
            12;Vermisst;Hund;Argo;Mischling;Rüde;mittel;braun;20 kg;20.11.2025;Graz;;3 Jahre;;
            13;Zugelaufen;Katze;;;weiblich;klein;schwarz;;20.11.2025;Salzburg;;;21.11.2025;4
            14;Wieder zu Hause;Hündin;Luna;;w;groß;weiß;;20.11.2025;Linz;;;;
            """,
            "fr": """
            N° d'annonce;Type d'annonce;Espèce;Nom de l'animal;Race;Sexe;Taille;Couleur;Poids;Date de perte;Lieu de perte;Téléphone;Âge estimé;Date d'entrée;Box
            12;Perdu;Chien;Argo;croisé;Mâle;moyen;marron;20 kg;20/11/2025;Lyon;;3 ans;;
            13;Trouvée;Chatte;;;femelle;petite;noire;;20/11/2025;Lille;;;21/11/2025;4
            14;Rendu à son propriétaire;Chienne;Luna;;F;grande;blanche;;20/11/2025;Bordeaux;;;;
            """,
            "es": """
            Expediente;Tipo de aviso;Especie;Nombre del animal;Raza;Sexo;Tamaño;Color;Peso;Fecha de pérdida;Lugar;Móvil;Edad aproximada;Fecha de entrada;Jaula
            12;Perdido;Perro;Argo;mestizo;Macho;mediano;marrón;20 kg;20/11/2025;Sevilla;;3 años;;
            13;Encontrada;Gata;;;hembra;pequeña;negra;;20/11/2025;Bilbao;;;21/11/2025;4
            14;Devuelta al propietario;Perra;Luna;;h;grande;blanca;;20/11/2025;Zaragoza;;;;
            """,
        ]
    )
    func otherLanguages(code: String, text: String) async throws {
        let result = try await Self.read(Data(text.utf8), language: try #require(Language(rawValue: code)))
        #expect(result.mistakes == [] && result.unknown == [])
        try #require(result.drafts.count == 3)
        #expect(result.drafts.map(\.status) == [.lost, .found, .reunited])
        #expect(result.drafts.map(\.species) == [.dog, .cat, .dog])
        #expect(result.drafts.map(\.sex) == [.male, .female, .female])
        #expect(result.drafts.map(\.size) == [.medium, .small, .large])
        #expect(result.drafts[0].name == "Argo" && result.drafts[0][.reference] == "12")
        #expect(result.drafts[0][.marks]?.hasSuffix(": 20 kg") == true && result.drafts[0][.age] != nil)
        #expect(result.drafts.allSatisfy { $0.breed != "" && $0[.colour] != nil && $0.lastSeenAt != nil })
    }

    @Test("The words of all languages stand for known fields and values")
    func words() {
        let fields = Set(ListingField.allCases.map(\.name))
        let namesOfFields = ["field", "column", "word", "asm3_field", "shelter_field", "registry_field"]
        for kind in namesOfFields {
            #expect(ImportWords.groups(kind).allSatisfy { fields.contains($0.meaning) }, "\(kind)")
        }
        let kinds: Set<Substring> = [
            "field", "column", "word", "mark", "record", "photo", "province", "ignored", "impersonal", "other", "day",
            "reason", "arrival", "departure", "kennel", "of_kennel", "of_person", "asm3_sign", "asm3_field",
            "asm3_mark", "asm3_ignored", "shelter_sign", "shelter_field", "shelter_mark", "shelter_ignored",
            "shelter_hidden", "registry_sign", "registry_field", "registry_ignored",
        ]
        for (language, table) in Language.tables("import-columns") {
            #expect(kinds.isSuperset(of: table.rows.map { $0[0] }), "\(language.code)")
        }
        #expect(ImportWords.groups("record").allSatisfy { AnimalRecord.Key(rawValue: $0.meaning) != nil })
        for (language, table) in Language.tables("import-values") {
            for row in table.rows {
                let field = ListingField(name: String(row[0]))
                let isKnown =
                    switch field?.kind {
                    case .choice(let values)?: values.contains(String(row[1])) || row[1] == "none"
                    default: row[0] == "flag" && Bool(String(row[1])) != nil
                    }
                #expect(isKnown, "\(language.code): \(row[0]) \(row[1])")
            }
        }
    }

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

    @Test("Titles above the header, columns of one name, empty rows, and texts with the other separators")
    func messyTable() async throws {
        let text = """
            Canile di Salerno, elenco aggiornato al 3 novembre;;;;;
            ;;;;;
            N. scheda;Stato;Nome;Comune;Note;Note
            1;In canile;Argo;Salerno;buono, gioca, corre;timido
            ;;;;;
            2;Adottato;Luna;Eboli;;
            3;in rifugio;;Fisciano;"a ""b"", c; d";

            """
        for text in [text, "\n\n" + text, text.replacing(";;;;;\n", with: "\n")] {
            var plan = ImportPlan()
            plan.columns = ["N. scheda": "reference", "Note (2)": "description"]
            let result = try await Self.read(Data(text.utf8), plan: plan)
            #expect(result.mistakes == [] && result.unknown == [], "\(result.mistakes) \(result.unknown)")
            #expect(result.drafts.map(\.status) == [.found, .closed, .found])
            #expect(result.drafts.map { $0[.reference] } == ["1", "2", "3"])
            #expect(
                result.drafts.first?.description == "timido"
                    || result.drafts.first?.description?.contains("timido") == true)
        }
    }

    @Test("A plan says what columns and values mean, and what rows without a value have")
    func plan() async throws {
        let text = """
            Codice,Cosa,Chi,Dove,Prov,Varie,Altro
            7,box 3,Argo,Fiscano,SA,buono,zoppica
            8,fuori,Luna,,,,
            """
        var plan = ImportPlan()
        plan.columns = [
            "Cosa": "status", "Chi": "name", "Dove": "place", "Prov": "province", "Varie": "description",
            "Altro": "description", "Codice": "",
        ]
        plan.read("Box 3", of: "status", as: "found")
        plan.read("FUORI", of: "status", as: "closed")
        plan.read("fiscano (sa)", of: "place", as: "Fisciano (SA)")
        plan.defaults = ["place": "Eboli"]
        let result = try await Self.read(Data(text.utf8), plan: plan)
        #expect(result.mistakes == [] && result.unknown == [])
        #expect(result.drafts.map(\.status) == [.found, .closed] && result.drafts.map(\.name) == ["Argo", "Luna"])
        #expect(result.drafts.map(\.place) == ["Fisciano (SA)", "Eboli"])
        #expect(result.drafts.map(\.description) == ["buono\nAltro: zoppica", nil])
        #expect(result.drafts.map { $0[.reference] } == [nil, nil])
    }

    @Test(
        "Dates as people write them",
        arguments: [
            ("11.10.25", false, "2025-10-11"), ("11/10/2025", false, "2025-10-11"), ("11-10-25", true, "2025-11-10"),
            ("1/2/2025", true, "2025-01-02"), ("11 ottobre 2025", false, "2025-10-11"),
            ("Oct 11, 2025", false, "2025-10-11"), ("2025-10-11", true, "2025-10-11"), ("45941", false, "2025-10-11"),
            ("45941,0", false, nil), ("2025", false, nil), ("31/02/2025", false, nil), ("13/13/2025", false, nil),
        ] as [(String, Bool, String?)]
    )
    func dates(text: String, isMonthFirst: Bool, day: String?) async throws {
        var plan = ImportPlan()
        plan.dates = isMonthFirst ? .monthFirst : .dayFirst
        let file = "status;place;last_seen_at\nfound;Salerno;\(text)\n"
        let result = try await Self.read(Data(file.utf8), plan: plan)
        guard let day else {
            #expect(result.drafts.isEmpty && result.mistakes.count == 1, "\(result.drafts.map(\.lastSeenAt))")
            return
        }
        #expect(
            result.drafts.first?.lastSeenAt?.text.prefix(10) == day[...] && result.drafts.first?.lastSeenIsDay == true)
    }

    @Test(
        "A time of a month-first file, and the number of a day with a time",
        arguments: [
            ("10/11/2025 6:30 PM", "2025-10-11T16:30:00.000Z"), ("10/11/25 12:05 am", "2025-10-10T22:05:00.000Z"),
            ("10/11/2025 18:30:59", "2025-10-11T16:30:00.000Z"), ("45941.770833", "2025-10-11T16:30:00.000Z"),
        ]
    )
    func times(text: String, time: String) async throws {
        var plan = ImportPlan()
        plan.dates = .monthFirst
        let file = "status;place;last_seen_at\nfound;Salerno;\(text)\n"
        let result = try await Self.read(Data(file.utf8), plan: plan)
        #expect(result.drafts.first?.lastSeenAt?.text == time, "\(result.mistakes)")
    }

    @Test(
        "Dates tell their order, unless none does",
        arguments: [
            (["1/2/2025", "13/2/2025"], .dayFirst), (["1/2/2025", "2/13/2025"], .monthFirst),
            (["1/2/2025", "3/4/25"], .unclear), (["13/2/2025", "2/13/2025"], .dayFirst), (["2025-02-01", ""], nil),
        ] as [([String], ImportPlan.DateOrder?)]
    )
    func evidence(dates: [String], order: ImportPlan.DateOrder?) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try Data(("status;last_seen_at\n" + dates.map { "found;\($0)\n" }.joined()).utf8).write(to: url)
        var records = try ListingRecords(url, mapping: .auto)
        var evidence = DateEvidence()
        while let entry = try records.next() { if case .record(let record) = entry { evidence.add(record) } }
        #expect(evidence.order == order)
    }

    @Test(
        "Unknown names of columns are guessed by a word, but never those of persons",
        arguments: [
            ("Tel. canile", "contact_phone"), ("Data entrata", "last_seen_at"), ("Comune ritrovamento", "place"),
            ("N. scheda", "reference"), ("Situazione attuale", "status"), ("Nome del cane", "name"),
            ("Cell. volontaria", nil), ("Telefono proprietario", nil), ("Indirizzo adottante", nil),
            ("Nome affidatario", nil),
            ("Data di nascita", nil), ("Data adozione", nil), ("Mail di chi lo ha trovato", nil), ("Meteo", nil),
        ] as [(String, String?)]
    )
    func guess(column: String, field: String?) { #expect(ImportMapping.guess(column) == field) }

    @Test("The beginning of a file tells its columns, some of their values, and what its words mean")
    func sample() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try Data("Elenco;;\nStato;Nome;Prov\nin canile;Argo;SA\nboh;Argo;\nIN CANILE;Luna;NA\n".utf8).write(to: url)
        let sample = try ImportSample(url, mapping: .auto, plan: ImportPlan())
        #expect(sample.columns.map(\.name) == ["Stato", "Nome", "Prov"])
        #expect(sample.columns.map(\.field) == ["status", "name", ImportPlan.province])
        #expect(sample.columns.map(\.values) == [["in canile", "boh", "IN CANILE"], ["Argo", "Luna"], ["SA", "NA"]])
        #expect(sample.values.map(\.text) == ["in canile", "boh", "IN CANILE"])
        #expect(sample.values.map(\.meaning) == ["found", nil, "found"])
    }

    /// Samples of our own with the columns of each program, the status of each row, and a breed.
    private static let exports: [(text: String, statuses: [Listing.Status?], breed: String?)] = [
        (
            """
            Animal ID,Name,Species,Sex,Primary Breed,Secondary Breed,Primary Color,Age (Y/M/D),Kennel Card / Web Site Memo,Intake Type,Intake Date,Location,City
            SL-1,Argo,Dog,Male,Beagle,Boxer,Brown,2Y/ 4M/ 2D,Shy,Stray,10/13/2025,Kennel 3,Secret Town
            SL-2,Luna,Dog,Female,Boxer,,White,1Y,,Surrender,10/14/2025,Kennel 4,Secret Town
            """, [.found, .closed], "Beagle / Boxer"
        ),
        (
            """
            Animal ID,ARN,Animal Name,Species,Primary Breed,Secondary Breed,Gender,Age Group,Intake Type,Intake Subtype,Intake Date,Outcome Type,Outcome Date,Admitter,City,Phone Number,Microchip Number
            A1,77,Rex,Dog,Boxer,,M,Adult,Stray,Public Drop Off,10/20/2025,Return to Owner/Guardian,10/21/2025,Eva,Secret Town,333 1,380260000123456
            A2,78,Zoe,Dog,Boxer,,F,Adult,Stray,,10/20/2025,Adoption,10/25/2025,Eva,Secret Town,333 1,
            A3,79,Ida,Dog,Boxer,,F,Adult,Transfer In,,10/20/2025,,,Eva,Secret Town,333 1,
            """, [.reunited, .closed, .closed], "Boxer"
        ),
        (
            """
            Animal ID,Status,Species,Name,General Age,Mixed,Sex,Primary Breed,Secondary Breed,Color (General),Received Date,Location
            9,Available,Dog,Kira,Young,Yes,Female,Beagle,,Black,10/20/2025,Foster
            8,Adopted,Dog,Leo,Young,No,Male,Beagle,,Black,10/20/2025,Foster
            """, [nil, .closed], nil
        ),
        (
            """
            Petfinder SystemID,Name,Status,Arrival Date,Breed,2nd Breed,Mixed Breed,Species,Size,Color,Coat Length,Age,Gender,Contact,Location
            55,Otto,Adopted,2025-10-20,Beagle,,Yes,Dog,Medium,Brown,Short,Adult,Male,Anna,Secret Town
            """, [.closed], "Beagle mix"
        ),
        (
            """
            Animal ID,Name,DateTime,MonthYear,Found Location,Intake Type,Intake Condition,Animal Type,Sex upon Intake,Age upon Intake,Breed,Color
            A786884,Brock,10/13/2025 04:19:00 PM,October 2025,Salerno (SA),Stray,Normal,Dog,Neutered Male,2 years,Beagle Mix,Tricolor
            """, [.found], "Beagle Mix"
        ),
        (
            """
            Animal_ID,Animal_Type,Animal_Breed,Intake_Type,Intake_Subtype,Intake_Date,Outcome_Type,Chip_Number
            A1,DOG,BEAGLE,STRAY,FIELD,10/20/2025,RETURNED TO OWNER,
            """, [.reunited], "BEAGLE"
        ),
        (
            """
            Name,Type,Breed,Color,Sex,Size,Date Of Birth,Intake Date,Outcome Date,Days in Shelter,Intake Type,Intake Subtype,Impound Number,Kennel Number,Animal ID,Outcome Type,Outcome Subtype,Intake Condition,Outcome Condition,Intake Jurisdiction,Outcome Jurisdiction,Outcome Zip Code,Location,Count
            *ARGO,DOG,BEAGLE,TRICOLOR,Neutered,MED,01/02/2020,10/20/2025,,3,STRAY,FIELD,K25-1,DA12,A1,,,HEALTHY,,COUNTY,,,,1
            LUNA,DOG,BOXER,WHITE,Spayed,LARGE,,10/20/2025,10/22/2025,2,OWNER SURRENDER,OVER THE COUNTER,K25-2,DA13,A2,ADOPTION,,HEALTHY,HEALTHY,COUNTY,COUNTY,95407,"95407(1, -1)",1
            """, [.found, .closed], "BEAGLE"
        ),
        (
            """
            AnimalID,AnimalType,IntakeDate,IntakeType,IntakeSubtype,PrimaryColor,PrimaryBreed,SecondaryBreed,Gender,SecondaryColor,IntakeReason,OutcomeDate,OutcomeType,OutcomeSubtype
            A7,DOG,2025-10-20 11:15:00,STRAY,OTC,BROWN,BEAGLE,BOXER,M,WHITE,STRAY,2025-10-21 09:00:00,RTO,IN FIELD
            """, [.reunited], "BEAGLE / BOXER"
        ),
    ]

    @Test("Open data of Bloomington, which come from ASM3, tell found animals by intakes and movements")
    func bloomington() async throws {
        let text = """
            id,intakedate,intakereason,istransfer,sheltercode,identichipnumber,animalname,breedname,basecolour,speciesname,animalage,sexname,location,movementdate,movementtype,istrial,returndate,returnedreason,deceaseddate,deceasedreason,diedoffshelter,puttosleep,isdoa
            1,2025-10-20,Stray,0,D25-1,,Argo,Beagle,Brown,Dog,2 years,Male,Dog Room,,,,,,,,0,0,0
            2,2025-10-20,Stray,0,D25-2,,Luna,Boxer,White,Dog,2 years,Female,Salerno (SA),2025-10-21,Reclaimed,,,,,,0,0,0
            3,2025-10-20,Moving,0,D25-3,,Rex,Boxer,White,Dog,2 years,Male,Salerno (SA),,,,,,,,0,0,0
            4,2025-10-20,Stray,0,D25-4,,Kira,Boxer,White,Dog,2 years,Female,Salerno (SA),2025-10-25,Adoption,,,,,,0,0,0
            """
        var plan = ImportPlan()
        plan.defaults["place"] = "Salerno"
        let result = try await Self.read(Data(text.utf8), plan: plan)
        #expect(result.mistakes.isEmpty && result.unknown.isEmpty, "\(result)")
        #expect(result.drafts.map(\.status) == [.found, .reunited, .closed, .closed])
        #expect(result.drafts.map { $0[.reference] } == ["D25-1", "D25-2", "D25-3", "D25-4"])
    }

    @Test("The export of Vancouver tells the status by State, and the species of other animals by the breed")
    func vancouver() async throws {
        let text = """
            Breed;Color;Date;Name;Sex;State
            Cat - DSH Tabby;Orange;2025-01-08;Lola;F/S;Lost
            Beagle Boxer X;Brown;2025-01-12;Rex;M/N;Matched
            Bird - Lovebird;Green;2025-01-29;Kiwi;X;Found
            Siamese;Seal point;2025-01-30;Mia;F;Lost
            """
        var plan = ImportPlan()
        plan.defaults["place"] = "Salerno"
        let result = try await Self.read(Data(text.utf8), plan: plan)
        #expect(result.mistakes.isEmpty && result.unknown.isEmpty, "\(result)")
        #expect(result.drafts.map(\.status) == [.lost, .reunited, .found, .lost])
        #expect(result.drafts.map(\.species) == [.cat, .dog, .other, .cat])
        #expect(result.drafts.map(\.sex) == [.female, .male, nil, .female])
        #expect(result.drafts.first?[.breed] == "DSH Tabby")
    }

    @Test("Tables with the columns of the Italian registry tell found animals without a column for the status")
    func registry() async throws {
        let text = """
            CANILE SANITARIO;;;;;;;;;
            MICROCHIP;NOME;SESSO;RAZZA;MANTELLO;TAGLIA;DATA NASCITA;DATA INGRESSO;COMUNE DI RITROVAMENTO;BOX;DATA USCITA;MOTIVO USCITA
            380260000000001;ARGO;M;METICCIO;FULVO;MEDIA;01/01/2020;20/11/2025;FISCIANO;12;;
            380260000000002;;F;SEGUGIO;NERO;PICCOLA;;21/11/2025;SALERNO;3;22/11/2025;RESTITUITO AL PROPRIETARIO
            380260000000003;BIRBA;F;METICCIO;NERO;PICCOLA;;21/11/2025;SALERNO;;30/11/2025;ADOZIONE
            """
        for mapping in [ImportMapping.Name.auto, .shelter] {
            let result = try await Self.read(Data(text.utf8), mapping)
            #expect(result.mistakes.isEmpty && result.unknown.isEmpty, "\(result)")
            #expect(result.drafts.map(\.status) == [.found, .reunited, .closed])
            let argo = try #require(result.drafts.first)
            #expect(argo[.microchip] == "380260000000001" && argo[.colour] == "FULVO" && argo.place == "FISCIANO")
            #expect(argo.lastSeenIsDay && argo.size == .medium && argo.sex == .male)
        }
    }

    @Test("Exports of shelters' programs and of cities are recognised", arguments: exports.indices)
    func shelters(index: Int) async throws {
        let export = Self.exports[index]
        var plan = ImportPlan()
        plan.dates = .monthFirst
        plan.defaults["place"] = "Salerno"
        let result = try await Self.read(Data(export.text.utf8), plan: plan)
        #expect(result.unknown.allSatisfy { ["Age (Y/M/D)", "Admitter"].contains($0) }, "\(result.unknown)")
        #expect(result.drafts.map(\.status) == export.statuses.compactMap(\.self), "\(result.mistakes)")
        #expect(result.mistakes.count == export.statuses.count { $0 == nil })
        if let breed = export.breed { #expect(result.drafts.first?[.breed] == breed) }
        for draft in result.drafts {
            #expect(draft.place?.contains("Salerno") == true && draft.contactPhone.value == nil)
            #expect(draft[.reference] != nil && draft.lastSeenIsDay == ![4, 7].contains(index))
        }
    }

    @Test(
        "Columns of the record of an animal",
        arguments: [
            ("Data ingresso canile", AnimalRecord.Key.intakeDay), ("Tipo di ingresso", .intake), ("N. box", .kennel),
            ("Gabbia", .kennel), ("Data di uscita", .outcomeDay), ("Esito uscita", .outcome),
            ("Kennel Number", .kennel),
            ("IntakeSubtype", .intake), ("Kennel phone", nil), ("Proprietario box", nil), ("Note", nil),
        ]
    )
    func recordColumn(column: String, key: AnimalRecord.Key?) { #expect(ImportMapping.recordKey(column) == key) }

    @Test("Days and words of a record are told apart, and several columns are joined")
    func notes() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        let text =
            "stato,comune,data ingresso,tipo ingresso,motivo ingresso,uscita,settore,box\n"
            + "trovato,Salerno,11/20/2025,vagante,incidente,adottato,A,12\ntrovato,Salerno,11/02/2025,,,,,\n"
        try Data(text.utf8).write(to: url)
        var plan = ImportPlan()
        plan.dates = .monthFirst
        var records = try ListingRecords(url, mapping: .auto, plan: plan)
        func next() throws -> ListingRecords.Record? {
            if case .record(let record)? = try records.next() { record } else { nil }
        }
        let notes = try #require(try next()).checkedNotes()
        #expect(notes[.intakeDay] == "2025-11-20" && notes[.intake] == "vagante / incidente")
        #expect(notes[.outcome] == "adottato" && notes[.kennel] == "A 12")
        let empty = try #require(try next()).checkedNotes()
        #expect(empty[.intakeDay] == "2025-11-02" && empty[.kennel] == .some(nil) && empty[.behaviour] == nil)
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

    @Test("Weight, neutering and temperament become marks with their names")
    func otherColumns() async throws {
        let text =
            "status,name,place,peso,Sterilizzato,Carattere\nfound,Argo,Fisciano (SA),18 kg,SI,timido con i gatti\n"
        let result = try await Self.read(Data(text.utf8))
        let marks = "peso: 18 kg; carattere: timido con i gatti; sterilizzato: SI"
        #expect(result.unknown.isEmpty && result.drafts.first?[.marks] == marks, "\(result)")
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

    private static func elements(_ layout: JSONElementReader.Layout, _ text: String, size: Int) throws -> [String] {
        var rest = Data(text.utf8)
        var reader = JSONElementReader(layout) { count in
            defer { rest = Data(rest.dropFirst(min(size, count))) }
            return Data(rest.prefix(min(size, count)))
        }
        var found: [String] = []
        while let data = try reader.next() { found.append(String(decoding: data, as: UTF8.self)) }
        return found
    }

    @Test(
        "The objects of an array are read, alone, in an object or in several documents",
        arguments: [
            (#"[{"a": "]"}, {"b": [{}]}]"#, [#"{"a": "]"}"#, #"{"b": [{}]}"#]),
            (
                #" {"count": 2, "tags": ["x"], "none": [], "rows": [ {"a": 1}, {"b": 2}], "more": [{"c": 3}]}"#,
                [#"{"a": 1}"#, #"{"b": 2}"#]
            ),
            (#"[{"a": 1}] [{"b": 2}]"#, [#"{"a": 1}"#, #"{"b": 2}"#]), ("[]", []), ("[1, 2]", []),
        ]
    )
    func objects(text: String, elements: [String]) throws {
        for size in [1, 3, 1000] { #expect(try Self.elements(.objects, text, size: size) == elements, "\(size)") }
    }

    @Test("Pages of features follow each other")
    func pages() throws {
        let page = #"{"links": [{"a": 1}], "features": [{"b": 2}], "x": [{"c": 3}]}"#
        for size in [1, 1000] {
            #expect(try Self.elements(.features, page + "\n" + page, size: size) == [#"{"b": 2}"#, #"{"b": 2}"#])
        }
    }

    @Test(
        "JSON that breaks off, is nested too deeply or has no objects is refused",
        arguments: [
            "[", "[{", #"[{"a": "]"#, #"{"a": 1}"#, "{}", "]", String(repeating: "[", count: 65), #"{"a": [1]}"#,
            "[{}] [", "[{}] {",
        ])
    func brokenJSON(text: String) {
        #expect(throws: ServiceError.self) { try Self.elements(.objects, text, size: 2) }
    }

    @Test("A JSON array of objects is read like a table, by the mappings of its members")
    func jsonTable() async throws {
        let asm3 = """
            [{"ID": 7, "ANIMALNAME": "Argo", "SPECIESNAME": "Dog", "BREEDNAME": "Beagle", "SEXNAME": "Male", "DATELOST": null,
              "DATEBROUGHTIN": "2026-02-01T10:00:00", "SHELTERCODE": "D1", "ANIMALLOCATION": null},
             {"DATELOST": "2026-02-01", "AREALOST": "Salerno", "LFID": 3, "SPECIESNAME": "Dog", "X": {"A": 1, "B": [true, "c"]}}, 5]
            """
        let result = try await Self.read(Data(asm3.utf8))
        #expect(result.drafts.map(\.status) == [.lost] && result.drafts.first?[.reference] == "lost-3")
        #expect(result.unknown == ["X.A", "X.B"] && result.mistakes.count == 1, "\(result.mistakes)")
        let items = """
            {"total": 2, "animals": [{"stato": "smarrito", "nome": "Argo", "lat": 40.77, "lon": 14.79, "razza": ["Beagle"]},
             {"stato": "trovato", "comune": "Salerno", "riferimento": 12}]}
            """
        let other = try await Self.read(Data(items.utf8))
        #expect(other.drafts.map(\.status) == [.lost, .found] && other.drafts.first?.breed == "Beagle")
        #expect(other.drafts.last?[.reference] == "12" && other.mistakes.isEmpty)
    }

    @Test("Features are read one by one, in pieces of any size")
    func features() throws {
        let text =
            #"{"crs": {"features": [1]}, "x": "features", "features": [{"a": "}]\"{"}, {"b": [[1], {}]}], "y": [{}]}"#
        for size in [1, 2, 7, 1000] {
            var rest = Data(text.utf8)
            var reader = JSONElementReader(.features) { count in
                defer { rest = Data(rest.dropFirst(min(size, count))) }
                return Data(rest.prefix(min(size, count)))
            }
            var found: [String] = []
            while let data = try reader.next() { found.append(String(decoding: data, as: UTF8.self)) }
            #expect(found == [#"{"a": "}]\"{"}"#, #"{"b": [[1], {}]}"#])
        }
    }
}
