package import Domain
package import Foundation
package import Gazetteer
import Geodata
package import ImageClassifier
package import Matching

/// Resources that are bundled with the program, loaded once for all tests.
package enum Bundled {
    package static func gazetteer() throws -> Gazetteer { try shared.get().gazetteer }
    package static func breeds() throws -> Breeds { try shared.get().breeds }
    package static func matchReader() throws -> MatchReader { try shared.get().matchReader }

    /// A model called `colours`: red is a beagle, green a labrador, blue a poodle, yellow a shepherd, dark red no dog.
    package static var models: ModelRegistry {
        ModelRegistry(directories: [colourModels], defaultModel: "colours")
    }

    package static var colourModels: URL {
        (Bundle.module.resourceURL ?? Bundle.module.bundleURL).appending(path: "Models")
    }

    private static let shared = Result {
        let breeds = try Breeds(tsv: Data(contentsOf: Geodata.directory.appending(path: "breeds.tsv")))
        return (
            gazetteer: try Gazetteer(directory: Geodata.directory),
            breeds: breeds,
            matchReader: MatchReader(breeds: breeds)
        )
    }
}
