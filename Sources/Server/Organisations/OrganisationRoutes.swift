import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for organisations, and for admins who verify them.
struct OrganisationRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/organisations/:id", use: show)
        router.group(context: SignedInContext.self)
            .get("/v1/me/organisations", use: own)
            .post("/v1/organisations", use: create)
            .patch("/v1/organisations/:id", use: edit)
            .delete("/v1/organisations/:id", use: remove)
        router.group(context: AdminContext.self)
            .post("/v1/admin/organisations/:id/verify", use: verify)
            .post("/v1/admin/organisations/:id/unverify", use: unverify)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard
            let found = try site.stores.organisations.find(
                id: try context.parameters.uuid(orElse: "no such organisation"))
        else {
            throw ServiceError(.notFound, "no such organisation")
        }
        guard !request.knows(found.entityTag) else {
            return Response(status: .notModified, headers: [.eTag: found.entityTag])
        }
        return answer(found)
    }

    @Sendable private func own(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.organisations.findMemberships(of: context.account)
        return .uncachedObject { json in
            json.array("organisations", found) { [site] in
                $0.organisation($1.organisation, site.countries, role: $1.role)
            }
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var content = Organisation.Content()
        try apply(try await request.fields(), to: &content, try request.language())
        let made = try await site.stores.organisations.create(content, by: context.account)
        var response = answer(made)
        response.status = .created
        response.headers[.location] = site.baseURL.link("/v1/organisations/\(made.id.lowercased)")
        return response
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(mediaTypes: .mergePatch)
        let precondition = Precondition(request)
        let language = try request.language()
        let edited = try await site.stores.organisations.edit(
            id: try context.parameters.uuid(orElse: "no such organisation"),
            by: context.account
        ) { organisation in
            try precondition.check([organisation.entityTag])
            var content = organisation.content
            try apply(fields, to: &content, language)
            return content
        }
        return answer(edited)
    }

    private func apply(
        _ fields: [String: JSONValue],
        to content: inout Organisation.Content,
        _ language: Language
    ) throws {
        var fields = fields
        let isConfirmed = try fields.takePointConfirmation()
        let oldPoint = content.point
        try content.apply(fields, site.countries)
        guard let point = content.point, point != oldPoint else { return }
        try site.finder.expectPlausible(point, isConfirmed: isConfirmed, language: language)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let precondition = Precondition(request)
        try await site.stores.organisations.remove(
            id: try context.parameters.uuid(orElse: "no such organisation"),
            by: context.account
        ) { try precondition.check([$0.entityTag]) }
        await site.photoService.removeDeletedFiles()
        return .noContent
    }

    @Sendable private func verify(_ request: Request, _ context: AdminContext) async throws -> Response {
        try await setVerified(true, request, context)
    }

    @Sendable private func unverify(_ request: Request, _ context: AdminContext) async throws -> Response {
        try await setVerified(false, request, context)
    }

    private func setVerified(_ isVerified: Bool, _ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such organisation")
        let fields = try await request.fields(["note"])
        let note = try Field("note", fields["note"] ?? .null).note()
        try await site.stores.organisations.setVerified(isVerified, id: id, note: note, by: context.actor)
        return .noContent
    }

    private func answer(_ organisation: Organisation) -> Response {
        var response = Response.json { $0.organisation(organisation, site.countries) }
        response.headers[.eTag] = organisation.entityTag
        return response
    }
}

extension Organisation {
    fileprivate var entityTag: String { "\"\(version)\"" }
}

extension Organisation.Content {
    /// Sets the given fields. Throws if the telephone number is not possible in the country of the organisation.
    mutating func apply(_ fields: [String: JSONValue], _ countries: Countries) throws(ServiceError) {
        try apply(fields)
        guard fields["phone"] != nil else { return }
        try TelephoneNumber.expectPossible(phone, in: countries.country(at: point), field: "phone")
    }
}
