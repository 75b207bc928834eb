import Domain
import Formats
import HTTPTypes
import Hummingbird
import Storage

/// OGC API - Features for GIS programs: collections of features, their pages and filters.
struct FeatureRoutes {
    let collections: [any FeatureCollection]
    let baseURL: BaseURL

    /// Parts 1 and 3 of the standard, and of CQL2.
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
            "spatial-functions", "temporal-functions", "property-property", "arithmetic",
        ].map { "cql2/1.0/conf/\($0)" }

    func add(to router: Router<ServiceContext>) {
        router.get("/conformance", use: conformance)
        router.get("/collections", use: list)
        router.get("/collections/:collection", use: show)
        router.get("/collections/:collection/queryables", use: queryables)
        router.get("/collections/:collection/schema", use: schema)
        router.get("/collections/:collection/items", use: items)
        router.get("/collections/:collection/items/:id", use: item)
    }

    @Sendable private func conformance(_ request: Request, _ context: ServiceContext) throws -> Response {
        _ = try QueryReader(request, allowed: ["f"])
        var json = JSONWriter()
        json.object { json in
            json.array("conformsTo", Self.conformance) { $0.string("http://www.opengis.net/spec/\($1)") }
        }
        return Response(json)
    }

    @Sendable private func list(_ request: Request, _ context: ServiceContext) throws -> Response {
        _ = try QueryReader(request, allowed: ["f"])
        var json = JSONWriter()
        try json.object { json in
            json.links([Link(rel: "self", href: baseURL.link(request), type: "application/json")])
            try json.array("collections", collections) { json, collection in
                try json.collection(collection, baseURL)
            }
        }
        return Response(json)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) throws -> Response {
        _ = try QueryReader(request, allowed: ["f"])
        var json = JSONWriter()
        try json.collection(collection(context), baseURL)
        return Response(json)
    }

    @Sendable private func queryables(_ request: Request, _ context: ServiceContext) throws -> Response {
        let collection = try type(of: collection(context))
        _ = try QueryReader(request, allowed: ["f"])
        var json = JSONWriter()
        json.schema(of: collection, baseURL.link(request), onlyQueryables: true)
        return Response(json, type: "application/schema+json")
    }

    @Sendable private func schema(_ request: Request, _ context: ServiceContext) throws -> Response {
        let collection = try type(of: collection(context))
        _ = try QueryReader(request, allowed: ["f"])
        var json = JSONWriter()
        json.schema(of: collection, baseURL.link(request), onlyQueryables: false)
        return Response(json, type: "application/schema+json")
    }

    @Sendable private func items(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let collection = try collection(context)
        let query = try ItemQuery(request, of: type(of: collection))
        var links = [
            Link(rel: "self", href: baseURL.link(request), type: "application/geo+json"),
            Link(rel: "collection", href: address(of: collection), type: "application/json"),
        ]
        var features = JSONWriter(capacity: query.limit * 1024)
        let (count, next) = try await collection.write(query, to: &features)
        if let next {
            links.append(
                Link(rel: "next", href: baseURL.link(request, cursor: String(next)), type: "application/geo+json")
            )
        }
        // Later pages do not tell how many there are in all: the first has told, and the board goes on.
        let matched: Int? =
            switch (query.after, next) {
            case (nil, nil): count
            case (nil, _): try await collection.count(query)
            default: nil
            }
        var json = JSONWriter(capacity: 1024 + features.withBytes(\.count))
        json.object { json in
            json.field("type", "FeatureCollection")
            json.array("features") { $0.elements(features) }
            if let matched { json.field("numberMatched", matched) }
            json.field("numberReturned", count)
            json.field("timeStamp", Timestamp.now.text)
            json.links(links)
        }
        var response = Response(json, type: "application/geo+json")
        response.headers[.link] = links.header
        return response
    }

    @Sendable private func item(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let collection = try collection(context)
        _ = try QueryReader(request, allowed: ["f"])
        let links = [
            Link(rel: "self", href: baseURL.link(request), type: "application/geo+json"),
            Link(rel: "collection", href: address(of: collection), type: "application/json"),
        ]
        var json = JSONWriter()
        let id = context.parameters.get("id") ?? ""
        guard try await collection.write(item: id, to: &json, links: { $0.links(links) }) else {
            throw ServiceError(.notFound, "no such feature")
        }
        var response = Response(json, type: "application/geo+json")
        response.headers[.link] = links.header
        return response
    }

    private func collection(_ context: ServiceContext) throws -> any FeatureCollection {
        let id = context.parameters.get("collection")
        guard let found = collections.first(where: { type(of: $0).id == id }) else {
            let names = collections.map { type(of: $0).id }.joined(separator: ", ")
            throw ServiceError(.notFound, "no such collection: expected one of \(names)")
        }
        return found
    }

    private func address(of collection: any FeatureCollection) -> String {
        baseURL.link("/collections/\(type(of: collection).id)")
    }
}
