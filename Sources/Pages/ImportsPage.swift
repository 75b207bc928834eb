package import Domain
package import Foundation
import Localization
import Mustache

/// The form to import listings from a file, and the list of imports.
package struct ImportsView: PageView {
    package static let template = "imports"
    let problem, source, url: String?
    let hint: String
    let longest: Int
    let canImport, isRefreshing: Bool
    /// The organisations to choose from, with how many listings each may still open.
    let owners: [OptionView]
    let rooms: [String]
    let mappings, closings, intervals: [OptionView]
    let imports: [ImportSummaryView]
    let feeds: [FeedView]

    struct FeedView: TemplateView {
        let action, url, source, next, open: String
        /// `result` is what became of the file that was fetched last.
        let whose, last, outcome, report, result: String?
    }
}

struct ImportSummaryView: TemplateView {
    let href, name, when, stateLabel: String
    let source, progress, whose, photos: String?
    let read, total: Int
    let isDryRun, isUnfinished: Bool
    let outcomes: [RowView]
}

extension PageBuilder {
    /// - Parameters:
    ///   - feeds: the addresses that are imported at intervals.
    ///   - lastImports: those of feeds, by their ids.
    ///   - open: the open listings of each feed, by its key.
    ///   - organisations: those of imports and feeds, by the keys of their accounts.
    ///   - photos: how many photos of the imports were fetched, by the keys of the imports.
    ///   - rooms: for whom the viewer may import, with how many listings may still be opened; nil without a limit.
    package func imports(
        _ imports: [ListingImport],
        feeds: [ImportFeed],
        lastImports: [UUID: ListingImport] = [:],
        open: [Int64: Int] = [:],
        organisations: [Int64: Organisation] = [:],
        photos: [Int64: RemotePhoto.Counts] = [:],
        memberships: [Organisation.Membership] = [],
        rooms: [(name: String?, room: Int?)] = [],
        canImport: Bool,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> ImportsView {
        ImportsView(
            problem: problem.map(localizer.problem), source: typed["source"], url: typed["url"],
            hint: localizer(
                "imports.hint",
                [
                    "n": localizer.number(ListingImport.maxRows),
                    "size": localizer.number(ListingImport.maxArchiveSize >> 20),
                ]
            ),
            longest: ListingImport.maxSourceLength, canImport: canImport,
            isRefreshing: imports.contains { !$0.state.hasEnded },
            owners: owners(memberships, selected: typed["organisation"]),
            rooms: rooms.compactMap { room in room.room.map { text(room: $0, of: room.name) } },
            mappings: options(
                ["auto", "doggofinder", "asm3", "shelter", "petfbi"],
                "imports.mapping",
                selected: typed["mapping"] ?? "auto"
            ),
            closings: options(["false", "true", "all"], "imports.close", selected: typed["close_missing"] ?? "false"),
            intervals: options(["1", "6", "24", "168"], "imports.every", selected: typed["every_hours"] ?? "24"),
            imports: imports.map { summary(of: $0, organisations[$0.owner], photos[$0.key]) },
            feeds: feeds.map { feed in
                self.feed(
                    feed,
                    organisations[feed.owner],
                    feed.lastImport.flatMap { lastImports[$0] },
                    open: open[feed.key] ?? 0
                )
            }
        )
    }

    /// Says how many listings somebody may still open.
    func text(room: Int, of name: String?) -> String {
        localizer(name == nil ? "imports.room" : "imports.roomOf", count: room, ["name": name ?? ""])
    }

    /// Says how many photos were fetched; nil without photos.
    private func text(_ photos: RemotePhoto.Counts) -> String? {
        guard photos.total > 0 else { return nil }
        let (stored, all) = (localizer.number(photos.stored), localizer.number(photos.total))
        return [
            localizer("imports.photos", ["n": stored, "all": all]),
            photos.retried > 0 ? localizer("imports.photosRetried", ["n": localizer.number(photos.retried)]) : nil,
            photos.failed > 0 ? localizer("imports.photosFailed", ["n": localizer.number(photos.failed)]) : nil,
        ].compactMap(\.self).joined(separator: " ")
    }

    private func feed(
        _ feed: ImportFeed,
        _ organisation: Organisation?,
        _ last: ListingImport?,
        open: Int
    ) -> ImportsView.FeedView {
        ImportsView.FeedView(
            action: path("/my/import-feeds/\(feed.id.uuidString.lowercased())"), url: feed.order.url,
            source: feed.order.listings.source,
            next: localizer("imports.next", ["when": localizer.moment(feed.nextAt)]),
            open: localizer("imports.open", count: open),
            whose: organisation?.content.name,
            last: feed.lastAt.map { localizer("imports.last", ["when": localizer.moment($0)]) },
            outcome: feed.lastOutcome.map { localizer("imports.outcome.\($0.rawValue)") },
            report: feed.lastImport.map { path("/my/imports/\($0.uuidString.lowercased())") },
            result: last.map(result)
        )
    }

    /// Says what an import has changed, or why it has changed nothing.
    private func result(of last: ListingImport) -> String {
        if let problem = last.problem { return localizer("imports.problem.\(problem.rawValue)") }
        guard last.state == .done else { return localizer("imports.state.\(last.state.rawValue)") }
        return outcomes(of: last).map { "\($0.label): \($0.value)." }.joined(separator: " ")
    }

    private func outcomes(of listingImport: ListingImport) -> [RowView] {
        let counts = listingImport.counts
        return [
            ("created", counts.created), ("updated", counts.updated), ("unchanged", counts.unchanged),
            ("closed", counts.closed), ("rejected", counts.rejected),
        ].map { name, count in RowView(label: localizer("imports.count.\(name)"), value: localizer.number(count)) }
    }

    func summary(
        of listingImport: ListingImport,
        _ organisation: Organisation?,
        _ photos: RemotePhoto.Counts?
    ) -> ImportSummaryView {
        let (order, position) = (listingImport.order, listingImport.position)
        return ImportSummaryView(
            href: path("/my/imports/\(listingImport.id.uuidString.lowercased())"),
            name: order.fileName ?? localizer("imports.one"), when: localizer.moment(listingImport.createdAt),
            stateLabel: localizer("imports.state.\(listingImport.state.rawValue)"),
            source: order.source == "default" ? nil : order.source,
            progress: listingImport.total.map {
                localizer(
                    order.isPhotos ? "imports.progressPhotos" : "imports.progress",
                    ["n": localizer.number(position), "all": localizer.number($0)])
            },
            whose: organisation?.content.name,
            photos: photos.flatMap(text),
            read: position, total: max(listingImport.total ?? 0, 1), isDryRun: order.isDryRun,
            isUnfinished: !listingImport.state.hasEnded,
            outcomes: outcomes(of: listingImport)
        )
    }
}
