import Concurrency
import Domain
import Formats
import Gazetteer
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import OpenAPI
import SearchText
import Storage

/// Suggestions for the text of a search.
struct SuggestionRoutes {
    let suggesters: [Language: SearchSuggester]
    private let places: PlaceSearch
    private let slowReads: SlowReadExecutor

    init(
        _ localization: Localization,
        _ breeds: Breeds,
        _ places: PlaceSearch,
        _ board: ListingSearch,
        _ slowReads: SlowReadExecutor
    ) {
        (self.places, self.slowReads) = (places, slowReads)
        suggesters = Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                (language, SearchSuggester(localization.localizer(language), breeds, places.gazetteer, board))
            })
    }

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/search/suggestions", use: suggest)
    }

    @Sendable private func suggest(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let text = try query.text("q") else {
            throw ServiceError.invalid("q", "expected the beginning of a search")
        }
        let isEnded = try query.value("q")?.last?.isWhitespace == true
        let language = try request.language(query)
        var found = try suggesters[language]?.suggestions(for: text, isEnded: isEnded) ?? []
        if try query.choice("addresses", WantsAddresses.self) == .true {
            let near = try query.point()
            let addresses = try await addresses(text, near: near, language)
            found = Array((addresses + found).prefix(SearchSuggester.maxCount))
        }
        var response = Response.object { json in
            json.array("suggestions", found) { json, one in
                json.object { json in
                    json.field("q", one.text)
                    json.field("kind", one.kind.rawValue)
                }
            }
        }
        response.vary(by: "Accept-Language")
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}

extension SuggestionRoutes {
    /// The number of addresses among the suggestions.
    private static let maxAddresses = 4

    private func addresses(
        _ text: String,
        near: Coordinate?,
        _ language: Language
    ) async throws -> [SearchSuggestion] {
        // Streets are searched off the event loop.
        let found = try await slowReads.run(RequestMeter.current) {
            try places.addresses(completing: text, near: near, language: language, limit: Self.maxAddresses)
        }
        var names: [String] = []
        for name in found.compactMap(\.addressName) where !names.contains(name) { names.append(name) }
        return names.map { SearchSuggestion(text: $0, kind: .place) }
    }

    enum WantsAddresses: String, CaseIterable { case `true`, `false` }
}

extension Operation {
    static let suggestions = tagged(.listings) {
        get("/v1/search/suggestions", "suggestSearches", "Complete the text of a search")
            .taking(
                .query("q", .queryText, "What has been typed.", example: "cane nero ebo").required,
                .query(
                    "addresses", .choice(["true", "false"]),
                    "With `true`, streets, houses and landmarks, for a search on the map; those near `lon` and `lat` first."
                ),
                .lon, .lat, .lang, .acceptLanguage
            )
            .described(
                """
                For a search field, while somebody types. The last words of `q` are the beginning of a breed, a colour, a town, a \
                name on the board or another word that searches understand. A space at the end says that the last word is complete.
                """
            )
            .answering(
                .json(
                    "At most \(SearchSuggester.maxCount), the best first.", .named("SearchSuggestions"),
                    headers: [.vary, .cacheControl])
            )
            .exampleQuery("q=cane%20nero%20ebo&lang=it")
    }
}

extension Schema {
    static let suggestions: [String: Schema] = [
        "SearchSuggestions": .object([
            "suggestions": .list(
                of: .object([
                    "q": .text().described("The whole text, completed."),
                    "kind": .choice(SearchReading.Part.Kind.self).described("What its end is."),
                ]))
        ])
    ]
}
