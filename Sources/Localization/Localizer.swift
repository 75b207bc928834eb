package import Domain
package import Foundation
import Synchronization

/// Formats values and selects texts in one language.
package struct Localizer: Sendable {
    package let language: Language
    package let texts: LocalizedStrings
    private let breeds: Breeds
    package let timeZones: TimeZones
    package let microchipPrefixes: MicrochipPrefixes
    private let locale: Locale
    private let plurals: PluralRules
    private let momentStyle: Date.FormatStyle
    private let now = Date()
    /// That of the reader; nil if it is not known.
    package var readerZone: TimeZone?
    /// The country of the site; nil if it is not known.
    private let site: String?

    init(
        language: Language,
        texts: LocalizedStrings,
        breeds: Breeds,
        timeZones: TimeZones,
        microchipPrefixes: MicrochipPrefixes,
        site: String?
    ) {
        (self.language, self.texts, self.breeds) = (language, texts, breeds)
        (self.timeZones, self.microchipPrefixes, self.site) = (timeZones, microchipPrefixes, site)
        locale = Locale(identifier: language.properties.locale)
        plurals = PluralRules(language.properties.plurals)
        momentStyle = Date.FormatStyle(date: .long, time: .shortened, locale: locale)
    }

    /// For example "3 hours ago".
    package func ago(_ time: Timestamp) -> String {
        // The clocks of phones can be slightly ahead.
        let age = Age(seconds: max(0, now.timeIntervalSince(time.date)), language: language)
        if let words = Self.spoken.withLock({ $0[age] }) { return words }
        let words = age.seconds == 0 ? texts("time.justNow") : spell(age)
        Self.spoken.withLock { $0[age] = words }
        return words
    }

    /// When the animal of a listing was last seen, for example "3 hours ago", or "today" if only the day is known.
    package func seenAgo(_ listing: Listing) -> String {
        guard let day = listing.lastSeenDay else { return ago(listing.seenAt) }
        let today = CalendarDay(of: Timestamp(now), at: listing.location.coordinate.lon)
        let days = (today?.daysSince1970 ?? 0) - day.daysSince1970
        return days <= 0 ? texts("time.today") : spell(Age(seconds: Double(days) * 86_400, language: language))
    }

    /// When the animal of a listing was last seen, for example "21 November 2026 at 17:05", or "21 November 2026" if only the
    /// day is known.
    package func seen(_ listing: Listing) -> String {
        listing.lastSeenDay == nil
            ? moment(listing.seenAt, at: listing.location) : day(listing.seenAt, at: listing.location)
    }

    /// For example "yesterday" or "2 weeks ago". Weeks and months have numbers, because the Italian names of the last ones, such as
    /// "settimana scorsa", have no article.
    private func spell(_ age: Age) -> String {
        let day = 86_400.0
        return switch age.seconds {
        case ..<(7 * day):
            now.addingTimeInterval(-age.seconds).formatted(
                Date.RelativeFormatStyle(presentation: .named, unitsStyle: .wide, locale: locale))
        case ..<(30 * day): spell(age.seconds / (7 * day), .weekOfYear, .week)
        case ..<(365 * day): spell(age.seconds / (30.44 * day), .month, .month)
        default: spell(age.seconds / (365.25 * day), .year, .year)
        }
    }

    /// The nearest whole number of a unit, at least one, for example "2 weeks ago".
    ///
    /// It is counted from a fixed day, because Foundation counts the weeks and months of the calendar that have begun: on a
    /// Monday, 8 days were "2 weeks ago".
    private func spell(_ number: Double, _ unit: Calendar.Component, _ field: Date.RelativeFormatStyle.Field) -> String
    {
        let fixed = Date(timeIntervalSince1970: 0)
        let then = Self.utc.date(byAdding: unit, value: -max(1, Int(number.rounded())), to: fixed) ?? fixed
        return Date.AnchoredRelativeFormatStyle(
            anchor: then, allowedFields: [field], presentation: .numeric, unitsStyle: .wide, locale: locale,
            calendar: Self.utc
        ).format(fixed)
    }

    private static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// A cache, because formatting a relative time takes longer than all other texts of a card.
    private static let spoken = Mutex<[Age: String]>([:])

    /// An age rounded down to the precision with which it is shown.
    private struct Age: Hashable {
        let seconds: Double
        let language: Language

        init(seconds: Double, language: Language) {
            let step: Double = seconds < 3_600 ? 60 : seconds < 86_400 ? 600 : seconds < 604_800 ? 3_600 : 86_400
            self.seconds = (seconds / step).rounded(.down) * step
            self.language = language
        }
    }

    /// For example "21 November 2026 at 17:05", in the time zone of a listing's place. A script replaces it by the
    /// reader's time zone.
    package func moment(_ time: Timestamp, at location: ListingLocation) -> String {
        moment(time, in: timeZones.zone(at: location))
    }

    /// For example "21 November 2026 at 17:05". A script replaces it by the reader's time zone.
    ///
    /// - Parameter zone: That of the reader by default, or of the server if that is not known, for times that belong to no
    ///   place.
    package func moment(_ time: Timestamp, in zone: TimeZone? = nil) -> String {
        let zone = zone ?? readerZone ?? .current
        let moment = Moment(text: time.text, language: language, zone: zone)
        if let words = Self.moments.withLock({ $0[moment] }) { return words }
        var style = momentStyle
        style.timeZone = zone
        let words = time.date.formatted(style)
        Self.moments.withLock { moments in
            if moments.count >= Self.maxMoments { moments.removeAll() }
            moments[moment] = words
        }
        return words
    }

    /// For example "17:05".
    package func clock(_ time: Timestamp, in zone: TimeZone) -> String {
        var style = Date.FormatStyle(date: .omitted, time: .shortened, locale: locale)
        style.timeZone = zone
        return time.date.formatted(style)
    }

    /// For example "Saturday".
    package func weekday(_ time: Timestamp, in zone: TimeZone) -> String {
        var style = Date.FormatStyle(locale: locale).weekday(.wide)
        style.timeZone = zone
        return time.date.formatted(style)
    }

    /// For example "21 November 2026", in the time zone of a listing's place.
    package func day(_ time: Timestamp, at location: ListingLocation) -> String {
        var style = Date.FormatStyle(date: .long, time: .omitted, locale: locale)
        style.timeZone = timeZones.zone(at: location)
        return time.date.formatted(style)
    }

    /// A cache for the newest listings, which feeds contain again and again: formatting a date takes as long as the rest
    /// of an entry.
    private static let moments = Mutex<[Moment: String]>([:])
    private static let maxMoments = 4096

    private struct Moment: Hashable {
        let text: String
        let language: Language
        let zone: TimeZone
    }

    /// Whether distances are in miles, as in the country of the site.
    package var hasMiles: Bool { Country(site).hasMiles }

    /// For example "850 m", "1 km" or "2.3 km"; "0.5 mi" or "12 mi" where distances are in miles.
    package func distance(_ metres: Double) -> String {
        if hasMiles { return shortened(max(0.1, metres / Self.metresPerMile)) + "\u{A0}mi" }
        if metres < 995 { return "\(Int((metres / 10).rounded()) * 10)\u{A0}m" }
        return shortened(metres / 1_000) + "\u{A0}km"
    }

    /// With one decimal at most, and none from 10 on.
    private func shortened(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(0...(number < 9.95 ? 1 : 0))).locale(locale))
    }

    private static let metresPerMile = 1_609.344
    /// The distance to an approximate place is not told more exactly, in metres: 1 km or 1 mi.
    package var leastDistance: Double { hasMiles ? Self.metresPerMile : 1_000 }

    /// The registries to ask for the owner of a microchip's number, the likeliest first.
    package func registries(for prefix: Int?) -> [Country.Registry] {
        microchipPrefixes.registries(for: prefix, site: site)
    }

    /// The name of a country by its ISO 3166-1 alpha-2 code, for example "Italy".
    package func country(_ code: String) -> String { locale.localizedString(forRegionCode: code) ?? code }

    /// For example "1,500".
    package func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

    /// For example "0.5", with one decimal at most.
    package func number(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(0...1)).locale(locale))
    }

    /// For example "November 2026", in UTC.
    package func month(_ time: Timestamp) -> String {
        var style = Date.FormatStyle(locale: locale).month(.wide).year()
        style.timeZone = .gmt
        return time.date.formatted(style)
    }

    /// For example "Beagle, Poodle or Maltese".
    package func alternatives(_ names: [String]) -> String {
        names.formatted(.list(type: .or, width: .standard).locale(locale))
    }

    /// A probability as a percentage that is never rounded to certainty: 0.9967 is "99 %", not "100 %".
    package func percentage(_ probability: Double) -> String {
        min(0.99, max(0.01, probability)).formatted(.percent.precision(.fractionLength(0)).locale(locale))
    }

    /// For example "Beagle, Poodle and Maltese".
    package func all(_ names: [String]) -> String {
        names.formatted(.list(type: .and, width: .standard).locale(locale))
    }

    /// The name of a breed in the language; nil if there is no breed with this key.
    package func breed(key: String) -> String? { breeds.breed(key: key)?.name(in: language) }

    package func breed(_ content: ListingContent) -> String? {
        let name = content.breedKey.flatMap(breed(key:)) ?? content.breed
        guard let name, content.breedIsPredicted else { return name }
        return texts("listing.predicted", ["breed": name])
    }

    /// The texts that describe the animal, without full stops at the end.
    package func sentences(on content: ListingContent) -> [String] {
        ([breed(content), content[.colour]] + ListingField.displayed(.paragraph).map { content[$0] }).compactMap(\.self)
    }

    /// The hint of the form for a field; empty if there is none.
    package func hint(of field: ListingField) -> String {
        let key = "hint.\(field.name)"
        return texts.has(key) ? texts(key) : ""
    }

    /// The value of a field as the page shows it; nil if it is empty.
    package func text(_ field: ListingField, of content: ListingContent) -> String? {
        switch (field, content.value(of: field)) {
        case (.breed, _): breed(content)
        case (_, .string(let value)):
            if case .choice = field.kind { texts("\(field.name).\(value)") } else { value }
        default: nil
        }
    }

    package func status(_ status: Listing.Status?) -> String { texts("status.\((status ?? .lost).rawValue)") }

    /// The animal's name or, without a name, its breed or species.
    package func name(_ content: ListingContent) -> String {
        content.name ?? breed(content) ?? texts("listing.unnamed.\(content.species.rawValue)")
    }

    /// The animal within a sentence: its name or, without one, for example "a dog (Border Collie)".
    package func mention(_ animal: AnimalName) -> String {
        if let name = animal.name { return name }
        let species = texts("animal.\(animal.species.rawValue)")
        let breed = animal.breedKey.flatMap(breed(key:)) ?? animal.breed
        return breed.map { "\(species) (\($0))" } ?? species
    }

    /// The headline of a listing: the animal's name or breed, else what was seen of it, such as "Dog, small size, black".
    package func headline(_ content: ListingContent) -> String {
        guard content.name == nil, breed(content) == nil else { return name(content) }
        let size = content.size.map { texts("search.size.\($0.rawValue)") }
        // A long text of colours is a description.
        let colour = content[.colour].flatMap { $0.count <= 30 ? $0.lowercased() : nil }
        return [name(content), size, colour].compactMap(\.self).joined(separator: ", ")
    }

    /// For example "Fisciano (SA)".
    package func place(_ location: ListingLocation) -> String {
        guard let place = location.place ?? location.locality ?? location.province else {
            return location.countryCode.map(country) ?? location.country ?? ""
        }
        return location.provinceCode.map { "\(place) (\($0))" } ?? place
    }

    /// For example "Via Roma 12, Fisciano (SA)".
    ///
    /// - Parameter most: the number of characters to which the street is shortened.
    package func spot(of listing: Listing, streetAtMost most: Int = .max) -> String {
        [listing.content.whereabouts?.shortened(to: most), place(listing.location)].compactMap(\.self).filter {
            !$0.isEmpty
        }
        .joined(separator: ", ")
    }

    /// For example "800 m from Lancusi", or "800 m from the centre". Returns nil at the place itself, and far from it.
    ///
    /// - Parameters:
    ///   - place: with the distance of a point.
    ///   - town: the name of the town, if it stands beside the text.
    package func nearby(_ place: Place?, in town: String?) -> String? {
        guard let name = place?.locality ?? place?.comune, let metres = place?.distance, Self.nearby.contains(metres)
        else { return nil }
        // The point can be the centre of a cell of 500 m.
        let distance = distance((metres / 100).rounded() * 100)
        return self(name == town ? "listing.nearCentre" : "listing.near", ["distance": distance, "place": name])
    }

    /// The distances in metres that are told.
    private static let nearby = 300.0...20_000

    /// Returns the message for an error: for the field, if the error names one.
    package func problem(_ error: ServiceError) -> String {
        switch error.code {
        case .unauthenticated where error.field == "code": return texts("problem.code")
        case .unauthenticated: return texts("problem.credentials")
        case .notFound where error.field == "code": return texts("problem.listingCode")
        case .conflict where error.field == "email": return texts("problem.taken")
        case .quotaExceeded where error.field == "social": return texts("problem.socialQuota")
        case .quotaExceeded: return texts("problem.quota")
        case .preconditionFailed: return texts("problem.changed")
        case .tooManyRequests where error.retryAfter != nil: return delay(error.retryAfter ?? 0)
        case .unavailable, .tooManyRequests, .tooSlow: return texts("problem.busy")
        case .diskFull: return texts("problem.full")
        case .diskFailing: return texts("problem.failing")
        case .tooLarge, .unsupportedMediaType: return texts("problem.photo")
        case .invalid where error.field == "body": return texts("problem.photo")
        case .invalid where error.field == "lon" && !error.candidates.isEmpty: return texts("problem.exchanged")
        case .invalid where !error.candidates.isEmpty: return texts("problem.towns")
        default: break
        }
        guard let field = error.field, texts.has("problem.\(field)") else { return texts("problem.other") }
        return texts("problem.\(field)", ["example": error.example ?? TelephoneNumber.anyExample])
    }

    /// - Parameter seconds: the time until the next attempt.
    private func delay(_ seconds: Int) -> String {
        let style = Duration.UnitsFormatStyle(allowedUnits: [.minutes, .seconds], width: .wide).locale(locale)
        return texts("problem.delay", ["time": Duration.seconds(seconds).formatted(style)])
    }

    package func has(_ key: String) -> Bool { texts.has(key) }

    package func callAsFunction(_ key: String, _ blanks: KeyValuePairs<String, String> = [:]) -> String {
        texts(key, blanks)
    }

    /// Returns the form of a text that a number needs, and fills in the number as `{n}`.
    ///
    /// - Parameter key: that of the forms, such as `board.count` for `board.count.one` and `board.count.other`.
    package func callAsFunction(_ key: String, count: Int, _ blanks: KeyValuePairs<String, String> = [:]) -> String {
        let form = "\(key).\(plurals.form(of: count))"
        let text = texts(texts.has(form) ? form : "\(key).\(PluralRules.other)", ["n": number(count)])
        return blanks.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

extension [String] {
    /// The texts as sentences, each with a capital letter and a full stop, unless it ends with a mark of its own.
    package var sentences: String {
        map { text in
            let text = text.prefix(1).uppercased() + text.dropFirst()
            return text.last.map(".!?…".contains) == true ? text : text + "."
        }.joined(separator: " ")
    }
}

extension String {
    /// The text without the words that do not fit in a number of characters. An ellipsis replaces them.
    package func shortened(to length: Int) -> String {
        guard count > length else { return self }
        let start = prefix(length - 1)
        let words = start.lastIndex(where: \.isWhitespace).map { start[..<$0] } ?? start
        return words.drop(while: \.isWhitespace) + "…"
    }
}

extension Timestamp {
    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
