import Domain
import HTTP
import OpenAPI

extension Operation {
    static let animalRecords = [getAnimalRecord, putAnimalRecord]

    private static let getAnimalRecord = Operation(
        .get,
        "/v1/listings/{id}/record",
        "getAnimalRecord",
        .organisations,
        "What the owner of a listing notes of the animal for itself",
        description:
            "For the owner, or the members of the organisation that owns the listing. What is not noted is null.",
        access: .signedIn,
        parameters: [.id(of: "listing")],
        responses: [.json("The record.", .named("AnimalRecord"), headers: [.cacheControl])],
        errors: [.forbidden, .notFound]
    )
    private static let putAnimalRecord = Operation(
        .put,
        "/v1/listings/{id}/record",
        "putAnimalRecord",
        .organisations,
        "Replace what the owner of a listing notes of the animal for itself",
        description: "For the same accounts. What is left out or null is cleared. None of it is ever public.",
        access: .signedIn,
        parameters: [.id(of: "listing")],
        body: .json(
            .named("AnimalRecordFields"),
            example: ["intake_on": "2026-11-20", "intake": "stray", "kennel": "B 12", "behaviour": "shy with men"]
        ),
        responses: [.json("The record as it is now.", .named("AnimalRecord"), headers: [.cacheControl])],
        errors: [.forbidden, .notFound, .tooLarge, .unsupportedMediaType]
    )
}

extension Schema {
    private static func record(_ schema: (AnimalRecord.Key) -> Schema) -> [String: Schema] {
        Dictionary(uniqueKeysWithValues: AnimalRecord.Key.allCases.map { ($0.rawValue, schema($0)) })
    }

    private static func written(_ key: AnimalRecord.Key) -> Schema {
        if key.isDay { return .text(format: "date") }
        return key == .behaviour ? .plainLines(key.maxLength) : .plainText(key.maxLength)
    }

    static let animalRecords: [String: Schema] = [
        "AnimalRecord": .object(record { ($0.isDay ? Schema.text(format: "date") : .text()).orNull }),
        "AnimalRecordFields": .object([:], optional: record { written($0).orNull }, isClosed: true),
    ]
}
