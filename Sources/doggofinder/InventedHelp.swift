import Domain
import Foundation
import Gazetteer

/// Vets, pet shops, shelters and dog parks of a demo. Their names say that they are invented.
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

        func make(at point: Coordinate, phone: String?, _ random: inout SplitMix64) -> PointOfInterest {
            var item = PointOfInterest(category: category, coordinate: point)
            item.name = names.randomElement(using: &random)
            item.openingHours = openingHours
            item.phone = hasPhone ? phone : nil
            return item
        }
    }

    /// Four of five listings of Italy have one of so many towns within 30 km, in which help is looked for.
    private static let maxTowns = 100

    let seed: UInt64
    /// ISO 3166-1 alpha-2.
    let country: String
    let texts: DemoTexts
    /// Those of the country.
    let towns: [Place]
    /// The town with a map, if the demo has one.
    let mappedTown: DemoTown?

    /// Each town has one of each kind.
    private var kinds: [Kind] {
        [
            Kind(.veterinary, texts.help.alwaysOpenVets, open: "24/7"),
            Kind(.veterinary, texts.help.vets, open: "Mo-Fr 09:00-13:00,15:30-19:30; Sa 09:00-13:00"),
            Kind(.petShop, texts.help.shops, open: "Mo-Sa 09:00-20:00; Su 10:00-13:00"),
            Kind(.animalShelter, texts.help.shelters, open: "Mo-Su 10:00-17:00"),
            Kind(.dogPark, texts.help.parks, open: nil, hasPhone: false),
        ]
    }

    /// Returns those in the largest towns of the country and in the town with a map.
    func pointsOfInterest() throws -> [PointOfInterest] {
        var random = SplitMix64(state: seed)
        return inLargestTowns(&random) + (try inMappedTown(&random))
    }

    private func inLargestTowns(_ random: inout SplitMix64) -> [PointOfInterest] {
        let largest = towns.filter { $0.locality == nil }
            .sorted { ($0.population ?? 0) > ($1.population ?? 0) }.prefix(Self.maxTowns)
        return largest.flatMap { town in
            kinds.enumerated().map { number, kind in
                let phone = Country.inventedNumber(in: country, digit: number)
                var item = kind.make(at: town.point(&random), phone: phone, &random)
                item.city = town.comune
                return item
            }
        }
    }

    private func inMappedTown(_ random: inout SplitMix64) throws -> [PointOfInterest] {
        guard let mappedTown else { return [] }
        return try kinds.enumerated().map { number, kind in
            let spot = try mappedTown.spot(&random)
            // No number in Malta begins with 0.
            var item = kind.make(at: spot.location.coordinate, phone: "+356 0000 000\(number)", &random)
            (item.street, item.city) = (spot.street, spot.location.place)
            return item
        }
    }
}
