import Domain
import OpenAPI
import Storage

extension Operation {
    static let features =
        tagged(.features) {
            get("/conformance", "getConformance", "What it conforms to")
                .taking(.format)
                .answering(.json("Classes of OGC standards.", .object(["conformsTo": .list(of: .address)])))
            get("/collections", "listCollections", "All collections")
                .taking(.format)
                .answering(
                    .json(
                        "The collections.",
                        .object(["links": .list(of: .named("Link")), "collections": .list(of: .named("Collection"))])
                    )
                )
        } + of(ListingCollection.self, "Listing")
        + of(PointOfInterestCollection.self, "PointOfInterest")

    /// Returns the operations of a collection.
    ///
    /// - Parameter noun: the name of the features' schema, which is also a part of the operation IDs.
    private static func of(_ collection: any FeatureCollection.Type, _ noun: String) -> [Operation] {
        let path = "/collections/\(collection.id)"
        return tagged(.features) {
            get(path, "describe\(noun)Collection", collection.title)
                .taking(.format)
                .described(collection.description)
                .answering(.json("The collection.", .named("Collection")))
            schema(path, "queryables", "get\(noun)Queryables", "What filters of \(collection.id) may name")
            schema(path, "schema", "get\(noun)Schema", "What features of \(collection.id) have")
            items(of: collection, path, noun)
            item(of: collection, path, noun)
        }
    }

    private static func schema(_ path: String, _ part: String, _ id: String, _ summary: String) -> Operation {
        get("\(path)/\(part)", id, summary)
            .taking(.format)
            .answering(.json("JSON Schema.", .named("JSONSchema"), type: "application/schema+json"))
    }

    private static func items(of collection: any FeatureCollection.Type, _ path: String, _ noun: String) -> Operation {
        get("\(path)/items", "get\(noun)Features", "Features of \(collection.id)")
            .taking(
                [
                    .window, .datetime, .features, .filter, .filterLanguage, .constant("filter-crs"),
                    .constant("bbox-crs"), .cursor, .format,
                ] + collection.textParameters + collection.parameters.map { .equal($0.property) }
            )
            .described("In the order of their keys; follow `next` for more.")
            .answering(.geoJSON("A page.", .named("\(noun)Features"), headers: [.link]))
            .exampleQuery("limit=10")
    }

    private static func item(of collection: any FeatureCollection.Type, _ path: String, _ noun: String) -> Operation {
        let isUUID = collection.queryables.contains { $0.name == "id" && $0.type == .text }
        return get("\(path)/items/{id}", "get\(noun)Feature", "One feature of \(collection.id)")
            .taking(isUUID ? .id : .path("id", .integer(atLeast: 0), "As a page tells it.", example: 1), .format)
            .answering(.geoJSON("The feature.", .named("\(noun)Feature"), headers: [.link]))
    }
}

extension Parameter {
    fileprivate static let format = constant("f")
    fileprivate static let window = query(
        "bbox",
        .any(of: [.list(of: .number(), 4...4), .list(of: .number(), 6...6)]),
        """
        West, south, east, north in degrees, or with heights third and sixth. West beyond east crosses the antimeridian; what lies \
        beyond the edges of the Earth is cut or wound round it.
        """,
        example: [14.5, 40.6, 15.0, 41.0]
    )
    fileprivate static let datetime = query(
        "datetime",
        .queryText,
        "The time of the last sighting: a moment, a day, or an interval like `2026-05-01/..`, both ends in it.",
        example: "2026-05-01T00:00:00Z/.."
    )
    fileprivate static let features = query(
        "limit",
        .integer(atLeast: 1).with("default", JSONValue(ItemQuery.page.defaultLimit)),
        "How many on a page; \(ItemQuery.page.maxLimit) at most, whatever is asked for, and fewer where many ask for long ones.",
        example: 100
    )
    fileprivate static let filter = query(
        "filter",
        .text(0...ItemQuery.maxFilterLength),
        "A condition in CQL2 (OGC 21-065r2).",
        example: "geometry IS NOT NULL"
    )
    fileprivate static let filterLanguage = query(
        "filter-lang",
        .choice(FilterLanguage.self).with("default", .string(FilterLanguage.text.rawValue)),
        "The language of the filter; `cql-text` is an older name of `cql2-text`.",
        example: "cql2-text"
    )

    /// Returns a parameter that has only one meaning, whichever of its values the client sends.
    fileprivate static func constant(_ name: String) -> Parameter {
        let values = ItemQuery.constants[name] ?? []
        return query(name, .choice(values), "There is no other.", example: values.first.map(JSONValue.string))
    }

    fileprivate static func equal(_ property: FeatureProperty) -> Parameter {
        query(property.name, property.asked, "\(property.title): only features that have just this.")
    }
}

extension FeatureProperty {
    /// The schema of the property as a query parameter.
    fileprivate var asked: Schema {
        switch kind {
        case _ where !values.isEmpty: .choice(values)
        case .integer: .integer(FeatureProperty.integers)
        case .boolean: .flag
        case .time: .timestampOrDay
        case .text, .texts, .address, .photos: .queryText
        }
    }
}

extension Schema {
    static let features: [String: Schema] = [
        "Collection": .object(
            [
                "id": .text(), "title": .text(), "description": .text(), "itemType": .choice(["feature"]),
                "crs": .list(of: .address), "links": .list(of: .named("Link")),
            ],
            optional: ["extent": .object([:]).described("Absent where the collection is empty.")]
        ),
        "JSONSchema": .object([
            "$schema": .address, "$id": .address, "type": .text(), "title": .text(), "properties": .object([:]),
            "additionalProperties": .flag,
        ]),
        "ListingFeature": feature(listingProperties, id: .uuid, hasLinks: true),
        "PointOfInterestFeature": feature(pointOfInterest, id: .integer(atLeast: 1), hasLinks: true),
        "ListingFeatures": page("Listing"), "PointOfInterestFeatures": page("PointOfInterest"),
    ]

    private static func page(_ item: String) -> Schema {
        .object(
            [
                "type": .choice(["FeatureCollection"]), "features": .list(of: .named(item)),
                "numberReturned": .integer(atLeast: 0), "timeStamp": .timestamp, "links": .list(of: .named("Link")),
            ],
            optional: ["numberMatched": .integer(atLeast: 0).described("On the first page, where it is known.")]
        )
    }
}
