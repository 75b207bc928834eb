package import Domain
import Foundation
import Localization
import Mustache

/// What the owner of a listing should do in the first hour.
package struct NextSteps: Sendable {
    package struct Contact: Sendable {
        let poi: PointOfInterest
        /// In metres.
        let distance: Double?

        package init(_ poi: PointOfInterest, distance: Double?) {
            self.poi = poi
            self.distance = distance
        }
    }

    let vets: [Contact]
    let shelters: [Contact]

    /// - Parameters:
    ///   - vets: those nearby that have a telephone number, the nearest first.
    package init(vets: [Contact], shelters: [Contact]) {
        self.vets = vets
        self.shelters = shelters
    }

    /// Whether the steps help with a listing: whoever saw an animal pass by has nothing to do.
    package static func help(with listing: Listing) -> Bool {
        [.lost, .found].contains(listing.content.status)
    }

    private enum Step: String {
        case call, walk, smell, police, chip, safe, shelters, proof, flyer, share
    }

    private static let afterLoss: [Step] = [.call, .walk, .smell, .police, .chip, .flyer, .share]
    private static let afterFind: [Step] = [.chip, .safe, .police, .shelters, .proof, .flyer, .share]

    func content(of listing: Listing, _ localizer: Localizer) -> [[String: any TemplateValue]] {
        let isFound = listing.content.status == .found
        return (isFound ? Self.afterFind : Self.afterLoss).map { step in
            let key = "steps.\(isFound ? "found" : "lost").\(step)"
            let groups = contacts(for: step, isFound: isFound)
            return [
                "action": localizer("\(key).title"),
                "advice": localizer(Self.text(key, step, isItalian: listing.location.countryCode == "IT")),
                "groups": groups.filter { !$0.contacts.isEmpty }.map {
                    category,
                    contacts -> [String: any TemplateValue] in
                    [
                        "label": localizer("poi.\(category.rawValue)"),
                        "contacts": contacts.map { $0.content(localizer) },
                    ]
                },
                "isUnknown": !groups.isEmpty && groups.allSatisfy(\.contacts.isEmpty),
                "hasRegistry": step == .chip && listing.location.countryCode != "IT",
                "hasLookup": isFound && step == .chip,
                "isFlyer": step == .flyer, "isShare": step == .share,
            ]
        }
    }

    private func contacts(
        for step: Step,
        isFound: Bool
    ) -> [(category: PointOfInterest.Category, contacts: [Contact])] {
        switch step {
        case .call: [(.veterinary, vets), (.animalShelter, shelters)]
        case .chip where isFound: [(.veterinary, vets)]
        case .shelters: [(.animalShelter, shelters)]
        default: []
        }
    }

    /// The authorities of Italy are named.
    private static func text(_ key: String, _ step: Step, isItalian: Bool) -> String {
        let differs = step == .police || step == .chip
        return key + (differs ? isItalian ? ".textItaly" : ".textElsewhere" : ".text")
    }
}

extension NextSteps.Contact {
    fileprivate func content(_ localizer: Localizer) -> [String: any TemplateValue] {
        // OpenStreetMap separates several numbers by semicolons.
        let phone = poi.phone?.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        return [
            "name": poi.name ?? localizer("poi.\(poi.category.rawValue)"), "phone": phone,
            "call": "tel:" + phone.filter { $0.isNumber || $0 == "+" },
            "distance": distance.map(localizer.distance) ?? "",
        ]
    }
}
