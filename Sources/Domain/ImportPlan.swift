/// Says how a file of listings is read: which field each column is, and what values mean. The sender of the file makes it.
package struct ImportPlan: Codable, Equatable, Sendable {
    /// The order of numbers in dates such as 3/4/2026.
    package enum DateOrder: String, Codable, Sendable {
        case dayFirst = "day_first"
        case monthFirst = "month_first"
        /// No date of the file says which one it is; the day comes first then.
        case unclear
    }

    /// The field of each column, by the name of the column; empty if the column is left out.
    package var columns: [String: String] = [:]
    /// The values that replace those of the file, by fields and by the folded value of the file: `["place": ["fiscano": "Fisciano"]]`.
    package var values: [String: [String: String]] = [:]
    /// The values of rows that say nothing of a field.
    package var defaults: [String: String] = [:]
    /// Nil until the dates of the file were read.
    package var dates: DateOrder?
    /// Whether everybody sees the telephone numbers and e-mail addresses of the file; nil if nobody said so: those of
    /// organisations are shown.
    package var showsContacts: Bool?

    package init() {}

    /// Members that are missing have their defaults, so that plans of earlier versions can be read.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        columns = try members.decodeIfPresent([String: String].self, forKey: .columns) ?? [:]
        values = try members.decodeIfPresent([String: [String: String]].self, forKey: .values) ?? [:]
        defaults = try members.decodeIfPresent([String: String].self, forKey: .defaults) ?? [:]
        dates = try members.decodeIfPresent(DateOrder.self, forKey: .dates)
        showsContacts = try members.decodeIfPresent(Bool.self, forKey: .showsContacts)
    }

    /// The name by which `columns` means the province of the town, which is no field.
    package static let province = "province"
    /// The name by which `columns` means the addresses of photos, which are no field.
    package static let photos = "photos"
    /// The values of one field that are read as others. More would be no list that somebody reads.
    package static let maxValues = 500
    /// In characters, of names of columns and of values.
    package static let maxLength = 200

    /// Returns what is read in place of a value.
    package func value(_ value: String, of field: String) -> String? { values[field]?[value.folded] }

    /// Sets what is read in place of a value; nil or an empty text reads the value itself. Longer values and more of them than
    /// the limits are ignored.
    package mutating func read(_ value: String, of field: String, as other: String?) {
        guard value.count <= Self.maxLength, other?.count ?? 0 <= Self.maxLength else { return }
        guard let other, !other.isEmpty else {
            values[field]?[value.folded] = nil
            return
        }
        guard values[field]?.count ?? 0 < Self.maxValues else { return }
        values[field, default: [:]][value.folded] = other
    }
}
