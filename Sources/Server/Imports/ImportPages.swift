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
    let site: Site
    let service: ImportService
    let feeds: ImportFeedService

    /// The imports that the page lists.
    private static let listed = 20
    /// The columns and values of the form, each with three fields, and some more.
    private static let maxFields = 2_000

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
        let imports = try service.imports.findImports(of: account, limit: Self.listed)
        let found = try feeds.feeds.findFeeds(of: account)
        let memberships = account.memberships.isEmpty ? [] : try service.organisations.findMemberships(of: account)
        let owners =
            [(nil, account.key)] + memberships.map { ($0.organisation.content.name as String?, $0.organisation.key) }
        let rooms = try owners.map { (name: $0, room: try service.imports.room(of: $1)) }
        let keys = imports.map(\.owner) + found.map(\.owner)
        let organisations = try service.organisations.find(accounts: keys)
        let photos = try service.remotePhotos.counts(ofImports: imports.map(\.key))
        let open = try feeds.feeds.countOpen(of: found)
        // The report of a feed may be deleted.
        let lastImports = found.compactMap(\.lastImport).compactMap {
            try? service.imports.getImport(id: $0, of: account)
        }
        return site.page.show(request, account, status: status, isPrivate: true) {
            $0.imports(
                imports,
                feeds: found,
                lastImports: Dictionary(lastImports.map { ($0.id, $0) }) { first, _ in first },
                open: open,
                organisations: organisations,
                photos: photos,
                memberships: memberships,
                rooms: rooms,
                canImport: account.role != .guest,
                typed: typed,
                problem: problem
            )
        }
    }

    @Sendable private func upload(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            try ImportService.check(own.account)
            let (file, name) = try await receive(request, by: own.account, &typed)
            let kind = try await service.kind(of: file, field: "import")
            let owner: Account
            var order: ListingImport.Order
            do {
                owner = try service.owner(Self.organisation(typed), for: own.account)
                order = try ListingImport.Order(QueryReader(typed.filter { Self.fields.contains($0.key) }), request)
            } catch {
                service.discard(file)
                throw error
            }
            order.language = site.page.pageLanguage(request)
            order.isDryRun = typed["action"] != "import"
            order.fileName = name
            if kind == .photos { order.mapping = ListingImport.Order.photos }
            order.plan.showsContacts = typed["contacts"] == "public"
            let created = try await service.create(file, order, by: owner, sender: own.account)
            return site.page.redirect("/my/imports/\(created.id.lowercased)")
        } orShow: {
            try page(request, own.account, typed: typed, problem: $0, status: $1)
        }
    }

    @Sendable private func addFeed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            try ImportService.check(own.account)
            typed = try await site.page.forms.read(request).typed
            let owner = try service.owner(Self.organisation(typed), for: own.account)
            var fields = typed.filter { $0.key != "organisation" }.mapValues(JSONValue.string)
            fields["every_hours"] = typed["every_hours"].flatMap(Double.init).map(JSONValue.number)
            let order = try ImportFeed.Order(fields, language: site.page.pageLanguage(request), feeds)
            _ = try await feeds.feeds.create(order, by: owner, at: site.now())
            return site.page.redirect("/my/imports")
        } orShow: {
            try page(request, own.account, typed: typed, problem: $0, status: $1)
        }
    }

    @Sendable private func changeFeed(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let id = try context.parameters.uuid(orElse: "no such address")
        switch try await site.page.forms.read(request)["action"] ?? "" {
        case "run": try await feeds.feeds.hasten(id, of: own.account, at: site.now())
        case "remove": try await feeds.feeds.remove(id, of: own.account)
        default: throw ServiceError.invalid("action", "expected run or remove")
        }
        return site.page.redirect("/my/imports")
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
                    let owner = try service.owner(Self.organisation(typed), for: account)
                    let isArchive = file.filename.lowercased().hasSuffix(".zip")
                    let id = try await service.receive(file, isArchive: isArchive, by: owner)
                    found = (id, Self.name(file.filename))
                }
            }
        } catch {
            if let found { service.discard(found.0) }
            throw (error as? ServiceError).map(Self.problem) ?? error
        }
        guard let found else { throw ServiceError.invalid("import", "expected a file") }
        return found
    }

    /// The organisation that was chosen; nil for the person.
    private static func organisation(_ typed: [String: String]) -> String? {
        typed["organisation"].flatMap { $0.isEmpty ? nil : $0 }
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
        let id = try context.parameters.uuid(orElse: "no such import")
        let found = try service.imports.getImport(id: id, of: own.account)
        let report = try await service.report(of: found)
        return site.page.show(request, own.account, isPrivate: true) { $0.importReport(found, report) }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let id = try context.parameters.uuid(orElse: "no such import")
        let form = try await site.page.forms.read(request, maxFields: Self.maxFields)
        switch form["action"] ?? "" {
        case "try", "import":
            // The answers on the page count even if they were not tried before "import" is pressed.
            let next = try await service.readAgain(id, isDryRun: form["action"] == "try", by: own.account) {
                sample, plan in
                plan.change(sample, form)
            }
            return site.page.redirect("/my/imports/\(next.id.lowercased)")
        case "remove":
            try await service.imports.remove(id: id, of: own.account)
            return site.page.redirect("/my/imports")
        default: throw ServiceError.invalid("action", "expected try, import or remove")
        }
    }
}

extension ImportPlan {
    /// The questions of one kind that are read.
    private static let maxAnswers = 300

    /// Takes what the form of a trial says. What it leaves as it was recognised is not noted, so that the next file is
    /// recognised likewise.
    fileprivate mutating func change(_ sample: ImportSample, _ form: FormReader.SubmittedForm) {
        for (number, column) in sample.columns.enumerated() {
            guard let field = form["column.\(number)"], field != column.field ?? "", field.isColumnField else {
                continue
            }
            columns[column.name] = field
        }
        let meanings = sample.values.map { $0.meaning ?? "" }
        for number in 0..<Self.maxAnswers {
            guard let answer = form.answer("value", number) else { break }
            let isKnown = number < meanings.count && meanings[number] == answer.meaning
            if !isKnown { read(answer.value, of: answer.field, as: answer.meaning) }
        }
        for number in 0..<Self.maxAnswers {
            guard let answer = form.answer("fix", number) else { continue }
            guard !answer.meaning.isEmpty else { continue }
            if answer.value.isEmpty {
                defaults[answer.field] = answer.meaning
            } else {
                read(answer.value, of: answer.field, as: answer.meaning)
            }
        }
        if let order = form["dates"].flatMap(DateOrder.init), order != .unclear { dates = order }
        if form["asks"] == "contacts" { showsContacts = form["contacts"] == "public" }
    }
}

extension String {
    /// Whether a column can be read as this.
    fileprivate var isColumnField: Bool {
        isEmpty || [ImportPlan.province, ImportPlan.photos].contains(self) || ListingField(name: self) != nil
            || AnimalRecord.Key(rawValue: self) != nil
    }
}

extension FormReader.SubmittedForm {
    /// The answer to a question what a value of a field means.
    fileprivate func answer(_ kind: String, _ number: Int) -> (field: String, value: String, meaning: String)? {
        guard let field = self["\(kind).\(number).field"], ListingField(name: field) != nil else { return nil }
        let value = self["\(kind).\(number).text"] ?? ""
        let meaning = (self["\(kind).\(number).as"] ?? "").trimmed
        return (field, value, String(meaning.prefix(ImportPlan.maxLength)))
    }
}
