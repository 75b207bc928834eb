import Concurrency
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import SQL
import Storage

/// OGC API - Features for GIS programs: collections of features with pages and filters.
struct FeatureRoutes {
    let collections: [any FeatureCollection]
    let baseURL: BaseURL
    /// The engine that runs the filters.
    let engine: SQLEngine
    private let longPages = ConcurrencyLimit(Self.maxLongPages)

    /// The maximum number of pages longer than `maxShortPage` in memory at the same time. A page counts until its client
    /// has received it. Further pages are shortened to `maxShortPage` features and continue at their `next` link.
    private static let maxLongPages = 32
    private static let maxShortPage = 1000

    /// The conformance classes: parts 1 and 3 of OGC API - Features, and CQL2.
    private static let conformance =
        [
            "ogcapi-features-1/1.0/conf/core", "ogcapi-features-1/1.0/conf/geojson",
            "ogcapi-features-1/1.0/conf/oas30",
        ]
        + ["filter", "features-filter", "queryables", "queryables-query-parameters"]
        .map { "ogcapi-features-3/1.0/conf/\($0)" }
        + [
            "cql2-text", "cql2-json", "basic-cql2", "advanced-comparison-operators", "case-insensitive-comparison",
            "accent-insensitive-comparison", "basic-spatial-functions", "basic-spatial-functions-plus",
            "spatial-functions", "temporal-functions", "property-property", "arithmetic", "array-functions",
        ].map { "cql2/1.0/conf/\($0)" }

    func add(to router: Router<ServiceContext>) {
        router.get("/conformance", use: conformance)
        router.get("/collections", use: list)
        for collection in collections { add(collection, to: router) }
    }

    /// Adds separate routes for each collection, because each has query parameters of its own.
    private func add(_ collection: any FeatureCollection, to router: Router<ServiceContext>) {
        let type = type(of: collection)
        let path = "/collections/\(type.id)"
        router.get("\(path)") { request, _ in
            try request.queryReader().checkConstants()
            return try Response.json { try $0.collection(collection, baseURL) }
        }
        for (part, onlyQueryables) in [("schema", false), ("queryables", true)] {
            let address = "\(path)/\(part)"
            router.get(RouterPath(address)) { request, _ in
                try request.queryReader().checkConstants()
                var json = JSONWriter()
                json.schema(of: type, baseURL.link(address), onlyQueryables: onlyQueryables)
                return Response(json, type: "application/schema+json")
            }
        }
        router.get("\(path)/items") { request, _ in try await items(of: collection, request) }
        router.get("\(path)/items/{id}") { request, context in try await item(of: collection, request, context) }
    }

    @Sendable private func conformance(_ request: Request, _ context: ServiceContext) throws -> Response {
        try request.queryReader().checkConstants()
        return .object { json in
            json.array("conformsTo", Self.conformance) { $0.string("http://www.opengis.net/spec/\($1)") }
        }
    }

    @Sendable private func list(_ request: Request, _ context: ServiceContext) throws -> Response {
        try request.queryReader().checkConstants()
        return try .object { json in
            json.links([Link(rel: "self", href: baseURL.link(request), type: "application/json")])
            try json.array("collections", collections) { json, collection in
                try json.collection(collection, baseURL)
            }
        }
    }

    private func items(of collection: any FeatureCollection, _ request: Request) async throws -> Response {
        var query = try ItemQuery(request, of: type(of: collection), on: engine)
        query.words = try collection.words(request)
        let isLong = query.limit > Self.maxShortPage
        let permit = isLong ? longPages.take() : nil
        if isLong, permit == nil { query.limit = Self.maxShortPage }
        var response = try await page(query, of: collection, request)
        if let permit { response.body = response.body.holding(permit) }
        return response
    }

    private func page(
        _ query: ItemQuery,
        of collection: any FeatureCollection,
        _ request: Request
    ) async throws -> Response {
        var features = JSONWriter(capacity: query.limit * 1024)
        let (count, next) = try await collection.write(query, to: &features)
        var links = links(of: collection, request)
        if let next {
            links.append(
                Link(
                    rel: "next",
                    href: baseURL.link(request, cursor: PageCursor(key: next).token),
                    type: "application/geo+json"
                )
            )
        }
        let matched = try await matched(query, of: collection, next == nil ? count : nil)
        // The entity tag covers everything but the time stamp, which differs in each response.
        let sums = features.withBytes { EntityTagMiddleware.sums(UnsafeRawBufferPointer($0)) }
        let tag = "\"\(sums)-\(matched ?? 0)-\(next ?? 0)\""
        guard !request.knows(tag) else { return Response(status: .notModified, headers: [.eTag: "W/" + tag]) }
        var json = JSONWriter(capacity: 1024 + features.withBytes(\.count))
        json.object { json in
            json.field("type", "FeatureCollection")
            json.array("features") { $0.elements(features) }
            if let matched { json.field("numberMatched", matched) }
            json.field("numberReturned", count)
            json.field("timeStamp", Timestamp.now.text)
            json.links(links)
        }
        var response = answer(json, links)
        response.headers[.eTag] = "W/" + tag
        return response
    }

    /// Returns the number of features on all pages, but only for the first page: clients have it then, and it changes
    /// as listings change.
    private func matched(_ query: ItemQuery, of collection: any FeatureCollection, _ all: Int?) async throws -> Int? {
        guard query.after == nil else { return nil }
        if let all { return all }
        return try await collection.count(query)
    }

    private func item(
        of collection: any FeatureCollection,
        _ request: Request,
        _ context: ServiceContext
    ) async throws -> Response {
        try request.queryReader().checkConstants()
        let links = links(of: collection, request)
        var json = JSONWriter()
        let id = context.parameters.get("id") ?? ""
        guard try await collection.write(item: id, to: &json, links: { $0.links(links) }) else {
            throw ServiceError(.notFound, "no such feature")
        }
        return answer(json, links)
    }

    private func links(of collection: any FeatureCollection, _ request: Request) -> [Link] {
        [
            Link(rel: "self", href: baseURL.link(request), type: "application/geo+json"),
            Link(
                rel: "collection",
                href: baseURL.link("/collections/\(type(of: collection).id)"),
                type: "application/json"
            ),
        ]
    }

    private func answer(_ json: borrowing JSONWriter, _ links: [Link]) -> Response {
        var response = Response(json, type: "application/geo+json")
        response.headers[.link] = links.header
        return response
    }
}

extension ResponseBody {
    /// Returns the body, which holds the permit until it has been sent or the client is gone.
    fileprivate func holding(_ permit: ConcurrencyLimit.Permit) -> ResponseBody {
        ResponseBody(contentLength: contentLength) { writer in
            defer { withExtendedLifetime(permit) {} }
            try await write(writer)
        }
    }
}
