import Domain
import Formats
import HTTP
import Hummingbird

/// The API for the list of breeds.
struct BreedRoutes {
    let breeds: Breeds
    let recogniser: BreedRecogniser

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/breeds", use: search)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        let language = try request.language(query)
        let found = breeds.search(
            try query.text("q") ?? "",
            language: language,
            species: try query.choice("species", Species.self),
            limit: try query.limit(query.has("q") ? .foundBreeds : .breeds)
        )
        let known = recogniser.known
        var response = Response.object { json in
            json.array("breeds", found) { json, breed in
                json.breed(breed, language, isRecognised: known.contains(breed.key))
            }
        }
        response.vary(by: "Accept-Language")
        return response
    }
}

extension JSONWriter {
    fileprivate mutating func breed(_ breed: Breed, _ language: Language, isRecognised: Bool) {
        object { json in
            json.field("key", breed.key)
            json.field("name", breed.name(in: language))
            json.field("name_en", breed.name)
            json.field("name_it", breed.name(in: .italian))
            json.field("species", breed.species.rawValue)
            json.field("fci_group", breed.fciGroup)
            json.field("fci_number", breed.fciNumber)
            json.array("synonyms", breed.synonyms) { $0.string($1) }
            json.field("recognised", isRecognised)
        }
    }
}
