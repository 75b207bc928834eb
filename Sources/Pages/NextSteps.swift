package import Domain
import Foundation
import Localization
import Mustache
package import OpeningHours

/// A place that helps.
package struct HelpContact {
    let poi: PointOfInterest
    let country: String?
    /// In metres.
    let distance: Double?
    /// Nil if it is not known.
    let opening: OpeningState?

    package init(poi: PointOfInterest, country: String?, distance: Double? = nil, opening: OpeningState? = nil) {
        (self.poi, self.country, self.distance, self.opening) = (poi, country, distance, opening)
    }

    package var isAlwaysOpen: Bool { opening?.isAlwaysOpen == true }
}

/// A step for the owner of a listing in the first hour.
struct StepView: TemplateView {
    let action, advice: String
    let groups: [GroupView]
    let isUnknown, hasLookup: Bool
    let registries: [LinkView]
    let law: LawView?
    let flyers: [LinkView]
    let share: ListingView.ShareView?

    struct GroupView: TemplateView {
        let label: String
        let contacts: [HelpView]
    }
}

/// The duty of the owner of a listing to report the loss or the find, with the name of the law.
struct LawView: TemplateView {
    let text, name, href: String
}

struct HelpView: TemplateView {
    let name, kind, phone, call: String
    let distance, opening: String?
}

extension Listing {
    /// Whether the steps help with the listing: whoever saw an animal pass by has nothing to do.
    package var hasSteps: Bool { [.lost, .found].contains(content.status) }
}

private enum Step: String {
    case call, walk, smell, police, chip, safe, shelters, proof, flyer, share

    static let afterLoss: [Step] = [.share, .call, .walk, .smell, .police, .chip, .flyer]
    static let afterFind: [Step] = [.chip, .safe, .police, .shelters, .proof, .flyer, .share]
}

extension PageBuilder {
    /// - Parameters:
    ///   - vets: those nearby that have a telephone number, the nearest first.
    ///   - flyers: links for the step that prints a flyer.
    func steps(
        for listing: Listing,
        vets: [HelpContact],
        shelters: [HelpContact],
        _ flyers: [LinkView],
        _ share: ListingView.ShareView
    ) -> [StepView] {
        let (isFound, country) = (listing.content.status == .found, Country(listing.location.countryCode))
        return (isFound ? Step.afterFind : Step.afterLoss).map { step in
            let key = "steps.\(isFound ? "found" : "lost").\(step)"
            let groups: [(category: PointOfInterest.Category, contacts: [HelpContact])] =
                switch step {
                case .call: [(.veterinary, vets), (.animalShelter, shelters)]
                case .chip where isFound: [(.veterinary, vets)]
                case .shelters: [(.animalShelter, shelters)]
                default: []
                }
            return StepView(
                action: localizer("\(key).title"),
                advice: step == .police ? advice(on: country, key, isFound: isFound) : localizer("\(key).text"),
                groups: groups.filter { !$0.contacts.isEmpty }.map { category, contacts in
                    StepView.GroupView(
                        label: localizer("poi.\(category.rawValue)"),
                        contacts: contacts.map { help($0, "poi") }
                    )
                },
                isUnknown: !groups.isEmpty && groups.allSatisfy(\.contacts.isEmpty),
                hasLookup: isFound && step == .chip,
                registries: step == .chip ? country.registries.map(link(to:)) : [],
                law: step == .police ? law(of: country, key, isFound: isFound) : nil,
                flyers: step == .flyer ? flyers : [],
                share: step == .share ? share : nil
            )
        }
    }

    /// Says whom to call: an owner all of them, a finder one.
    private func advice(on country: Country, _ key: String, isFound: Bool) -> String {
        let names = country.authorities.map(name)
        let calls = localizer("\(key).text", ["names": isFound ? localizer.alternatives(names) : localizer.all(names)])
        let emergency =
            country.emergencyNumber.map { localizer("steps.emergency", ["number": $0]) }
            ?? localizer("steps.emergencyUnknown")
        return "\(calls) \(emergency)"
    }

    /// For example "the municipal police (Polizia Locale)".
    private func name(of authority: Country.Authority) -> String {
        let kind = localizer("authority.\(authority.kind.rawValue)")
        return authority.name.isEmpty || kind.folded.contains(authority.name.folded)
            ? kind : "\(kind) (\(authority.name))"
    }

    private func law(of country: Country, _ key: String, isFound: Bool) -> LawView? {
        guard let duty = isFound ? country.dutyOfFinders : country.dutyOfOwners else { return nil }
        return LawView(
            text: duty.days.map { localizer("\(key).law", count: $0) } ?? localizer("\(key).law"), name: duty.law,
            href: duty.address
        )
    }

    /// - Parameter texts: the group of texts that names the category.
    func help(_ contact: HelpContact, _ texts: String) -> HelpView {
        let kind = localizer("\(texts).\(contact.poi.category.rawValue)")
        let telephone = TelephoneView(contact.poi.phone ?? "", in: contact.country)
        return HelpView(
            name: contact.poi.name ?? kind, kind: contact.poi.name == nil ? "" : kind, phone: telephone.text,
            call: telephone.link, distance: contact.distance.map(localizer.distance),
            opening: contact.opening.map { localizer.opening($0) }
        )
    }
}
