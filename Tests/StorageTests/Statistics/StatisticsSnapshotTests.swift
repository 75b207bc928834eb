import Domain
import Storage
import TestSupport
import Testing

@Suite("Statistics of all listings")
struct StatisticsSnapshotTests {
    private static let now = Timestamp(stored: "2026-06-20T12:00:00.000Z")

    private func snapshot(_ board: TestDatabase) async throws -> StatisticsSnapshot {
        try await StatisticsStore(board.database).snapshot(at: Self.now)
    }

    private func query(_ change: (inout StatisticsQuery) -> Void = { _ in }) -> StatisticsQuery {
        var query = StatisticsQuery()
        change(&query)
        return query
    }

    @Test("Counts are of the month of the post and of the reunion, rounded down to fives, and none below five")
    func counts() async throws {
        let board = try await TestDatabase()
        for day in 0..<12 { try await board.post(.lost, TestDatabase.may(Double(day) * 24)) }
        for _ in 0..<4 { try await board.post(.found, TestDatabase.may(1)) }
        for _ in 0..<5 { try await board.post(.sighted, TestDatabase.may(31 * 24)) }
        for days in [10, 20, 40, 40, 40, 40, 40, 40] {
            try await board.post(.lost, TestDatabase.may(2), reunitedAfter: days)
        }
        let months = try await snapshot(board).figures(query())
        #expect(months.count == 2)
        #expect(months[0].posted == [.lost: 20] && months[1].posted == [.sighted: 5])
        #expect(months[0].reunited == nil && months[0].days == nil)
        #expect(months[1].reunited == 5 && months[1].otherwise == 5 && months[1].byMatch == nil)
        let days = try #require(months[1].days)
        #expect(days.minimum == 30 && days.mean == 40 && days.median == 40 && days.maximum == 90)
        #expect(months[1].metres == nil)
    }

    @Test("Hidden listings are not counted, and removed ones no more")
    func hidden() async throws {
        let board = try await TestDatabase()
        var listings: [Listing] = []
        for _ in 0..<10 { listings.append(try await board.post(.lost, TestDatabase.may(1))) }
        #expect(try await snapshot(board).figures(query())[0].posted == [.lost: 10])
        try await board.hide(listings[0])
        #expect(try await snapshot(board).figures(query())[0].posted == [.lost: 5])
        for listing in listings[1...5] { try await board.listings.remove(listing, version: nil) }
        #expect(try await snapshot(board).figures(query()).isEmpty)
    }

    @Test("Two linked listings are one reunion, with the distance of the public points")
    func linked() async throws {
        let board = try await TestDatabase()
        for day in 0..<6 {
            let time = TestDatabase.may(Double(day) * 24)
            let lost = try await board.post(.lost, time)
            let found = try await board.post(.found, time) { draft in
                guard let point = Coordinate(lon: 14.79, lat: 40.79) else { return }
                draft.location = ListingLocation(coordinate: point, approximate: false)
                // The exact point of the owner, which must not be measured.
                draft.location.approximate = true
                draft.location.exact = Coordinate(lon: 14.79, lat: 41.79)
            }
            try await board.link(lost, found, at: time.adding(days: 2))
        }
        let month = try #require(try await snapshot(board).figures(query()).first)
        #expect(month.posted == [.lost: 5, .found: 5])
        #expect(month.reunited == 5 && month.byMatch == 5 && month.otherwise == nil)
        let metres = try #require(month.metres)
        #expect(metres.minimum == 2_000 && metres.mean == 2_200 && metres.median == 2_200 && metres.maximum == 5_000)
        let all = try await snapshot(board).reunionFigures(query())
        #expect(all.byMatch == 5 && all.days == [nil, 5, nil, nil, nil, nil, nil, nil])
        #expect(all.metres == [nil, nil, nil, 5, nil, nil, nil, nil])
    }

    @Test("A cross counts for each of its breeds, and once for several of them")
    func crosses() async throws {
        let board = try await TestDatabase()
        for _ in 0..<5 {
            try await board.post(.lost, TestDatabase.may(1)) { $0.content.breed = "Beagle X Boxer" }
        }
        let snapshot = try await snapshot(board)
        for breeds: Set<String> in [["beagle"], ["boxer"], ["beagle", "boxer"], ["hound", "mixed"]] {
            let posted = snapshot.figures(query { $0.breeds = breeds }).map(\.posted)
            #expect(posted.first == [.lost: 5], "\(breeds)")
        }
    }

