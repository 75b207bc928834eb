import Domain
import HTTP
import OpenAPI

extension Operation {
    static let animalRecords = tagged(.organisations) {
        get("/v1/listings/{id}/record", "getAnimalRecord", "What the owner of a listing notes of the animal for itself")
            .signedIn.taking(.id(of: "listing"))
            .described(
                "For the owner, or the members of the organisation that owns the listing. What is not noted is null."
            )
            .answering(.json("The record.", .named("AnimalRecord")))
        put(
            "/v1/listings/{id}/record", "putAnimalRecord",
            "Replace what the owner of a listing notes of the animal for itself"
        )
        .signedIn.taking(.id(of: "listing"))
        .described("For the same accounts. What is left out or null is cleared. None of it is ever public.")
        .sending(
            .json(
                .named("AnimalRecordFields"),
                example: ["intake_on": "2026-11-20", "intake": "stray", "kennel": "B 12", "behaviour": "shy with men"]
            )
        )
        .answering(.json("The record as it is now.", .named("AnimalRecord")))
    }
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
        "AnimalRecordFields": .request(optional: record { written($0).orNull }),
    ]
}
