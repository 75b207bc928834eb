import CSV
import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

/// Each field of a listing over HTTP, and in the article that describes them.
@Suite("Fields of listings over HTTP")
struct ListingFieldRoutesTests {
    private static func body(_ fields: [String: JSONValue]) throws -> String {
        String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
    }

    @Test("Every route returns each field to the callers that can see it")
    func shown() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(try Self.body(ListingField.samples), token)
            let own = try await service.send("GET", "/v1/listings/\(id)", token: token)
            let seen = try await service.send("GET", "/v1/listings/\(id)")
            let found = try await service.send("GET", "/v1/listings").features.first
            let export = try await service.send("GET", "/v1/listings.geojson").features.first
            let item = try await service.send("GET", "/collections/listings/items/\(id)")
            for field in ListingField.columns {
                let isPublic = field.access != .owner
                let expected = isPublic ? field.sample : nil
                #expect(own["properties", field.name] == field.sample, "\(field.name)")
                #expect(seen["properties", field.name] == expected, "\(field.name)")
                #expect(found?["properties"]?[field.name] == expected, "\(field.name) in a search")
                #expect(export?["properties"]?[field.name] == expected, "\(field.name) in an export")
                #expect(item["properties", field.name] == expected, "\(field.name) in the collection")
            }
            var reader = try CSVReader(try await service.send("GET", "/v1/listings.csv").body)
            let row = try #require(try reader.next())
            for field in ListingField.columns {
                // A phone number begins like a formula.
                let cell = row[field.name].map { $0.hasPrefix("'") ? String($0.dropFirst()) : $0 }
                #expect(cell.map(JSONValue.string) == (field.access == .owner ? nil : field.sample), "\(field.name)")
            }
        }
    }

    @Test("Filters of the collection accept the queryable fields and no others")
    func queried() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(try Self.body(ListingField.samples), token)
            _ = try await service.post(#"{"status": "found", "species": "cat", "lon": 9, "lat": 45}"#, token)
            let queryables = try await service.send("GET", "/collections/listings/queryables")
            for field in ListingField.columns {
                let isQueryable = field.definition.isQueryable
                #expect((queryables["properties", field.name] != nil) == isQueryable, "\(field.name)")
                guard case .string(let value) = field.sample, !field.name.hasSuffix("_at") else { continue }
                let filter =
                    "\(field.name)='\(value)'".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let answer = try await service.send("GET", "/collections/listings/items?filter=\(filter)")
                #expect(answer.status == (isQueryable ? 200 : 400), "\(field.name)")
                if isQueryable { #expect(answer.features.count == 1, "\(field.name)") }
            }
        }
    }

    @Test(
        "A point of a device without a position, and one at a pole, are refused with the reason",
        arguments: [("0", "0", "lon"), ("0.0", "-0", "lon"), ("14", "90", "lat"), ("14", "-89.5", "lat")]
    )
    func impossiblePoints(lon: String, lat: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = #"{"status": "lost", "lon": \#(lon), "lat": \#(lat)}"#
            let answer = try await service.send("POST", "/v1/listings", body, token: service.guest())
            #expect(answer.status == 400 && answer.text("field") == field, "\(answer.html)")
        }
    }

    @Test("Animals of every species are crosses", arguments: ["Meticcio", "Mixed breed", "mixed"])
    func crosses(breed: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for (species, key) in [("dog", "mixed"), ("cat", "mixed"), ("other", "mixed")] {
                let body = #"{"status": "lost", "place": "Salerno", "species": "\#(species)", "breed": "\#(breed)"}"#
                let answer = try await service.send("POST", "/v1/listings", body, token: token)
                #expect(answer.status == 201 && answer.text("properties", "breed_key") == key, "\(answer.html)")
                #expect(answer.text("properties", "breed")?.isEmpty == false)
            }
        }
    }

    @Test("Null clears a text, and a text that is too long is rejected with its name")
    func changed() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let path = "/v1/listings/\(try await service.post(try Self.body(ListingField.samples), token))"
            for field in ListingField.columns where field.isText && field != .place {
                let long = JSONValue.string(String(repeating: "a", count: field.maxLength + 1))
                let refused = try await service.send("PATCH", path, try Self.body([field.name: long]), token: token)
                #expect(refused.status == 400 && refused.text("field") == field.name, "\(field.name)")
                let kept = try await service.send("GET", path, token: token)
                #expect(kept["properties", field.name] == field.sample, "\(field.name)")
                let cleared = try await service.send("PATCH", path, try Self.body([field.name: .null]), token: token)
                #expect(cleared.status == 200 && cleared["properties", field.name] == .null, "\(field.name)")
            }
        }
    }

    @Test("The article on the HTTP API lists each field and its greatest length")
    func documented() throws {
        let article = Repository.root.appending(path: "Sources/doggofinder/Documentation.docc/HTTPAPI.md")
        let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        for field in ListingField.allCases {
            let row = rows.first { row in
                row.split(separator: "|").first.map { $0.contains("`\(field.name)`") } == true
            }
            #expect(row != nil, "HTTPAPI.md does not list \(field.name)")
            switch field.kind {
            case .text(let length), .lines(let length), .breed(let length), .age(let length):
                guard field.access != .everybodyIf(.contactNamePublic) else { continue }
                #expect(row?.contains("\(length) characters") == true, "HTTPAPI.md: length of \(field.name)")
            default: break
            }
        }
    }
}
