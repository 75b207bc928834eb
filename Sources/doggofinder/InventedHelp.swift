import Domain
import Foundation
import Gazetteer

/// Vets, pet shops, shelters and dog parks of a demo. Their names say that they are invented, and nobody has their numbers.
struct InventedHelp {
    /// The source of the points of interest.
    static let source = "invented"

    private struct Kind {
        let category: PointOfInterest.Category
        let names: [String]
        let openingHours: String?
        let hasPhone: Bool

        init(_ category: PointOfInterest.Category, _ names: [String], open: String?, hasPhone: Bool = true) {
            (self.category, self.names, openingHours, self.hasPhone) = (category, names, open, hasPhone)
        }

        func make(at point: Coordinate, phone: String, _ random: inout SplitMix64) -> PointOfInterest {
            var item = PointOfInterest(category: category, coordinate: point)
            item.name = names.randomElement(using: &random)
            item.openingHours = openingHours
            item.phone = hasPhone ? phone : nil
            return item
        }
    }

    /// Each town has one of each kind.
    private static let kinds = [
        Kind(
            .veterinary, ["Clinica veterinaria La Zampa (inventata)", "Pronto soccorso veterinario Sirio (inventato)"],
            open: "24/7"),
        Kind(
            .veterinary,
            ["Ambulatorio veterinario San Rocco (inventato)", "Studio veterinario Il Trifoglio (inventato)"],
            open: "Mo-Fr 09:00-13:00,15:30-19:30; Sa 09:00-13:00"
        ),
        Kind(
            .petShop, ["Coda & Co. (inventato)", "L'isola dei cuccioli (inventata)"],
            open: "Mo-Sa 09:00-20:00; Su 10:00-13:00"),
        Kind(.animalShelter, ["Rifugio Argo (inventato)", "Canile comunale (inventato)"], open: "Mo-Su 10:00-17:00"),
        Kind(.dogPark, ["Area cani (inventata)"], open: nil, hasPhone: false),
    ]
    /// Four of five listings have one of so many towns within 30 km, in which help is looked for.
    private static let towns = 100

    private let seed: UInt64
    private let town: DemoTown
    private let gazetteer: Gazetteer

    init(seed: UInt64, _ town: DemoTown, _ gazetteer: Gazetteer) {
        (self.seed, self.town, self.gazetteer) = (seed, town, gazetteer)
    }

    /// Returns those in the largest towns of Italy and in the town with a map.
    func pointsOfInterest() throws -> [PointOfInterest] {
        var random = SplitMix64(state: seed)
        return inItaly(&random) + (try inTown(&random))
    }

    private func inItaly(_ random: inout SplitMix64) -> [PointOfInterest] {
        let largest = gazetteer.italianPlaces().filter { $0.locality == nil }
            .sorted { ($0.population ?? 0) > ($1.population ?? 0) }.prefix(Self.towns)
        return largest.flatMap { town in
            Self.kinds.enumerated().map { number, kind in
                // The numbers of subscribers do not begin with 0.
                var item = kind.make(at: town.point(&random), phone: "+39 02 0000 000\(number)", &random)
                item.city = town.comune
                return item
            }
        }
    }

    private func inTown(_ random: inout SplitMix64) throws -> [PointOfInterest] {
        try Self.kinds.enumerated().map { number, kind in
            let spot = try town.spot(&random)
            // No number in Malta begins with 0.
            var item = kind.make(at: spot.location.coordinate, phone: "+356 0000 000\(number)", &random)
            (item.street, item.city) = (spot.street, spot.location.place)
            return item
        }
    }
}
