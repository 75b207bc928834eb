import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Filter by breed")
struct BreedFilterTests {
    private static let breeds = [
        "Terrier", "West Highland White Terrier", "westie", "incrocio Terrier", "Setter inglese", "setter mix",
        "German Shepherd", "Pastore maremmano", "pastore incrociato", "Labrador", "Labrador mix", "Border Collie",
    ]

    private static let found = [
        "terri": ["Terrier", "West Highland White Terrier", "incrocio Terrier", "westie"],
        "terrier": ["Terrier", "West Highland White Terrier", "incrocio Terrier", "westie"],
        "TERR": ["Terrier", "West Highland White Terrier", "incrocio Terrier", "westie"],
        "setter": ["Setter inglese", "setter mix"],
        "setter mix": ["Setter inglese", "setter mix"],
        "pastore": ["German Shepherd", "Pastore maremmano", "pastore incrociato"],
        "shepherd": ["German Shepherd", "Pastore maremmano", "pastore incrociato"],
        "past": ["German Shepherd", "Pastore maremmano", "pastore incrociato"],
        "german shepherd": ["German Shepherd"],
        "collie": ["Border Collie"],
        "labrador": ["Labrador", "Labrador mix"],
        "labrad": ["Labrador", "Labrador mix"],
    ]

    @Test("The name of a type finds its breeds and texts with the word; the name of a breed finds the breed")
    func groups() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for breed in Self.breeds {
                _ = try await service.post(
                    #"{"status": "lost", "breed": "\#(breed)", "lon": 14.79, "lat": 40.77}"#,
                    token
                )
            }
            for (text, wanted) in Self.found {
                let query = "breed=" + text.replacing(" ", with: "+")
                for area in ["", "&lon=14.79&lat=40.77&radius=5000"] {
                    let answer = try await service.send("GET", "/v1/listings?\(query)\(area)")
                    let names = answer.features.indices.compactMap {
                        answer.text("features", "\($0)", "properties", "breed")
                    }
                    #expect(names.sorted() == wanted.sorted(), "\(query)\(area)")
                }
                let count = try await service.send("GET", "/v1/listings/count?\(query)")
                #expect(count["count"] == .number(Double(wanted.count)), "\(query)")
            }
        }
    }

    @Test(
        "A filter by a breed of another species is refused",
        arguments: ["labrador", "terrier", "german+shepherd", "german_shepherd"]
    )
    func contradiction(breed: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            for path in ["/v1/listings", "/v1/listings/count", "/v1/listings/stream"] {
                let refusal = try await service.send("GET", "\(path)?species=cat&breed=\(breed)")
                #expect(refusal.status == 400 && refusal.text("field") == "breed", "\(path)")
            }
            #expect(try await service.send("GET", "/v1/listings?species=dog&breed=\(breed)").status == 200)
            // Texts that name no breed may occur in listings of any species.
            #expect(try await service.send("GET", "/v1/listings?species=cat&breed=terri").status == 200)
        }
    }

    @Test("A listing with a breed of another species is refused, and an edit that makes it one")
    func postedContradiction() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for fields in [
                #""species": "cat", "breed": "labrador""#, #""species": "other", "breed": "terrier""#,
                #""breed": "siamese""#,
            ] {
                let body = #"{"status": "lost", \#(fields), "lon": 14.79, "lat": 40.77}"#
                let refusal = try await service.send("POST", "/v1/listings", body, token: token)
                #expect(refusal.status == 400 && refusal.text("field") == "breed", "\(fields)")
            }
            let id = try await service.post(
                #"{"status": "lost", "species": "cat", "breed": "siamese", "lon": 14.79, "lat": 40.77}"#,
                token
            )
            let path = "/v1/listings/\(id)"
            let refusal = try await service.send("PATCH", path, #"{"species": "dog"}"#, token: token)
            #expect(refusal.status == 400 && refusal.text("field") == "breed")
            let both = try await service.send("PATCH", path, #"{"species": "dog", "breed": "lab"}"#, token: token)
            #expect(both.status == 200)
        }
    }

    @Test("A time range that contains no moment is refused")
    func emptyRange() async throws {
        try await RunningService.with(hasModel: false) { service in
            let refusal = try await service.send("GET", "/v1/listings?since=2026-02-01&until=2026-01-01")
            #expect(refusal.status == 400 && refusal.text("field") == "until")
        }
    }
}
