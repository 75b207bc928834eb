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
    let site: Site

    /// The number of reunions on the first page.
    private static let maxReunions = 8

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/board", use: board)
        router.get("/embed", use: embed)
        router.get("/photo-search", use: photoSearch)
        router.post("/photo-search", use: searchByPhoto)
    }

    @Sendable func board(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let id = try coded(request, context) { return site.page.redirect("/listings/\(id)") }
        let page = try find(request, path: "/board")
        return site.page.show(request, context.caller?.account, status: page.status) { $0.board(page.result) }
    }

    @Sendable private func embed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let page = try find(request, path: "/embed")
        let query = request.uri.query.map { "?" + $0 } ?? ""
        // The viewer's account is not used, because no private data may appear inside another site.
        return site.page.show(request, nil, status: page.status, frames: .byAll) {
            $0.embeddedBoard(page.result, whole: "/board" + query)
        }
    }

    /// Returns the id of the listing whose code was typed in place of words.
    private func coded(_ request: Request, _ context: ServiceContext) throws -> String? {
        guard let code = request.parameters["q"].flatMap({ ListingCode(typed: $0) }) else { return nil }
        return try site.stores.listings.id(of: code, seenBy: context.caller?.account)
    }

    private func find(
        _ request: Request,
        path: String
    ) throws -> (result: BoardResult, status: HTTPResponse.Status) {
        let parameters = request.parameters
        var filters = BoardFilters(parameters)
        do {
            // The last event is read before the search, so that no change between the two is missed: the page receives
            // later changes from the event stream.
            let lastEvent = parameters["cursor"] == nil ? try site.stores.events.bounds()?.upperBound ?? 0 : nil
            let language = site.page.pageLanguage(request)
            var photo = try site.stores.classifications.ranking(
                filters["classification"], site.photoService.recogniser)
            if let breed = filters["breed"], let first = photo?.breeds.first {
                // The form contains the breed of the photo. A visitor who changes it searches for that breed instead.
                let isUnchanged = site.breeds.breed(key: first.key)?.name(in: language).folded == breed.folded
                filters = filters.removing(isUnchanged ? "breed" : "classification")
                if !isUnchanged { photo = nil }
            }
            var wanted = try search(filters, language)
            let feed = feed(wanted, language)
            wanted["cursor"] = parameters["cursor"]
            let query = try site.queries.read(.init(wanted), language: language, photo: photo)
            var result = BoardResult(filters)
            let next = try site.stores.search.find(query) { row, match in
                let evidence = match.photo?.evidence ?? []
                result.cards.append(.init(try Listing(row), distance: match.distance, evidence: evidence))
            }
            if result.cards.isEmpty, next == nil { try expectKnownPlace(filters, language) }
            result.next = next.map { path + filters.query(cursor: $0.token) }
            result.feed = feed
            result.lastEvent = lastEvent
            result.likely = (photo?.breeds ?? []).compactMap { breed in
                site.breeds.breed(key: breed.key).map { ($0.name(in: language), breed.probability) }
            }
            result.count = try count(query, filters)
            if filters.isPlain, lastEvent != nil {
                result.reunions = try site.stores.reunions.findNewest(limit: Self.maxReunions)
            }
            let isEmpty = result.cards.isEmpty && next == nil
            result.search = try site.queries.result(query, .init(wanted), language, isEmpty: isEmpty)
            return (result, .ok)
        } catch let error as ServiceError where error.code == .invalid {
            var result = BoardResult(filters)
            result.problem = error
            return (result, .badRequest)
        }
    }

    /// The rows that the count of a page may read, so that it costs less than the search itself.
    private static let countBudget = 400

    /// Counts the results of the first page of a search with filters.
    private func count(_ query: ListingQuery, _ filters: BoardFilters) throws -> (number: Int, isExact: Bool)? {
        guard !filters.isPlain, query.cursor == nil, query.photo == nil else { return nil }
        let count = try site.stores.search.count(query, budget: Self.countBudget)
        return (count.count, count.isExact)
    }

    /// Throws an error with candidates if the name of the place is not one that listings can have.
    private func expectKnownPlace(_ filters: BoardFilters, _ language: Language) throws {
        guard let place = filters["place"], !filters.isAroundTown else { return }
        let (match, written) = try site.finder.address(place, language: language)
        let candidates: [Place]
        switch match {
        case .town where written == nil: return
        case .town(let town): candidates = [town]
        case .unclear(let similar): candidates = similar
        }
        // Regions, provinces and countries are no towns, but they are known.
        guard try site.finder.place(named: place, language: language)?.name?.folded != place.folded else { return }
        throw ServiceError.unclearTown(candidates)
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
        switch try site.finder.address(place, language: language).match {
        case .town(let town): return town.coordinate
        case .unclear(let candidates): throw ServiceError.unclearTown(candidates)
        }
    }

    @Sendable private func photoSearch(_ request: Request, _ context: ServiceContext) async throws -> Response {
        site.page.show(request, context.caller?.account) { $0.photoSearch() }
    }

    @Sendable private func searchByPhoto(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var typed: [String: String] = [:]
        func refuse(_ problem: String, _ status: HTTPResponse.Status) -> Response {
            site.page.show(request, context.caller?.account, status: status) {
                $0.photoSearch(typed: typed, problem: problem)
            }
        }
        return try await site.page.handleForm {
            let form = try await site.page.forms.read(request)
            typed = form.typed
            if let known = typed["classification"], !known.isEmpty {
                // A script has shown what the photo shows, and the visitor may have corrected it.
                var search = Self.search(typed)
                search["classification"] = known
                search["breed"] = typed["breed"].flatMap { $0.isEmpty ? nil : $0 }
                return site.page.redirect("/board" + BoardFilters.query(search))
            }
            guard let photo = try form.photos().first else { return refuse("problem.photo", .badRequest) }
            let found = try await site.photoService.recogniser.classify(photo)
            var search = Self.search(typed)
            if found.predictions.first?.label == Species.cat.rawValue {
                search["species"] = Species.cat.rawValue
                return site.page.redirect("/board" + BoardFilters.query(search), done: "photo.cat")
            }
            guard site.photoService.recogniser.ranking(found) != nil else { return refuse("photo.noBreed", .ok) }
            try await site.stores.classifications.add(found)
            search["classification"] = found.id.lowercased
            return site.page.redirect("/board" + BoardFilters.query(search))
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

    /// The radius in metres of a search by photo around the visitor or a town.
    private static let photoRadius = "50000"

    /// Returns the filters of the form of a search by photo.
    private static func search(_ typed: [String: String]) -> [String: String] {
        var search = typed.filter { ["place", "lon", "lat"].contains($0.key) }
        if search["lon"] != nil { search["place"] = nil }
        if !search.isEmpty { search["radius"] = photoRadius }
        let isLost = typed["status"] != PhotoSearchView.foundOrSighted
        search["status"] = isLost ? PhotoSearchView.lost : PhotoSearchView.foundOrSighted
        return search
    }
}

extension Request {
    /// The query of a page. Unknown parameters are not rejected, and the last of repeated parameters counts, except for
    /// `status`, which is a list.
    var parameters: [String: String] {
        var values = Dictionary(queryFields.map { ($0.name, $0.value) }) { $1 }
        let statuses = queryFields.filter { $0.name == "status" && !$0.value.isEmpty }.map(\.value)
        if !statuses.isEmpty { values["status"] = statuses.joined(separator: ",") }
        return values
    }
}
