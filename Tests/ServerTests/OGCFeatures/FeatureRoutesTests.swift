import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

/// Tests of OGC API - Features.
@Suite("Feature collections")
struct FeatureRoutesTests {
    // MARK: - Resources

    @Test("The landing page leads to everything that the standard requires")
    func landingPage() async throws {
        try await RunningService.with(hasModel: false) { service in
            let landing = try await service.send("GET", "/")
            let rels = landing.links.compactMap { $0["rel"] }
            #expect(Set(rels).isSuperset(of: ["self", "service-desc", "conformance", "data"]))
            #expect(landing.links.allSatisfy { $0["href"]?.hasPrefix("https://dogs.example.org/") == true })
            let description = landing.links.first { $0["rel"] == "service-desc" }
            #expect(description?["type"] == "application/vnd.oai.openapi+json;version=3.0")
            let conformance = try await service.send("GET", "/conformance")
            let core = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core"
            #expect(conformance.texts("conformsTo").contains(core))
            let list = try await service.send("GET", "/collections")
            #expect(["0", "1", "2"].map { list.text("collections", $0, "id") } == ["listings", "pois", nil])
        }
    }

    @Test(
        "The schema lists exactly the properties of features, and queryables are a subset of it",
        arguments: ["listings", "pois"]
    )
    func schema(collection: String) async throws {
        try await Self.withBoard { service in
            let page = try await service.send("GET", "/collections/\(collection)/items?limit=1")
            let feature = try #require(page.features.first)
            let schema = try await service.send("GET", "/collections/\(collection)/schema?f=json")
            #expect(schema.text("$id") == "https://dogs.example.org/collections/\(collection)/schema")
            #expect(schema.headers["content-type"] == "application/schema+json")
            let named = try #require(schema["properties"]?.names)
            let had = try #require(feature["properties"]?.names)
            // Only listings with an approximate position, a public telephone number, and a day without a time have these.
            let sometimes: Set = ["location_precision", "contact_phone_e164", "last_seen_precision", "origin"]
            let always = named.subtracting(sometimes)
            #expect(always == had.subtracting(sometimes).union(["geometry", "id"]))
            let queryables = try await service.send("GET", "/collections/\(collection)/queryables")
            let asked = try #require(queryables["properties"]?.names)
            #expect(asked.isSubset(of: named) && asked.contains("geometry") && !asked.contains("contact_phone"))
            let described = try await service.send("GET", "/collections/\(collection)")
            let rels = described.links.compactMap { $0["rel"] }
            #expect(
                Set(rels).isSuperset(of: ["items", "describedby", "http://www.opengis.net/def/rel/ogc/1.0/queryables"])
            )
            let id = try #require(feature["id"]?.plain)
            let item = try await service.send("GET", "/collections/\(collection)/items/\(id)")
            #expect(item.status == 200 && item["properties"] == feature["properties"] && item["id"] == feature["id"])
        }
    }

    @Test("Filters may have several lines", arguments: ["%0A", "%0D%0A", "%09"])
    func linesOfFilters(space: String) async throws {
        try await Self.withBoard { service in
            let filter = "status%3D'lost'\(space)AND\(space)S_WITHIN(geometry,\(space)BBOX(-180,-90,180,90))"
            let answer = try await service.send("GET", "/collections/listings/items?filter=\(filter)")
            #expect(answer.status == 200 && !answer.features.isEmpty)
        }
    }

    @Test("Ids without a feature are not found, including the extreme ones")
    func unknownIDs() async throws {
        try await Self.withBoard { service in
            for id in [Int64.min, -1, .max].map({ "\($0)" }) + ["9223372036854775808", "1.5"] {
                let path = "/collections/pois"
                let item = try await service.send("GET", "\(path)/items/\(id)")
                #expect(item.status == 404)
                if let key = Int64(id) {
                    let cursor = Data(id.utf8).base64EncodedString().replacing("=", with: "")
                    let page = try await service.send("GET", "\(path)/items?limit=1&cursor=\(cursor)")
                    #expect(page.status == (key > 0 ? 200 : 400))
                }
            }
        }
    }

    // MARK: - Pages

    @Test("Pages contain everything once and keep the query parameters")
    func pages() async throws {
        try await Self.withBoard { service in
            let first = "/collections/listings/items?limit=7&species=dog"
            let found = try await service.follow(first)
            #expect(found.count == 40 && Set(found).count == 40)
            let page = try await service.send("GET", first)
            #expect(page["numberMatched"] == .number(40) && page["numberReturned"] == .number(7))
            #expect(page.text("timeStamp") != nil && page.headers["content-type"] == "application/geo+json")
            let next = try #require(page.links.first { $0["rel"] == "next" }?["href"])
            #expect(next.contains("limit=7") && next.contains("species=dog"))
            #expect(try await service.follow("/collections/listings/items?limit=7").count == 60)
            // A limit above the maximum is reduced to the maximum.
            #expect(try await service.send("GET", "/collections/listings/items?limit=99999").features.count == 60)
        }
    }

    @Test(
        "Parameters filter the collection",
        arguments: [
            ("bbox=11.95,41,12.05,43", 4), ("bbox=11.95,41,-5,12.05,43,900", 4), ("bbox=179.85,-20,-179.85,20", 20),
            ("bbox=-400,-95,400,95", 60), ("bbox=371.95,41,372.05,43", 4), ("bbox=0,0,1,1", 0),
            ("datetime=2026-05-01T10:00:00Z", 1), ("datetime=2026-05-01", 1), ("datetime=2026-05-03/..", 58),
            ("datetime=../2026-05-02T10:00:00Z", 2),
            ("datetime=/2026-05-02T09:59:59Z", 1),
            ("datetime=2026-05-02T10:00:00Z/2026-05-03T12:00:00+02:00", 2), ("datetime=../..", 60),
            ("datetime=0000-01-01/9999-12-31", 60),
            ("status=found", 20), ("name=Luna", 30), ("approximate=true", 0), ("last_seen_at=2026-05-01T10:00:00Z", 1),
            ("filter=name%20LIKE%20'L%25'%20AND%20status='lost'", 10),
            ("filter=name+LIKE+'L%25'+AND+(status='lost')", 10),
            ("filter=status='found'&species=cat", 7),
            ("filter=S_INTERSECTS(geometry,BBOX(11.95,41,12.05,43))&filter-lang=cql2-text", 4),
            ("filter=status='found'&filter-lang=cql-text&status=found", 20),
            (
                "filter-lang=cql2-json&filter=%7B%22op%22:%22=%22,%22args%22:%5B%7B%22property%22:%22name%22%7D,%22Luna%22%5D%7D",
                30
            ),
            ("filter=T_AFTER(last_seen_at,TIMESTAMP('2026-05-03T10:00:00Z'))", 57),
            ("filter=CASEI(name)=CASEI('LUNA')&bbox=11.95,41,12.05,43&datetime=2026-05-03/..", 4),
            ("f=json&bbox-crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84", 60),
        ]
    )
    func filters(query: String, count: Int) async throws {
        try await Self.withBoard { service in
            let found = try await service.follow("/collections/listings/items?\(query)&limit=6")
            #expect(found.count == count, "\(query)")
        }
    }

    @Test(
        "The error for an invalid parameter names it",
        arguments: [
            ("bbox=1,2,3", "bbox"), ("bbox=1,2,3,x", "bbox"), ("bbox=1,5,3,4", "bbox"), ("bbox=1,2,nan,4", "bbox"),
            ("datetime=yesterday", "datetime"), ("datetime=2026-05-02/2026-05-01", "datetime"),
            ("datetime=..", "datetime"), ("limit=0", "limit"), ("limit=-1", "limit"), ("limit=x", "limit"),
            ("colour2=x", "colour2"), ("status=reunited", "status"), ("approximate=1", "approximate"),
            ("last_seen_at=now", "last_seen_at"), ("cursor=x", "cursor"), ("filter=name", "filter"),
            ("filter=contact_phone='1'", "filter"), ("filter-lang=sql", "filter-lang"),
            ("filter-crs=EPSG:3857", "filter-crs"),
            ("f=html", "f"), ("limit=1&limit=2", "limit"), ("contact_phone=1", "contact_phone"),
        ]
    )
    func invalidParameters(query: String, field: String) async throws {
        try await Self.withBoard { service in
            let answer = try await service.send("GET", "/collections/listings/items?\(query)")
            #expect(answer.status == 400 && answer.text("field") == field, "\(query)")
        }
    }

    @Test("Listings that are not on the board are in no collection")
    func excluded() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let closed = try await service.post(#"{"status": "lost", "lon": 12, "lat": 42}"#, token)
            try await service.send("PATCH", "/v1/listings/\(closed)", #"{"status": "reunited"}"#, token: token)
            let hidden = try await service.post(#"{"status": "lost", "lon": 12, "lat": 42}"#, token)
            let hiddenID = try #require(UUID(uuidString: hidden))
            let listing = try #require(try await service.board.listings.findListing(id: hiddenID))
            try await service.board.hide(listing)
            let own = ["Authorization": "Bearer \(token)"]
            let page = try await service.send("GET", "/collections/listings/items", headers: own)
            #expect(page.features.isEmpty && page["numberMatched"] == .number(0))
            for id in [closed, hidden, "x", "\(UUID())"] {
                #expect(try await service.send("GET", "/collections/listings/items/\(id)").status == 404)
            }
            #expect(try await service.send("GET", "/collections/dogs/items").status == 404)
            #expect(try await service.send("GET", "/collections/listings").json["extent"] == nil)
        }
    }

    /// Creates sixty listings: on days of May and June 2026, twenty with each status, forty dogs, alternating names,
    /// and twenty around each of two places.
    private static let filled = Task {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let start = try #require(Timestamp(parsing: "2026-05-01T10:00:00Z"))
        let drafts = try (0..<60).map { index in
            let time = start.adding(seconds: Double(index) * 86_400)
            let lon = index % 3 == 0 ? (index % 2 == 0 ? 179.9 : -179.9) : 12 + Double(index % 10) / 10
            return try ListingStore.Draft.at(
                lon,
                lon > 100 || lon < 0 ? 0 : 42,
                [.lost, .found, .sighted][index / 20],
                createdAt: time
            ) {
                $0.species = index % 3 == 2 ? .cat : .dog
                $0.name = index % 2 == 0 ? "Luna" : nil
                $0.lastSeenAt = time
            }
        }
        try await board.fill(drafts, owner: owner)
        let poi = PointOfInterest(category: .veterinary, coordinate: try #require(Coordinate(lon: 12, lat: 42)))
        _ = try await board.pois.put([poi], source: "test")
        return board
    }

    private static func withBoard(_ body: (RunningService) async throws -> Void) async throws {
        let board = try await TestDatabase(copying: filled.value)
        try await RunningService.with(board: board, hasModel: false, body)
    }
}

extension RunningService {
    /// The ids on a page and on all following pages.
    fileprivate func follow(_ first: String) async throws -> [String] {
        var found: [String] = []
        var path: String? = first
        while let asked = path {
            let page = try await send("GET", asked)
            guard page.status == 200 else {
                throw TestFailure("\(asked): \(String(decoding: page.body, as: UTF8.self))")
            }
            found += page.features.compactMap { $0["id"]?.plain }
            if case .number(let matched)? = page["numberMatched"] { #expect(Int(matched) >= page.features.count) }
            let next = page.links.first { $0["rel"] == "next" }?["href"]
            path = next.map { String($0.dropFirst("https://dogs.example.org".count)) }
        }
        return found
    }
}

extension RunningService.Answer {
    fileprivate var links: [[String: String]] {
        guard case .array(let links)? = self["links"] else { return [] }
        return links.map { link in
            guard case .object(let fields) = link else { return [:] }
            return fields.compactMapValues(\.plain)
        }
    }

    fileprivate func texts(_ name: String) -> [String] {
        guard case .array(let items)? = self[name] else { return [] }
        return items.compactMap(\.plain)
    }
}

extension JSONValue {
    fileprivate var names: Set<String>? {
        if case .object(let fields) = self { Set(fields.keys) } else { nil }
    }

    fileprivate var plain: String? {
        switch self {
        case .string(let text): text
        case .number(let number): String(Int(number))
        default: nil
        }
    }
}
