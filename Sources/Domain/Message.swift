package import Foundation

/// A message of a conversation, as one of the two parties sees it.
package struct Message: Equatable, Sendable {
    /// The primary key in the database, in the order of time. Clients see it only in the encoded form of a cursor.
    package let key: Int64
    package let id: UUID
    /// Whether this party wrote the message.
    package let isMine: Bool
    package let content: MessageContent
    /// Whether the stated mark equals the listing's secret mark. Only the listing's owner sees this; nil for the
    /// writer, or if no mark was stated.
    package let markMatches: Bool?
    /// The country of the listing, which is that of telephone numbers without a country code.
    package let country: String?
    /// The town around the point of the content.
    package let place: String?
    package let photo: StoredPhoto?
    package let createdAt: Timestamp

    package init(
        key: Int64,
        id: UUID,
        isMine: Bool,
        content: MessageContent,
        markMatches: Bool?,
        country: String? = nil,
        place: String? = nil,
        photo: StoredPhoto? = nil,
        createdAt: Timestamp
    ) {
        (self.key, self.id, self.isMine) = (key, id, isMine)
        (self.content, self.markMatches, self.country) = (content, markMatches, country)
        (self.place, self.photo, self.createdAt) = (place, photo, createdAt)
    }
}

/// The text of a message, and the contacts and the place that its sender discloses. Nothing is taken from the sender's profile.
package struct MessageContent: Equatable, Sendable {
    package var text: String
    package var contactName: String?
    package var contactPhone: String?
    package var contactEmail: String?
    /// The writer's description of the mark that the owner of the listing keeps secret.
    package var mark: String?
    /// The exact point that the sender tells.
    package var point: Coordinate?

    package init(
        text: String,
        contactName: String? = nil,
        contactPhone: String? = nil,
        contactEmail: String? = nil,
        mark: String? = nil,
        point: Coordinate? = nil
    ) {
        (self.text, self.contactName, self.contactPhone) = (text, contactName, contactPhone)
        (self.contactEmail, self.mark, self.point) = (contactEmail, mark, point)
    }

    package static let fieldNames = ["text", "contact_name", "contact_phone", "contact_email", "mark", "lon", "lat"]

    /// The maximum length of a text in Unicode scalars.
    package static let maxLength = 4000

    /// Parses input fields. Throws if there are other fields than those of a message.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        self.init(text: "")
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { try apply(Field(name, value)) }
        let lon = try Field("lon", fields["lon"] ?? .null).degrees(within: 180)
        let lat = try Field("lat", fields["lat"] ?? .null).degrees(within: 90)
        guard (lon == nil) == (lat == nil) else {
            throw .invalid(lon == nil ? "lon" : "lat", "expected both lon and lat, or neither")
        }
        if let lon, let lat { point = Coordinate(lon: lon, lat: lat) }
        guard !text.isEmpty else {
            throw .invalid("text", "expected text of 1 to \(Self.maxLength) characters, without control characters")
        }
    }

    private mutating func apply(_ field: Field) throws(ServiceError) {
        switch field.name {
        case "text": text = try field.text(atMost: Self.maxLength, lines: true) ?? ""
        case "contact_name": contactName = try field.text(atMost: ListingField.contactName.maxLength)
        case "contact_phone": contactPhone = try field.phone()
        case "contact_email": contactEmail = try field.email()
        case "mark": mark = try field.text(atMost: ListingField.secretMark.maxLength)
        case "lon", "lat": break
        default:
            let known = Self.fieldNames.joined(separator: ", ")
            throw .invalid(field.name, "is not a field of a message: expected \(known)")
        }
    }
}

extension StringProtocol {
    /// Returns whether two descriptions name the same mark: equal letters and digits, ignoring case, accents and
    /// punctuation. Texts without letters and digits must be identical.
    package func isSameMark(as other: some StringProtocol) -> Bool {
        folded.isEmpty ? trimmed == other.trimmed : folded == other.folded
    }
}
