import Domain
import Foundation
import HTTPTypes
import OpenAPI
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("OpenAPI document")
struct OpenAPIDocumentTests {
    /// Parameters whose values have a grammar, so that arbitrary text is rejected.
    private static let haveGrammar = ["cursor", "datetime", "filter"]
    private static let strict = Operation.all.filter(\.isStrict)
    /// Parameters of searches that are only valid together.
    private static let point = ["lon": "14.79", "lat": "40.77"]

    /// The address of an operation with its required parameters and some others.
    private static func address(_ operation: OpenAPI.Operation, _ query: [String: String]) -> String {
        let path = operation.parameters.filter { $0.place == .path }.reduce(operation.path) {
            $0.replacing("{\($1.name)}", with: text($1.example))
        }
        let own = operation.parameters.filter { $0.place == .query }
        var fields: [String: String] = [:]
        for parameter in own {
            if parameter.isRequired { fields[parameter.name] = text(parameter.example) }
            if let coordinate = point[parameter.name] { fields[parameter.name] = coordinate }
        }
        let pairs = fields.merging(query) { $1 }.map { "\($0.key)=\($0.value)" }
        return (path + (pairs.isEmpty ? "" : "?" + pairs.sorted().joined(separator: "&")))
            .addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? path
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .number(let number)?: number == number.rounded() ? String(Int(number)) : String(number)
        case .array(let items)?: items.map { text($0) }.joined(separator: ",")
        default: ""
        }
    }

    private static func choices(_ schema: Schema) -> [String] {
        if case .object(let items)? = schema["items"] { return choices(Schema(items)) }
        guard case .array(let values)? = schema["enum"] else { return [] }
        return values.compactMap(\.text)
    }

    @Test("The document describes every route that is not a page, and no route that does not exist")
    func routes() async throws {
        let service = try await WebService(over: try await TestDatabase(), model: nil)
        let documented = Operation.all.map { "\($0.method) \($0.path)" }
        let pages = Set(service.pageRoutes)
        #expect(pages.isSubset(of: service.routes) && pages.contains("POST /post") && pages.contains("GET /sw.js"))
        #expect(Set(documented) == Set(service.routes).subtracting(pages))
        #expect(documented.count == Set(documented).count)
        #expect(Set(Operation.all.map(\.id)).count == Operation.all.count)
    }

    @Test("The document has its media type and a tag, the base URL, and no unresolved references")
    func document()
        async throws
    {
        try await RunningService.with(baseURL: "https://dogs.example.org/here/") { service in
            let answer = try await service.send("GET", "/openapi.json")
            #expect(answer.headers["content-type"] == "application/vnd.oai.openapi+json;version=3.0")
            #expect(answer.text("openapi") == "3.0.3")
            #expect(answer.text("servers", "0", "url") == "https://dogs.example.org/here")
            let tag = try #require(answer.headers["etag"])
            let again = try await service.send("GET", "/openapi.json", headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] != nil)
            let shape = DocumentedShape(document: answer.json)
            let references = String(decoding: answer.body, as: UTF8.self).matches(of: #/"\$ref":"([^"]+)"/#)
            #expect(!references.isEmpty)
            for reference in Set(references.map { String($0.1) }) {
                #expect(shape.resolve(["$ref": .string(reference)]) != .null, "\(reference)")
            }
        }
    }

    @Test("Each JSON body has a name, and is an object or a choice of named objects, for which generators make types")
    func bodies() throws {
        func name(_ schema: JSONValue) -> String? {
            schema["$ref"]?.string?.split(separator: "/").last.map(String.init)
        }
        func isObject(_ schema: Schema?) -> Bool {
            schema?["type"] == "object" && schema?["properties"] != nil && schema?["anyOf"] == nil
        }
        for operation in Operation.all {
            for (type, schema, _) in operation.body?.content ?? [] where type.hasSuffix("json") {
                let body = try #require(name(schema.json).flatMap { Schema.components[$0] }, "\(operation.id)")
                guard case .array(let choices)? = body["anyOf"] else {
                    #expect(isObject(body), "\(operation.id)")
                    continue
                }
                for choice in choices { #expect(isObject(name(choice).flatMap { Schema.components[$0] })) }
            }
        }
    }

    @Test("An unknown parameter is rejected with a list of the known ones")
    func unknownParameters() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            for operation in Self.strict {
                let path = Self.address(operation, [:])
                let method = operation.method.rawValue
                let answer = try await service.send(
                    method,
                    path + (path.contains("?") ? "&" : "?") + "nonsense=1",
                    token: token
                )
                let known = operation.names(of: .query).sorted()
                let expected = known.isEmpty ? "none" : known.joined(separator: ", ")
                #expect(answer.status == 400, "\(operation.id)")
                #expect(
                    answer.text("detail") == "nonsense: is not a parameter here: expected \(expected)",
                    "\(operation.id)"
                )
            }
            // No request signed the guest out or deleted them.
            #expect(try await service.send("GET", "/v1/me", token: token).status == 200)
        }
    }

    @Test("Pages ignore unknown parameters")
    func pagesIgnoreUnknownParameters() async throws {
        try await RunningService.with { service in
            let routes = try await WebService(over: service.board, model: nil).pageRoutes
            for route in routes where route.hasPrefix("GET ") {
                let path = route.dropFirst(4).replacing("{id}", with: UUID().uuidString)
                let answer = try await service.send("GET", path.replacing(#/\{\w+\}/#, with: "x") + "?nonsense=1")
                #expect(!String(decoding: answer.body, as: UTF8.self).contains("is not a parameter here"), "\(route)")
                #expect(answer.status < 500, "\(route)")
            }
        }
    }

    @Test("Every listed value is accepted, and the error for another value names the parameter")
    func enumerations() async throws {
        try await RunningService.with { service in
            let token = try await service.admin()
            for operation in Self.strict {
                for parameter in operation.parameters where parameter.place == .query {
                    let choices = Self.choices(parameter.schema)
                    guard !choices.isEmpty else { continue }
                    for choice in choices where operation.method == .get && !operation.isEndless {
                        let path = Self.address(operation, [parameter.name: choice])
                        let answer = try await service.send("GET", path, token: token)
                        #expect([200, 204, 404].contains(answer.status), "\(path)")
                    }
                    let path = Self.address(operation, [parameter.name: "nonsense"])
                    let answer = try await service.send(operation.method.rawValue, path, token: token)
                    #expect(answer.status == 400 && answer.text("field") == parameter.name, "\(path)")
                }
            }
        }
    }

    @Test("Documented bounds are those of the service")
    func bounds() async throws {
        try await RunningService.with { service in
            let token = try await service.admin()
            func status(_ operation: OpenAPI.Operation, _ name: String, _ value: String) async throws -> Int {
                let answer = try await service.send("GET", Self.address(operation, [name: value]), token: token)
                if answer.status == 400 { #expect(answer.text("field") == name, "\(operation.id) \(name)=\(value)") }
                return answer.status
            }
            for operation in Self.strict where operation.method == .get && !operation.isEndless {
                for parameter in operation.parameters
                where parameter.place == .query && !Self.haveGrammar.contains(parameter.name) {
                    let schema = parameter.schema
                    if schema["type"] == "integer", case .number(let least)? = schema["minimum"],
                        case .number(let most)? = schema["maximum"]
                    {
                        for (value, expected) in [(least, 200), (most, 200), (least - 1, 400), (most + 1, 400)] {
                            let found = try await status(operation, parameter.name, String(Int(value)))
                            // The object of the path does not exist.
                            let expected = expected == 200 && operation.path.contains("{id}") ? 404 : expected
                            #expect(found == expected, "\(operation.id) \(parameter.name)=\(value)")
                        }
                    }
                    // Statistics are of breeds and regions that are known.
                    let isKnown = operation.id == "getStatistics" && ["breed", "region"].contains(parameter.name)
                    if case .number(let longest)? = schema["maxLength"] {
                        let accepted = isKnown ? [400] : [200, 204]
                        for (length, expected) in [(Int(longest), accepted), (Int(longest) + 1, [400])] {
                            let text = String(repeating: "a", count: length)
                            let found = try await status(operation, parameter.name, text)
                            #expect(expected.contains(found), "\(operation.id) \(parameter.name) of \(length)")
                        }
                    }
                }
            }
        }
    }

    @Test("The document lists the fields of listings and profiles with their maximum lengths")
    func fields() async throws {
        #expect(Set(Schema.writtenFields.keys) == Set(ListingField.allCases.map(\.name)))
        #expect(Set(Schema.profile.keys) == Set(Profile.fieldNames))
        try await RunningService.with { service in
            let token = try await service.guest()
            for (name, schema) in Schema.writtenFields {
                guard case .number(let longest)? = schema["maxLength"] else { continue }
                let isFree = !["contact_phone", "contact_email", "microchip"].contains(name)
                for (length, status) in [(Int(longest), 201), (Int(longest) + 1, 400)] where isFree || status == 400 {
                    let text = String(repeating: "a", count: length)
                    let body = #"{"status": "lost", "lon": 14.79, "lat": 40.77, "\#(name)": "\#(text)"}"#
                    let answer = try await service.send("POST", "/v1/listings", body, token: token)
                    #expect(answer.status == status, "\(name) of \(length)")
                    if status == 400 { #expect(answer.text("field") == name) }
                }
            }
        }
    }

    @Test("Answers match their schemas exactly")
    func answers() async throws {
        try await RunningService.with { service in
            let document = try await service.send("GET", "/openapi.json").json
            let shape = DocumentedShape(document: document)
            func check(_ id: String, _ answer: RunningService.Answer) {
                guard let operation = Operation.all.first(where: { $0.id == id }) else {
                    Issue.record("no operation \(id)")
                    return
                }
                let type = answer.headers["content-type"] ?? ""
                let told = operation.responses.first { $0.status == answer.status }?.content.first {
                    type.hasPrefix($0.type)
                }
                guard let told else {
                    Issue.record("\(id) answers \(answer.status) \(type)")
                    return
                }
                let problems = shape.problems(of: answer.json, told.schema.json, at: id)
                #expect(problems == [])
            }
            let token = try await service.guest()
            let id = try await Self.fill(service, token)
            for (name, path) in Self.reads(of: id) + Self.featureReads(of: id) {
                check(name, try await service.send("GET", path))
                check(name, try await service.send("GET", path, token: token))
            }
            check("becomeGuest", try await service.send("POST", "/v1/guests"))
            check("getProfile", try await service.send("GET", "/v1/me", token: token))
            check("listOwnListings", try await service.send("GET", "/v1/me/listings", token: token))
            check("editListing", try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "B"}"#, token: token))
            check("searchListings", try await service.send("GET", "/v1/listings?limit=0"))
            check("getListing", try await service.send("GET", "/v1/listings/1"))
            check("getProfile", try await service.send("GET", "/v1/me"))
            let photo = Data(try plainPNG(width: 40, height: 30))
            let sent = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: photo, token)
            check("putListingPhoto", sent)
            check("putPicture", try await service.send("PUT", "/v1/me/picture", bytes: photo, token))
            check("classify", try await service.send("POST", "/v1/classifications", bytes: photo, nil))
            check("getListing", try await service.send("GET", "/v1/listings/\(id)"))
            try await Self.moderate(service, id, check)
        }
    }

    private static func moderate(
        _ service: RunningService,
        _ id: String,
        _ check: (String, RunningService.Answer) -> Void
    ) async throws {
        let (admin, other) = (try await service.admin(), try await service.guest())
        let report = #"{"subject": "listing", "id": "\#(id)", "reason": "scam", "text": "Asks for money."}"#
        check("fileReport", try await service.send("POST", "/v1/reports", report, token: other))
        check("fileReport", try await service.send("POST", "/v1/reports", "{}", token: other))
        check("listReports", try await service.send("GET", "/v1/admin/reports", token: other))
        let queue = try await service.send("GET", "/v1/admin/reports", token: admin)
        check("listReports", queue)
        let path = "/v1/admin/reports/\(try #require(queue.text("reports", "0", "id")))"
        check("getReport", try await service.send("GET", path, token: admin))
        let account = try #require(queue.text("reports", "0", "account", "id"))
        let ban = try await service.send("POST", "/v1/admin/accounts/\(account)/ban", token: admin)
        #expect(ban.status == 204)
        check("getReport", try await service.send("GET", path, token: admin))
        check("decideReport", try await service.send("PATCH", path, #"{"status": "dismissed"}"#, token: admin))
        check("hideListing", try await service.send("POST", "/v1/admin/listings/\(id)/hide", "[]", token: admin))
        check("listAuditEntries", try await service.send("GET", "/v1/admin/audit", token: admin))
    }

    /// Creates a listing with all fields, one with few fields, and a point of interest.
    private static func fill(_ service: RunningService, _ token: String) async throws -> String {
        var poi = PointOfInterest(category: .veterinary, coordinate: try #require(Coordinate(lon: 14.79, lat: 40.77)))
        poi.element = .init(type: .node, id: 7)
        poi.name = "Dottor Cane"
        _ = try await service.board.pois.put([poi], source: "test")
        _ = try await service.post(#"{"status": "found", "place": "Fisciano"}"#, token)
        return try await service.post(
            """
            {"status": "lost", "name": "Argo", "breed": "german_shepherd", "sex": "male", "size": "large", "colour": "black",
            "age": 3, "microchip": "380260000000001", "marks": "scar", "description": "shy", "last_seen_at": "2026-05-01",
            "lon": 14.79, "lat": 40.77, "contact_name": "Anna", "contact_phone": "+39 089 1234", "contact_phone_public": true}
            """,
            token
        )
    }

    private static func reads(of id: String) -> [(id: String, path: String)] {
        [
            ("searchListings", "/v1/listings?lon=14.8&lat=40.8&radius=50000"), ("getListing", "/v1/listings/\(id)"),
            ("countListings", "/v1/listings/count?bbox=6,36,19,48"),
            ("clusterListings", "/v1/listings/clusters?bbox=6,36,19,48&zoom=6"),
            ("exportListingsAsGeoJSON", "/v1/listings.geojson"),
            ("searchPointsOfInterest", "/v1/pois?lon=14.8&lat=40.8"), ("getPointOfInterest", "/v1/pois/1"),
            ("getStreetPictures", "/v1/pois/1/street-pictures"),
            ("searchPlaces", "/v1/places?q=Salerno"), ("reverseGeocode", "/v1/places/reverse?lon=14.79&lat=40.77"),
            ("reverseGeocode", "/v1/places/reverse?lon=-30&lat=0"), ("searchBreeds", "/v1/breeds"),
            ("describeListingsTiles", "/tiles/listings.json"), ("describePoisTiles", "/tiles/pois.json"),
            ("getLanding", "/"), ("getHealth", "/healthz"), ("getReadiness", "/readyz"),
            ("nominatimStatus", "/nominatim/status?format=json"), ("nominatimSearch", "/nominatim/search"),
            ("nominatimReverse", "/nominatim/reverse?lon=-30&lat=0"), ("photonSearch", "/photon/api?q=Salerno"),
            ("photonReverse", "/photon/reverse?lon=14.79&lat=40.77"), ("photonSearch", "/photon/api"),
            ("getConformance", "/conformance"), ("listCollections", "/collections"),
        ]
            + ["json", "jsonv2", "geojson", "geocodejson"].flatMap { format in
                let details = "format=\(format)&addressdetails=1&namedetails=1&extratags=1"
                return [
                    ("nominatimSearch", "/nominatim/search?q=Salerno&\(details)"),
                    ("nominatimReverse", "/nominatim/reverse?lon=14.79&lat=40.77&\(details)"),
                ]
            }
    }

    private static func featureReads(of id: String) -> [(id: String, path: String)] {
        let collections = [("Listing", "listings", id), ("PointOfInterest", "pois", "1")]
        return collections.flatMap { noun, collection, feature in
            let path = "/collections/\(collection)"
            return [
                ("describe\(noun)Collection", path), ("get\(noun)Queryables", "\(path)/queryables"),
                ("get\(noun)Schema", "\(path)/schema"), ("get\(noun)Features", "\(path)/items?limit=2"),
                ("get\(noun)Feature", "\(path)/items/\(feature)"),
            ]
        }
    }
}

extension OpenAPI.Operation {
    /// Whether the answer continues until the client disconnects.
    fileprivate var isEndless: Bool { responses.contains { $0.content.contains { $0.type == "text/event-stream" } } }
}
