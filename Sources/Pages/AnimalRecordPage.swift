package import Domain
import Localization
import Mustache

/// The form for what an organisation notes of an animal for itself.
package struct AnimalRecordView: PageView {
    package static let template = "animal-record"
    let name, listing: String
    let problem: String?
    let inputs: [RecordInputView]

    struct RecordInputView: TemplateView {
        let name, label: String
        let value: String?
        let longest: Int
        let isDay, isLines, isWrong: Bool
    }
}

extension PageBuilder {
    package func animalRecord(_ record: AnimalRecord, of listing: Listing) -> AnimalRecordView {
        let values = AnimalRecord.Key.allCases.compactMap { key in record[key].map { (key.rawValue, $0) } }
        return animalRecord(typed: Dictionary(uniqueKeysWithValues: values), of: listing)
    }

    /// The form with the input of a rejected request, so that the user can correct it.
    package func animalRecord(
        typed: [String: String],
        of listing: Listing,
        problem: ServiceError? = nil
    ) -> AnimalRecordView {
        AnimalRecordView(
            name: localizer.name(listing.content), listing: listingPath(listing.id),
            problem: problem.map(localizer.problem),
            inputs: AnimalRecord.Key.allCases.map { key in
                AnimalRecordView.RecordInputView(
                    name: key.rawValue, label: localizer("record.\(key.rawValue)"), value: typed[key.rawValue],
                    longest: key.maxLength, isDay: key.isDay, isLines: key == .behaviour,
                    isWrong: problem?.field == key.rawValue
                )
            }
        )
    }
}

extension Localizer {
    /// The noted facts of an animal with labels, in the order of fields. A day and how the animal came or left are one:
    /// "Intake: 20 November 2026, stray".
    func facts(_ record: AnimalRecord, of listing: Listing) -> [(key: AnimalRecord.Key, label: String, value: String)] {
        func day(_ key: AnimalRecord.Key) -> String? {
            record[key].map { text in
                guard let day = CalendarDay(parsing: text) else { return text }
                return self.day(day.noon(at: listing.location.coordinate.lon), at: listing.location)
            }
        }
        let values: [(AnimalRecord.Key, [String?])] = [
            (.intake, [day(.intakeDay), record[.intake]]), (.outcome, [day(.outcomeDay), record[.outcome]]),
            (.kennel, [record[.kennel]]), (.behaviour, [record[.behaviour]]),
        ]
        return values.compactMap { key, parts in
            let value = parts.compactMap(\.self).joined(separator: ", ")
            return value.isEmpty ? nil : (key, self("record.\(key.rawValue).short"), value)
        }
    }
}
