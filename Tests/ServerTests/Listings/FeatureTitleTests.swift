import Domain
import ServerSupport
import TestSupport
import Testing

@Suite("Titles of features")
struct FeatureTitleTests {
    private static func titles(_ answer: RunningService.Answer) -> [String?] {
        answer.features.indices.map { answer.text("features", String($0), "properties", "title") }
    }

    @Test("Lists and files tell status, breed and town in the language of the request")
    func titles() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "breed": "Beagle", "lon": 14.79, "lat": 40.77}"#, token)
            for path in ["/v1/listings", "/v1/me/listings", "/v1/listings.geojson"] {
                let english = try await service.send("GET", path, token: token)
                #expect(Self.titles(english) == ["Lost: Beagle in Fisciano (SA)"], "\(path)")
                let italian = try await service.send("GET", path, token: token, headers: ["Accept-Language": "it"])
                #expect(Self.titles(italian) == ["Smarrito: Beagle a Fisciano (SA)"], "\(path)")
            }
            let anonymous = try await service.send("GET", "/v1/listings?lang=it")
            #expect(Self.titles(anonymous) == ["Smarrito: Beagle a Fisciano (SA)"])
        }
    }

    @Test("Quotes, backslashes and words that look like members stay what they are")
    func hostileWords() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let words = #"\",\"place\":\"Rome\\ (x)"#
            _ = try await service.post(
                #"{"status": "found", "name": "\#(words)", "breed": "\#(words)", "place": "Eboli"}"#, token)
            _ = try await service.post(#"{"status": "sighted", "species": "cat", "place": "Eboli"}"#, token)
            let shown = [#"Sighted: Cat in Eboli (SA)"#, #"Found: ","place":"Rome\ (x) in Eboli (SA)"#]
            #expect(Self.titles(try await service.send("GET", "/v1/listings")) == shown)
            #expect(Self.titles(try await service.send("GET", "/v1/listings", token: token)) == shown)
        }
    }
}
