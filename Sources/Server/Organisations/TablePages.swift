import Concurrency
import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The table of one's own listings, or of those of an organisation.
struct TablePages {
    let site: Site
    let batches: ListingBatchService
    let microchips: MicrochipService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/my/table", use: show)
        router.post("/my/table", use: change)
        router.post("/my/table/microchip", use: scan)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        var values = request.parameters.filter { TableView.names.contains($0.key) && !$0.value.isEmpty }
        do {
            return try await page(request, account, values, number: request.parameters["page"])
        } catch let error as ServiceError where error.code == .invalid {
            values["organisation"] = nil
            let memberships = try site.stores.organisations.findMemberships(of: account)
            return site.page.show(request, account, status: .badRequest, isPrivate: true) {
                $0.table(values: values, listings: [], count: 0, memberships: memberships, problem: error)
            }
        }
    }

    private func page(
        _ request: Request,
        _ account: Account,
        _ values: [String: String],
        number: String? = nil,
        scanned: TableView.ScannedMicrochip? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let owner = try owner(values["organisation"], account)
        let today = today(site.page.timeZone(request))
        var query = try ListingTable.Query(values, page: number, today: today)
        if let text = values["q"] {
            query.search = try site.queries.readList(text, language: site.page.pageLanguage(request))
        }
        let (table, notes, kennels, figures) = try await site.slowReads.run(RequestMeter.current) { [query] in
            let table = try batches.listings.findTable(of: owner, query)
            let notes = try site.stores.animalRecords.find(of: table.rows)
            return (table, notes, try site.stores.animalRecords.findKennels(of: owner), try count(of: owner, on: today))
        }
        let memberships = try site.stores.organisations.findMemberships(of: account)
        return site.page.show(request, account, status: status, isPrivate: true) {
            $0.table(
                values: values,
                listings: table.rows,
                count: table.count,
                records: notes,
                kennels: kennels,
                reading: query.search?.reading,
                memberships: memberships,
                figures: figures,
                scanned: scanned,
                changed: changed(request.parameters),
                previous: query.page > 1 ? Self.path(values, page: query.page - 1) : nil,
                next: table.hasMore ? Self.path(values, page: query.page + 1) : nil
            )
        }
    }

    private func count(of owner: Account, on today: ListingTable.Arrivals) throws -> TableView.Figures {
        let figures = try batches.listings.countTable(of: owner, arrived: today)
        let isOrganisation = owner.role == .organisation
        return TableView.Figures(
            open: figures.open,
            new: figures.new,
            withOwners: isOrganisation ? try site.stores.matches.countAnimals(withMatchesOf: owner) : nil
        )
    }

    /// The arrivals of the reader's day.
    private func today(_ zone: TimeZone) -> ListingTable.Arrivals {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let start = calendar.startOfDay(for: Date(timeIntervalSince1970: Double(site.now().milliseconds) / 1000))
        let since = Timestamp(milliseconds: Int64(start.timeIntervalSince1970 * 1000))
        // Noon of the day is on the same day everywhere but at the date line.
        let local = since.adding(seconds: Double(zone.secondsFromGMT(for: start)))
        return ListingTable.Arrivals(day: String(local.text.prefix(10)), since: since)
    }

    /// Looks for the number of a microchip among the listings of the table, and then on the board.
    @Sendable private func scan(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let sent = try await site.page.forms.read(request)
        let values = sent.typed.filter { $0.key == "organisation" && !$0.value.isEmpty }
        let owner = try owner(values["organisation"], account)
        return try await site.page.handleForm {
            let microchip = try Microchip(field: sent["number"] ?? "")
            let own = try microchips.microchips.findListings(with: microchip, of: owner)
            if !own.isEmpty { return try await page(request, account, values, scanned: .own(own, microchip)) }
            let isListed = try await microchips.isListed(microchip, for: account, from: context.client)
            return try await page(
                request, account, values, scanned: isListed ? .board(microchip) : .unknown(microchip))
        } orShow: { error, status in
            try await page(
                request, account, values, scanned: .problem(error, typed: sent["number"] ?? ""), status: status)
        }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let form = try await site.page.forms.read(request, maxFields: Self.maxFields)
        guard let action = form["action"].flatMap(ListingBatchService.Action.init) else {
            throw ServiceError.invalid("action", "expected renew, reunited, closed or reopen")
        }
        let chosen = form.fields.all("ids").compactMap(UUID.init(uuidString:)) + (form["codes"].map(ids) ?? [])
        let outcomes = try await batches.perform(
            action,
            on: Array(chosen.prefix(ListingBatchService.maxCount)),
            by: account
        )
        let values = form.typed.filter { TableView.names.contains($0.key) }
        guard !outcomes.isEmpty else { return site.page.redirect(Self.path(values, page: 1), done: "table.none") }
        let done = outcomes.filter { $0.outcome == .done }.map(\.id)
        let change = [
            "did": action.rawValue, "failed": String(outcomes.count - done.count), "codes": try codes(of: done),
        ]
        return site.page.redirect(Self.path(values.merging(change) { $1 }, page: 1))
    }

    /// Returns the codes of listings. An address has room for 200 codes, but not for 200 ids.
    private func codes(of ids: [UUID]) throws -> String {
        try ids.compactMap { try batches.listings.findListing(id: $0) { $0.string(.code) } ?? nil }.joined(
            separator: ",")
    }

    private func ids(_ codes: String) -> [UUID] {
        codes.split(separator: ",").prefix(ListingBatchService.maxCount).compactMap { code in
            ListingCode(String(code)).flatMap {
                try? batches.listings.findListing(code: $0) { $0.string(.uuid).flatMap(UUID.init(uuidString:)) } ?? nil
            }
        }
    }

    /// Reads from the address what the previous request changed.
    private func changed(_ parameters: [String: String]) -> TableView.Change? {
        guard let did = parameters["did"].flatMap(ListingBatchService.Action.init) else { return nil }
        let codes = (parameters["codes"] ?? "").split(separator: ",").compactMap { ListingCode(String($0))?.text }
        return TableView.Change(
            action: did.rawValue,
            codes: Array(codes.prefix(ListingBatchService.maxCount)),
            failed: parameters["failed"].flatMap(Int.init) ?? 0,
            canUndo: [.reunited, .closed].contains(did)
        )
    }

    /// A check box for each listing, the button, the codes and the filters.
    private static let maxFields = ListingTable.pageSize + 2 + TableView.names.count

    private func owner(_ organisation: String?, _ account: Account) throws -> Account {
        guard let organisation else { return account }
        let id = try Field("organisation", .string(organisation)).uuid()
        return try site.stores.organisations.getAccount(id: id, for: account)
    }

    private static func path(_ values: [String: String], page: Int) -> String {
        let all = page > 1 ? values.merging(["page": String(page)]) { $1 } : values
        return "/my/table" + (all.isEmpty ? "" : BoardFilters.query(all))
    }
}

extension ListingTable.Query {
    /// - Parameter today: what arrived today.
    init(_ values: [String: String], page: String?, today: ListingTable.Arrivals) throws {
        self.init()
        if let day = values["arrived"] {
            guard day == TableView.today else { throw ServiceError.invalid("arrived", "expected \(TableView.today)") }
            arrived = today
        }
        kennel = values["kennel"]
        status = try Self.choice("status", values)
        species = try Self.choice("species", values)
        if let sort = values["sort"] {
            isDescending = sort.hasPrefix("-")
            guard let column = ListingTable.Column(rawValue: String(sort.drop { $0 == "-" })) else {
                throw ServiceError.invalid("sort", "expected the name of a column")
            }
            self.column = column
        }
        // Beyond the last page, the table is empty.
        self.page = max(1, min(page?.wholeNumber ?? 1, ListSearch.maxRead))
    }

    private static func choice<Choice>(_ name: String, _ values: [String: String]) throws -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        try Field(name, values[name].map(JSONValue.string) ?? .null).choice(Choice.self)
    }
}
