import CQL2
import Concurrency
import Domain
import Foundation
import RandomSupport
import SQL
import SpatiaLite
import TestSupport
import Testing

@testable import Storage

/// Compares every filter in every area and order with a plain loop over all listings.
@Suite("Query plans")
struct PlanTests {
    private struct Question: Sendable {
        var query = ListingQuery()
        var name: String
    }

    @Test("Every filter, area and order gives the same pages as a plain loop")
    func plansEqualBruteForce() async throws { try await comparePages(on: Self.large, Self.questions()) }

    @Test("Searches whose time is used up give shorter pages, which together are the same")
    func shortPages() async throws {
        // The task that fills the board would have the limits as well.
        _ = try await Self.small.value
        let questions = try Self.questions().enumerated().filter { $0.offset.isMultiple(of: 5) }.map(\.element)
        let meter = RequestMeter(client: ClientPrefixes(["client"]))
        meter.limitReads(.seconds(3600))
        try await RequestMeter.$current.withValue(meter) {
            try await SearchTime.$limits.withValue(.init(share: 0, least: 40)) {
                try await comparePages(on: Self.small, questions)
            }
        }
        #expect(meter.readTimeLeft ?? 0 < 3600)
    }

    private func comparePages(
        on filled: Task<(TestDatabase, [Listing]), any Error>,
        _ questions: [Question]
    ) async throws {
        let (board, listings) = try await filled.value
        for question in questions {
            let wanted = question.query.sorted(listings.filter { question.query.wants($0) })
            var query = question.query
            var found: [Listing] = []
            repeat {
                let page = try await board.search.find(query)
                found += page.entries.map(\.listing)
                query.cursor = page.next
            } while query.cursor != nil
            #expect(found.map(\.id) == wanted.map(\.id), "\(question.name): \(wanted.count)")
        }
    }

    @Test("Counts equal those of a plain loop or are marked as lower bounds")
    func countsEqualBruteForce() async throws {
        let (board, listings) = try await Self.large.value
        for question in try Self.questions() where question.query.order == .newest {
            let wanted = listings.filter { question.query.wants($0) }
            let count = try board.search.count(question.query)
            #expect(count == ListingCount(count: wanted.count, isExact: true), "\(question.name)")
        }
    }

