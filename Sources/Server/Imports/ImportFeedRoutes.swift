import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Imports
import Storage

/// The API for addresses whose files are imported at intervals.
struct ImportFeedRoutes {
    let site: Site
    let service: ImportFeedService

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/import-feeds", use: list)
            .post("/v1/import-feeds", use: create)
            .delete("/v1/import-feeds/:id", use: remove)
            .post("/v1/import-feeds/:id/run", use: run)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try service.feeds.findFeeds(of: context.account)
        let organisations = try service.organisations.find(accounts: found.map(\.owner))
        let open = try service.feeds.countOpen(of: found)
        return .uncachedObject { json in
            json.array("import_feeds", found) { json, feed in
                json.importFeed(feed, organisations[feed.owner], open: open[feed.key] ?? 0, site.baseURL)
            }
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var fields = try await request.fields()
        let owner = try service.imports.owner(try Self.organisation(&fields), for: context.account)
        let order = try ImportFeed.Order(fields, language: request.language(), service)
        let feed = try await service.feeds.create(order, by: owner, at: site.now())
        let organisation = try service.organisations.find(account: owner)
        let open = try service.feeds.countOpen(of: [feed])[feed.key] ?? 0
        return .uncached(status: .created) { $0.importFeed(feed, organisation, open: open, site.baseURL) }
    }

    private static func organisation(_ fields: inout [String: JSONValue]) throws -> String? {
        switch fields.removeValue(forKey: "organisation") {
        case nil, .null?: nil
        case .string(let id)?: id
        default: throw ServiceError.invalid("organisation", "expected the id of an organisation")
        }
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await service.feeds.remove(context.parameters.uuid(orElse: "no such address"), of: context.account)
        return .noContent
    }

    @Sendable private func run(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await service.feeds.hasten(
            context.parameters.uuid(orElse: "no such address"), of: context.account, at: site.now())
        return Response(status: .accepted)
    }
}

extension ImportFeed.Order {
    private static let names = ["url", "every_hours", "source", "mapping", "close_missing"]

    /// Reads the fields of a request, from a program or from a form.
    init(_ fields: [String: JSONValue], language: Language, _ service: ImportFeedService) throws {
        try fields.expect(Self.names)
        guard case .string(let url)? = fields["url"] else {
            throw ServiceError.invalid("url", "expected https://... or http://...")
        }
        let interval = fields["every_hours"] ?? .number(Double(ImportFeed.defaultInterval))
        guard case .number(let number) = interval, let hours = Int(exactly: number),
            ImportFeed.intervals.contains(hours)
        else { throw ServiceError.invalid("every_hours", "expected a whole number from 1 to 168") }
        func text(_ name: String) throws -> String? {
            guard let value = fields[name] else { return nil }
            guard case .string = value else { throw ServiceError.invalid(name, "expected a text") }
            return try Field(name, value).text(atMost: 80)
        }
        guard let mapping = ImportMapping.Name(rawValue: try text("mapping") ?? "auto") else {
            let names = ImportMapping.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError.invalid("mapping", "expected one of \(names)")
        }
        let listings = ListingImport.Order(
            source: try ListingImport.Order.source(try text("source")),
            mapping: mapping.rawValue,
            language: language,
            closeMissing: try ListingImport.CloseMissing(parameter: try text("close_missing"))
        )
        self.init(url: try service.address(url), interval: hours, listings: listings)
    }
}

extension JSONWriter {
    fileprivate mutating func importFeed(
        _ feed: ImportFeed,
        _ organisation: Organisation?,
        open: Int,
        _ baseURL: BaseURL
    ) {
        object { json in
            let listings = feed.order.listings
            json.field("id", feed.id.lowercased)
            json.field("organisation", organisation?.label)
            json.field("url", feed.order.url)
            json.field("every_hours", feed.order.interval)
            json.field("source", listings.source)
            json.field("mapping", listings.mapping)
            json.field("close_missing", listings.closeMissing.parameter)
            json.field("created_at", feed.createdAt.text)
            json.field("next_at", feed.nextAt.text)
            json.field("last_at", feed.lastAt?.text)
            json.field("last_outcome", feed.lastOutcome?.rawValue)
            json.field("open_listings", open)
            json.field("last_import", feed.lastImport.map { baseURL.link("/v1/imports/\($0.lowercased)") })
        }
    }
}

extension ListingImport.CloseMissing {
    init(parameter: String?) throws(ServiceError) {
        guard let value = Self.allCases.first(where: { $0.parameter == parameter ?? "false" }) else {
            throw ServiceError.invalid("close_missing", "expected true, false or all")
        }
        self = value
    }

    /// As programs write it.
    var parameter: String {
        switch self {
        case .no: "false"
        case .yes: "true"
        case .all: "all"
        }
    }
}
