import Domain
import Foundation
import Pages

/// Converts the fields of a form to the fields that `ListingEditor` accepts.
struct ListingFields {
    private(set) var values: [String: JSONValue] = [:]

    /// Creates the fields of a new listing. Empty fields are omitted, but contacts become null, so that they are not
    /// copied from the account's profile.
    init(_ typed: [String: String], _ timeZone: FormTimeZone) throws {
        let typed = typed.choosingPlace()
        values[PointConfirmation.fieldName] = typed.pointConfirmation
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
        let typed = typed.choosingPlace()
        values[PointConfirmation.fieldName] = typed.pointConfirmation
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

    private static func empty(_ field: ListingField) -> JSONValue {
        field.kind == .flag ? .bool(false) : .null
    }

    private static func value(_ field: ListingField, _ text: String, _ zone: TimeZone) throws -> JSONValue {
        switch field.kind {
        case .degrees:
            guard let number = text.decimalNumber else { throw ServiceError.invalid(field.name, "expected degrees") }
            return .number(number)
        case .time:
            if let day = CalendarDay(written: text, zone: zone) { return .string(day.text) }
            guard let time = Timestamp(written: text, zone: zone) else {
                throw ServiceError.invalid(field.name, "expected a time like 26/11/2026 15:30 or 2026-11-26T15:30")
            }
            return .string(time.text)
        case .flag: return .bool(text == "yes")
        case .text, .lines, .breed, .age, .microchip, .phone, .email, .choice: return .string(text)
        }
    }
}

extension [String: String] {
    /// The town and the point that were chosen among candidates replace those that were typed. A street that was typed with the
    /// town is kept.
    func choosingPlace() -> [String: String] {
        var chosen: [String: String] = [:]
        chosen["place"] = self[ListingForm.placeChoice]
        if chosen["place"] != nil, let written = self["place"], AddressReader.shared.isWhereabouts(written) {
            chosen["whereabouts"] = self["whereabouts"] ?? written
        }
        guard let point = self[ListingForm.pointChoice]?.split(separator: ",").map(String.init), point.count == 2 else {
            return merging(chosen) { $1 }
        }
        (chosen["lon"], chosen["lat"]) = (point[0], point[1])
        var result = merging(chosen) { $1 }
        // The town may be that of the point that was not chosen.
        if point[0].decimalNumber != self["lon"]?.decimalNumber { result["place"] = nil }
        return result
    }

    /// A point that was chosen among candidates is confirmed.
    var pointConfirmation: JSONValue? { self[ListingForm.pointChoice] == nil ? nil : true }
}
