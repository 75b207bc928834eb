import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

extension Response {
    /// The request headers that the answer depends on because they identify the caller.
    static let listingVaries = "Authorization, Cookie"

    /// An answer with one listing, as the viewer may see it.
    static func listing(_ row: ListingRow, viewer: Account?, _ baseURL: BaseURL) throws -> Response {
        var json = JSONWriter()
        let isWhole = row.isFullyVisible(to: viewer)
        try json.feature(row, base: baseURL.text, full: isWhole)
        var response = Response(json, type: "application/geo+json")
        response.headers[.eTag] = row.entityTag(for: viewer)
        response.headers[.vary] = listingVaries
        if isWhole { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    /// The same for a request that reads: 304 if the client knows this version.
    static func listing(
        _ row: ListingRow,
        viewer: Account?,
        _ baseURL: BaseURL,
        for request: Request
    ) throws -> Response {
        let tag = row.entityTag(for: viewer)
        guard request.knows(tag) else { return try listing(row, viewer: viewer, baseURL) }
        var response = Response(status: .notModified, headers: [.eTag: tag, .vary: listingVaries])
        if row.isFullyVisible(to: viewer) { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    /// Returns the answer as that to a request that has created the listing.
    func created(listing id: String, _ baseURL: BaseURL) -> Response {
        var response = self
        response.status = .created
        response.headers[.location] = baseURL.link("/v1/listings/\(id)")
        return response
    }
}

extension ListingRow {
    /// Returns the entity tag. The owner's representation of a version has more fields, so it has another tag.
    fileprivate func entityTag(for viewer: Account?) -> String {
        isFullyVisible(to: viewer) ? "\"\(version)-full\"" : "\"\(version)\""
    }
}

extension Listing {
    /// The entity tags of all representations of this version.
    var entityTags: [String] { ["\"\(version)\"", "\"\(version)-full\""] }
}
