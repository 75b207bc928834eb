package import Domain
package import Foundation
package import Localization
package import Storage

/// The identity of a row, before it is converted.
extension ListingRecords.Record {
    /// The reference, also a foreign id; nil if there is none.
    package var reference: String? {
        let id = text("id").flatMap { UUID(uuidString: $0) == nil ? $0 : nil }
        return (text("reference") ?? id).map { String($0.trimmed) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The id, if it is one of this program.
    package var id: UUID? { text("id").flatMap(UUID.init(uuidString:)) }

    /// The contents as text that is the same for equal rows whose contacts the same readers see. The photos are left out, so that a
    /// row without a reference that gets another photo is still the same row.
    package func contents() throws -> String {
        try Self.source(fields.filter { $0.key != ImportPlan.photos }) + (showsContacts.map { "contacts: \($0)" } ?? "")
            + (origin?.url ?? "")
    }
}

/// The fields as they are, for commands that do not import.
extension ListingRecords.Record {
    /// The text of a field after usual words were translated; nil if the record has none.
    package func text(_ field: ListingField) throws -> String? {
        guard let text = text(field.name) else { return nil }
        guard case .string(let value) = try ListingTerms.value(field.name, text) else { return nil }
        return value
    }

    /// The text of a field as it is written.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = fields[name], !text.isEmpty { text } else { nil }
    }

    package func number(_ field: ListingField) -> Double? { Self.degrees(fields[field.name]) }
}

extension ListingRecords.Record {
    mutating func setPoint(_ geometry: JSONValue?) {
        guard let pair = Self.position(geometry) else { return }
        fields["lon"] = pair[0]
        fields["lat"] = pair[1]
    }

    /// Keeps only the day of the time, as the service that wrote the feature has it.
    mutating func setDay(_ geometry: JSONValue?) {
        let seen = ListingField.lastSeenAt.name
        guard let lon = Self.degrees(Self.position(geometry)?[0]),
            let time = text(seen).flatMap(Timestamp.init(parsing:)),
            let day = CalendarDay(of: time, at: lon)
        else { return }
        fields[seen] = .string(day.text)
    }

    private static func position(_ geometry: JSONValue?) -> [JSONValue]? {
        guard case .object(let members)? = geometry, case .array(let pair)? = members["coordinates"], pair.count >= 2
        else { return nil }
        return pair
    }

    /// Takes a second column for the place as the street or landmark in the town of the first one, or adds it to the
    /// description if it is too long.
    mutating func addWhereabouts(_ text: String) {
        let known = [self.text("place"), self.text("whereabouts")].compactMap { $0?.folded }
        guard !known.contains(text.folded) else { return }
        func join(_ field: ListingField, _ separator: String) -> String {
            [self.text(field.name), text].compactMap(\.self).joined(separator: separator)
        }
        let whole = join(.whereabouts, ", ")
        let isShort = whole.count <= ListingField.whereabouts.maxLength
        fields[isShort ? "whereabouts" : "description"] = .string(isShort ? whole : join(.description, "\n"))
    }

    /// Reads values and dates as the sender of the file says.
    mutating func read(_ plan: ImportPlan, isMonthFirst: Bool) {
        showsContacts = plan.showsContacts
        for name in fields.keys { read(name, plan) }
        for name in [ListingField.lastSeenAt.name, "created_at"] {
            // The contents of rows with usual dates stay the same, so that they are still those of earlier imports.
            guard let text = text(name), isMonthFirst || !ListingTerms.isTime(text),
                let date = NumericDate(text, isMonthFirst: isMonthFirst)
            else { continue }
            fields[name] = .string(date.text)
        }
    }

    mutating func read(_ name: String, _ plan: ImportPlan) {
        guard let text = text(name), let other = plan.value(text, of: name) else { return }
        fields[name] = .string(other)
    }

    /// Adds a line to a text.
    mutating func add(_ line: String, to field: String) {
        fields[field] = .string([text(field), line].compactMap(\.self).joined(separator: "\n"))
    }

    /// Completes the name of a town by a province, because several towns may have the name.
    mutating func addProvince(_ province: String?) {
        guard let province = province?.trimmed, !province.isEmpty, case .string(let place)? = fields["place"],
            !place.contains(where: "(,".contains), place.folded != province.folded
        else { return }
        fields["place"] = .string("\(place) (\(province))")
    }

    /// - Parameters:
    ///   - zones: for times without a zone, which are by the clocks of the listing's place.
    ///   - organisation: the organisation that the owner is. Its contacts and its place are those of rows without any.
    package func row(
        _ editor: ListingEditor,
        _ zones: TimeZones,
        owner: Account,
        organisation: Organisation? = nil
    ) throws -> ListingImporter.Row {
        var fields = fields.filter { $0.value != .null && $0.key != ImportPlan.photos }
        try replacePointOfTown(&fields, editor)
        let id = takeIdentity(&fields)
        let source = id == nil && fields["reference"] == nil ? try Self.source(fields) : nil
        let seen = ListingField.lastSeenAt.name
        let local = text(seen).flatMap { ListingTerms.isLocalTime($0) ? $0 : nil }
        if local != nil { fields[seen] = nil }
        for (name, value) in fields {
            if case .string(let text) = value { fields[name] = try ListingTerms.value(name, text) }
        }
        let created = try Field("created_at", fields.removeValue(forKey: "created_at") ?? .null).timestamp()
        if origin == nil {
            if showsContacts ?? (organisation != nil) { fields.showContacts() }
            organisation?.content.complete(&fields)
        } else {
            fields.takeContactsOfBoard()
        }
        var (content, location) = try editor.create(fields, owner: owner)
        if let local {
            let time = try ListingTerms.time(seen, local, zone: zones.zone(at: location))
            try content.apply(Field(seen, .string(time)), breeds: editor.breeds)
            try content.setDay(at: location)
        }
        let draft = ListingStore.Draft(
            id: id ?? UUID(),
            content: content,
            location: location,
            createdAt: created,
            origin: origin
        )
        return ListingImporter.Row(draft, source: source)
    }

    /// Replaces a point by the name of the town if it is the point of that town in the gazetteer.
    private func replacePointOfTown(_ fields: inout [String: JSONValue], _ editor: ListingEditor) throws {
        guard let town, let lon = Self.degrees(fields["lon"]), let lat = Self.degrees(fields["lat"]),
            case .town(let place) = try editor.finder.town(named: town, language: editor.language),
            place.coordinate == Coordinate(lon: lon, lat: lat)
        else { return }
        (fields["lon"], fields["lat"], fields["place"]) = (nil, nil, .string(town))
    }

    fileprivate static func degrees(_ value: JSONValue?) -> Double? {
        switch value {
        case .number(let degrees): degrees
        case .string(let text): ListingTerms.degrees(text)
        default: nil
        }
    }

    /// Returns the fields as text that is the same for equal fields.
    private static func source(_ fields: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(fields), as: UTF8.self)
    }

    /// Returns the id if it is a UUID. Otherwise keeps the foreign id as the reference and returns nil.
    private func takeIdentity(_ fields: inout [String: JSONValue]) -> UUID? {
        guard case .string(let text)? = fields.removeValue(forKey: "id") else { return nil }
        if let id = UUID(uuidString: text) { return id }
        if fields["reference"] == nil { fields["reference"] = .string(text) }
        return nil
    }
}
