package import Domain
import Localization
import Mustache
package import SearchText

/// A table of one's own listings, or of those of an organisation, in which many are changed at once.
package struct TableView: PageView {
    package static let template = "table"
    /// The names of the parameters.
    package static let names = ["q", "status", "species", "kennel", "arrived", "sort", "organisation"]
    /// The value of the parameter `arrived`: only animals that arrived today.
    package static let today = "today"
    /// The columns by which the table can be sorted.
    package static let columns = ["name", "status", "species", "place", "created", "expires"]
    let chosen: ChosenView
    let search: SearchView
    let count: String
    let problem, previous, next: String?
    let changed: ChangedView?
    let scan: ScanView
    let figures: [FigureView]
    /// `kennels` is empty if no kennel is noted.
    let owners, statuses, species, kennels, arrivals, sorts: [OptionView]
    let columns: [ColumnView]
    let rows: [RowView]

    /// The result of an action on the chosen listings.
    package struct Change: Sendable {
        let action: String
        let codes: [String]
        let failed: Int
        let canUndo: Bool

        package init(action: String, codes: [String], failed: Int, canUndo: Bool) {
            (self.action, self.codes, self.failed, self.canUndo) = (action, codes, failed, canUndo)
        }
    }

    /// The figures above the rows of the table.
    package struct Figures: Sendable {
        let open, new: Int
        /// The animals of an organisation that have a likely owner; nil for one's own listings.
        let withOwners: Int?

        package init(open: Int, new: Int, withOwners: Int?) {
            (self.open, self.new, self.withOwners) = (open, new, withOwners)
        }
    }

    /// The result of scanning a microchip.
    package enum ScannedMicrochip: Sendable {
        /// That of these listings of the table.
        case own([Listing], Microchip)
        /// That of an open listing of somebody.
        case board(Microchip)
        case unknown(Microchip)
        case problem(ServiceError, typed: String)
    }

    /// The field for the number of a microchip, and what the last number was.
    struct ScanView: TemplateView {
        let organisation, number, text, problem: String?
        let listings: [LinkView]
        /// Whether a message to the owner can be written.
        let isOnBoard: Bool
        let isScanned: Bool
    }

    struct FigureView: TemplateView {
        let text: String
        let href: String?
    }

    struct ChangedView: TemplateView {
        let chosen: ChosenView
        let text, codes: String
        let failed: String?
        let canUndo: Bool
    }

    /// The parameters.
    struct ChosenView: TemplateView {
        let text, status, species, kennel, arrived, sort, organisation: String?
    }

    struct ColumnView: TemplateView {
        let label, href, order: String
        let isUp, isDown: Bool
    }

    struct RowView: TemplateView {
        let id, href, name, status, statusLabel, speciesLabel, place, created: String
        let reference, expires: String?
        /// The noted facts of the animal.
        let record: String?
        let isHidden: Bool
    }
}

extension PageBuilder {
    package func table(
        values: [String: String],
        listings: [Listing],
        count: Int,
        records: [Int64: AnimalRecord] = [:],
        kennels: [String] = [],
        reading: SearchReading? = nil,
        memberships: [Organisation.Membership] = [],
        figures: TableView.Figures? = nil,
        scanned: TableView.ScannedMicrochip? = nil,
        changed: TableView.Change? = nil,
        previous: String? = nil,
        next: String? = nil,
        problem: ServiceError? = nil
    ) -> TableView {
        let chosen = TableView.ChosenView(
            text: values["q"], status: values["status"], species: values["species"],
            kennel: values["kennel"], arrived: values["arrived"], sort: values["sort"],
            organisation: values["organisation"]
        )
        return TableView(
            chosen: chosen,
            search: search(SearchResult(reading), "/my/table", values),
            count: localizer("table.count", count: count),
            problem: problem.map(localizer.problem),
            previous: previous.map(path),
            next: next.map(path),
            changed: changed.map { changedView($0, chosen) },
            scan: scanView(scanned, chosen.organisation),
            figures: figures.map { figureViews($0, chosen.organisation) } ?? [],
            owners: owners(memberships, selected: values["organisation"]),
            statuses: options(Listing.Status.allCases, "status", selected: values["status"]),
            species: options(Species.allCases, "species", selected: values["species"]),
            kennels: kennelOptions(kennels, values["kennel"]),
            arrivals: [option(TableView.today, localizer("table.arrivedToday"), values["arrived"])],
            sorts: TableView.columns.flatMap { sortChoices($0, values["sort"] ?? "-created") },
            columns: TableView.columns.map { column($0, values) },
            rows: listings.map { row($0, records[$0.key]) }
        )
    }

