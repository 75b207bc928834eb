import Domain
import Foundation
import Gazetteer
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The pages of the board: cards, search by photo, and the board embedded in other sites.
struct BoardPages {
    let renderer: PageRenderer
    let search: ListingSearch
    let classifications: ClassificationStore
    let breeds: Breeds
    let finder: any PlaceFinder
    let events: EventStore

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/board", use: board)
        router.get("/embed", use: embed)
        router.get("/photo-search", use: photoSearch)
        router.post("/photo-search", use: searchByPhoto)
    }

    @Sendable func board(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let page = try find(request, path: "/board")
        return renderer.show(page.board, request, context.caller?.account, status: page.status)
    }

    @Sendable private func embed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let page = try find(request, path: "/embed")
        let query = request.uri.query.map { "?" + $0 } ?? ""
        // The viewer's account is not used, because no private data may appear inside another site.
        return renderer.show(
            EmbeddedBoard(page.board, whole: "/board" + query),
            request,
            nil,
            status: page.status,
            isEmbedded: true
        )
    }

    private struct Found {
        let board: BoardPage
        let status: HTTPResponse.Status
    }

    private func find(_ request: Request, path: String) throws -> Found {
        let parameters = request.parameters
        let filters = BoardFilters(parameters)
        do {
            // The last event is read before the search, so that no change between the two is missed: the page receives
            // later changes from the event stream.
            let lastEvent = parameters["cursor"] == nil ? try events.bounds()?.upperBound ?? 0 : nil
            let likely = try classifications.likelyBreeds(filters["classification"], breeds)
            let language = renderer.pageLanguage(request)
            var wanted = try search(filters, language)
            let feed = feed(wanted, language)
            wanted["cursor"] = parameters["cursor"]
            let query = try ListingQuery(
                .init(wanted),
                breeds: breeds,
                finder: finder,
                language: language,
                likely: likely.map(\.label)
            )
            var cards: [ListingCard] = []
            let next = try search.find(query) { row, match in
                cards.append(ListingCard(try Listing(row), distance: match.distance))
            }
            let names = likely.compactMap { breeds.breed(key: $0.label)?.name(in: language) }
            let board = BoardPage(
                filters: filters,
                cards: cards,
                next: next.map { path + filters.query(cursor: $0.token) },
                feed: feed,
                lastEvent: lastEvent,
                likely: names
            )
            return Found(board: board, status: .ok)
        } catch let error as ServiceError where error.code == .invalid {
            return Found(
                board: BoardPage(filters: filters, cards: [], next: nil, lastEvent: nil, problem: error),
                status: .badRequest
            )
        }
    }

    /// Returns the parameters of the search.
    private func search(_ filters: BoardFilters, _ language: Language) throws -> [String: String] {
        var values = filters.values
        if filters.isAroundTown, let place = values.removeValue(forKey: "place") {
            // With a radius, a place name means a circle around its centre; without one it means the area of the place.
            let centre = try centre(of: place, language)
            (values["lon"], values["lat"]) = (String(centre.lon), String(centre.lat))
        }
        if values["lon"] == nil {
            // Radius and order by distance have no meaning without a point, but an invalid radius is still an error.
            _ = try QueryReader(values).metres("radius")
            values["radius"] = nil
            if values["sort"] == ListingQuery.Order.distance.rawValue { values["sort"] = nil }
        }
        return values
    }

    /// Returns the URL of the feed with the same filters in the same language.
    private func feed(_ search: [String: String], _ language: Language) -> String {
        let filters = search.filter { ListingQuery.Filter(rawValue: $0.key) != nil }
        return "/feeds/listings.atom" + BoardFilters.query(filters.merging(["lang": language.rawValue]) { $1 })
    }

    private func centre(of place: String, _ language: Language) throws -> Coordinate {
        guard let found = try finder.place(named: place, language: language) else {
            throw ServiceError.invalid("place", "expected a known town, like Fisciano or Fisciano (SA)")
        }
        return found.coordinate
    }

    @Sendable private func photoSearch(_ request: Request, _ context: ServiceContext) async throws -> Response {
        renderer.show(PhotoSearchPage(), request, context.caller?.account)
    }

    @Sendable private func searchByPhoto(_ request: Request, _ context: ServiceContext) async throws -> Response {
        func refuse(_ problem: String, _ status: HTTPResponse.Status) -> Response {
            renderer.show(PhotoSearchPage(problem: problem), request, context.caller?.account, status: status)
        }
        return try await renderer.handleForm {
            let form = try await renderer.forms.read(request)
            guard let photo = form.photos.first else { return refuse("problem.photo", .badRequest) }
            let found = try await renderer.photoService.recogniser.classify(photo)
            guard !found.likelyBreeds(breeds).isEmpty else { return refuse("photo.noBreed", .ok) }
            try await classifications.add(found)
            return renderer.redirect("/board?classification=\(found.id.lowercased)")
        } orShow: { error, status in
            let problem =
                switch error.code {
                case .unavailable: "problem.busy"
                case .diskFull: "problem.full"
                case .diskFailing: "problem.failing"
                default: "problem.photo"
                }
            return refuse(problem, status)
        }
    }
}

extension Request {
    /// The query of a page. Unknown parameters are not rejected, and the last of repeated parameters counts.
    var parameters: [String: String] {
        Dictionary(queryFields.map { ($0.name, $0.value) }) { $1 }
    }
}
