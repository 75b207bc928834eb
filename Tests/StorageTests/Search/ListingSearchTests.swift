import CSpatiaLite
import Domain
import Foundation
import RandomSupport
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

@Suite("Listing search")
struct ListingSearchTests {
    /// Clusters around difficult places, and points all over the Earth.
    private static func points(_ count: Int) -> [Coordinate] {
        var random = SeededGenerator(seed: 7)
        let centres = [(14.79, 40.77), (179.99, -17), (-179.99, 65), (10, 89.95), (-120, -89.9), (0, 0)]
        return (0..<count).compactMap { index in
            if index.isMultiple(of: 5) {
                return Coordinate(
                    lon: Double.random(in: -180...180, using: &random),
                    lat: Double.random(in: -90...90, using: &random)
                )
            }
            let centre = centres[index % centres.count]
            var lon = centre.0 + Double.random(in: -0.3...0.3, using: &random)
            if lon > 180 { lon -= 360 } else if lon < -180 { lon += 360 }
            let lat = min(90, max(-90, centre.1 + Double.random(in: -0.3...0.3, using: &random)))
            return Coordinate(lon: lon, lat: lat)
        }
    }

    private static func filled(_ points: [Coordinate]) async throws -> TestDatabase {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let drafts = try points.enumerated().map { index, point in
            try ListingStore.Draft.at(
                point.lon,
                point.lat,
                createdAt: Timestamp(Date(timeIntervalSince1970: Double(1_700_000_000 + index * 7 % 911)))
            )
        }
        try await board.fill(drafts, owner: owner)
        return board
    }

    @Test("The nearest listings equal a brute-force search, also at the poles and the antimeridian")
    func nearestEqualsBruteForce() async throws {
        let points = Self.points(3000)
        let board = try await Self.filled(points)
        let centres = [(14.8, 40.8), (180, -17), (-180, -17), (-179.95, 65), (77, 90), (0, -90), (12.5, 0)]
        for (lon, lat) in centres {
            let centre = try #require(Coordinate(lon: lon, lat: lat))
            for radius in [1000.0, 25_000, 500_000] {
                var query = ListingQuery()
                query.circle = .init(centre: centre, radius: radius)
                query.order = .distance
                query.limit = 60
                let found = try await board.search.find(query).entries
                let truth = points.map(centre.distance).filter { $0 <= radius }.sorted().prefix(60)
                #expect(found.compactMap(\.distance) == Array(truth), "\(lon) \(lat) \(radius)")
            }
        }
    }

    @Test("A search for the nearest without a radius covers the whole Earth")
    func nearestWithoutRadius() async throws {
        let points = Self.points(500)
        let board = try await Self.filled(points)
        var query = ListingQuery()
        let centre = try #require(Coordinate(lon: -165, lat: -40))
        query.circle = .init(centre: centre, radius: nil)
        query.order = .distance
        query.limit = 500
        let found = try await board.search.find(query).entries
        #expect(found.compactMap(\.distance) == points.map(centre.distance).sorted())
    }

    @Test("Our distance equals that of SpatiaLite or PostGIS on the ellipsoid")
    func distanceEqualsThatOfTheDatabase() async throws {
        let points = Self.points(400)
        let board = try await Self.filled([])
        for (a, b) in zip(points, points.dropFirst(5)) {
            let theirs = try await board.database.read { db in
                let distance =
                    db.engine == .postGIS
                    ? "ST_Distance(geography(MakePoint(?, ?, 4326)), geography(MakePoint(?, ?, 4326)))"
                    : "ST_Distance(MakePoint(?, ?, 4326), MakePoint(?, ?, 4326), 1)"
                return try db.value(
                    "SELECT \(distance)",
                    [a.lon, a.lat, b.lon, b.lat]
                ) as Double?
            }
            // SpatiaLite's method does not converge near antipodes.
            guard let theirs, theirs < 19_000_000 else { continue }
            #expect(abs(theirs - a.distance(to: b)) < 0.01)
        }
    }

