package import Domain
import Localization
import Mustache

/// The form to import listings from a file, and the list of imports.
package struct ImportsView: PageView {
    package static let template = "imports"
    let problem, source, url: String?
    let hint: String
    let longest: Int
    let canImport, isRefreshing: Bool
    let mappings, closings, intervals: [OptionView]
    let imports: [ImportSummaryView]
    let feeds: [FeedView]

    struct FeedView: TemplateView {
        let action, url, source, next: String
        let last, outcome, report: String?
    }
}

/// One import with its report.
package struct ImportView: PageView {
    package static let template = "import"
    let summary: ImportSummaryView
    let isRefreshing, canRepeat: Bool
    let unknown, report: String
    let problem, more: String?
    let rejected: [RowView]

    struct RowView: TemplateView {
        let number: Int
        let message: String
        let reference, column, detail: String?
    }
}

struct ImportSummaryView: TemplateView {
    let href, name, when, stateLabel: String
    let source, progress: String?
    let read, total: Int
    let isDryRun, isUnfinished: Bool
    let outcomes: [RowView]
}

extension PageBuilder {
    /// - Parameter feeds: the addresses that are imported at intervals.
    package func imports(
        _ imports: [ListingImport],
        feeds: [ImportFeed],
        canImport: Bool,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> ImportsView {
        ImportsView(
            problem: problem.map(localizer.problem), source: typed["source"], url: typed["url"],
            hint: localizer("imports.hint", ["n": localizer.number(ListingImport.maxRows)]),
            longest: ListingImport.maxSourceLength, canImport: canImport,
            isRefreshing: imports.contains { !$0.state.hasEnded },
            mappings: options(["auto", "asm3", "petfbi"], "imports.mapping", selected: typed["mapping"] ?? "auto"),
            closings: options(["false", "true", "all"], "imports.close", selected: typed["close_missing"] ?? "false"),
            intervals: options(["1", "6", "24", "168"], "imports.every", selected: typed["every_hours"] ?? "24"),
            imports: imports.map(summary(of:)), feeds: feeds.map(feed)
        )
    }

    /// - Parameter rejected: the first rows that were left out.
    package func importReport(_ listingImport: ListingImport, rejected: [ImportedRow]) -> ImportView {
        let more = listingImport.counts.rejected - rejected.count
        return ImportView(
            summary: summary(of: listingImport), isRefreshing: !listingImport.state.hasEnded,
            canRepeat: listingImport.order.isDryRun && listingImport.state == .done,
            unknown: listingImport.unknownColumns.joined(separator: ", "),
            report: path("/v1/imports/\(listingImport.id.uuidString.lowercased())/rows?format=csv"),
            problem: listingImport.problem.map { localizer("imports.problem.\($0.rawValue)") },
            more: more > 0 ? localizer("imports.more", ["n": localizer.number(more)]) : nil,
            rejected: rejected.map { row in
                let message = message(of: row)
                return ImportView.RowView(
                    number: row.number, message: message, reference: row.reference, column: row.column ?? row.field,
                    detail: message == row.message ? nil : row.message
                )
            }
        )
    }

    /// Says in the reader's language what is wrong, if the pages have words for the field.
    private func message(of row: ImportedRow) -> String {
        let keys = row.field.map { ["imports.wrong.\($0)", "problem.\($0)"] } ?? []
        return keys.first(where: localizer.has).map { localizer($0) } ?? row.message ?? ""
    }

    private func feed(_ feed: ImportFeed) -> ImportsView.FeedView {
        ImportsView.FeedView(
            action: path("/my/import-feeds/\(feed.id.uuidString.lowercased())"), url: feed.order.url,
            source: feed.order.listings.source,
            next: localizer("imports.next", ["when": localizer.moment(feed.nextAt)]),
            last: feed.lastAt.map { localizer("imports.last", ["when": localizer.moment($0)]) },
            outcome: feed.lastOutcome.map { localizer("imports.outcome.\($0.rawValue)") },
            report: feed.lastImport.map { path("/my/imports/\($0.uuidString.lowercased())") }
        )
    }

    private func summary(of listingImport: ListingImport) -> ImportSummaryView {
        let (counts, order, position) = (listingImport.counts, listingImport.order, listingImport.position)
        let outcomes = [
            ("created", counts.created), ("updated", counts.updated), ("unchanged", counts.unchanged),
            ("closed", counts.closed), ("rejected", counts.rejected),
        ]
        return ImportSummaryView(
            href: path("/my/imports/\(listingImport.id.uuidString.lowercased())"),
            name: order.fileName ?? localizer("imports.one"), when: localizer.moment(listingImport.createdAt),
            stateLabel: localizer("imports.state.\(listingImport.state.rawValue)"),
            source: order.source == "default" ? nil : order.source,
            progress: listingImport.total.map {
                localizer("imports.progress", ["n": localizer.number(position), "all": localizer.number($0)])
            },
            read: position, total: max(listingImport.total ?? 0, 1), isDryRun: order.isDryRun,
            isUnfinished: !listingImport.state.hasEnded,
            outcomes: outcomes.map { name, count in
                RowView(label: localizer("imports.count.\(name)"), value: localizer.number(count))
            }
        )
    }
}
