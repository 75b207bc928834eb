/// The fields of a listing that its owner writes. One row declares each field.
///
/// Parsing, storage, search, JSON, CSV, filters, OpenAPI and the pages derive from these rows. The SQL schema, the
/// translations and the documents cannot be derived, so tests compare them with the rows. Contributing.md describes how
/// to add a field.
package enum ListingField: Int, CaseIterable, Sendable {
    // CSV files and the form have the same order.
    case status, species, name, breed, sex, size, colour, age, reward, microchip, marks, collar, secretMark, description
    case lastSeenAt, lon, lat, locationPrecision, place, whereabouts
    case contactName, contactNamePublic, contactPhone, contactPhonePublic, contactEmail, contactEmailPublic
    case reference

    private var row: Definition {
        switch self {
        case .status: .init("status", .choice(of: Listing.Status.self), "What happened", isQueryable: true)
        case .species: .init("species", .choice(of: Species.self), "Kind of animal", isQueryable: true)
        case .name: .init("name", .text(80), "Name", .heading, isQueryable: true, isSearched: true)
        case .breed:
            .init(
                "breed",
                .breed(80),
                "Breed as it was written",
                .fact,
                isQueryable: true,
                isSearched: true,
                note: "A key or name of the breed list, or free text."
            )
        case .sex: .init("sex", .choice(of: Listing.Sex.self), "Sex", .fact, isQueryable: true)
        case .size: .init("size", .choice(of: Listing.Size.self), "Size", .fact, isQueryable: true)
        case .colour: .init("colour", .text(80), "Colour", .fact, isQueryable: true, isSearched: true)
        case .age:
            .init("age", .age(40), "Age", .fact, isQueryable: true, isSearched: true, note: "A number means years.")
        case .reward: .init("reward", .text(120), "Reward that the owner promises", .fact, isQueryable: true)
        case .microchip:
            .init(
                "microchip",
                .microchip(40),
                "Microchip",
                .fact,
                access: .owner,
                note: "15 digits, or 9 or 10 signs of older chips. Shown to the owner alone."
            )
        case .marks: .init("marks", .lines(500), "Marks to know it by", .paragraph, isQueryable: true, isSearched: true)
        case .collar: .init("collar", .text(200), "Collar", .paragraph, isQueryable: true, isSearched: true)
        case .secretMark:
            .init(
                "secret_mark",
                .text(200),
                "Secret mark",
                .fact,
                access: .owner,
                note:
                    "A mark that only the owner knows. Writers about the listing have to state it. Shown to the owner alone."
            )
        case .description:
            .init(
                "description",
                .lines(4000),
                "What happened, in the owner's words",
                .paragraph,
                isQueryable: true,
                isSearched: true
            )
        case .lastSeenAt:
            .init(
                "last_seen_at",
                .time,
                "When it was last seen",
                isQueryable: true,
                note: "A moment that is past, or a day."
            )
        case .lon: .init("lon", .degrees(180), "Degrees east", note: "Together with `lat`.")
        case .lat: .init("lat", .degrees(90), "Degrees north", note: "Together with `lon`.")
        case .locationPrecision:
            .init(
                "location_precision",
                .choice(of: LocationPrecision.self),
                "'approximate' where the point is the centre of a cell of about 500 m",
                note:
                    "How much others may know of the point: itself, or the fixed cell of about 500 m around it (the default)."
            )
        case .place:
            .init(
                "place",
                .text(120),
                "Place as it was written, or found from the point",
                isQueryable: true,
                isSearched: true,
                note: "The town; without `lon` and `lat` the name of one town, otherwise the error lists `candidates`."
            )
        case .whereabouts:
            .init(
                "whereabouts",
                .text(120),
                "Street or landmark as it was written",
                isQueryable: true,
                isSearched: true,
                note:
                    "A street or landmark in the town, such as 'Via Roma 12'. Everybody sees it. One that `place` contains is moved here."
            )
        case .contactName:
            .init("contact_name", .text(120), "Contact person, if public", access: .everybodyIf(.contactNamePublic))
        case .contactNamePublic: .init("contact_name_public", .flag, "Whether `contact_name` is shown", access: .owner)
        case .contactPhone:
            .init("contact_phone", .phone, "Telephone, if public", access: .everybodyIf(.contactPhonePublic))
        case .contactPhonePublic:
            .init("contact_phone_public", .flag, "Whether `contact_phone` is shown", access: .owner)
        case .contactEmail:
            .init("contact_email", .email, "E-mail, if public", access: .everybodyIf(.contactEmailPublic))
        case .contactEmailPublic:
            .init("contact_email_public", .flag, "Whether `contact_email` is shown", access: .owner)
        case .reference:
            .init(
                "reference",
                .text(80),
                "Number of its owner",
                access: .owner,
                note: "The owner's own number for it; unique among the owner's listings."
            )
        }
    }
}

