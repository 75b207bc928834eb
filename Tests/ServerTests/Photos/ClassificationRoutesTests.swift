import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Breed classification over HTTP")
struct ClassificationRoutesTests {
    /// Colours that the test model classifies as a beagle, as a labrador, as no dog, and as uncertain.
    private static let red: [UInt8] = [220, 30, 30]
    private static let green: [UInt8] = [30, 220, 30]
    private static let dark: [UInt8] = [83, 0, 0]
    private static let grey: [UInt8] = [128, 64, 128]

    private static func photo(_ colour: [UInt8]) throws -> Data {
        Data(try plainPNG(width: 60, height: 40, colour: colour))
    }

    @Test("A photo gives breeds in the requested language, with a link to a search for the most likely one")
    func classify() async throws {
        try await RunningService.with { service in
            let italian = ["Accept-Language": "it"]
            let path = "/v1/classifications"
            let answer = try await service.send("POST", path, bytes: try Self.photo(Self.red), nil, italian)
            #expect(answer.status == 201 && answer.text("outcome") == "accepted")
            #expect(answer.text("predictions", "0", "label") == "beagle")
            guard case .number(let confidence)? = answer["predictions", "0", "confidence"] else {
                Issue.record("no confidence")
                return
            }
            #expect(confidence > 0.9 && confidence <= 1)
            #expect(answer.text("model") == "colours" && answer.text("model_version") == "3")
            let search = try #require(answer.text("links", "0", "href"))
            let id = try #require(answer.text("id"))
            #expect(search == "https://dogs.example.org/v1/listings?classification=\(id)")
            let again = try await service.send("GET", "\(path)/\(id)", headers: ["Accept-Language": "en"])
            #expect(
                again.status == 200
                    && again["predictions", "0", "confidence"] == answer["predictions", "0", "confidence"]
            )
            let nobody = try await service.send("POST", path, bytes: try Self.photo(Self.dark), nil)
            #expect(
                nobody.text("outcome") == "not_the_subject" && nobody.text("predictions", "0", "name") == "Not a dog"
            )
            let german = try await service.send("POST", path, bytes: try Self.photo([220, 220, 0]), nil, italian)
            #expect(german.text("predictions", "0", "name") == "Pastore tedesco")
        }
    }

    @Test("A file that is not a photo and an unknown classification are errors")
    func refusals() async throws {
        try await RunningService.with { service in
            for (body, status) in [
                (Data(), 400), (Data("GIF89a".utf8), 415), (try Self.photo(Self.red).prefix(60), 400),
            ] {
                #expect(try await service.send("POST", "/v1/classifications", bytes: body, nil).status == status)
            }
            for id in [UUID().lowercased, "x"] {
                #expect(try await service.send("GET", "/v1/classifications/\(id)").status == 404)
            }
        }
    }

    @Test("A listing without a breed gets that of its photo, unless the owner states one")
    func fill() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(
                #"{"status": "found", "lon": 12.48, "lat": 41.89, "location_precision": "exact"}"#,
                token
            )
            let path = "/v1/listings/\(id)"
            func breed() async throws -> [JSONValue?] {
                let listing = try await service.send("GET", path)
                let list = try await service.send("GET", "/v1/listings?lon=12.48&lat=41.89&radius=10")
                #expect(list["features", "0", "properties", "breed_source"] == listing["properties", "breed_source"])
                return [listing["properties", "breed_key"], listing["properties", "breed_source"]]
            }
            #expect(try await breed() == [.null, .null])
            for (colour, expected) in [(Self.grey, JSONValue.null), (Self.dark, .null), (Self.red, .string("beagle"))] {
                let sent = try await service.send("PUT", "\(path)/photos/1", bytes: try Self.photo(colour), token)
                #expect(sent.text("classification", "outcome") != nil)
                #expect(try await breed()[0] == expected)
            }
            #expect(try await breed()[1] == .string("photo"))
            #expect(try await service.send("GET", "/v1/listings?breed=beagle").features.count == 1)
            // Another photo gives another prediction.
            _ = try await service.send("PUT", "\(path)/photos/2", bytes: try Self.photo(Self.green), token)
            #expect(try await breed() == [.string("labrador_retriever"), .string("photo")])
            // A change of another field keeps the prediction.
            _ = try await service.send("PATCH", path, #"{"colour": "brown"}"#, token: token)
            #expect(try await breed() == [.string("labrador_retriever"), .string("photo")])
            _ = try await service.send("PATCH", path, #"{"breed": "Barboncino"}"#, token: token)
            #expect(try await breed() == [.string("poodle"), .string("owner")])
            let last = try await service.send("PUT", "\(path)/photos/3", bytes: try Self.photo(Self.red), token)
            #expect(try await breed() == [.string("poodle"), .string("owner")])
            // The prediction is kept beside the owner's choice until the photo is deleted.
            let said = try #require(last.text("classification", "id"))
            #expect(
                try await service.send("GET", "/v1/classifications/\(said)").text("predictions", "0", "label")
                    == "beagle"
            )
            _ = try await service.send("DELETE", "\(path)/photos/3", token: token)
            #expect(try await service.send("GET", "/v1/classifications/\(said)").status == 404)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("A search by photo finds similar breeds, the most likely first, page by page")
    func searchByPhoto() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let breeds = ["beagle", "poodle", "labrador_retriever", "german_shepherd", "saluki"]
            for number in 0..<40 {
                let place = #""lon": \#(12.48 + Double(number) / 1000), "lat": 41.89"#
                let status = number % 10 == 9 ? "found" : "lost"
                _ = try await service.post(
                    #"{"status": "\#(status)", \#(place), "breed": "\#(breeds[number % 5])"}"#,
                    token
                )
            }
            // The colour is between red and yellow: beagle, then shepherd.
            let photo = try Self.photo([200, 120, 90])
            let asked = try await service.send("POST", "/v1/classifications", bytes: photo, nil)
            let id = try #require(asked.text("id"))
            let filter = "classification=\(id)&status=lost&lon=12.48&lat=41.89&radius=3000"
            var path = "/v1/listings?\(filter)&limit=7"
            var found: [(breed: String, distance: Double, likelihood: Double)] = []
            repeat {
                let page = try await service.send("GET", path)
                #expect(page.status == 200)
                for index in page.features.indices {
                    guard let breed = page.text("features", "\(index)", "properties", "breed_key"),
                        case .number(let distance)? = page["features", "\(index)", "properties", "distance"],
                        case .number(let likelihood)? = page["features", "\(index)", "properties", "likelihood"]
                    else {
                        Issue.record("\(page.features[index])")
                        return
                    }
                    found.append((breed, distance, likelihood))
                }
                let next = page.text("links", "1", "href")
                path = next?.replacing("https://dogs.example.org", with: "") ?? ""
            } while !path.isEmpty
            #expect(Set(found.map(\.breed)).count > 1 && !found.contains { $0.breed == "saluki" })
            #expect(found.first?.breed == asked.text("predictions", "0", "label"))
            // Among listings of one breed, nearer ones come first; among listings at one distance, likelier ones.
            for (number, before) in found.enumerated() {
                for after in found.dropFirst(number + 1) {
                    #expect(before.likelihood > after.likelihood || before.distance <= after.distance)
                }
            }
            let all = try await service.send("GET", "/v1/listings?\(filter)&limit=200")
            #expect(all.features.count == found.count)
            // Signed-in users get the same results by another path in the code.
            let mine = try await service.send("GET", "/v1/listings?\(filter)&limit=200", token: token)
            #expect(mine.features.count == found.count)
            let own = try await service.send("GET", "/v1/me/listings?\(filter)&limit=200", token: token)
            #expect(own.features.count == found.count)
            for (query, field) in [
                ("classification=x", "classification"), ("classification=\(UUID())", "classification"),
                ("classification=\(id)&breed=beagle", "classification"),
            ] {
                let refused = try await service.send("GET", "/v1/listings?\(query)")
                #expect(refused.status == 400 && refused.text("field") == field)
            }
        }
    }

    @Test("A near dog without a breed stands before a far one of the breed in the photo, on every page")
    func rankingByDistance() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            for (name, lon, more) in [
                ("Near beagle", 12.48, #""breed": "beagle""#), ("Mixed", 12.51, #""breed": "mixed""#),
                ("Unsaid", 12.52, #""sex": "male""#), ("Far beagle", 16.0, #""breed": "beagle""#),
                ("Saluki", 12.48, #""breed": "saluki""#), ("Cat", 12.48, #""species": "cat""#),
            ] {
                _ = try await service.post(
                    #"{"status": "lost", "name": "\#(name)", "lon": \#(lon), "lat": 41.89, \#(more)}"#,
                    token
                )
            }
            let asked = try await service.send("POST", "/v1/classifications", bytes: try Self.photo(Self.red), nil)
            #expect(asked.text("predictions", "0", "key") == "beagle")
            let filter = "classification=\(try #require(asked.text("id")))&status=lost"
            func names(_ query: String) async throws -> [String] {
                var (path, names) = ("/v1/listings?\(filter)&\(query)", [String]())
                while !path.isEmpty, names.count < 10 {
                    let page = try await service.send("GET", path)
                    #expect(page.status == 200)
                    names += page.features.indices.compactMap { page.text("features", "\($0)", "properties", "name") }
                    path = page.text("links", "1", "href")?.replacing("https://dogs.example.org", with: "") ?? ""
                }
                return names
            }
            let expected = ["Near beagle", "Mixed", "Unsaid"]
            for limit in [1, 2, 200] {
                #expect(try await names("lon=12.48&lat=41.89&limit=\(limit)") == expected)
                #expect(try await names("lon=12.48&lat=41.89&radius=500000&limit=\(limit)") == expected)
            }
            #expect(try await names("lon=12.48&lat=41.89&radius=3000") == ["Near beagle", "Mixed"])
            #expect(try await names("lon=12.48&lat=41.89&crosses=no") == ["Near beagle", "Unsaid"])
            let first = try await service.send("GET", "/v1/listings?\(filter)&lon=12.48&lat=41.89&limit=1")
            let reasons = (0..<9).compactMap {
                first.text("features", "0", "properties", "evidence", "\($0)", "text")
            }
            #expect(
                reasons.contains { $0.hasPrefix("Close by: 200") } && reasons.contains("The breed in the photo fits"))
            // Without a place the breed decides, and then the time.
            #expect(try await names("limit=1") == ["Far beagle", "Near beagle", "Unsaid", "Mixed"])
            #expect(try await names("q=unsaid") == ["Unsaid"])
        }
    }

    @Test("Photos are accepted without a model")
    func noModel() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "found", "lon": 12.48, "lat": 41.89}"#, token)
            let photo = try Self.photo(Self.red)
            #expect(try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: photo, token).status == 201)
            #expect(try await service.send("POST", "/v1/classifications", bytes: photo, nil).status == 503)
        }
    }

    @Test("Photos of cats do not set a breed")
    func cat() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let body = #"{"status": "found", "species": "cat", "lon": 12.48, "lat": 41.89}"#
            let id = try await service.post(body, token)
            let sent = try await service.send(
                "PUT",
                "/v1/listings/\(id)/photos/1",
                bytes: try Self.photo(Self.red),
                token
            )
            #expect(sent.status == 201)
            #expect(try await service.send("GET", "/v1/listings/\(id)")["properties", "breed"] == .null)
        }
    }

    @Test("The breed list marks the breeds that the model recognises")
    func breeds() async throws {
        try await RunningService.with { service in
            for (name, isKnown) in [("beagle", true), ("poodle", true), ("saluki", false)] {
                let answer = try await service.send("GET", "/v1/breeds?q=\(name)&limit=1")
                #expect(answer["breeds", "0", "recognised"] == .bool(isKnown), "\(name)")
            }
        }
    }
}
