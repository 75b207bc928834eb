import Domain
import Forms
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Imports
import Pages
import Storage

/// The pages on which accounts import listings.
struct ImportPages {
    let renderer: PageRenderer
    let service: ImportService
    let feeds: ImportFeedService
    let now: @Sendable () -> Timestamp

    /// The imports that the page lists.
    private static let listed = 20
    /// The rows of a report that the page shows.
    private static let shown = 100

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/my/imports", use: list)
        router.post("/my/imports", use: upload)
        router.get("/my/imports/:id", use: show)
        router.post("/my/imports/:id", use: change)
        router.post("/my/import-feeds", use: addFeed)
        router.post("/my/import-feeds/:id", use: changeFeed)
    }

    @Sendable private func list(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        return try page(request, own.account)
    }

    private func page(
        _ request: Request,
        _ account: Account,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try renderer.show(request, account, status: status, isPrivate: true) {
            $0.imports(
                try service.imports.findImports(of: account, limit: Self.listed),
                feeds: try feeds.feeds.findFeeds(of: account),
                canImport: account.role != .guest,
                typed: typed,
                problem: problem
            )
        }
    }

    @Sendable private func upload(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        var typed: [String: String] = [:]
        return try await renderer.handleForm {
            try ImportService.check(own.account)
            let (file, name) = try await receive(request, by: own.account, &typed)
            var order: ListingImport.Order
            do {
                order = try ListingImport.Order(QueryReader(typed.filter { Self.fields.contains($0.key) }), request)
            } catch {
                service.discard(file)
                throw error
            }
            order.language = renderer.pageLanguage(request)
            order.isDryRun = typed["action"] != "import"
            order.fileName = name
            let created = try await service.create(file, order, by: own.account)
            return renderer.redirect("/my/imports/\(created.id.lowercased)")
        } orShow: {
            try page(request, own.account, typed: typed, problem: $0, status: $1)
        }
    }

    @Sendable private func addFeed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        var typed: [String: String] = [:]
        return try await renderer.handleForm {
            try ImportService.check(own.account)
            typed = try await renderer.forms.read(request).typed
            var fields = typed.mapValues(JSONValue.string)
            fields["every_hours"] = typed["every_hours"].flatMap(Double.init).map(JSONValue.number)
            let order = try ImportFeed.Order(fields, language: renderer.pageLanguage(request), feeds)
            _ = try await feeds.feeds.create(order, by: own.account, at: now())
            return renderer.redirect("/my/imports")
        } orShow: {
            try page(request, own.account, typed: typed, problem: $0, status: $1)
        }
    }

    @Sendable private func changeFeed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let id = try context.parameters.uuid("address")
        switch try await renderer.forms.read(request)["action"] ?? "" {
        case "run": try await feeds.feeds.hasten(id, of: own.account, at: now())
        case "remove": try await feeds.feeds.remove(id, of: own.account)
        default: throw ServiceError.invalid("action", "expected run or remove")
        }
        return renderer.redirect("/my/imports")
    }

    private static let fields: Set = ["source", "mapping", "close_missing"]

    private func receive(
        _ request: Request,
        by account: Account,
        _ typed: inout [String: String]
    ) async throws -> (file: UUID, name: String?) {
        guard request.mediaType == "multipart/form-data" else {
            throw ServiceError(.unsupportedMediaType, "Content-Type: expected multipart/form-data")
        }
        let reader = try MultipartReader(request.body, contentType: request.headers[.contentType] ?? "")
        var found: (UUID, String?)?
        do {
            while let part = try await reader.next() {
                switch part {
                case .field(let name, let value): if !value.isEmpty { typed[name] = value }
                case .file(let file):
                    guard found == nil else { throw ServiceError.invalid("import", "expected one file") }
                    found = (try await service.receive(file, by: account), Self.name(file.filename))
                }
            }
        } catch {
            if let found { service.discard(found.0) }
            throw (error as? ServiceError).map(Self.problem) ?? error
        }
        guard let found else { throw ServiceError.invalid("import", "expected a file") }
        return found
    }

    /// Errors of other uploads speak of photos.
    private static func problem(_ error: ServiceError) -> ServiceError {
        error.code == .tooLarge || error.field == "body" ? .invalid("import", error.message) : error
    }

    private static func name(_ text: String) -> String? {
        try? Field("import", .string(String(text.prefix(120)))).text(atMost: 120)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let found = try service.imports.getImport(id: context.parameters.uuid("import"), of: own.account)
        let rejected = try service.imports.findRows(of: found, outcomes: [.rejected], limit: Self.shown)
        return renderer.show(request, own.account, isPrivate: true) { $0.importReport(found, rejected: rejected) }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let id = try context.parameters.uuid("import")
        switch try await renderer.forms.read(request)["action"] ?? "" {
        case "import":
            let created = try await service.repeatForGood(id, by: own.account)
            return renderer.redirect("/my/imports/\(created.id.lowercased)")
        case "remove":
            try await service.imports.remove(id: id, of: own.account)
            return renderer.redirect("/my/imports")
        default: throw ServiceError.invalid("action", "expected import or remove")
        }
    }
}