extension ListingField {
    package struct Definition: Sendable {
        /// The name in JSON, CSV, forms and filters, and of the column in the table `listing` if the field has one.
        package let name: String
        /// The same name for `JSONWriter`, which copies static strings faster.
        package let key: StaticString
        package let kind: Kind
        /// An English title for GIS programs.
        package let title: String
        /// The value is nil for fields that the pages display with separate code.
        package let display: Display?
        package let access: Access
        /// Whether filters can use it.
        package let isQueryable: Bool
        /// Whether the parameter `q` searches the text. The views `board_words` and `archive_words` must contain it.
        package let isSearched: Bool
        /// An English description for the OpenAPI document.
        package let note: String?

        fileprivate init(
            _ name: StaticString,
            _ kind: Kind,
            _ title: String,
            _ display: Display? = nil,
            access: Access = .everybody,
            isQueryable: Bool = false,
            isSearched: Bool = false,
            note: String? = nil
        ) {
            self.name = name.description
            key = name
            (self.kind, self.title, self.display, self.access) = (kind, title, display, access)
            (self.isQueryable, self.isSearched, self.note) = (isQueryable, isSearched, note)
        }
    }

    /// Lengths are in characters.
    package enum Kind: Equatable, Sendable {
        case text(Int)
        /// Text with optional line breaks.
        case lines(Int)
        case breed(Int)
        case age(Int)
        case microchip(Int)
        case phone
        case email
        case choice([String])
        case time
        case degrees(Double)
        case flag

        fileprivate static func choice<Choice>(of _: Choice.Type) -> Kind
        where Choice: RawRepresentable<String> & CaseIterable {
            .choice(Choice.allCases.map(\.rawValue))
        }

        package var isLines: Bool { if case .lines = self { true } else { false } }

        /// The maximum length in characters; nil for kinds that are not text.
        package var maxLength: Int? {
            switch self {
            case .text(let length), .lines(let length), .breed(let length), .age(let length), .microchip(let length):
                length
            case .phone: Profile.MaxLength.phone
            case .email: Profile.MaxLength.email
            case .choice, .time, .degrees, .flag: nil
            }
        }
    }

    /// The callers that a field is shown to.
    package enum Access: Equatable, Sendable {
        case everybody
        /// Only the owner and admins.
        case owner
        /// Everybody while the flag is set and the listing is open; otherwise the owner and admins.
        case everybodyIf(ListingField)
    }

    /// The position on the form and on the page of a listing.
    package enum Display: Sendable {
        /// A short input; the heading of the page.
        case heading
        /// A short input; a line of the list of facts.
        case fact
        /// A wide input; a paragraph with a heading of its own.
        case paragraph
    }

    package static let count = allCases.count
    private static let table = allCases.map(\.row)
    private static let byDisplay = Dictionary(grouping: allCases, by: \.definition.display)
    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// Returns nil if no field has the name.
    package init?(name: String) {
        guard let field = Self.byName[name] else { return nil }
        self = field
    }

    package var definition: Definition { Self.table[rawValue] }

    package var name: String { definition.name }

    package var kind: Kind { definition.kind }

    package var access: Access { definition.access }

    /// The maximum length in characters; 0 for fields that are not text.
    package var maxLength: Int { kind.maxLength ?? 0 }

    package var isText: Bool { kind.maxLength != nil }

    /// Whether the table `listing` has a column with the name of the field. The columns `geom`, `exact_lon` and
    /// `exact_lat` store the location.
    package var isColumn: Bool { self != .lon && self != .lat && self != .locationPrecision }

    package static let columns = allCases.filter(\.isColumn)

    /// Returns the fields that a position contains, in their order on the form.
    package static func displayed(_ display: Display) -> [ListingField] {
        byDisplay[display] ?? []
    }
}