    @Test("Filters select by species, breed, region, status and time; weeks begin on Monday")
    func filters() async throws {
        let board = try await TestDatabase()
        for _ in 0..<5 {
            try await board.post(.lost, TestDatabase.may(1)) { $0.content.species = .cat }
            // 2026-05-04 is a Monday.
            try await board.post(.lost, TestDatabase.may(3 * 24)) { $0.content.breedKey = "beagle" }
            try await board.post(.found, TestDatabase.may(3 * 24 - 0.01)) { $0.location.region = "Lazio" }
        }
        let snapshot = try await snapshot(board)
        #expect(snapshot.regions == ["Campania", "Lazio"] && snapshot.region(named: "LAZIO") == "Lazio")
        func posted(_ change: (inout StatisticsQuery) -> Void) -> [[Listing.Status: Int]] {
            snapshot.figures(query(change)).map(\.posted)
        }
        #expect(posted { $0.species = .cat } == [[.lost: 5], [:]])
        #expect(posted { $0.species = .dog } == [[.lost: 5, .found: 5], [:]])
        #expect(posted { $0.breeds = ["beagle"] } == [[.lost: 5], [:]])
        let elsewhere = posted { query in
            query.breeds = ["beagle"]
            query.region = "Lazio"
        }
        #expect(elsewhere == [[:], [:]])
        #expect(posted { $0.region = "Lazio" } == [[.found: 5], [:]])
        #expect(posted { $0.statuses = [.found] } == [[.found: 5], [:]])
        #expect(posted { $0.since = Timestamp(stored: "2026-05-20T00:00:00.000Z") } == [[.lost: 10, .found: 5], [:]])
        #expect(posted { $0.until = Timestamp(stored: "2026-06-01T00:00:00.000Z") } == [[.lost: 10, .found: 5]])
        let weeks = posted { $0.interval = .week }
        #expect(weeks.count == 8 && weeks[0] == [.lost: 5, .found: 5] && weeks[1] == [.lost: 5])
        let days = posted { $0.interval = .day }
        #expect(days.count == 51 && Array(days.prefix(4)) == [[.lost: 5], [:], [.found: 5], [.lost: 5]])
    }

    @Test("No count differs for one case more or less, unless it reaches the next five")
    func differences() async throws {
        let board = try await TestDatabase()
        for _ in 0..<11 { try await board.post(.lost, TestDatabase.may(1)) }
        try await board.post(.lost, TestDatabase.may(1)) { $0.content.species = .other }
        let snapshot = try await snapshot(board)
        let all = snapshot.figures(query())[0]
        let dogs = snapshot.figures(query { $0.species = .dog })[0]
        #expect(all.posted == [.lost: 10] && dogs.posted == all.posted)
        #expect(snapshot.figures(query { $0.species = .other }).first?.posted[.lost] == nil)
    }

    @Test("A board without listings has no periods, and one of a century has the newest thousand days")
    func extremes() async throws {
        let board = try await TestDatabase()
        #expect(try await snapshot(board).figures(query()).isEmpty)
        for _ in 0..<5 { try await board.post(.lost, Timestamp(stored: "1926-01-01T00:00:00.000Z")) }
        let days = try await snapshot(board).figures(query { $0.interval = .day })
        #expect(days.count == StatisticsSnapshot.maxPeriods && days.last?.start == Self.now.dayNumber)
        #expect(try await snapshot(board).figures(query()).count == 1_000)
    }

    @Test("Months have their first days, also before 1970 and in leap years")
    func months() {
        for year in [1900, 1969, 1970, 2024, 2026] {
            for month in 1...12 {
                let start = CalendarDay(year: year, month: month, day: 1)?.daysSince1970 ?? 0
                let next = CalendarDay(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
                #expect(StatisticsInterval.month.start(of: start + 27) == start)
                #expect(StatisticsInterval.month.next(after: start) == next?.daysSince1970)
            }
        }
        #expect(StatisticsInterval.week.start(of: 0) == -3 && StatisticsInterval.week.start(of: -4) == -10)
    }
}
