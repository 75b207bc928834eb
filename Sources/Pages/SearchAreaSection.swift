package import Domain
import Localization
import Mustache
import SearchAreas

/// The part of a listing's page that says where to look for a lost animal.
struct SearchAreaView: TemplateView {
    let lead, source: String
    let shares: [ShareView]
    let help: [HelpView]

    struct ShareView: TemplateView {
        let percent: Int
        let text: String
        let circles: [CircleView]
    }

    struct CircleView: TemplateView {
        let percent, radius: Int
        let lon, lat: String
    }
}

/// The help that is listed inside a search area.
package enum HelpInside {
    /// The probability of the circle.
    package static let share = 0.75
    package static let maxCount = 8
    package static let categories: [PointOfInterest.Category] = [
        .veterinary, .animalShelter, .animalBoarding, .dogPark,
    ]
}

extension PageBuilder {
    /// - Parameters:
    ///   - isCell: whether the circles are around the centre of a cell.
    ///   - help: the places of help inside, the nearest first.
    func searchArea(_ area: SearchArea, of species: Species, isCell: Bool, help: [HelpContact]) -> SearchAreaView {
        SearchAreaView(
            lead: localizer(area.hours < Int(Growth.fullHours) ? "area.growing" : "area.grown"),
            source: source(of: area, species, isCell: isCell),
            shares: SearchArea.shares.map { share(of: $0, area, species) },
            help: help.map { self.help($0, "area.poi") }
        )
    }

    private func share(of probability: Double, _ area: SearchArea, _ species: Species) -> SearchAreaView.ShareView {
        let percent = Int((100 * probability).rounded())
        let circles = area.circles.filter { $0.probability == probability }
        let places = circles.map { circle in
            localizer(
                "area.\(circle.around.rawValue)",
                ["distance": localizer.distance((circle.radiusMetres / 10).rounded(.up) * 10)]
            )
        }
        return SearchAreaView.ShareView(
            percent: percent,
            text: localizer("area.\(species.rawValue).\(percent)", ["places": localizer.alternatives(places)]),
            circles: circles.map { circle in
                SearchAreaView.CircleView(
                    percent: percent, radius: Int(circle.radiusMetres), lon: String(circle.centre.lon),
                    lat: String(circle.centre.lat)
                )
            }
        )
    }

    private func source(of area: SearchArea, _ species: Species, isCell: Bool) -> String {
        let data = area.calibration.map { localizer("area.calibrated", ["n": localizer.number($0.count)]) }
        let parts = [data ?? localizer("area.source.\(species.rawValue)"), localizer("area.assumed")]
        return ((isCell ? [localizer("area.cell")] : []) + parts).joined(separator: " ")
    }
}
