import Domain
import Foundation
import Pages

/// Converts the fields of a form to the fields that `ListingEditor` accepts.
struct ListingFields {
    private(set) var values: [String: JSONValue] = [:]

    private static let names = ListingContent.fieldNames.filter { $0 != "reference" }

    /// Creates the fields of a new listing. Empty fields are omitted, but contacts become null, so that they are not
    /// copied from the account's profile.
    init(_ typed: [String: String]) throws {
        for name in Self.names {
            if let text = typed[name] {
                values[name] = try Self.value(name, text, typed["time_zone"])
            } else if name.hasPrefix("contact_"), !name.hasSuffix("_public") {
                values[name] = .null
            }
        }
    }

    /// Creates the fields that differ from the present listing. Fields that were emptied become null.
    init(changing listing: Listing, _ typed: [String: String]) throws {
        let before = ListingForm(editing: listing).values
        for name in Self.names where typed[name] != before[name] {
            values[name] = try typed[name].map { try Self.value(name, $0, typed["time_zone"]) } ?? Self.empty(name)
        }
        // The form still contains the coordinates of the previous place if only the place was changed.
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
