import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

/// Searches as people type them, through the API.
@Suite("Typed searches")
struct SearchTextRoutesTests {
    private static let posts = [
        #"{"status": "lost", "name": "Argo", "breed": "Labrador", "colour": "nero", "sex": "male", "place": "Eboli"}"#,
        #"{"status": "found", "breed": "incrocio labrador", "colour": "nera con petto bianco", "sex": "female", "place": "Eboli"}"#,
        #"{"status": "lost", "name": "Bianca", "breed": "Meticcia", "colour": "tigrata", "place": "Salerno"}"#,
        #"{"status": "sighted", "description": "Cane nero con collare rosso, zoppica", "place": "Salerno"}"#,
        #"{"status": "lost", "species": "cat", "name": "Micia", "breed": "Siberiano", "colour": "rossa", "place": "Fisciano"}"#,
        #"{"status": "lost", "breed": "Beagle", "colour": "tricolore", "description": "Ha un collarino blu, molto timida", "place": "Fisciano"}"#,
    ]

    private func withBoard(_ body: (RunningService, [String]) async throws -> Void) async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            var ids: [String] = []
            for post in Self.posts { ids.append(try await service.post(post, token)) }
            try await body(service, ids)
        }
    }

    private static func path(_ text: String, _ filters: String = "") -> String {
        let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&+"))
        return "/v1/listings?lang=it\(filters)&q=" + (text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
    }

    @Test("Species, colours, breeds, sexes, places, names and marks are found, what fits exactly first")
    func found() async throws {
        try await withBoard { service, ids in
            for (text, expected) in [
                ("cane nero", [3, 0, 5, 1]), ("black dog", [3, 0, 5, 1]), ("labrador", [0, 1]),
                ("incrocio labrador", [1]),
                ("labrador femmina", [1]), ("cane femmina", [1, 5, 3, 2]), ("cane trovato", [1, 5, 3, 2, 0]),
                ("gatto siberiano", [4]), ("micio rosso", [4]), ("cane eboli", [1, 0]),
                ("cani in provincia di Salerno", [5, 3, 2, 1, 0]),
                ("collare rosso", [3]), ("red collar", [3]), ("zoppo", [3]), ("timido", [5]),
                ("collarino azzurro", [5]),
                ("si chiama Bianca", [2]), ("Bianca", [2, 5, 1]), ("labardor", [0, 1]), ("cane con colare rosso", [3]),
                ("ho perso il mio labrador a Eboli", [0, 1]), ("380260000123456", []), ("\"nero\"", [3, 1, 0]),
            ] as [(String, [Int])] {
                let answer = try await service.send("GET", Self.path(text))
                let found = answer.features.map { feature -> Int in
                    guard case .object(let fields) = feature, case .string(let id)? = fields["id"] else { return -1 }
                    return ids.firstIndex(of: id) ?? -1
                }
                #expect(found == expected, "\(text)")
            }
        }
    }

    @Test(
        "Pages of a search with several parts have each result once",
        arguments: [("cane nero", [3, 0, 5, 1]), ("Bianca", [2, 5, 1])]
    )
    func pages(text: String, expected: [Int]) async throws {
        try await withBoard { service, ids in
            var found: [String] = []
            var path: String? = Self.path(text, "&limit=1")
            while let next = path {
                let answer = try await service.send("GET", next)
                for feature in answer.features {
                    if case .object(let fields) = feature, case .string(let id)? = fields["id"] { found.append(id) }
                }
                path = answer.headers["link"].flatMap {
                    $0.firstMatch(of: #/<https?://[^/]+([^>]+)>; rel="next"/#).map { String($0.1) }
                }
            }
            #expect(found == expected.map { ids[$0] })
        }
    }

    @Test("The answer tells how the words were read, and what finds something")
    func reading() async throws {
        try await withBoard { service, _ in
            let answer = try await service.send("GET", Self.path("labardor bianco a Salerno"))
            #expect(answer.features.isEmpty)
            #expect(
                answer.text("reading", "0", "kind") == "breed" && answer.text("reading", "0", "words") == "labardor")
            #expect(answer.text("reading", "1", "values", "0") == "white")
            #expect(answer.text("reading", "2", "values", "0") == "Salerno")
            let text = try #require(answer.text("alternatives", "0", "q"))
            #expect(try await service.send("GET", Self.path(text)).features.count == 1)
            let plain = try await service.send("GET", Self.path("cane nero", "&reading=no"))
            #expect(plain["reading"] == nil && plain.features.count == 1)
        }
    }

    @Test("The words mean the same in counts, feeds, exports and alerts; a filter beside them holds as well")
    func everywhere() async throws {
        try await withBoard { service, _ in
            let count = try await service.send(
                "GET", Self.path("cane nero").replacing("/v1/listings", with: "/v1/listings/count"))
            #expect(count["count"] == 4)
            let csv = try await service.send(
                "GET", Self.path("cane nero").replacing("/v1/listings", with: "/v1/listings.csv"))
            #expect(csv.html.split(separator: "\r\n").count == 5)
            let feed = try await service.send(
                "GET", Self.path("cane nero").replacing("/v1/listings", with: "/feeds/listings.atom"))
            #expect(feed.html.components(separatedBy: "<entry").count == 5)
            #expect(try await service.send("GET", Self.path("cane nero", "&status=lost")).features.count == 2)
            let items = Self.path("cane nero").replacing("/v1/listings", with: "/collections/listings/items")
            #expect(try await service.send("GET", items).features.count == 4)
            #expect(try await service.send("GET", items + "&status=lost").features.count == 2)
            #expect(try await service.send("GET", Self.path("cane nero", "&species=cat")).features.isEmpty)
            #expect(try await service.send("GET", Self.path("labrador", "&place=zona+Eboli")).features.count == 2)
        }
    }

    @Test("Any text is an answer, not an error")
    func hostile() async throws {
        try await withBoard { service, _ in
            for text in [
                "\"", "\"\"a", "AND OR NOT", "NEAR(a b)", "a*b:c^d", String(repeating: "nero ", count: 39),
                "'; DROP TABLE listing; --",
                String(repeating: "cane eboli collare rosso ", count: 7), "👩‍👩‍👧‍👦 nero", "%00", "tags:facet", "e", "-nero",
            ] {
                let answer = try await service.send("GET", Self.path(text))
                #expect(answer.status == 200 || answer.text("field") == "q", "\(text): \(answer.html)")
            }
        }
    }
}
