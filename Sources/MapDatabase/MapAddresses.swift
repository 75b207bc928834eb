package import Domain

/// The addresses of all extracts.
package struct MapAddresses: AddressFinder {
    /// How far a street may be from the middle of its town, in metres.
    private static let reach = 25_000.0
    /// Two positions so near to each other, in metres, are not worth a question.
    private static let nearby = 300.0

    /// Two places of the same name so near to each other, in metres, are one.
    private static let samePlace = 30.0

    private let folder: MapFolder

    /// - Parameter folder: one of its own, so that searches do not wait for the drawing of a map.
    package init(_ folder: MapFolder) { self.folder = folder }

    package var isEmpty: Bool { folder.maps.isEmpty }

    /// Returns the streets, houses and landmarks with the words of a text, the best first.
    package func addresses(called text: String, near: Coordinate?, limit: Int) throws -> [AddressMatch] {
        var found: [AddressMatch] = []
        for isTolerant in [false, true] where found.isEmpty {
            found = try folder.maps.flatMap {
                try $0.addresses(called: text, isTolerant: isTolerant, near: near, limit: limit)
            }
        }
        var told: [AddressMatch] = []
        for match in found.sorted(by: { $0.order < $1.order }) where told.count < limit {
            // Extracts side by side have the border in common.
            let isKnown = told.contains {
                $0.address.text == match.address.text && $0.position.distance(to: match.position) < Self.samePlace
            }
            if !isKnown { told.append(match) }
        }
        return told
    }

    /// Returns the house nearest to a point, otherwise the nearest street; nil if there is none within some metres.
    package func address(at point: Coordinate, within metres: Double) throws -> AddressMatch? {
        let found = try folder.maps.compactMap { try $0.address(at: point, within: metres) }
        return found.min { $0.distance < $1.distance }
    }

    package func position(of whereabouts: String, in town: Place) throws -> Coordinate? {
        guard let name = town.comune ?? town.locality, AddressReader.shared.isWhereabouts(whereabouts) else {
            return nil
        }
        let text = [whereabouts, town.locality, name].compactMap(\.self).joined(separator: ", ")
        let found = try addresses(called: text, near: town.coordinate, limit: 5)
        guard let best = found.first, best.missingWords == 0, best.distance < Self.reach else { return nil }
        let others = found.dropFirst().filter { ($0.order.0, $0.order.1) == (best.order.0, best.order.1) }
        return others.allSatisfy { $0.position.distance(to: best.position) < Self.nearby } ? best.position : nil
    }
}