    @Test("Vincenty's formula and Karney's method agree to ten micrometres at short distances")
    func nearDistances() {
        var random = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            let lon = Double.random(in: -180...180, using: &random)
            let lat = round % 5 == 0 ? 0 : Double.random(in: -84...84, using: &random)
            let reach = pow(10, Double.random(in: -8...0, using: &random))
            let east = lon + (round % 7 == 0 ? 0 : Double.random(in: -reach...reach, using: &random))
            let north = lat + (round % 3 == 0 ? 0 : Double.random(in: -reach...reach, using: &random))
            let difference = geodesic_distance(lon, lat, east, north) - geodesic_inverse(lon, lat, east, north)
            #expect(abs(difference) < 1e-5)
        }
    }

    @Test(
        "A bounding box gives the same results as brute force, also across the antimeridian",
        arguments: ["14.6,40.6,15,41", "179.8,-17.2,-179.8,-16.8", "-180,-90,180,90", "-5,-5,5,5", "10,10,10,10"]
    )
    func boxEqualsBruteForce(text: String) async throws {
        let points = Self.points(1500)
        let board = try await Self.filled(points)
        let box = try BoundingBox(parsing: text)
        var query = ListingQuery()
        query.box = box
        query.limit = 2000
        let found = try await board.search.find(query).entries.map(\.listing.location.coordinate)
        #expect(Set(found) == Set(points.filter(box.contains)))
    }

    @Test(
        "Pages show every listing once, in each order, while listings are added and removed",
        arguments: ListingQuery.Order.allCases
    )
    func pagesAreComplete(order: ListingQuery.Order) async throws {
        let board = try await Self.filled(Self.points(400))
        var query = ListingQuery()
        query.order = order
        query.limit = 17
        query.circle = .init(centre: try #require(Coordinate(lon: 14.79, lat: 40.77)), radius: nil)
        var before = query
        before.limit = 1000
        let expected = try await board.search.find(before).entries.map(\.listing.id)
        let newcomer = try await board.guest()
        var seen: [UUID] = []
        repeat {
            let page = try await board.search.find(query)
            seen += page.entries.map(\.listing.id)
            query.cursor = page.next
            // This listing is the nearest and the newest, so it comes before the cursor and is not shown.
            _ = try await board.listings.create(
                try .at(14.79, 40.77, createdAt: Timestamp(parsing: order == .oldest ? "2001-01-01" : "2030-01-01")),
                owner: newcomer
            )
        } while query.cursor != nil
        #expect(seen == expected)
    }

    @Test("Filters can be combined")
    func filtersCombine() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        func post(_ status: Listing.Status, _ change: (inout ListingContent) -> Void) async throws -> UUID {
            let draft = try ListingStore.Draft.at(14.79, 40.77, status, change)
            return try await board.listings.create(draft, owner: owner).id
        }
        let wanted = try await post(.lost) {
            $0.name = "Zoë"
            $0.place = "Forlì"
            $0.breedKey = "beagle"
            $0.breed = "Beagle"
            $0.lastSeenAt = Timestamp(parsing: "2026-03-01")
        }
        _ = try await post(.found) { $0.name = "Zoe" }
        _ = try await post(.reunited) {
            $0.name = "Zoe"
            $0.place = "Forlì"
        }
        _ = try await post(.lost) { $0.species = .cat }
        func find(_ change: (inout ListingQuery) -> Void) async throws -> [UUID] {
            var query = ListingQuery()
            change(&query)
            return try await board.search.find(query).entries.map(\.listing.id)
        }
        #expect(try await find { _ in }.count == 3)
        #expect(try await find { $0.places = ["forli"] } == [wanted])
        #expect(try await find { $0.breed = .key("beagle") } == [wanted])
        #expect(try await find { $0.breed = .text("beag") } == [wanted])
        #expect(try await find { $0.text = "zoe forli" } == [wanted])
        #expect(try await find { $0.text = "zoe" }.count == 2)
        #expect(try await find { $0.species = .cat }.count == 1)
        #expect(
            try await find {
                $0.since = Timestamp(parsing: "2026-03-01")
                $0.until = Timestamp(parsing: "2026-03-02")
            } == [wanted]
        )
        #expect(try await find { $0.until = Timestamp(parsing: "2026-03-01") }.isEmpty)
    }

    @Test("A text search in a circle outside the bounding box finds nothing", arguments: ListingQuery.Order.allCases)
    func wordsNowhere(order: ListingQuery.Order) async throws {
        let board = try await TestDatabase()
        let draft = try ListingStore.Draft.at(14.79, 40.77, .lost) { $0.name = "Zoe" }
        _ = try await board.listings.create(draft, owner: try await board.guest())
        var query = ListingQuery()
        query.order = order
        query.text = "zoe"
        query.circle = .init(centre: try #require(Coordinate(lon: 14.79, lat: 40.77)), radius: 5_000)
        #expect(try await board.search.find(query).entries.count == 1)
        query.box = try BoundingBox(parsing: "1,1,2,2")
        #expect(try await board.search.find(query).entries.isEmpty)
        #expect(try board.search.count(query).count == 0)
    }

    @Test("Rare names, large boxes and long walks give the same pages as brute force")
    func plansAgree() async throws {
        let points = Self.points(2600)
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let drafts = try points.enumerated().map { index, point in
            try ListingStore.Draft.at(
                point.lon,
                point.lat,
                index.isMultiple(of: 3) ? .found : .lost,
                createdAt: Timestamp(Date(timeIntervalSince1970: Double(1_700_000_000 + index * 31 % 2600)))
            ) {
                $0.place = index.isMultiple(of: 2) ? "Roma" : "Fisciano"
                $0.name = index.isMultiple(of: 13) ? "Argo" : "Luna"
                $0.species = index.isMultiple(of: 100) ? .cat : .dog
            }
        }
        try await board.fill(drafts, owner: owner)
        let centre = try #require(Coordinate(lon: 14, lat: 41))
        var questions: [(ListingQuery, (ListingStore.Draft) -> Bool)] = []
        for order in ListingQuery.Order.allCases {
            for (lon, lat, radius) in [(14.0, 41.0, nil), (14.0, 41.0, 60_000.0), (14.0, 41.0, 9_000_000.0)] {
                let middle = try #require(Coordinate(lon: lon, lat: lat))
                var base = ListingQuery()
                base.order = order
                base.limit = 90
                base.circle = .init(centre: middle, radius: radius)
                func near(_ draft: ListingStore.Draft) -> Bool {
                    middle.distance(to: draft.location.coordinate) <= radius ?? .infinity
                }
                var (rare, common, cats, boxed) = (base, base, base, base)
                rare.text = "argo"
                common.places = ["roma"]
                cats.species = .cat
                boxed.box = try BoundingBox(parsing: "-20,-10,60,80")
                boxed.species = .dog
                let box = try #require(boxed.box)
                questions += [
                    (rare, { $0.content.name == "Argo" && near($0) }),
                    (common, { $0.content.place == "Roma" && near($0) }),
                    (cats, { $0.content.species == .cat && near($0) }),
                    (boxed, { $0.content.species == .dog && box.contains($0.location.coordinate) && near($0) }),
                ]
            }
        }
        for (question, isWanted) in questions {
            var query = question
            var seen: [ListingResults.Entry] = []
            repeat {
                let page = try await board.search.find(query)
                seen += page.entries
                query.cursor = page.next
            } while query.cursor != nil
            let ids = seen.map(\.listing.id)
            #expect(Set(ids) == Set(drafts.filter(isWanted).map(\.id)) && Set(ids).count == ids.count, "\(question)")
            switch question.order {
            case .distance:
                let distances = seen.map { centre.distance(to: $0.listing.location.coordinate) }
                #expect(distances == distances.sorted())
            case .newest: #expect(seen.map(\.listing.createdAt) == seen.map(\.listing.createdAt).sorted(by: >))
            case .oldest: #expect(seen.map(\.listing.createdAt) == seen.map(\.listing.createdAt).sorted())
            }
        }
    }
}
