import Domain
import Formats
import Hummingbird

/// The breed list, whole or searched.
struct BreedRoutes {
    let breeds: Breeds

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/breeds", use: search)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try QueryReader(request, allowed: ["q", "species", "lang", "limit"])
        let language = try request.language(query)
        let found = breeds.search(
            try query.text("q") ?? "",
            language: language,
            species: try query.choice("species", Species.self),
            limit: try query.limit(default: query.has("q") ? 10 : 1000, atMost: 1000)
        )
        var json = JSONWriter()
        json.object { json in
            json.array("breeds", found) { $0.breed($1, language) }
        }
        return Response(json)
    }
}

extension JSONWriter {
    fileprivate mutating func breed(_ breed: Breed, _ language: Language) {
        object { json in
            json.field("key", breed.key)
            json.field("name", breed.name(in: language))
            json.field("name_en", breed.englishName)
            json.field("name_it", breed.italianName)
            json.field("species", breed.species.rawValue)
            json.field("fci_number", breed.fciNumber)
        }
    }
}
