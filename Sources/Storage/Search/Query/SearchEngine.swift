import Domain
import SQL

/// How a database searches listings: which indexes it reads, with which statements. All engines return the same results.
protocol SearchEngine {
    /// - Parameter withFeatures: whether hits should have their prepared features, if that saves a statement.
    func find(_ query: ListingQuery, withFeatures: Bool, _ db: SQLConnection) throws -> HitPage

    /// - Parameter budget: the maximum number of rows to read; nil for some thousands.
    func count(_ query: ListingQuery, budget: Int?, _ db: SQLConnection) throws -> ListingCount

    /// Returns the number of listings by cells. A cell is about 64 pixels wide at `zoom`, a zoom level of web maps with
    /// tiles of 256 pixels.
    func clusters(_ query: ListingQuery, zoom: Int?, _ db: SQLConnection) throws -> [ListingCluster]

    func contents(of tile: MapTile, _ query: ListingQuery, _ db: SQLConnection) throws -> TileContents

    /// Returns those of some hundred words that texts of open listings contain, in any order.
    ///
    /// - Parameter words: of the letters a to z.
    func wordsOnBoard(among words: [String], _ db: SQLConnection) throws -> [String]

    /// Returns a box that contains the open listings, of about their extent; nil if there are none.
    func extent(_ db: SQLConnection) throws -> BoundingBox?

    /// The scripts that put the indexes in order, each with the name of what it does.
    var optimizations: [(name: String, script: String)] { get }
}

extension SearchEngine {
    /// Returns the page of a query whose listings may be in the order of a photo.
    func page(_ query: ListingQuery, withFeatures: Bool = false, _ db: SQLConnection) throws -> HitPage {
        guard let ranking = query.photo else {
            return try query.page { try find($0, withFeatures: withFeatures, db) }
        }
        if let search = PhotoSearch(query, ranking, db) { return HitPage(hits: try search.page()) }
        return try ranking.page(query) { try find($0, withFeatures: withFeatures, db) }
    }
}

extension SQLConnection {
    /// Returns the clause that makes SQLite read an index; PostgreSQL has no such clause and needs none.
    func indexed(by index: String) -> String { engine == .spatiaLite ? "INDEXED BY \(index)" : "" }
}
