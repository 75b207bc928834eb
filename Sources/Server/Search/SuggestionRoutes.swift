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

    init(_ localization: Localization, _ breeds: Breeds, _ gazetteer: Gazetteer, _ board: ListingSearch) {
        suggesters = Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                (language, SearchSuggester(localization.localizer(language), breeds, gazetteer, board))
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
        let found = try suggesters[try request.language(query)]?.suggestions(for: text, isEnded: isEnded) ?? []
        var json = JSONWriter()
        json.object { json in
            json.array("suggestions", found) { json, one in
                json.object { json in
                    json.field("q", one.text)
                    json.field("kind", one.kind.rawValue)
                }
            }
        }
        var response = Response(json)
        response.vary(by: "Accept-Language")
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }
}

extension Operation {
    static let suggestions = [suggest]

    private static let suggest = Operation(
        .get,
        "/v1/search/suggestions",
        "suggestSearches",
        .listings,
        "Complete the text of a search",
        description: """
            For a search field, while somebody types. The last words of `q` are the beginning of a breed, a colour, a town, a \
            name on the board or another word that searches understand. A space at the end says that the last word is complete.
            """,
        parameters: [
            .query("q", .queryText, "What has been typed.", example: "cane nero ebo").required, .lang, .acceptLanguage,
        ],
        responses: [
            .json(
                "At most \(SearchSuggester.maxCount), the best first.", .named("SearchSuggestions"),
                headers: [.vary, .cacheControl])
        ],
        exampleQuery: "q=cane%20nero%20ebo&lang=it"
    )
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
