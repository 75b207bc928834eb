import Domain
import Foundation
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
}
