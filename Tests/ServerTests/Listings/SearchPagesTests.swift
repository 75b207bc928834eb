import Domain
import Foundation
import ServerSupport
import Testing

@testable import Server

@Suite("Searches on pages")
struct SearchPagesTests {
    private static func page(_ path: String, _ service: RunningService) async throws -> String {
        let answer = try await service.send("GET", path, headers: ["Accept": "text/html", "Accept-Language": "it"])
        #expect(answer.status == 200, "\(path)")
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// A black Labrador in Salerno, and a white cat in Milano.
    private static func withBoard(_ body: (RunningService) async throws -> Void) async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for listing in [
                #"{"status": "lost", "name": "Argo", "breed": "Labrador", "colour": "nero", "place": "Salerno"}"#,
                #"{"status": "found", "name": "Neve", "species": "cat", "colour": "bianco", "place": "Milano"}"#,
            ] {
                _ = try await service.post(listing, token)
            }
            try await body(service)
        }
    }

    @Test("A search that finds nothing offers others, and one without others says what it said before")
    func alternatives() async throws {
        try await Self.withBoard { service in
            let wider = try await Self.page("/board?q=labrador+nero+pontecagnano&status=lost", service)
            #expect(wider.contains("Nessun risultato per «labrador nero pontecagnano»."))
            #expect(wider.contains(#"q=labrador%20nero&amp;status=lost">labrador nero: 1</a>"#), "\(wider)")
            let nothing = try await Self.page("/board?q=zzzqx", service)
            #expect(nothing.contains("Nessun annuncio corrisponde.") && !nothing.contains("Nessun risultato"))
        }
    }

    @Test("The number of a microchip is looked up on its own page, by a form")
    func microchip() async throws {
        try await Self.withBoard { service in
            let board = try await Self.page("/board?q=380260000123456", service)
            #expect(board.contains(#"action="/microchip""#))
            #expect(board.contains(#"name="number" value="380260000123456""#))
            #expect(!board.contains("Avvisami"))
        }
    }

    @Test("The map is where the place of a search is, and its list has only what the other words find")
    func map() async throws {
        try await Self.withBoard { service in
            let dogs = try await Self.page("/map?q=labrador+salerno", service)
            #expect(dogs.contains(#"data-words="labrador""#) && dogs.contains(#"data-zoom="12""#))
            #expect(dogs.contains(">Argo<") && !dogs.contains(">Neve<"))
            let nearby = try await Self.page("/map?q=labrador+entro+100+km+da+Eboli", service)
            #expect(nearby.contains(">Argo<") && nearby.contains(#"data-zoom="8""#))
            let nowhere = try await Self.page("/map?q=labrador+bianco+salerno", service)
            #expect(nowhere.contains(#"href="/map?q=labrador">labrador: 1</a>"#))
            // The words are elsewhere, which the board shows.
            let elsewhere = try await Self.page("/map?q=gatto+salerno", service)
            #expect(!elsewhere.contains("Nessun risultato") && elsewhere.contains(#"href="/board?q=gatto%20salerno""#))
            let cards = try await Self.page("/map/cards?bbox=6,36,19,47&q=gatto", service)
            #expect(cards.contains(">Neve<") && !cards.contains(">Argo<"))
            let refused = try await service.send("GET", "/map?q=%2C", headers: ["Accept": "text/html"])
            #expect(refused.status == 400)
        }
    }
}
