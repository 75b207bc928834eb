package import Domain
import Foundation
import Localization
import Mustache
package import SearchAreas

/// The part of a listing's page that says where to look for a lost animal.
package struct SearchAreaSection: Sendable {
    /// The probability of the circle in which help is listed.
    package static let shareOfHelp = 0.75
    package static let maxHelp = 8
    package static let help: [PointOfInterest.Category] = [.veterinary, .animalShelter, .animalBoarding, .dogPark]

    private let area: SearchArea
    private let species: Species
    /// Whether the circles are around the centre of a cell.
    private let isCell: Bool
    private let help: [NextSteps.Contact]

    /// - Parameter help: the places of help inside, the nearest first.
    package init(_ area: SearchArea, species: Species, isCell: Bool, help: [NextSteps.Contact]) {
        self.area = area
        self.species = species
        self.isCell = isCell
        self.help = help
    }

    func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "lead": localizer(area.hours < Int(Growth.fullHours) ? "area.growing" : "area.grown"),
            "shares": SearchArea.shares.map { share(of: $0, localizer) },
            "hasHelp": !help.isEmpty, "help": help.map { $0.row(localizer) },
            "source": source(localizer),
        ]
    }

    private func share(of probability: Double, _ localizer: Localizer) -> [String: any TemplateValue] {
        let percent = Int((100 * probability).rounded())
        let circles = area.circles.filter { $0.probability == probability }
        let places = circles.map { circle in
            localizer(
                "area.\(circle.around.rawValue)",
                ["distance": localizer.distance((circle.radiusMetres / 10).rounded(.up) * 10)]
            )
        }
        return [
            "percent": percent,
            "text": localizer("area.\(species.rawValue).\(percent)", ["places": localizer.alternatives(places)]),
            "circles": circles.map { circle in
                [
                    "lon": String(circle.centre.lon), "lat": String(circle.centre.lat),
                    "radius": String(Int(circle.radiusMetres)),
                ]
            },
        ]
    }

    private func source(_ localizer: Localizer) -> String {
        let data = area.calibration.map { localizer("area.calibrated", ["n": localizer.number($0.count)]) }
        let parts = [data ?? localizer("area.source.\(species.rawValue)"), localizer("area.assumed")]
        return ((isCell ? [localizer("area.cell")] : []) + parts).joined(separator: " ")
    }
}

extension NextSteps.Contact {
    fileprivate func row(_ localizer: Localizer) -> [String: any TemplateValue] {
        // OpenStreetMap separates several numbers by semicolons.
        let phone = poi.phone?.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        let kind = localizer("area.poi.\(poi.category.rawValue)")
        return [
            "name": poi.name ?? kind, "kind": poi.name == nil ? "" : kind, "phone": phone,
            "call": "tel:" + phone.filter { $0.isNumber || $0 == "+" },
            "distance": distance.map(localizer.distance) ?? "",
        ]
    }
}
