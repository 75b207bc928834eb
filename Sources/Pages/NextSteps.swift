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

/// What the owner of a listing should do in the first hour.
struct StepView: TemplateView {
    let action, advice: String
    let groups: [GroupView]
    let isUnknown, hasRegistry, hasLookup: Bool
    let flyers: [LinkView]
    let share: ListingView.ShareView?

    struct GroupView: TemplateView {
        let label: String
        let contacts: [HelpView]
    }
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
        let (isFound, isItalian) = (listing.content.status == .found, listing.location.countryCode == "IT")
        return (isFound ? Step.afterFind : Step.afterLoss).map { step in
            let key = "steps.\(isFound ? "found" : "lost").\(step)"
            // The authorities of Italy are named.
            let differs = step == .police || step == .chip
            let groups: [(category: PointOfInterest.Category, contacts: [HelpContact])] =
                switch step {
                case .call: [(.veterinary, vets), (.animalShelter, shelters)]
                case .chip where isFound: [(.veterinary, vets)]
                case .shelters: [(.animalShelter, shelters)]
                default: []
                }
            return StepView(
                action: localizer("\(key).title"),
                advice: localizer(key + (differs ? isItalian ? ".textItaly" : ".textElsewhere" : ".text")),
                groups: groups.filter { !$0.contacts.isEmpty }.map { category, contacts in
                    StepView.GroupView(
                        label: localizer("poi.\(category.rawValue)"),
                        contacts: contacts.map { help($0, "poi") }
                    )
                },
                isUnknown: !groups.isEmpty && groups.allSatisfy(\.contacts.isEmpty),
                hasRegistry: step == .chip && !isItalian,
                hasLookup: isFound && step == .chip,
                flyers: step == .flyer ? flyers : [],
                share: step == .share ? share : nil
            )
        }
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
