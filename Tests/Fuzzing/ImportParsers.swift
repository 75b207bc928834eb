import Domain
import Foundation
import Imports

/// Files of listings that people send or that are fetched from addresses: GeoJSON, boards of other services, and JSON of
/// shelter programs.
let importParsers: [Parser] = [
    Parser(
        name: "listings in json",
        seeds: texts(
            #"{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "00000000-0000-4000-8000-000000000001", "#
                + #""geometry": {"type": "Point", "coordinates": [14.79, 40.77]}, "properties": {"code": "7KF3M2Q", "#
                + #""status": "lost", "approximate": false, "created_at": "2026-01-02T10:00:00.000Z", "origin": null, "#
                + #""photos": [{"url": "https://a/b.jpg"}]}}]} {"features": []}"#,
            #"[{"ID": 7, "ANIMALNAME": "Argo", "DATELOST": "2026-02-01", "X": {"A": [1, {"b": null}]}}, {"Y": true}, 5]"#,
            #"{"total": 2, "none": [], "animals": [{"stato": "smarrito", "lat": 40.77, "comune": "Salerno (SA)"}]}"#,
            #"[{"AnimalID": "A1", "IntakeDate": "10/20/2025", "IntakeType": "STRAY", "Kennel Number": "B 12", "Uscita": "20 nov 2025"}]"#
        ),
        words: [
            "\"features\":[", "\"FeatureCollection\"", "[{", "}]", "},{", "\\u0000", "\"origin\":\"https://a\"",
            "1e999",
            "\"id\":", "\"code\":", "null",
        ],
        read: readListings
    )
]

private func readListings(_ bytes: [UInt8]) throws {
    let url = scratch.appending(path: "listings.json")
    try Data(bytes).write(to: url)
    for mapping in ImportMapping.Name.allCases {
        var records = try ListingRecords(url, mapping: mapping, service: "https://other.example")
        var count = 0
        while let entry = try records.next() {
            count += 1
            precondition(count <= bytes.count, "more rows than bytes")
            guard case .record(let record) = entry else { continue }
            _ = try record.contents()
            let notes = (try? record.checkedNotes()) ?? [:]
            precondition(notes.allSatisfy { ($1 ?? "").unicodeScalars.count <= $0.maxLength }, "a long note")
            let origin = record.id.map { "https://other.example/listings/\($0.uuidString.lowercased())" }
            precondition(record.origin == nil || record.origin?.url == origin, "an origin elsewhere")
        }
        _ = try ImportSample(url, mapping: mapping, plan: ImportPlan())
    }
}