    @Test("Clusters contain all listings of the area at every zoom", arguments: [nil, 0, 3, 6, 7, 12, 20])
    func clustersHoldAll(zoom: Int?) async throws {
        let (board, listings) = try await Self.large.value
        for species in [nil, Species.cat, .dog] {
            for breed in [nil, ListingQuery.Breed.key("beagle")] {
                var query = ListingQuery()
                query.species = species
                query.breed = breed
                query.box = try BoundingBox(parsing: "-180,-90,180,90")
                let wanted = listings.filter { query.wants($0) }
                let clusters = try board.search.clusters(query, zoom: zoom)
                // A filter counts at least this many listings in a cell, so that the total work stays limited.
                let isExact = clusters.allSatisfy(\.count.isExact)
                let count = clusters.map(\.count.count).reduce(0, +)
                #expect(isExact ? count == wanted.count : count < wanted.count)
                #expect(clusters.count <= 256)
                for cluster in clusters { #expect(cluster.extent.contains(cluster.centre)) }
            }
        }
    }

    @Test(
        "A wide time window reads the list once, and no cell counts too many listings",
        .enabled(if: TestDatabase.isFile, "only SpatiaLite has these statements"),
        arguments: [2, 20, 80]
    )
    func wideWindow(budget: Int) async throws {
        let (board, listings) = try await Self.large.value
        var query = ListingQuery()
        query.since = Timestamp(parsing: "2024-01-03")
        query.box = try BoundingBox(parsing: "4,33,21,50")
        let (clusters, statements) = try await board.database.read { [query] db in
            var clusters: [ListingCluster] = []
            let statements = try db.statements {
                let found = try SearchPlan(db, query).gather(in: nil, budget: budget)
                #expect(!found.isAll)
                clusters = try ListingCounter(db, query).clusters(zoom: 6, of: found, budget: budget)
            }
            return (clusters, statements)
        }
        #expect(statements.count { $0.contains("board_seen") } == 1)
        #expect(clusters.contains { !$0.count.isExact })
        for cluster in clusters {
            let extent = CellCover.Extent(cluster.extent)
            let wanted = listings.count { query.wants($0) && extent.contains($0.location.coordinate) }
            #expect(cluster.count.isExact ? cluster.count.count == wanted : cluster.count.count <= wanted)
        }
    }

    @Test(
        "A time window reads the open and the closed listings of the window, and no others",
        .enabled(if: TestDatabase.isFile, "only SpatiaLite has these statements")
    )
    func windowCandidates() async throws {
        let (board, listings) = try await Self.large.value
        for statuses in [[Listing.Status.closed], [.reunited, .lost], Listing.Status.allCases] {
            var query = ListingQuery()
            query.statuses = statuses
            query.since = Timestamp(parsing: "2024-01-02")
            query.until = Timestamp(parsing: "2024-01-06")
            let found = try await board.database.read { [query] db in
                try #require(LastSeenCandidates(db, query)).candidates(in: nil, limit: .max).map(\.key)
            }
            let keys = try await board.database.read { db in
                try db.rows("SELECT id, uuid FROM listing") { row in (try row[1] as String, try row[0] as Int64) }
            }
            let key = Dictionary(uniqueKeysWithValues: keys)
            let wanted = listings.filter { query.wants($0) }.compactMap { key[$0.id.uuidString.lowercased()] }
            #expect(found.sorted() == wanted.sorted() && !wanted.isEmpty)
        }
    }

    @Test("Time limits that include the whole board are ignored")
    func idleBounds() async throws {
        let (board, _) = try await Self.small.value
        var query = ListingQuery()
        query.since = Timestamp(parsing: "2024-01-01")
        query.until = Timestamp(parsing: "2024-01-10")
        var closed = query
        closed.statuses = [.closed]
        let (open, all) = try await board.database.read { [query, closed] db in
            (try query.removingIneffectiveBounds(db), try closed.removingIneffectiveBounds(db))
        }
        #expect(open.since == nil && open.until == query.until)
        #expect(all == closed)
    }

    @Test("Pages stay correct while listings change: no duplicates and no missing listings")
    func pagesWhileListingsChange() async throws {
        for order in ListingQuery.Order.allCases {
            let (board, listings) = try await Self.filled(600)
            let owner = try await board.guest()
            var query = ListingQuery()
            query.order = order
            query.limit = 23
            query.circle = .init(centre: try #require(Coordinate(lon: 12, lat: 42)), radius: 900_000)
            var expected = Set(listings.filter { query.wants($0) }.map(\.id))
            var seen: [UUID] = []
            var round = 0
            repeat {
                let page = try await board.search.find(query)
                seen += page.entries.map(\.listing.id)
                query.cursor = page.next
                // One listing is removed, one is closed, and one is added.
                for (index, listing) in listings.filter({ expected.contains($0.id) }).prefix(2).enumerated() {
                    if index == 0 {
                        try await board.listings.remove(listing, version: nil)
                    } else {
                        var content = listing.content
                        content.status = .reunited
                        _ = try await board.listings.update(
                            listing,
                            content: content,
                            location: listing.location,
                            version: nil
                        )
                    }
                    expected.remove(listing.id)
                }
                _ = try await board.listings.create(
                    .at(12 + Double(round) / 100, 42, createdAt: Timestamp(parsing: "2024-02-0\(1 + round % 9)")),
                    owner: owner
                )
                round += 1
            } while query.cursor != nil
            #expect(Set(seen).count == seen.count)
            #expect(expected.subtracting(seen).isEmpty)
            if TestDatabase.isFile { #expect(try await board.database.check().isSound) }
        }
    }

    @Test(
        "Each kind of query uses its intended plan",
        .enabled(if: TestDatabase.isFile, "only SpatiaLite has these statements"),
        arguments: [
            ("open", ListingQuery.Order.distance, "idx_board_geom_node"), ("lost", .distance, "idx_board_geom_node"),
            ("dogs", .distance, "idx_board_geom_node"), ("a day", .distance, "board INDEXED BY board_seen"),
            ("open", .newest, "board_cell"), ("dogs", .oldest, "board_cell"),
            ("a day", .newest, "board INDEXED BY board_seen"),
            ("common breed", .distance, "listing_facet"), ("rare breed", .newest, "listing_facet"),
            ("cats", .distance, "listing_facet"), ("place", .newest, "listing_facet"),
            ("closed", .distance, "listing_facet"), ("closed", .newest, "listing_facet"),
            ("word", .distance, "board_text"), ("common words", .newest, "board_text"),
            ("clauses without phrases", .distance, "listing_facet"),
        ]
    )
    func planOfShape(filter: String, order: ListingQuery.Order, source: String) async throws {
        let (board, _) = try await Self.small.value
        var query = ListingQuery()
        query.circle = .init(centre: try #require(Coordinate(lon: 12.5, lat: 41.9)), radius: 100_000)
        query.order = order
        query.limit = 5
        try #require(Self.filters.first { $0.name == filter }).apply(&query)
        let sources = [
            "idx_board_geom_node", "board_cell", "listing_facet", "board_text", "archive_text",
            "board INDEXED BY board_seen",
        ]
        let used = try await board.database.read { [query] db in
            let statements = try db.statements { _ = try SearchPlan(db, query).run() }
            let ours = statements.filter { !$0.contains("'main'.") && !$0.hasPrefix("--") }
            return sources.filter { source in
                ours.contains { $0.replacing("\n", with: " ").contains("FROM \(source) ") }
            }
        }
        #expect(used == [source])
    }

    @Test(
        "Queries with many results do not scan or sort a table",
        .enabled(if: TestDatabase.isFile, "only SpatiaLite has these statements")
    )
    func queryPlans() async throws {
        let (board, _) = try await Self.small.value
        var question = ListingQuery()
        question.circle = .init(centre: try #require(Coordinate(lon: 12, lat: 42)), radius: 100_000)
        var queries: [ListingQuery] = []
        for order in ListingQuery.Order.allCases {
            question.order = order
            for change in Self.filters {
                var query = question
                change.apply(&query)
                queries.append(query)
            }
        }
        let plans = try await board.database.read { [queries] db in
            let statements = try db.statements {
                for query in queries {
                    _ = try SearchPlan(db, query).run()
                    _ = try ListingCounter(db, query).count()
                    _ = try ListingCounter(db, query).clusters(zoom: 6)
                }
            }
            return try Set(statements).filter { $0.hasPrefix("SELECT") && !$0.contains("'main'.") }.map { sql in
                let scan = try PreparedStatement(db, "EXPLAIN QUERY PLAN " + sql)
                var steps: [String] = []
                while try scan.next() { steps.append(scan.row.string(3) ?? "") }
                return (sql, steps)
            }
        }
        #expect(plans.count > 6)
        for (sql, plan) in plans {
            for step in plan {
                let isVirtual = step.contains("VIRTUAL TABLE INDEX")
                #expect(isVirtual || !step.hasPrefix("SCAN"), "\(step) in \(sql)")
                #expect(!step.contains("TEMP B-TREE"), "\(step) in \(sql)")
                if sql.contains("NOT INDEXED") { #expect(step.contains("INTEGER PRIMARY KEY"), "\(step) in \(sql)") }
            }
        }
    }
}

// MARK: - The board and the queries

extension PlanTests {
    struct Filter: Sendable {
        let name: String
        let apply: @Sendable (inout ListingQuery) -> Void
    }

    static let filters: [Filter] = [
        Filter(name: "open") { _ in },
        Filter(name: "lost") { $0.statuses = [.lost] },
        Filter(name: "sighted, rare") { $0.statuses = [.sighted] },
        Filter(name: "closed") { $0.statuses = [.reunited, .closed] },
        Filter(name: "all statuses") { $0.statuses = Listing.Status.allCases },
        Filter(name: "hidden too") {
            $0.statuses = Listing.Status.allCases
            $0.includesHidden = true
        },
        Filter(name: "dogs") { $0.species = .dog },
        Filter(name: "cats") { $0.species = .cat },
        Filter(name: "common breed") { $0.breed = .key("labrador_retriever") },
        Filter(name: "rare breed") { $0.breed = .key("beagle") },
        Filter(name: "breed as written") { $0.breed = .text("labrador") },
        Filter(name: "group of breeds") {
            $0.breed = .keys(["beagle", "labrador_retriever"])
        },
        Filter(name: "type of breeds") { $0.breed = .key("retriever") },
        Filter(name: "dogs without a breed") {
            $0.breed = .key(ListingBreeds.unsaid)
            $0.species = .dog
        },
        Filter(name: "crosses") { $0.breed = .key(Breed.mixedKey) },
        Filter(name: "pure dogs of a breed") {
            $0.breed = .key("labrador_retriever")
            $0.includesCrosses = false
        },
        Filter(name: "no crosses") { $0.includesCrosses = false },
        Filter(name: "no crosses, breed as written") {
            $0.breed = .text("labrador")
            $0.includesCrosses = false
        },
        Filter(name: "country") { $0.country = "IT" },
        Filter(name: "country and cats") {
            $0.country = "FR"
            $0.species = .cat
        },
        Filter(name: "place") { $0.places = ["roma", "rome"] },
        Filter(name: "word") { $0.text = "argo" },
        Filter(name: "common words") { $0.text = "collare ross" },
        Filter(name: "one letter") { $0.text = "x" },
        Filter(name: "long word by its beginning") { $0.text = "collaretto" },
        Filter(name: "word, breed and place") {
            $0.text = "collare"
            $0.breed = .key("labrador_retriever")
            $0.places = ["roma"]
        },
        Filter(name: "group of breeds, word and place") {
            $0.text = "collare"
            $0.breed = .keys(["beagle", "labrador_retriever"])
            $0.places = ["roma"]
        },
        Filter(name: "inflected Italian word") { $0.text = "bianco" },
        Filter(name: "word whose stem it begins with") { $0.text = "cuccioletto" },
        Filter(name: "inflected English word") { $0.text = "puppy" },
        Filter(name: "inflected words of the texts and of the query") { $0.text = "orecchie smarriti" },
        Filter(name: "word with digits") { $0.text = "chip9" },
        Filter(name: "two letters") { $0.text = "fe x" },
        Filter(name: "facet of the column") { $0.clauses = [SearchClause(facets: ["colour:black"])] },
        Filter(name: "facets of all kinds") {
            $0.clauses = [
                SearchClause(facets: [
                    "coat:black+tan", "breed:beagle", "cross:labrador_retriever", "place:rome", "species:cat",
                ])
            ]
        },
        Filter(name: "species that most have") { $0.clauses = [SearchClause(facets: ["species:dog"])] },
        Filter(name: "facets or phrases, all of several clauses") {
            $0.clauses = [
                SearchClause(facets: ["colour:white", "place:nowhere"], phrases: ["nere focate", "argo"]),
                SearchClause(facets: ["breed:labrador_retriever", "cross:labrador_retriever"], phrases: ["collari"]),
            ]
        },
        Filter(name: "clauses without phrases") {
            $0.clauses = [
                SearchClause(facets: ["colour:white", "colour:black"]),
                SearchClause(facets: ["breed:labrador_retriever", "cross:labrador_retriever", "name:argo"]),
            ]
        },
        Filter(name: "clauses, place and cats of all statuses") {
            $0.clauses = [SearchClause(facets: ["colour:white"], phrases: ["perche", "macchia"])]
            $0.places = ["roma"]
            $0.species = .cat
            $0.statuses = Listing.Status.allCases
            $0.includesHidden = true
        },
        Filter(name: "clause, and breed as written") {
            $0.clauses = [SearchClause(phrases: ["focati", "spot"])]
            $0.breed = .text("labrador")
        },
        Filter(name: "clause without facets and words") { $0.clauses = [SearchClause(phrases: [""])] },
        Filter(name: "a day") {
            $0.since = Timestamp(parsing: "2024-01-01")
            $0.until = Timestamp(parsing: "2024-01-02")
        },
        Filter(name: "closed, a day") {
            $0.statuses = [.reunited, .closed]
            $0.since = Timestamp(parsing: "2024-01-01")
            $0.until = Timestamp(parsing: "2024-01-02")
        },
        Filter(name: "cats of all statuses, until") {
            $0.statuses = Listing.Status.allCases
            $0.species = .cat
            $0.until = Timestamp(parsing: "2024-01-05")
        },
        Filter(name: "since") { $0.since = Timestamp(parsing: "2024-01-10") },
        Filter(name: "condition of SQL") { $0.filter = .isArgo },
        Filter(name: "condition of SQL, common breed and status") {
            $0.filter = .isArgo
            $0.breed = .key("labrador_retriever")
            $0.statuses = [.lost]
        },
        Filter(name: "nothing") { $0.breed = .key("nobody-has-it") },
    ]

    private static func questions() throws -> [Question] {
        let centre = try #require(Coordinate(lon: 12.5, lat: 41.9))
        let line = try #require(Coordinate(lon: 179.99, lat: -17))
        let spaces: [(String, (inout ListingQuery) throws -> Void)] = [
            ("nearest of all", { $0.circle = .init(centre: centre, radius: nil) }),
            ("5 km", { $0.circle = .init(centre: centre, radius: 5000) }),
            ("300 km", { $0.circle = .init(centre: centre, radius: 300_000) }),
            ("17,000 km", { $0.circle = .init(centre: centre, radius: 17_000_000) }),
            ("300 km over the antimeridian", { $0.circle = .init(centre: line, radius: 300_000) }),
            (
                "circle and box",
                {
                    $0.circle = .init(centre: centre, radius: 900_000)
                    $0.box = try BoundingBox(parsing: "12,35,16,43")
                }
            ),
            ("box", { $0.box = try BoundingBox(parsing: "10,40,14,44") }),
            ("box over the antimeridian", { $0.box = try BoundingBox(parsing: "170,-30,-170,0") }),
            ("everywhere", { _ in }),
        ]
        return try spaces.flatMap { space, place in
            try filters.flatMap { filter in
                try ListingQuery.Order.allCases.compactMap { order in
                    var query = ListingQuery()
                    try place(&query)
                    filter.apply(&query)
                    query.order = order
                    query.limit = 97
                    guard order != .distance || query.circle != nil else { return nil }
                    return Question(query: query, name: "\(filter.name), \(space), \(order)")
                }
            }
        }
    }

    /// Boards that the tests share and do not change.
    private static let large = Task { try await filled(1500) }
    private static let small = Task { try await filled(300) }

    /// Most listings lie around Rome, so that it is crowded, and some lie elsewhere; every hundredth is hidden.
    private static func filled(_ count: Int) async throws -> (TestDatabase, [Listing]) {
        var random = SeededGenerator(seed: 11)
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let statuses: [Listing.Status] = [
            .lost, .lost, .lost, .lost, .lost, .found, .found, .found, .reunited, .closed,
        ]
        let colours = [nil, "Nero e focato", nil, "BIANCHE", "spotted", "macchie biànche", nil, "neri, focàti"]
        let texts = [
            nil, "Perché, smarrita: l'orecchio", nil, "CHIP9 fe", "chip 9", "smarrite; orecchi", "perche X", nil,
            "Ferito", nil, "ΦΙΔΟΣ",
        ]
        let drafts = try (0..<count).map { index in
            let wide = index.isMultiple(of: 6)
            let (lon, lat) = index.isMultiple(of: 10) ? (179.9, -17.0) : (12.5, 41.9)
            let spread = wide ? 8.0 : 0.08
            var east = lon + Double.random(in: -spread...spread, using: &random)
            if east > 180 { east -= 360 }
            let north = lat + Double.random(in: -spread...spread, using: &random)
            var draft = try ListingStore.Draft.at(
                (east * 1e6).rounded() / 1e6,
                (north * 1e6).rounded() / 1e6,
                index.isMultiple(of: 97) ? .sighted : statuses[index % 10],
                // Several listings have the same time of creation.
                createdAt: Timestamp(Date(timeIntervalSince1970: Double(1_704_067_200 + (index * 7919) % 997 * 1200)))
            ) {
                $0.species = index.isMultiple(of: 14) ? .cat : .dog
                $0.breedKey =
                    index.isMultiple(of: 3) ? "labrador_retriever" : index.isMultiple(of: 101) ? "beagle" : nil
                $0.breed =
                    index.isMultiple(of: 3)
                    ? "Labrador"
                    : index.isMultiple(of: 7) ? "incrocio Labradór" : index.isMultiple(of: 11) ? "Meticcio" : nil
                $0.place = index.isMultiple(of: 2) ? "Roma" : index.isMultiple(of: 5) ? "Rome" : "Città di X"
                $0.name = index.isMultiple(of: 50) ? "Argo" : nil
                $0[.marks] = index.isMultiple(of: 4) ? "collare rosso" : index.isMultiple(of: 9) ? "collaretto" : nil
                $0.description = index.isMultiple(of: 200) ? "colla, rossa" : texts[index % texts.count]
                $0[.colour] = colours[index % 8]
                $0[.age] = index.isMultiple(of: 13) ? "cuccioletta" : index.isMultiple(of: 17) ? "puppies" : nil
            }
            // An earlier version of the program has stored every fifth.
            if index.isMultiple(of: 5) { draft.content.breeds = nil }
            draft.location.countryCode = index.isMultiple(of: 20) ? "FR" : index.isMultiple(of: 11) ? nil : "IT"
            return draft
        }
        try await board.fill(drafts, owner: owner)
        try await board.database.write { db in
            // The facets of this test are simpler than those that the store has derived.
            try db.execute("UPDATE listing SET facets = NULL")
            for (colour, facets) in SearchClause.facetsOfColours {
                try db.execute(
                    "UPDATE listing SET facets = ? WHERE colour = ?",
                    ["[\"" + facets.joined(separator: "\",\"") + "\"]", colour])
            }
        }
        var query = ListingQuery()
        query.statuses = Listing.Status.allCases
        query.limit = count
        var listings = try await board.search.find(query).entries.map(\.listing)
        for index in stride(from: 0, to: listings.count, by: 100) {
            try await board.hide(listings[index])
        }
        query.includesHidden = true
        listings = try await board.search.find(query).entries.map(\.listing)
        #expect(listings.count == count)
        return (board, listings)
    }
}

extension SearchClause {
    /// The column `facets` of listings with these colours.
    fileprivate static let facetsOfColours = [
        "Nero e focato": ["colour:black", "coat:black+tan"], "neri, focàti": ["colour:black", "coat:black+tan"],
        "BIANCHE": ["colour:white"],
    ]

    fileprivate static func facets(of listing: Listing) -> Set<String> {
        let content = listing.content
        var facets: Set = ["species:\(content.species.rawValue)", "place:\(listing.location.place?.folded ?? "")"]
        if let breeds = content.breeds {
            facets.formUnion(breeds.facets.map { (breeds.isMixed ? "cross:" : "breed:") + $0 })
        } else if let key = content.breedKey {
            facets.insert("breed:\(key)")
        }
        return facets.union(content[.colour].flatMap { facetsOfColours[$0] } ?? [])
    }
}

extension SQLCondition {
    static let isArgo = SQLCondition(sql: "listing.name = ?", values: [.text("Argo")], box: nil)
}

extension CellCover.Extent {
    fileprivate init(_ box: BoundingBox) {
        self.init(west: box.southWest.lon, east: box.northEast.lon, south: box.southWest.lat, north: box.northEast.lat)
    }
}

// MARK: - The plain loop

extension ListingQuery {
    fileprivate func wants(_ listing: Listing) -> Bool {
        let (content, location) = (listing.content, listing.location)
        guard let status = content.status, statuses.contains(status), includesHidden || !listing.hidden,
            species.map({ $0 == content.species }) ?? true, box?.contains(location.coordinate) ?? true,
            circle.map({ $0.centre.distance(to: location.coordinate) <= $0.radius ?? .infinity }) ?? true
        else { return false }
        if filter == .isArgo, content.name != "Argo" { return false }
        let seen = content.lastSeenAt ?? listing.createdAt
        if let since, seen < since { return false }
        if let until, seen >= until { return false }
        switch breed {
        case .keys(let keys)?:
            guard !keys.isDisjoint(with: content.breeds?.facets ?? [content.breedKey ?? ""]) else { return false }
        case .text(let text)?:
            guard Self.words(text, in: [content.breed]) else { return false }
        case nil: break
        }
        if !includesCrosses, content.breeds?.isMixed ?? (content.breedKey == Domain.Breed.mixedKey) { return false }
        if let country, location.countryCode != country { return false }
        if !places.isEmpty, places.isDisjoint(with: [location.place?.folded ?? ""]) { return false }
        let texts = [
            content.name, content.breed, content[.colour], content[.age], content[.marks], content.description,
            location.place,
        ]
        return clauses.allSatisfy { clause in
            !clause.facets.isDisjoint(with: SearchClause.facets(of: listing))
                || clause.phrases.contains { Self.phrase($0, in: texts) }
        }
    }

    /// Whether at most so many words around each other in one text contain all words of the phrase.
    private static func phrase(_ wanted: String, in texts: [String?]) -> Bool {
        let words = wanted.split(separator: " ")
        return !words.isEmpty
            && texts.compactMap { $0?.folded.split(separator: " ") }.contains { text in
                text.indices.contains { start in
                    let near = text[start...].prefix(words.count == 1 ? 1 : words.count + 3)
                    return words.allSatisfy { word in near.contains { Self.word(word, is: $0) } }
                }
            }
    }

    private static func word(_ word: Substring, is found: Substring) -> Bool {
        guard word.count >= 3 else { return found == word }
        return found.hasPrefix(word) || word.stem != nil && found.stem == word.stem
    }

    private static func words(_ wanted: String, in texts: [String?]) -> Bool {
        let found = texts.compactMap { $0?.folded }.joined(separator: " ").split(separator: " ")
        return wanted.split(separator: " ").allSatisfy { word in
            found.contains { found in
                word.count >= 3 ? found.hasPrefix(word) : found == word
            }
        }
    }

    /// Listings with the facets come before those that only contain the words.
    fileprivate func sorted(_ listings: [Listing]) -> [Listing] {
        var facets = self
        facets.clauses = clauses.map { $0.byFacets ?? $0 }
        return inOrder(listings.filter(facets.wants)) + inOrder(listings.filter { !facets.wants($0) })
    }

    private func inOrder(_ listings: [Listing]) -> [Listing] {
        switch order {
        case .newest: listings.sorted { $0.key > $1.key }
        case .oldest: listings.sorted { $0.key < $1.key }
        case .distance:
            listings.map { ($0, circle?.centre.distance(to: $0.location.coordinate) ?? 0) }
                .sorted { ($0.1, $0.0.key) < ($1.1, $1.0.key) }
                .map(\.0)
        }
    }
}
