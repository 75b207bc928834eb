import Domain
import Formats
import HTTP
import Hummingbird
import Localization
import Matching
import Storage

/// The API for the likeliest owners of the animals of an organisation.
struct OrganisationMatchRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self).get("/v1/organisations/:id/matches", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let viewer = context.account
        let query = request.queryReader()
        let (limit, cursor) = (try query.limit(.matches), try query.organisationMatchCursor())
        let localizer = site.localization.localizer(try request.language())
        let owner = try site.stores.organisations.getAccount(
            id: try context.parameters.uuid(orElse: "no such organisation"), for: viewer)
        let found = try site.stores.matches.findMatches(of: owner, limit: limit, after: cursor) { row in
            var json = JSONWriter()
            try json.feature(row, base: site.baseURL.text, full: row.isFullyVisible(to: viewer))
            return json.text
        }
        let next = found.next?.token
        var response = Response.list("matches", found.matches, site.baseURL, request, next: next) { json, pair in
            json.object { json in
                json.prepared("animal", pair.animal)
                json.members(of: pair.match, pair.match.value, localizer, isOwner: true)
            }
        }
        response.headers[.contentLanguage] = localizer.language.rawValue
        return response
    }
}

extension QueryReader {
    func organisationMatchCursor() throws(ServiceError) -> OrganisationMatchCursor? {
        try cursor(fields: 3) { fields in
            guard let probability = Double(fields[0]), probability.isFinite, let animal = Int64(fields[1]),
                let lost = Int64(fields[2])
            else { return nil }
            return OrganisationMatchCursor(probability: probability, animal: animal, lost: lost)
        }
    }
}

extension OrganisationMatchCursor {
    var token: String { PageCursor([String(probability), String(animal), String(lost)]).token }
}
