import Domain
import Storage

/// A program of shelters, or a board of adoptable animals, that imports CSV files.
package enum ShelterProgram: String, CaseIterable, Sendable {
    /// Animal Shelter Manager 3: the columns that its import reads (https://github.com/sheltermanager/asm3, `csvimport.py`).
    case asm3
    /// Petfinder: the columns and their order of its import of August 2019 (the same repository, `publishers/petfinder.py`).
    case petfinder
}

extension ShelterProgram {
    private typealias Text = @Sendable (ListingRow) throws -> String
    /// Returns what is noted of the animal of a row.
    private typealias Note = @Sendable (AnimalRecord.Key) -> @Sendable (ListingRow) -> String?

    /// - Parameters:
    ///   - records: what is noted of the animals, by the `Listing.key`.
    ///   - base: the prefix for the paths of photos.
    ///   - day: returns the day of a moment where a listing is.
    func columns(
        _ records: [Int64: AnimalRecord],
        base: String,
        day: @escaping @Sendable (Timestamp, ListingLocation) -> String
    ) -> [ListingColumn] {
        let found = ListingColumn.found(day)
        let note: Note = { key in { row in records[row.key]?[key] } }
        let arrival: Text = { row in try records[row.key]?[.intakeDay] ?? found(row) }
        switch self {
        case .asm3: return Self.asm3(arrival, note, base: base)
        case .petfinder: return Self.petfinder(arrival, base: base)
        }
    }

    private static func asm3(_ arrival: @escaping Text, _ note: Note, base: String) -> [ListingColumn] {
        [
            ListingColumn("ANIMALCODE", \.ownReference),
            // Rows without a name are refused.
            ListingColumn("ANIMALNAME") { row in row.string(.name) ?? row.ownReference },
            ListingColumn("ANIMALSPECIES") { row in species(row, other: "Unknown") },
            ListingColumn("ANIMALSEX") { row in
                ["female": "Female", "male": "Male"][row.string(.sex) ?? ""] ?? "Unknown"
            },
            ListingColumn("ANIMALBREED1") { row in row.string(.breed) },
            ListingColumn("ANIMALCOLOR") { row in row.string(.colour) },
            ListingColumn("ANIMALMICROCHIP") { row in row.string(.microchip) },
            ListingColumn("ANIMALMARKINGS") { row in row.string(.marks) },
            ListingColumn("ANIMALDESCRIPTION") { row in row.string(.description) },
            ListingColumn("ANIMALENTRYDATE", arrival),
            ListingColumn("ANIMALENTRYCATEGORY") { [intake = note(.intake)] row in intake(row) ?? "Stray" },
            ListingColumn("ANIMALUNIT", note(.kennel)), ListingColumn("ANIMALHIDDENDETAILS", note(.behaviour)),
            ListingColumn("ANIMALPICKUPLOCATION") { row in row.string(.place) },
            ListingColumn("ANIMALPICKUPADDRESS") { row in row.string(.whereabouts) },
            ListingColumn("ANIMALIMAGE") { row in try row.photoAddresses(base).first },
        ]
    }

    private static func petfinder(_ arrival: @escaping Text, base: String) -> [ListingColumn] {
        let known: [ListingColumn] =
            [
                ListingColumn("ID", \.ownReference), ListingColumn("Internal", \.ownReference),
                ListingColumn("AnimalName") { row in row.string(.name) ?? row.ownReference },
                ListingColumn("PrimaryBreed") { row in row.string(.breed) }, .empty("SecondaryBreed"),
                ListingColumn("Sex") { row in ["female": "F", "male": "M"][row.string(.sex) ?? ""] },
                ListingColumn("Size") { row in row.string(.size).map { String($0.prefix(1).uppercased()) } },
                .empty("Age"),
                ListingColumn("Desc") { row in
                    [row.string(.description), row.string(.marks)].compactMap(\.self).joined(separator: "\n")
                },
                ListingColumn("Type") { row in species(row, other: "") },
                // F: found.
                ListingColumn("Status") { _ in "F" },
            ]
        let unsaid = [
            "Shots", "Altered", "NoDogs", "NoCats", "NoKids", "Housetrained", "Declawed", "specialNeeds",
        ].map(ListingColumn.empty)
        let mix = ListingColumn("Mix") { row in row.flag(.mixed) ? "1" : "" }
        let photos = (0..<6).map { index in
            ListingColumn("photo\(index + 1)") { row in try row.photoAddresses(base).dropFirst(index).first }
        }
        let dates = [ListingColumn("arrival_date", arrival), .empty("birth_date")]
        let colours = [ListingColumn("primaryColor") { row in row.string(.colour) }]
        let last = [
            "secondaryColor", "tertiaryColor", "coat_length", "adoption_fee", "display_adoption_fee",
            "adoption_fee_waived", "special_needs_notes", "no_other", "no_other_note", "tags",
        ].map(ListingColumn.empty)
        return known + unsaid + [mix] + photos + dates + colours + last
    }

    private static func species(_ row: ListingRow, other: String) -> String {
        ["dog": "Dog", "cat": "Cat"][row.string(.species) ?? ""] ?? other
    }
}

extension ListingColumn {
    /// A column that the program expects and a listing does not know.
    fileprivate static func empty(_ name: String) -> ListingColumn { ListingColumn(name) { _ in nil } }

    /// The day on which the animal was found.
    fileprivate static func found(
        _ day: @escaping @Sendable (Timestamp, ListingLocation) -> String
    ) -> @Sendable (ListingRow) throws -> String {
        { row in
            let listing = try Listing(row)
            return listing.lastSeenDay?.text ?? day(listing.seenAt, listing.location)
        }
    }
}

extension ListingRow {
    /// The organisation's own reference, or else the code of the listing.
    fileprivate var ownReference: String? { string(.reference) ?? string(.code) }

    fileprivate func photoAddresses(_ base: String) throws -> [String] {
        guard let list = string(.photos), list != "[]" else { return [] }
        return try Listing(self).photos.map { base + $0.url }
    }
}
