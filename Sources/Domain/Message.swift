package import Foundation

/// What one of two people wrote to the other, as one of them sees it.
package struct Message: Equatable, Sendable {
    /// The database's own key, in order of time; never shown as it is.
    package let key: Int64
    package let id: UUID
    /// Whether whoever looks wrote it.
    package let isMine: Bool
    package let content: MessageContent
    /// Whether the mark was the listing's, in the eyes of its owner; nil for the writer, and where there was none.
    package let markMatches: Bool?
    package let createdAt: Timestamp

    package init(
        key: Int64,
        id: UUID,
        isMine: Bool,
        content: MessageContent,
        markMatches: Bool?,
        createdAt: Timestamp
    ) {
        self.key = key
        self.id = id
        self.isMine = isMine
        self.content = content
        self.markMatches = markMatches
        self.createdAt = createdAt
    }
}

/// What a message says, and what its sender shows of themselves: nothing comes from the profile.
package struct MessageContent: Equatable, Sendable {
    package var text: String
    package var contactName: String?
    package var contactPhone: String?
    package var contactEmail: String?
    /// What the writer says of the mark that the owner of the listing keeps secret.
    package var mark: String?

    package init(
        text: String,
        contactName: String? = nil,
        contactPhone: String? = nil,
        contactEmail: String? = nil,
        mark: String? = nil
    ) {
        self.text = text
        self.contactName = contactName
        self.contactPhone = contactPhone
        self.contactEmail = contactEmail
        self.mark = mark
    }

    package static let fieldNames = ["text", "contact_name", "contact_phone", "contact_email", "mark"]

    /// Characters of a text.
    package static let maxLength = 4000

    /// Of input; fields that are none of a message's are refused.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        self.init(text: "")
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { try apply(Field(name, value)) }
        guard !text.isEmpty else {
            throw .invalid("text", "expected text of 1 to \(Self.maxLength) characters, without control characters")
        }
    }

    private mutating func apply(_ field: Field) throws(ServiceError) {
        switch field.name {
        case "text": text = try field.text(atMost: Self.maxLength, lines: true) ?? ""
        case "contact_name": contactName = try field.text(atMost: ListingContent.MaxLength.contactName)
        case "contact_phone": contactPhone = try field.phone()
        case "contact_email": contactEmail = try field.email()
        case "mark": mark = try field.text(atMost: ListingContent.MaxLength.secretMark)
        default:
            let known = Self.fieldNames.joined(separator: ", ")
            throw .invalid(field.name, "is not a field of a message: expected \(known)")
        }
    }
}

extension StringProtocol {
    /// Whether two people name the same mark: letters and digits alike, however they are written. What has neither must be the same.
    package func isSameMark(as other: some StringProtocol) -> Bool {
        folded.isEmpty ? trimmed == other.trimmed : folded == other.folded
    }
}
