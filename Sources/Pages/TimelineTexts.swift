import Domain
import Localization

extension Localizer {
    /// A few words about an answer to a possible match, or about a reunion.
    func caseText(of entry: TimelineEntry) -> String {
        let other =
            entry.other.map { self("case.named", ["name": $0.name ?? self("listing.unnamed.\($0.species.rawValue)")]) }
            ?? self("case.unnamed")
        return switch entry.kind {
        case .answer: self("case.answer.\((entry.answer ?? .unsure).rawValue)", ["other": other])
        case .otherAnswer: self("case.otherAnswer.\((entry.answer ?? .unsure).rawValue)", ["other": other])
        case .agreement: self("case.agreement", ["other": other])
        case .reunion: self("case.reunion", ["other": other])
        default: self("case.undone.\((entry.status ?? .lost).rawValue)")
        }
    }
}

extension Localizer {
    /// The time and the town of a sighting.
    func sighted(_ sighting: Sighting, at location: ListingLocation) -> String {
        [moment(sighting.seenAt, at: location), sighting.place].compactMap(\.self).joined(separator: " · ")
    }
}
