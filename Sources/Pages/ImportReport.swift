package import Domain

/// The result of reading a file, and the answers that can be changed before it is imported.
package struct ImportReport: Sendable {
    /// Rows with the same mistake.
    package struct Mistake: Sendable {
        package let mistake: ImportMistake
        /// The possible meanings of the value, the likeliest first.
        package let suggestions: [String]

        package init(_ mistake: ImportMistake, suggestions: [String] = []) {
            (self.mistake, self.suggestions) = (mistake, suggestions)
        }
    }

    package struct Column: Sendable {
        package let title: String
        /// The name of a field, or `ImportPlan.province`; nil if the column is left out.
        package let fieldName: String?
        /// Some of its values.
        package let values: [String]

        package init(title: String, fieldName: String?, values: [String]) {
            (self.title, self.fieldName, self.values) = (title, fieldName, values)
        }

        var field: ListingField? { fieldName.flatMap(ListingField.init(name:)) }
    }

    /// A value of a field that has few, and what it is read as; nil if it is not understood.
    package struct Value: Sendable {
        package let field: ListingField
        package let text: String
        package let meaning: String?

        package init(field: ListingField, text: String, meaning: String?) {
            (self.field, self.text, self.meaning) = (field, text, meaning)
        }
    }

    package struct Draft: Sendable {
        package let columns: [Column]
        package let values: [Value]

        package init(columns: [Column], values: [Value]) { (self.columns, self.values) = (columns, values) }
    }

    /// The owner of the listings; nil for a person.
    package let organisation: Organisation?
    package let mistakes: [Mistake]
    /// How many listings the owner may still open; nil without a limit.
    package let room: Int?
    /// How many photos of its rows were fetched, and why others were not.
    package let photos: RemotePhoto.Counts
    package let failures: [RemotePhoto.Failure]
    /// Nil if the file was imported, or is not there any more.
    package let draft: Draft?

    package init(
        _ organisation: Organisation?,
        mistakes: [Mistake],
        room: Int?,
        photos: RemotePhoto.Counts = .init(),
        failures: [RemotePhoto.Failure] = [],
        draft: Draft?
    ) {
        (self.organisation, self.mistakes, self.room) = (organisation, mistakes, room)
        (self.photos, self.failures, self.draft) = (photos, failures, draft)
    }
}
