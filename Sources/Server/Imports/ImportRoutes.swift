import CSV
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Imports
import NIOCore
import Storage

/// The API for imports of listings.
struct ImportRoutes {
    let site: Site
    let service: ImportService

    static let geoJSON = "application/geo+json"
    /// Media types of .xlsx and .ods files.
    static let spreadsheets = [
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    ]
    /// The media type of photos whose files are named by references.
    static let zip = "application/zip"
    /// The media type of arrays of objects, as programs of shelters write them.
    static let json = "application/json"
    static let types = ["text/csv", geoJSON, json] + spreadsheets + [zip]
    /// The number of rows that a CSV report reads together.
    private static let batch = 500
    /// The reasons for which photos were not fetched that are listed.
    private static let maxFailures = 100

    private var imports: ListingImportStore { service.imports }

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/imports", use: list)
            .post("/v1/imports", use: create)
            .get("/v1/imports/:id", use: show)
            .delete("/v1/imports/:id", use: remove)
            .get("/v1/imports/:id/rows", use: rows)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let limit = try query.limit(.imports)
        let found = try imports.findImports(of: context.account, before: try query.keyCursor(), limit: limit + 1)
        let page = Array(found.prefix(limit))
        let organisations = try service.organisations.find(accounts: page.map(\.owner))
        let photos = try service.remotePhotos.counts(ofImports: page.map(\.key))
        let next = found.count > limit ? page.last.map { PageCursor(key: $0.key).token } : nil
        var response = Response.list("imports", page, site.baseURL, request, next: next) { json, listingImport in
            json.listingImport(
                listingImport,
                organisations[listingImport.owner],
                photos[listingImport.key],
                site.baseURL,
                request.preferredLanguage
            )
        }
        response.headers[.cacheControl] = CacheControl.noStore
        response.headers[.contentLanguage] = request.preferredLanguage.code
        return response
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let owner = try service.owner(try query.value("organisation"), for: context.account)
        var order = try ListingImport.Order(query, request)
        guard let type = request.mediaType, Self.types.contains(type) else {
            throw ServiceError(
                .unsupportedMediaType,
                "Content-Type: expected \(Self.types.alternatives)"
            )
        }
        // A file that is announced as too large is not waited for.
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        let isArchive = type == Self.zip
        let limit = isArchive ? ListingImport.maxArchiveSize : ListingImport.maxFileSize
        guard length <= limit else { throw ServiceError.largeImport }
        let id = try await service.receive(request.body, isArchive: isArchive, by: owner)
        if isArchive || Self.spreadsheets.contains(type) {
            let isPhotos = try await service.kind(of: id, field: "body") == .photos
            guard isPhotos == isArchive else {
                service.discard(id)
                throw ServiceError.invalid(
                    "body", isArchive ? "expected a ZIP file of photos" : "expected a spreadsheet")
            }
            if isPhotos { order.mapping = ListingImport.Order.photos }
        }
        let starts = [Self.geoJSON: "{", Self.json: "[{"]
        if let first = starts[type], try await !service.begins(id, withOneOf: first) {
            service.discard(id)
            throw ServiceError.invalid(
                "body",
                type == Self.json ? "expected a JSON array of objects" : "expected a GeoJSON FeatureCollection"
            )
        }
        let listingImport = try await service.create(id, order, by: owner, sender: context.account)
        var response = try answer(listingImport, request, status: .accepted)
        response.headers[.location] = site.baseURL.link("/v1/imports/\(id.lowercased)")
        return response
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such import")
        return try answer(try imports.getImport(id: id, of: context.account), request)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await imports.remove(id: context.parameters.uuid(orElse: "no such import"), of: context.account)
        return .noContent
    }

    private func answer(
        _ listingImport: ListingImport,
        _ request: Request,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let organisations = try service.organisations.find(accounts: [listingImport.owner])
        let photos = try service.remotePhotos.counts(ofImports: [listingImport.key])[listingImport.key]
        let failures =
            photos == nil ? [] : try service.remotePhotos.failures(of: listingImport, limit: Self.maxFailures)
        var json = JSONWriter()
        json.listingImport(
            listingImport,
            organisations[listingImport.owner],
            photos,
            site.baseURL,
            request.preferredLanguage,
            failures: failures
        )
        var response = Response.uncached(json, status: status)
        response.headers[.contentLanguage] = request.preferredLanguage.code
        return response
    }

    // MARK: - Reports

    @Sendable private func rows(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let limit = try query.limit(.importRows)
        let last = try query.keyCursor().map { Int($0) } ?? 0
        let outcomes = try query.choices("outcome", ImportedRow.Outcome.self) ?? ImportedRow.Outcome.allCases
        let format = try query.choice("format", ImportReportFormat.self)
        let id = try context.parameters.uuid(orElse: "no such import")
        let listingImport = try imports.getImport(id: id, of: context.account)
        guard format != .csv else { return file(of: listingImport, outcomes) }
        let found = try imports.findRows(of: listingImport, after: last, outcomes: outcomes, limit: limit + 1)
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { PageCursor(key: Int64($0.number)).token } : nil
        var response = Response.list("rows", page, site.baseURL, request, next: next) { json, row in
            json.importedRow(row)
        }
        response.headers[.cacheControl] = CacheControl.noStore
        return response
    }

    private func file(of listingImport: ListingImport, _ outcomes: [ImportedRow.Outcome]) -> Response {
        let (imports, slowReads) = (imports, site.slowReads)
        let body = ResponseBody { writer in
            var bytes: [UInt8] = []
            let csv = CSVWriter()
            csv.append(["row", "reference", "outcome", "listing", "field", "column", "message"], to: &bytes)
            var last: Int? = 0
            while let position = last {
                let rows = try await slowReads.run(nil) {
                    try imports.findRows(of: listingImport, after: position, outcomes: outcomes, limit: Self.batch)
                }
                for row in rows { csv.append(row.fields(), to: &bytes) }
                try await writer.write(ByteBuffer(bytes: bytes))
                bytes = []
                last = rows.count == Self.batch ? rows.last?.number : nil
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8; header=present",
                .contentDisposition: "attachment; filename=\"import.csv\"", .cacheControl: CacheControl.noStore,
            ],
            body: body
        )
    }
}

