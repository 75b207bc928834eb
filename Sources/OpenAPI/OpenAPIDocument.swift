import Domain
package import Formats
import Foundation
package import HTTP

/// The OpenAPI 3.0.3 document.
package struct OpenAPIDocument: Sendable {
    package static let mediaType = "application/vnd.oai.openapi+json;version=3.0"

    package let bytes: [UInt8]
    package let tag: String

    /// - Parameter schemas: the schemas that operations refer to by name.
    package init(baseURL: BaseURL, cookie: SessionCookie, operations: [Operation], schemas: [String: Schema]) throws {
        let paths = Dictionary(grouping: operations, by: \.path).mapValues { operations in
            JSONValue.object(Dictionary(operations.map { ($0.method.rawValue.lowercased(), $0.json) }) { $1 })
        }
        let document: JSONValue = [
            "openapi": "3.0.3", "info": Self.info, "servers": [["url": .string(baseURL.text)]],
            "tags": .array(
                Operation.Tag.allCases.map { ["name": .string($0.rawValue), "description": .string($0.description)] }
            ),
            "paths": .object(paths), "components": Self.components(cookie, schemas),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = Array(try encoder.encode(document))
        tag = bytes.entityTag
    }

    private static let info: JSONValue = [
        "title": "DoggoFinder", "version": "1",
        "description": .string(
            """
            Reunites lost dogs with their people. Reading needs no account; writing needs a token, which a guest gets for nothing. \
            Lists are GeoJSON with `links`: follow `next` for more. Distances are metres on the ellipsoid. Errors are problem \
            details (RFC 9457) whose `detail` has the language of `Accept-Language`. Parameters and fields that are not named here are errors, but `/`, images, geocoders and what \
            monitors ask leave unknown parameters alone. \
            Every answer has an `X-Request-Id`; where calls are limited, what succeeds has a `RateLimit`, and so has a 429. Every GET \
            answers HEAD too; what may be kept has an `ETag`, and answers 304 to `If-None-Match`. A method that a path lacks is a 405 \
            with `Allow`.
            """
        ),
    ]

    private static func components(_ cookie: SessionCookie, _ schemas: [String: Schema]) -> JSONValue {
        let errors = ErrorResponse.allCases.flatMap { error in
            [true, false].map {
                (error.component(isForPrograms: $0), ResponseDescription(error, isForPrograms: $0).full)
            }
        }
        let headers = ResponseDescription.Header.allCases.map { header in
            (header.rawValue, ["description": .string(header.description), "schema": header.schema.json] as JSONValue)
        }
        return [
            "schemas": .object(schemas.mapValues(\.json)), "responses": .object(Dictionary(errors) { $1 }),
            "headers": .object(Dictionary(headers) { $1 }),
            "securitySchemes": [
                "bearer": [
                    "type": "http", "scheme": "bearer",
                    "description": "A token of `POST /v1/guests`, `/v1/accounts` or `/v1/sessions`.",
                ],
                "cookie": [
                    "type": "apiKey", "in": "cookie", "name": .string(cookie.name),
                    "description": "The same for browsers; to change something only from pages of this site.",
                ],
            ],
        ]
    }
}

extension Operation.Tag {
    fileprivate var description: String {
        switch self {
        case .accounts: "Guests, registration, the profile."
        case .listings: "The board: lost, found and sighted animals."
        case .organisations: "Shelters and associations: members, invitations, keys, and work on many listings."
        case .messages: "Between owners of listings and who writes to them."
        case .matches: "Listings that may be of the same animal, and what their owners say."
        case .alerts: "Saved searches, and the listings that they have found."
        case .channels: "Notifications of browsers, and events that are sent to servers of users."
        case .imports: "Listings from files, in the background."
        case .sightings: "Where lost animals were seen, and what happened to a listing."
        case .tracks: "Where collars and search parties were, and what was searched."
        case .photos: "Photos of listings, and the breeds they show."
        case .moderation: "Reports, what moderators do about them, and the record of what admins did."
        case .help: "Vets, pet shops and shelters nearby."
        case .places: "Coordinates to places, names to places, breeds."
        case .geocoders: "The same places for clients of Nominatim and Photon."
        case .features: "Collections for GIS programs: OGC API - Features, with CQL2."
        case .tiles: "Vector tiles for map libraries."
        case .feeds: "The board for feed readers."
        case .operations: "For who begins, and who keeps it running."
        }
    }
}
