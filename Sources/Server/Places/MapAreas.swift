import Domain
import Gazetteer

extension Gazetteer {
    /// Where maps start for readers of a language: at the country of most of them.
    var mapAreas: [Language: BoundingBox] {
        let areas = Language.allCases.compactMap { language in
            language.properties.country.flatMap(mainland).map { (language, $0) }
        }
        return Dictionary(uniqueKeysWithValues: areas)
    }
}
