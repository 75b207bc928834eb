import Domain
import Foundation
import Pages

/// Converts the fields of a form to the fields that `ListingEditor` accepts.
struct ListingFields {
    private(set) var values: [String: JSONValue] = [:]

    /// Creates the fields of a new listing. Empty fields are omitted, but contacts become null, so that they are not
    /// copied from the account's profile.
    init(_ typed: [String: String], _ timeZone: FormTimeZone) throws {
        let typed = Self.choosingPlace(typed)
        let zone = try timeZone.zone(of: typed)
        for field in ListingForm.fields {
            if let text = typed[field.name] {
                values[field.name] = try Self.value(field, text, zone)
            } else if case .everybodyIf = field.access {
                values[field.name] = .null
            }
        }
    }

    /// Creates the fields that differ from the present listing. Fields that were emptied become null.
    init(changing listing: Listing, _ typed: [String: String], _ timeZone: FormTimeZone) throws {
        let typed = Self.choosingPlace(typed)
        let zone = try timeZone.zone(of: typed, editing: listing)
        let before = ListingForm.values(editing: listing, in: timeZone.zones.zone(at: listing.location))
        for field in ListingForm.fields where typed[field.name] != before[field.name] {
            values[field.name] = try typed[field.name].map { try Self.value(field, $0, zone) } ?? Self.empty(field)
        }
        // The form still contains the coordinates of the previous place if only the place was changed.
        if values["place"] != nil, values["place"] != .null, values["lon"] == nil, values["lat"] == nil {
            values["lon"] = .null
            values["lat"] = .null
        }
    }

    /// The town that was chosen among candidates replaces the one that was typed. A street that was typed with it is kept.
    private static func choosingPlace(_ typed: [String: String]) -> [String: String] {
        guard let choice = typed[ListingForm.placeChoice] else { return typed }
        let written = typed["place"]
        var typed = typed.merging(["place": choice]) { $1 }
        if typed["whereabouts"] == nil, let place = written, AddressReader.shared.isWhereabouts(place) {
            typed["whereabouts"] = place
        }
        return typed
    }

    private static func empty(_ field: ListingField) -> JSONValue {
        field.kind == .flag ? .bool(false) : .null
    }

    private static func value(_ field: ListingField, _ text: String, _ zone: TimeZone) throws -> JSONValue {
        switch field.kind {
        case .degrees:
            guard let number = text.decimalNumber else { throw ServiceError.invalid(field.name, "expected degrees") }
            return .number(number)
        case .time:
            guard let time = Timestamp(written: text, zone: zone) else {
                throw ServiceError.invalid(field.name, "expected a time like 26/11/2026 15:30 or 2026-11-26T15:30")
            }
            return .string(time.text)
        case .flag: return .bool(text == "yes")
        case .text, .lines, .breed, .age, .microchip, .phone, .email, .choice: return .string(text)
        }
    }
}
