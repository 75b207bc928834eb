import Domain
import Foundation
import Pages

/// What a form says of a listing, as the fields that an editor takes.
struct ListingFields {
    private(set) var values: [String: JSONValue] = [:]

    private static let names = ListingContent.fieldNames.filter { $0 != "reference" }

    /// A new listing: what is left empty is left out, and contacts come from the form alone.
    init(_ typed: [String: String]) throws {
        for name in Self.names {
            if let text = typed[name] {
                values[name] = try Self.value(name, text, typed["time_zone"])
            } else if name.hasPrefix("contact_"), !name.hasSuffix("_public") {
                values[name] = .null
            }
        }
    }

    /// What is otherwise than it was; what was emptied is cleared.
    init(changing listing: Listing, _ typed: [String: String]) throws {
        let before = ListingForm(editing: listing).values
        for name in Self.names where typed[name] != before[name] {
            values[name] = try typed[name].map { try Self.value(name, $0, typed["time_zone"]) } ?? Self.empty(name)
        }
        // Another town, but still the old point: the form knew no better.
        if values["place"] != nil, values["place"] != .null, values["lon"] == nil, values["lat"] == nil {
            values["lon"] = .null
            values["lat"] = .null
        }
    }

    private static func empty(_ name: String) -> JSONValue {
        name.hasSuffix("_public") ? .bool(false) : .null
    }

    private static func value(_ name: String, _ text: String, _ zone: String?) throws -> JSONValue {
        switch name {
        case "lon", "lat":
            guard let number = Double(text) else { throw ServiceError.invalid(name, "expected degrees") }
            return .number(number)
        case "last_seen_at":
            let zone = zone.flatMap(TimeZone.init(identifier:)) ?? .current
            guard let time = Timestamp(localInput: text, zone: zone) else {
                throw ServiceError.invalid(name, "expected a time like 2026-05-01T12:30")
            }
            return .string(time.text)
        case _ where name.hasSuffix("_public"):
            return .bool(text == "yes")
        default:
            return .string(text)
        }
    }
}
