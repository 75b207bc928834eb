import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import Storage

/// The API for the listings of an organisation by its own references, with which programs of shelters keep them equal to their
/// animals.
struct OrganisationAnimalRoutes {
    let site: Site
    let microchipLimits: MicrochipLimits
    let matches: MatchService

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/organisations/:id/animals/:reference", use: show)
            .put("/v1/organisations/:id/animals/:reference", use: put)
            .delete("/v1/organisations/:id/animals/:reference", use: close)
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let owner = try owner(context)
        let found = try site.stores.listings.findListing(reference: try context.reference, of: owner) { row in
            try Response.listing(row, viewer: context.account, site.baseURL, for: request)
        }
        guard let found else { throw ServiceError(.notFound, "no such listing") }
        return found
    }

    @Sendable private func put(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let owner = try owner(context)
        let reference = try context.reference
        let fields = try complete(try await request.fields(), reference, owner)
        let editor = ListingEditor(breeds: site.breeds, finder: site.finder, language: try request.language())
        let (content, location) = try await site.slowReads.findPlace(site.finder, hasPoint: fields["lon"] != nil) {
            try editor.create(fields, owner: owner)
        }
        let former = try site.stores.listings.findListing(reference: reference, of: owner, Listing.init)
        try await microchipLimits.takeChange(to: content, from: former?.content, by: owner, at: context.client)
        let (viewer, precondition) = (context.account, Precondition(request))
        let (outcome, (listing, answer)) = try await site.stores.listings.put(
            ListingStore.Draft(content: content, location: location),
            reference: reference,
            owner: owner,
            by: viewer
        ) {
            try precondition.check($0?.entityTags ?? [])
        } _: { row in
            (try Listing(row), try Response.listing(row, viewer: viewer, site.baseURL))
        }
        switch outcome {
        case .created: return answer.created(listing: listing.id.lowercased, site.baseURL)
        case .changed: await matches.tellHome(of: listing)
        case .unchanged: break
        }
        return answer
    }

    @Sendable private func close(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let owner = try owner(context)
        let precondition = Precondition(request)
        try await site.stores.listings.close(reference: try context.reference, of: owner, by: context.account) {
            try precondition.check($0?.entityTags ?? [])
        }
        return .noContent
    }

    /// Returns the account of the organisation in the path. Throws `forbidden` if the caller does not act for it.
    private func owner(_ context: SignedInContext) throws -> Account {
        try site.stores.organisations.getAccount(
            id: try context.parameters.uuid(orElse: "no such organisation"), for: context.account)
    }

    /// Returns the fields of a whole listing: null is the same as no value, as in files that are imported.
    private func complete(
        _ fields: [String: JSONValue],
        _ reference: String,
        _ owner: Account
    ) throws -> [String: JSONValue] {
        var fields = fields.filter { $0.value != .null || ListingField(name: $0.key) == nil }
        let name = ListingField.reference.name
        if let own = fields[name], try Field(name, own).reference() != reference {
            throw ServiceError(.conflict, "\(name): expected that of the address, or none", field: name)
        }
        fields[name] = .string(reference)
        fields.showContacts()
        try site.stores.organisations.find(account: owner)?.content.complete(&fields)
        guard ["lon", "lat", "place"].contains(where: { fields[$0] != nil && fields[$0] != "" }) else {
            throw ServiceError(
                .conflict,
                "place: the organisation has none: expected a point (lon and lat) or the name of a town",
                field: "place"
            )
        }
        return fields
    }
}

extension SignedInContext {
    /// The reference in the path, decoded.
    fileprivate var reference: String {
        get throws {
            let text = parameters.get("reference")?.removingPercentEncoding
            let field = Field(ListingField.reference.name, text.map(JSONValue.string) ?? .null)
            guard let reference = try field.reference() else { throw field.invalid("expected that of the animal") }
            return reference
        }
    }
}

extension Field {
    fileprivate func reference() throws(ServiceError) -> String? { try text(atMost: ListingField.reference.maxLength) }
}
