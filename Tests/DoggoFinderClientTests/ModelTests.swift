import Foundation
import Testing

import enum Domain.JSONValue

@testable import DoggoFinderClient

/// The types of answers against their schemas.
@Suite("Client's models")
struct ModelTests {
    /// A type, the schema that it reads, and the documented members that it leaves out.
    struct Model: CustomTestStringConvertible, Sendable {
        let schema: String
        let leavesOut: Set<String>
        let check: @Sendable (Data, Data) throws -> (encoded: Data, absent: [String])

        init<Value: Codable & SendableMetatype>(_ schema: String, _: Value.Type, leavesOut: Set<String> = []) {
            self.schema = schema
            self.leavesOut = leavesOut
            check = { full, least in
                _ = try JSONDecoder.wire.decode(Value.self, from: least)
                let value = try JSONDecoder.wire.decode(Value.self, from: full)
                return (try JSONEncoder.wire.encode(value), absentMembers(of: value))
            }
        }

        var testDescription: String { schema }
    }

    static let models = [
        Model("Account", Account.self),
        Model("Alert", SavedSearch.self),
        Model("AlertList", SavedSearches.self),
        Model("AlertListings", FindingPage.self, leavesOut: ["numberReturned"]),
        Model("BreedList", BreedList.self),
        Model("Classification", Recognised.self, leavesOut: ["links"]),
        Model("Count", Count.self),
        Model("Listing", Listing.self, leavesOut: ["type"]),
        Model(
            "ListingCollection", FeaturePage<Listing>.self,
            leavesOut: ["type", "features[].type", "numberReturned", "reading", "alternatives"]
        ),
        Model("MatchAnswers", MatchAnswers.self),
        Model("MatchList", MatchPage.self, leavesOut: ["numberReturned", "matches[].listing.type"]),
        Model("PlaceAnswer", Address.self),
        Model("PointOfInterest", PointOfInterest.self, leavesOut: ["type"]),
        Model(
            "PointOfInterestCollection", FeaturePage<PointOfInterest>.self,
            leavesOut: ["type", "features[].type", "numberReturned"]
        ),
        Model("Problem", Problem.self),
        Model("ReceivedPhoto", ReceivedPhoto.self),
        Model("Session", Session.self),
        Model("Sighting", Sighting.self),
        Model("SightingList", SightingList.self, leavesOut: ["numberReturned"]),
    ]

    @Test("Each documented member is read, and each member of a type is documented", arguments: models)
    func model(_ model: Model) async throws {
        let document = try await ServiceDocument.read()
        let schema = document.schema(model.schema)
        let full = document.sample(of: schema, isFull: true)
        let least = document.sample(of: schema, isFull: false)
        let (encoded, absent) = try model.check(JSONEncoder().encode(full), JSONEncoder().encode(least))
        #expect(absent == [], "members that no document has")
        let read = try JSONDecoder().decode(JSONValue.self, from: encoded)
        #expect(Set(differences(full, read)) == model.leavesOut, "members that are documented and not read")
    }

    @Test("A listing needs its required members only")
    func requiredMembers() async throws {
        let document = try await ServiceDocument.read()
        let full = document.sample(of: document.schema("Listing"), isFull: true)
        for name in ["id", "geometry", "properties"] {
            var fields = full.fields
            fields[name] = nil
            let data = try JSONEncoder().encode(JSONValue.object(fields))
            #expect(throws: DecodingError.self) { try JSONDecoder.wire.decode(Listing.self, from: data) }
        }
    }

    /// Words of the wire format, with the schema and the path to their list.
    static let words: [(any Word.Type, String, [String])] = [
        (Status.self, "Listing", ["properties", "properties", "status"]),
        (Species.self, "Listing", ["properties", "properties", "species"]),
        (Sex.self, "Listing", ["properties", "properties", "sex"]),
        (Size.self, "Listing", ["properties", "properties", "size"]),
        (LocationPrecision.self, "Listing", ["properties", "properties", "location_precision"]),
        (BreedSource.self, "Listing", ["properties", "properties", "breed_source"]),
        (Answer.self, "NewMatchAnswer", ["answer"]),
        (MatchState.self, "MatchAnswers", ["state"]),
        (SightingState.self, "Sighting", ["state"]),
        (Recognition.self, "Classification", ["outcome"]),
        (PlaceCategory.self, "PointOfInterest", ["properties", "properties", "category"]),
        (OpeningState.self, "PointOfInterest", ["properties", "properties", "opening_state"]),
        (Role.self, "Account", ["role"]),
        (AddressPrecision.self, "PlaceAnswer", ["precision"]),
        (Direction.self, "Evidence", ["speaks"]),
    ]

    @Test("Words are those of the document")
    func words() async throws {
        let document = try await ServiceDocument.read()
        for (word, schema, path) in Self.words {
            let member = path.reduce(document.schema(schema)["properties"]) { $0?[$1] }
            let expected = member?["enum"]?.items.compactMap(\.text) ?? []
            #expect(Set(names(of: word)) == Set(expected), "\(word)")
        }
    }

    private func names<Value: Word>(of word: Value.Type) -> [String] { Value.allCases.map(\.rawValue) }
}

/// The members that are nil, with their places.
private func absentMembers(of value: Any, at place: String = "") -> [String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
        guard let wrapped = mirror.children.first?.value else { return [place] }
        return absentMembers(of: wrapped, at: place)
    }
    guard [.struct, .collection].contains(mirror.displayStyle), !(value is any Word), !(value is URL), !(value is Date),
        !(value is UUID)
    else { return [] }
    return mirror.children.flatMap { absentMembers(of: $0.value, at: "\(place).\($0.label ?? "[]")") }
}

/// The places of the first value that the second one lacks or has otherwise.
private func differences(_ first: JSONValue, _ second: JSONValue?, at place: String = "") -> [String] {
    switch (first, second) {
    case (.object(let fields), .object(let others)?):
        return fields.flatMap { name, value in
            differences(value, others[name], at: place.isEmpty ? name : "\(place).\(name)")
        }
    case (.array(let items), .array(let others)?) where items.count == others.count:
        return zip(items, others).flatMap { differences($0, $1, at: "\(place)[]") }
    default: return first == second ? [] : [place]
    }
}