    /// Also contains a selected kennel in which no animal is any more.
    private func kennelOptions(_ kennels: [String], _ selected: String?) -> [OptionView] {
        let all = selected.map { kennels.contains($0) ? kennels : kennels + [$0] } ?? kennels
        return all.map { OptionView(value: $0, label: $0, selected: $0 == selected) }
    }

    private func changedView(_ change: TableView.Change, _ chosen: TableView.ChosenView) -> TableView.ChangedView {
        TableView.ChangedView(
            chosen: chosen, text: localizer("table.did.\(change.action)", count: change.codes.count),
            codes: change.codes.joined(separator: ","),
            failed: change.failed > 0 ? localizer("table.failed", count: change.failed) : nil,
            canUndo: change.canUndo && !change.codes.isEmpty
        )
    }

    private func figureViews(_ figures: TableView.Figures, _ organisation: String?) -> [TableView.FigureView] {
        var today = ["arrived": TableView.today]
        today["organisation"] = organisation
        var views = [
            TableView.FigureView(text: localizer("table.open", count: figures.open), href: nil),
            TableView.FigureView(
                text: localizer("table.new", count: figures.new),
                href: figures.new > 0 ? path("/my/table" + BoardFilters.query(today)) : nil
            ),
        ]
        if let count = figures.withOwners, let organisation {
            let href = path("/account/organisations/\(organisation)/matches")
            views.append(TableView.FigureView(text: localizer("owners.count", count: count), href: href))
        }
        return views
    }

    private func scanView(_ scanned: TableView.ScannedMicrochip?, _ organisation: String?) -> TableView.ScanView {
        var (number, text, problem): (String?, String?, String?)
        var (listings, isOnBoard): ([LinkView], Bool) = ([], false)
        switch scanned {
        case .own(let found, let microchip):
            (number, text) = (microchip.number, localizer("table.scan.own"))
            listings = found.map { listing in
                let status = localizer.status(listing.content.status ?? .lost)
                let name = [localizer.name(listing.content), listing.content[.reference], status]
                return LinkView(name: name.compactMap(\.self).joined(separator: " · "), href: listingPath(listing.id))
            }
        case .board(let microchip):
            (number, text, isOnBoard) = (microchip.number, localizer("table.scan.board"), true)
        case .unknown(let microchip):
            (number, text) = (microchip.number, localizer("table.scan.unknown"))
        case .problem(let error, let typed):
            (number, problem) = (
                typed, error.field == "number" ? localizer("problem.microchip") : localizer.problem(error)
            )
        case nil: break
        }
        return TableView.ScanView(
            organisation: organisation, number: number, text: text, problem: problem, listings: listings,
            isOnBoard: isOnBoard, isScanned: scanned != nil
        )
    }

    private func row(_ listing: Listing, _ record: AnimalRecord?) -> TableView.RowView {
        let status = listing.content.status ?? .lost
        return TableView.RowView(
            id: listing.id.uuidString.lowercased(), href: listingPath(listing.id),
            name: localizer.name(listing.content), status: status.rawValue, statusLabel: localizer.status(status),
            speciesLabel: localizer("species.\(listing.content.species)"), place: localizer.place(listing.location),
            created: localizer.day(listing.createdAt, at: listing.location), reference: listing.content[.reference],
            expires: listing.expiresAt.map { localizer.day($0, at: listing.location) },
            record: record.map { record in
                localizer.facts(record, of: listing).filter { $0.key != .behaviour }
                    .map { "\($0.label): \($0.value)" }.joined(separator: " · ")
            },
            isHidden: listing.hidden
        )
    }

    private func column(_ name: String, _ values: [String: String]) -> TableView.ColumnView {
        let (isUp, isDown) = (values["sort"] == name, (values["sort"] ?? "-created") == "-" + name)
        let query = BoardFilters.query(values.merging(["sort": isUp ? "-" + name : name]) { $1 })
        return TableView.ColumnView(
            label: localizer("table.\(name)"), href: path("/my/table" + query),
            order: isUp ? "ascending" : isDown ? "descending" : "none", isUp: isUp, isDown: isDown
        )
    }

    private func sortChoices(_ name: String, _ sort: String) -> [OptionView] {
        [("", " ↑"), ("-", " ↓")].map { sign, arrow in
            OptionView(value: sign + name, label: localizer("table.\(name)") + arrow, selected: sort == sign + name)
        }
    }
}
