package import Domain
import Foundation

/// The circles that hold a missing animal with 50, 75 and 95 %.
package struct SearchArea: Equatable, Sendable {
    /// The probabilities, in ascending order.
    package static let shares = [0.5, 0.75, 0.95]
    /// The probability that an animal that was sighted elsewhere is near the place where it was lost. A prior.
    package static let shareAtHome = 0.2

    /// A place where the animal was, and the time.
    package struct Observation: Equatable, Sendable {
        package let coordinate: Coordinate
        package let time: Timestamp
        /// Whether the coordinate is only the centre of the cell (see `Coordinate.cellCentre`).
        package let isCell: Bool

        package init(_ coordinate: Coordinate, at time: Timestamp, isCell: Bool) {
            (self.coordinate, self.time, self.isCell) = (coordinate, time, isCell)
        }
    }

    package enum Centre: String, CaseIterable, Sendable {
        /// The place where the animal was lost.
        case lost
        /// The newest confirmed sighting, or for the owner the newest point of a collar if that is newer.
        case sighting
    }

    package struct Circle: Equatable, Sendable {
        /// The probability of the region: of this circle, or with a sighting, of both circles of that probability.
        package let probability: Double
        package let around: Centre
        package let centre: Coordinate
        /// In whole metres, rounded up.
        package let radiusMetres: Double
    }

    /// In ascending order of probability; the circle around a sighting precedes the one around the place of the loss.
    package let circles: [Circle]
    /// Whole hours since the animal was seen last.
    package let hours: Int
    package let calibration: Calibration?

    /// Returns nil for species of which nothing is known.
    ///
    /// - Parameters:
    ///   - sightings: confirmed ones. Those before the loss do not count.
    ///   - calibration: of the same species; nil without one.
    package init?(
        of animal: MissingAnimal,
        lost: Observation,
        sightings: [Observation] = [],
        now: Timestamp,
        calibration: Calibration? = nil
    ) {
        guard let distances = animal.distances else { return nil }
        let newest = sightings.filter { $0.time > lost.time && $0.time <= now }.max { $0.time < $1.time }
        let hours = (newest ?? lost).hours(until: now)
        let home = distances.scaled(by: Growth.factor(hours: Double(lost.hours(until: now))))
        let moved = newest.map { ($0, distances.scaled(by: Growth.factor(hours: Double(hours)))) }
        var circles: [Circle] = []
        for (index, share) in Self.shares.enumerated() {
            let factor = calibration?.factors[index] ?? 1
            let radii = moved.map { Self.radii(holding: share, $0.1, home) } ?? (0, home.radius(holding: share))
            let region = [newest.map { (Centre.sighting, $0, radii.0) }, (.lost, lost, radii.1)].compactMap(\.self)
            for (around, observation, radius) in region where radius > 0 {
                circles.append(
                    Circle(
                        probability: share,
                        around: around,
                        centre: observation.coordinate,
                        radiusMetres: observation.widened(radius * factor).rounded(.up)
                    )
                )
            }
        }
        (self.circles, self.hours, self.calibration) = (circles, hours, calibration)
    }

    /// Returns the radii around the sighting and around the place of the loss that together hold a share, with the
    /// smallest total area: the densities on both circles are equal. Where the circles overlap, they hold more.
    static func radii(
        holding share: Double,
        _ moved: DistanceDistribution,
        _ home: DistanceDistribution
    ) -> (moved: Double, home: Double) {
        // Logarithms of the density, from that of one animal in the whole world to one in a square millimetre.
        var (low, high) = (-40.0, 14.0)
        func radii(_ density: Double) -> (moved: Double, home: Double) {
            (
                moved.radius(denserThan: exp(density) / (1 - shareAtHome)),
                home.radius(denserThan: exp(density) / shareAtHome)
            )
        }
        func held(_ radii: (moved: Double, home: Double)) -> Double {
            (1 - shareAtHome) * moved.share(within: radii.moved) + shareAtHome * home.share(within: radii.home)
        }
        while high - low > 1e-6 {
            let middle = (low + high) / 2
            if held(radii(middle)) >= share { low = middle } else { high = middle }
        }
        return radii(low)
    }

    /// The largest circle around the newest place, within which help is near.
    package func circle(_ probability: Double) -> Circle? { circles.first { $0.probability == probability } }
}

extension SearchArea.Observation {
    /// Half of the diagonal of a cell of 500 m, in metres.
    package static let cellReach = 354.0
    /// The root of the mean squared distance of the points of a cell from its centre, in metres.
    private static let cellSpread = 204.0

    fileprivate func hours(until now: Timestamp) -> Int {
        Int(max(0, Double(now.milliseconds - time.milliseconds) / 3_600_000).rounded(.down))
    }

    /// Returns the radius around the centre of the cell, because the animal was anywhere in the cell. The squares of
    /// independent offsets add up. Simulated, the circles hold 50 to 52, 74 to 75 and 95 % after two days.
    fileprivate func widened(_ radius: Double) -> Double {
        isCell ? max(Self.cellReach, hypot(radius, Self.cellSpread)) : radius
    }
}
