import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Storage

/// The API for microchips: finders ask whether a number is listed and write to the owner. The number is in the body and
/// not in the address, because proxies log addresses.
struct MicrochipRoutes {
    let site: Site
    let service: MicrochipService

    func add(to router: Router<ServiceContext>) {
        router.post("/v1/microchip-lookups", use: look)
        router.get("/v1/microchip-registries", use: registries)
        router.group(context: SignedInContext.self).post("/v1/microchip-messages", use: write)
        router.group(context: AdminContext.self).get("/v1/admin/microchips/:number", use: search)
    }

    @Sendable private func look(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = try await request.fields(["number"])
        let microchip = try fields.microchip()
        let isListed = try await service.isListed(microchip, for: context.caller?.account, from: context.client)
        let localizer = site.localization.localizer(request.preferredLanguage)
        return .uncachedObject { json in
            json.field("known", isListed)
            json.field("write", isListed ? site.baseURL.link("/v1/microchip-messages") : nil)
            json.object("origin") { $0.origin(microchip.prefix, localizer) }
        }
    }

    @Sendable private func write(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var fields = try await request.fields()
        let microchip = try fields.microchip()
        fields["number"] = nil
        for name in ["mark", "lon", "lat"] where fields[name] != nil {
            throw ServiceError.invalid(name, "is not a field here")
        }
        let content = try MessageContent(fields)
        let account = context.account
        try await service.send(content, toOwnerOf: microchip, by: account, from: context.client) { account }
        return .noContent
    }

    @Sendable private func registries(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let text = try request.queryReader().text("prefix") ?? ""
        guard text.utf8.count == 3, let prefix = text.wholeNumber, (1...998).contains(prefix) else {
            throw ServiceError.invalid("prefix", "expected the first three digits of a number of 15, like 380")
        }
        var json = JSONWriter()
        json.object { $0.origin(prefix, site.localization.localizer(request.preferredLanguage)) }
        var response = Response(json)
        response.vary(by: "Accept-Language")
        return response
    }

    @Sendable private func search(_ request: Request, _ context: AdminContext) async throws -> Response {
        let microchip = try Microchip(field: context.parameters.get("number") ?? "")
        let found = try service.microchips.findListings(with: microchip)
        return .list("listings", found, site.baseURL, request, next: nil) { json, listing in
            json.object { json in
                json.field("id", listing.id.lowercased)
                json.field("href", site.baseURL.link("/v1/listings/\(listing.id.lowercased)"))
                json.field("status", listing.content.status?.rawValue)
                json.field("name", listing.content.name)
                json.field("hidden", listing.hidden)
                json.field("created_at", listing.createdAt.text)
            }
        }
    }
}

extension Microchip {
    /// Throws `invalid` that names the field `number`.
    init(field text: String) throws(ServiceError) {
        do {
            try self.init(parsing: text)
        } catch {
            throw .invalid("number", "expected 15 digits, or the 9 or 10 characters of older microchips")
        }
    }
}

extension [String: JSONValue] {
    fileprivate func microchip() throws(ServiceError) -> Microchip {
        guard case .string(let text)? = self["number"] else {
            throw .invalid("number", "expected text of 15 digits, like 380260000000000")
        }
        return try Microchip(field: text)
    }
}

extension JSONWriter {
    /// Writes what the first three digits say; nil for older numbers.
    fileprivate mutating func origin(_ prefix: Int?, _ localizer: Localizer) {
        let origin = prefix.map(localizer.microchipPrefixes.origin)
        var (country, manufacturer): (String?, String?)
        switch origin {
        case .country(let code): country = code
        case .manufacturer(let name): manufacturer = name
        case .unknown, nil: break
        }
        field("prefix", prefix.map { String(String(1_000 + $0).dropFirst()) })
        field("country_code", country)
        field("country", country.map(localizer.country))
        field("manufacturer", manufacturer)
        array("registries", localizer.registries(for: prefix)) { json, registry in
            json.object { json in
                json.field("name", registry.name)
                json.field("url", registry.address)
            }
        }
    }
}
