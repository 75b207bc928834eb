package import Domain

/// A town or hamlet whose name a map shows.
package struct MapPlace: Sendable {
    /// The number of the record.
    fileprivate let record: Int32
    package let coordinate: Coordinate
    /// 0 if it is not known.
    package let population: Int
}

extension Gazetteer {
    /// A locality with nearly all people of its comune is the comune itself under another name, such as Genoa in Genova.
    private static let shareOfComune = 0.9

    /// Returns the towns and hamlets of the tables.
    package func mapPlaces() -> [MapPlace] {
        [PlaceTable.Kind.town, .comune, .locality].flatMap(places.range).compactMap { record in
            places.vector(record).coordinate.map { coordinate in
                MapPlace(record: Int32(record), coordinate: coordinate, population: populationOnMap(record))
            }
        }
    }

    private func populationOnMap(_ record: Int) -> Int {
        let population = places.population(record)
        guard let comune = places.comune(record), comune != record else { return population }
        return Double(population) > Self.shareOfComune * Double(places.population(comune)) ? 0 : population
    }

    package func name(of place: MapPlace) -> String { places.name(Int(place.record)) }
}