/// The readers of the contacts of a file.
enum ContactVisibility: String, CaseIterable {
    case `public`
    case `private`
}

/// The formats of reports.
enum ImportReportFormat: String, CaseIterable {
    case json
    case csv
}

extension PageSize {
    static let imports = PageSize(defaultLimit: 20, maxLimit: 100)
    static let importRows = PageSize(defaultLimit: 100, maxLimit: 500)
}

extension ListingImport.Order {
    /// Reads the query of a request.
    init(_ query: QueryReader, _ request: Request) throws {
        func flag(_ name: String) throws -> Bool {
            switch try query.value(name) {
            case nil, "false": false
            case "true": true
            default: throw ServiceError.invalid(name, "expected true or false")
            }
        }
        var plan = ImportPlan()
        plan.showsContacts = try query.choice("contacts", ContactVisibility.self).map { $0 == .public }
        let close = try ListingImport.CloseMissing(parameter: try query.value("close_missing"))
        self.init(
            source: try Self.source(try query.value("source")),
            mapping: (try query.choice("mapping", ImportMapping.Name.self) ?? .auto).rawValue,
            language: try request.language(query),
            isDryRun: try flag("dry_run"),
            closeMissing: close,
            plan: plan
        )
    }

    static func source(_ text: String?) throws -> String {
        guard let text, !text.isEmpty else { return "default" }
        guard text.utf8.count <= ListingImport.maxSourceLength,
            text.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9._-]*/#) != nil
        else {
            throw ServiceError.invalid(
                "source",
                "expected at most \(ListingImport.maxSourceLength) letters, digits, dots, hyphens or underscores"
            )
        }
        return text
    }
}

extension ImportedRow {
    /// Closed listings are in no row.
    var isRow: Bool { outcome != .closed }

    fileprivate func fields() -> [String] {
        [
            isRow ? String(number) : "", reference ?? "", outcome.rawValue,
            listing?.lowercased ?? "", field ?? "", column ?? "", message ?? "",
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func listingImport(
        _ listingImport: ListingImport,
        _ organisation: Organisation?,
        _ photos: RemotePhoto.Counts?,
        _ baseURL: BaseURL,
        _ language: Language,
        failures: [RemotePhoto.Failure]? = nil
    ) {
        object { json in
            let order = listingImport.order
            json.field("id", listingImport.id.lowercased)
            json.field("organisation", organisation?.label)
            json.field("state", listingImport.state.rawValue)
            json.field("source", order.source)
            json.field("mapping", order.mapping)
            json.field("dry_run", order.isDryRun)
            json.field("close_missing", order.closeMissing.parameter)
            json.field("problem", listingImport.problem?.rawValue)
            json.field("message", listingImport.problem?.message.text(in: language))
            json.object("rows") { json in
                json.field("total", listingImport.total)
                json.field("read", listingImport.position)
                json.field("created", listingImport.counts.created)
                json.field("updated", listingImport.counts.updated)
                json.field("unchanged", listingImport.counts.unchanged)
                json.field("closed", listingImport.counts.closed)
                json.field("rejected", listingImport.counts.rejected)
            }
            json.object("photos") { json in
                json.field("total", photos?.total ?? 0)
                json.field("waiting", photos?.waiting ?? 0)
                json.field("retried", photos?.retried ?? 0)
                json.field("stored", photos?.stored ?? 0)
                json.field("failed", photos?.failed ?? 0)
                if let failures { json.array("problems", failures) { $0.photoFailure($1) } }
            }
            json.field("progress", listingImport.progress, decimals: 2)
            json.array("unknown_columns", listingImport.unknownColumns) { $0.string($1) }
            json.field("created_at", listingImport.createdAt.text)
            json.field("started_at", listingImport.startedAt?.text)
            json.field("ended_at", listingImport.endedAt?.text)
            json.field("report", baseURL.link("/v1/imports/\(listingImport.id.lowercased)/rows"))
        }
    }

    private mutating func photoFailure(_ failure: RemotePhoto.Failure) {
        object { json in
            json.field("problem", failure.problem.rawValue)
            json.field("host", failure.host)
            json.field("count", failure.count)
            json.field("url", failure.url)
        }
    }

    fileprivate mutating func importedRow(_ row: ImportedRow) {
        object { json in
            json.field("row", row.isRow ? row.number : nil)
            json.field("reference", row.reference)
            json.field("outcome", row.outcome.rawValue)
            json.field("listing", row.listing?.lowercased)
            json.field("field", row.field)
            json.field("column", row.column)
            json.field("value", row.value)
            json.field("message", row.message)
        }
    }
}

extension ListingImport {
    /// The part of the rows that was processed; nil until they were counted.
    var progress: Double? {
        total.map { $0 == 0 ? 1 : Double(position) / Double($0) }
    }
}
