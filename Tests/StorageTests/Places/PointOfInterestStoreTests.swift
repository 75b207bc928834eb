import CQL2
import Domain
import Foundation
import RandomSupport
import Storage
import TestSupport
import Testing

@Suite("Points of interest")
struct PointOfInterestStoreTests {
    private func vet(_ id: Int64, _ lon: Double, _ lat: Double, name: String? = nil) throws -> PointOfInterest {
        var poi = PointOfInterest(category: .veterinary, coordinate: try #require(Coordinate(lon: lon, lat: lat)))
        poi.element = .init(type: .node, id: id)
        poi.name = name
        return poi
    }

    @Test("A repeated import updates points, removes missing ones and creates no duplicates")
    func reimport() async throws {
        let board = try await TestDatabase()
        let first = try await board.pois.put([vet(1, 1, 1), vet(2, 2, 2)], source: "a")
        #expect(first == .init(added: 2, updated: 0, removed: 0))
        let second = try await board.pois.put([vet(2, 2, 3, name: "New"), vet(3, 3, 3)], source: "a")
        #expect(second == .init(added: 1, updated: 1, removed: 1))
        var query = PointOfInterestStore.Query()
        query.centre = Coordinate(lon: 2, lat: 3)
        let found = try await board.pois.findPointsOfInterest(query)
        #expect(found.map(\.poi.element?.id) == [2, 3])
        #expect(found.first?.poi.name == "New")
        #expect(found.first?.distance == 0)
    }

    @Test("An element in two files is stored once")
    func overlappingSources() async throws {
        let board = try await TestDatabase()
        _ = try await board.pois.put([vet(1, 1, 1)], source: "a")
        _ = try await board.pois.put([vet(1, 1, 1), vet(2, 2, 2)], source: "b")
        #expect(try await board.pois.counts().map(\.count) == [2])
        // The point now belongs to another source and is not removed with this one.
        #expect(try await board.pois.put([], source: "a").removed == 0)
    }

    @Test("A bounding box and categories filter the points, and the nearest come first")
    func search() async throws {
        let board = try await TestDatabase()
        var shop = try vet(9, 1.01, 1)
        shop.category = .petShop
        _ = try await board.pois.put([vet(1, 1, 1), vet(2, 1.02, 1), vet(3, 50, 50), shop], source: "a")
        var query = PointOfInterestStore.Query()
        query.categories = [.veterinary]
        query.centre = Coordinate(lon: 1.019, lat: 1)
        query.radius = 5000
        #expect(try await board.pois.findPointsOfInterest(query).map(\.poi.element?.id) == [2, 1])
        query.centre = nil
        query.radius = nil
        query.box = try BoundingBox(parsing: "0,0,2,2")
        #expect(try await Set(board.pois.findPointsOfInterest(query).map(\.poi.element?.id)) == [1, 2])
    }

    /// Points in a town, along the antimeridian, near a pole and anywhere.
    private static func scattered(_ count: Int) throws -> [PointOfInterest] {
        var random = SeededGenerator(seed: 7)
        return try (0..<count).map { number in
            let (lon, lat): (Double, Double) =
                switch number % 4 {
                case 0: (14.8 + .random(in: -0.1...0.1, using: &random), 40.8 + .random(in: -0.1...0.1, using: &random))
                case 1: (Bool.random(using: &random) ? 179.99 : -179.99, .random(in: -20...20, using: &random))
                case 2: (.random(in: -180...180, using: &random), .random(in: 89...90, using: &random))
                default: (.random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
                }
            let categories = PointOfInterest.Category.allCases
            var poi = PointOfInterest(
                category: categories[number % categories.count],
                coordinate: try #require(Coordinate(lon: lon, lat: lat))
            )
            poi.element = .init(type: .node, id: Int64(number))
            poi.name = number % 3 == 0 ? nil : "Place \(number % 7)"
            return poi
        }
    }

    @Test("The nearest points come in the order of their distances on the ellipsoid")
    func nearest() async throws {
        let board = try await TestDatabase()
        let pois = try Self.scattered(600)
        _ = try await board.pois.put(pois, source: "a")
        let centres: [(Double, Double)] = [(14.8, 40.8), (180, 0), (-179.995, 12), (30, 89.9), (0, -90), (-60, -40)]
        for (lon, lat) in centres {
            for (radius, limit) in [(nil, 7), (5000, 1000), (300_000, 5), (nil, 1000)] as [(Double?, Int)] {
                var query = PointOfInterestStore.Query()
                query.centre = Coordinate(lon: lon, lat: lat)
                query.radius = radius
                query.limit = limit
                query.categories = limit == 5 ? [.veterinary, .dogPark] : PointOfInterest.Category.allCases
                let found = try await board.pois.findPointsOfInterest(query)
                let distances = pois.filter { query.categories.contains($0.category) }
                    .compactMap { query.centre?.distance(to: $0.coordinate) }
                    .filter { $0 <= radius ?? .infinity }.sorted()
                #expect(found.compactMap(\.distance) == Array(distances.prefix(limit)), "\(lon) \(lat) \(limit)")
            }
        }
    }

    @Test("Pages of items have a box, a filter and a cursor, and the total is theirs")
    func items() async throws {
        let board = try await TestDatabase()
        let pois = try Self.scattered(300)
        _ = try await board.pois.put(pois, source: "a")
        let filter = try CQL2Filter(text: "category <> 'grooming' AND (name LIKE '%3' OR osm_id BETWEEN 100 AND 150)")
        var query = ItemQuery()
        query.filter = try filter.condition(over: PointOfInterestStore.queryables, on: board.database.engine)
        query.limit = 7
        for box in [nil, "14.7,40.7,14.9,40.9", "179,-90,-179,90"] {
            query.box = try box.map { try BoundingBox(parsing: $0) }
            var found: [Int64] = []
            query.after = nil
            repeat {
                query.after = try board.pois.findItems(query) { found.append($0.poi.element?.id ?? -1) }
            } while query.after != nil
            let wanted = pois.filter { poi in
                let id = poi.element?.id ?? -1
                return poi.category != .grooming && (poi.name == "Place 3" || (100...150).contains(id))
                    && query.box?.contains(poi.coordinate) ?? true
            }
            #expect(found == wanted.compactMap(\.element?.id), "\(box ?? "everywhere")")
            #expect(!found.isEmpty)
            #expect(try board.pois.countItems(query) == found.count)
        }
        query = ItemQuery()
        query.equals = ["osm_id": .integer(42)]
        var ids: [Int64?] = []
        _ = try board.pois.findItems(query) { ids.append($0.poi.element?.id) }
        #expect(ids == [42])
        let extent = try #require(try board.pois.extent())
        #expect(abs(extent.southWest.lon + 180) < 1 && abs(extent.northEast.lat - 90) < 0.1)
    }
}
