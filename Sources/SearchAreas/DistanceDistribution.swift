import Foundation

/// A distribution of the distance between the place where an animal was lost and the place where it is: a mixture of
/// log-normal distributions. The direction is uniform.
package struct DistanceDistribution: Equatable, Sendable {
    package struct Component: Equatable, Sendable {
        package let weight: Double
        /// In metres.
        package let median: Double
        /// The standard deviation of the logarithm.
        package let sigma: Double

        package init(weight: Double, median: Double, sigma: Double) {
            (self.weight, self.median, self.sigma) = (weight, median, sigma)
        }
    }

    /// Their weights add up to 1.
    package let components: [Component]

    package init(_ components: [Component]) {
        self.components = components
    }

    package func scaled(by factor: Double) -> DistanceDistribution {
        DistanceDistribution(
            components.map { Component(weight: $0.weight, median: $0.median * factor, sigma: $0.sigma) }
        )
    }

    /// Returns the share of the animals within a distance in metres.
    package func share(within radius: Double) -> Double {
        guard radius > 0 else { return 0 }
        return components.reduce(0) { $0 + $1.weight * $1.share(within: radius) }
    }

    /// Returns the radius in metres of the circle that holds a share of the animals, which is between 0 and 1.
    package func radius(holding share: Double) -> Double {
        guard share > 0 else { return 0 }
        return Self.solve(from: 0.001) { self.share(within: $0) >= share }
    }

    /// The share of the animals per square metre at a distance in metres.
    func density(at radius: Double) -> Double {
        components.reduce(0) { $0 + $1.weight * $1.density(at: radius) }
    }

    /// Returns the radius within which the density is at least as high as given; 0 if it is lower everywhere.
    func radius(denserThan density: Double) -> Double {
        guard self.density(at: Self.minRadius) > density else { return 0 }
        return Self.solve(from: Self.minRadius) { self.density(at: $0) <= density }
    }

    /// In metres. The densities of dogs and cats fall from here on, which a test checks.
    private static let minRadius = 1.0
    /// In metres: half of the Earth's circumference.
    private static let maxRadius = 2e7

    /// Returns the smallest radius for which a condition holds that no larger radius violates,.
    private static func solve(from least: Double, _ holds: (Double) -> Bool) -> Double {
        var (low, high) = (log(least), log(maxRadius))
        while high - low > 1e-7 {
            let middle = (low + high) / 2
            if holds(exp(middle)) { high = middle } else { low = middle }
        }
        return exp(high)
    }
}

extension DistanceDistribution.Component {
    fileprivate func share(within radius: Double) -> Double {
        0.5 * erfc(-(log(radius / median) / sigma) / 2.0.squareRoot())
    }

    fileprivate func density(at radius: Double) -> Double {
        let deviation = log(radius / median) / sigma
        // The density of the distance, divided by the circumference of the circle.
        let ofDistance = exp(-deviation * deviation / 2) / (radius * sigma * (2 * Double.pi).squareRoot())
        return ofDistance / (2 * .pi * radius)
    }
}
