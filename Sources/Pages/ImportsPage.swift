package import Domain
import Localization
package import Mustache

/// The form to import listings from a file, and the list of imports.
package struct ImportsPage: Page {
    package let template = "imports"
    package let section = PageSection.mine
    let imports: [ListingImport]
    /// The addresses that are imported at intervals.
    let feeds: [ImportFeed]
    let canImport: Bool
    let values: [String: String]
    let problem: ServiceError?

    /// - Parameters:
    ///   - typed: the input of a rejected request, so that the user can correct it.
    ///   - problem: nil for a new form.
    package init(
        _ imports: [ListingImport],
        feeds: [ImportFeed],
        canImport: Bool,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) {
        (self.imports, self.feeds, self.canImport, self.problem) = (imports, feeds, canImport, problem)
        values = typed
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        func choices(_ name: String, _ texts: String, _ options: [String]) -> [[String: any TemplateValue]] {
            options.map { option in
                [
                    "value": option, "label": localizer("imports.\(texts).\(option)"),
                    "selected": (values[name] ?? options[0]) == option,
                ]
            }
        }
        return [
            "title": localizer("imports.title"), "problem": problem.map(localizer.problem) ?? "",
            "canImport": canImport, "typedSource": values["source"] ?? "", "longest": ListingImport.maxSourceLength,
            "mappings": choices("mapping", "mapping", ["auto", "asm3", "petfbi"]),
            "closings": choices("close_missing", "close", ["false", "true", "all"]),
            "isRefreshing": imports.contains { !$0.state.hasEnded },
            "imports": imports.map { $0.content(compose) },
            "feeds": feeds.map { $0.content(compose) }, "typedURL": values["url"] ?? "",
            "intervals": [1, 6, 24, 168].map { hours in
                [
                    "value": hours, "label": localizer("imports.every.\(hours)"),
                    "selected": (values["every_hours"] ?? "24") == String(hours),
                ] as [String: any TemplateValue]
            },
            "hint": localizer("imports.hint", ["n": localizer.number(ListingImport.maxRows)]),
        ]
    }
}

/// One import with its report.
package struct ImportPage: Page {
    package let template = "import"
    package let section = PageSection.mine
    let listingImport: ListingImport
    let rejected: [ImportedRow]

    /// - Parameter rejected: the first rows that were left out.
    package init(_ listingImport: ListingImport, rejected: [ImportedRow]) {
        (self.listingImport, self.rejected) = (listingImport, rejected)
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        var content = listingImport.content(compose)
        let more = listingImport.counts.rejected - rejected.count
        content["title"] = localizer("imports.one")
        content["isRefreshing"] = !listingImport.state.hasEnded
        content["canRepeat"] = listingImport.order.isDryRun && listingImport.state == .done
        content["unknown"] = listingImport.unknownColumns.joined(separator: ", ")
        content["hasRejected"] = !rejected.isEmpty
        content["more"] = more > 0 ? localizer("imports.more", ["n": localizer.number(more)]) : ""
        let address = "/v1/imports/\(listingImport.id.uuidString.lowercased())/rows?format=csv"
        content["report"] = compose.path(address)
        content["rejected"] = rejected.map { row -> [String: any TemplateValue] in
            [
                "number": row.number, "reference": row.reference ?? "", "column": row.column ?? row.field ?? "",
                "message": Self.message(row, localizer),
                "detail": Self.message(row, localizer) == row.message ? "" : row.message ?? "",
            ]
        }
        return content
    }

    /// Says in the reader's language what is wrong, if the pages have words for the field.
    private static func message(_ row: ImportedRow, _ localizer: Localizer) -> String {
        let keys = row.field.map { ["imports.wrong.\($0)", "problem.\($0)"] } ?? []
        return keys.first(where: localizer.has).map { localizer($0) } ?? row.message ?? ""
    }
}

extension ImportFeed {
    fileprivate func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let id = id.uuidString.lowercased()
        return [
            "action": compose.path("/my/import-feeds/\(id)"), "url": order.url, "source": order.listings.source,
            "next": localizer("imports.next", ["when": localizer.moment(nextAt)]),
            "last": lastAt.map { localizer("imports.last", ["when": localizer.moment($0)]) } ?? "",
            "outcome": lastOutcome.map { localizer("imports.outcome.\($0.rawValue)") } ?? "",
            "report": lastImport.map { compose.path("/my/imports/\($0.uuidString.lowercased())") } ?? "",
        ]
    }
}

extension ListingImport {
    fileprivate func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let outcomes = [
            ("created", counts.created), ("updated", counts.updated), ("unchanged", counts.unchanged),
            ("closed", counts.closed), ("rejected", counts.rejected),
        ]
        return [
            "href": compose.path("/my/imports/\(id.uuidString.lowercased())"),
            "name": order.fileName ?? localizer("imports.one"), "source": order.source == "default" ? "" : order.source,
            "when": localizer.moment(createdAt), "isDryRun": order.isDryRun,
            "stateLabel": localizer("imports.state.\(state.rawValue)"), "isUnfinished": !state.hasEnded,
            "problem": problem.map { localizer("imports.problem.\($0.rawValue)") } ?? "",
            "read": position, "total": max(total ?? 0, 1), "hasTotal": total != nil,
            "progress": total.map {
                localizer("imports.progress", ["n": localizer.number(position), "all": localizer.number($0)])
            } ?? "",
            "outcomes": outcomes.map { name, count -> [String: any TemplateValue] in
                ["label": localizer("imports.count.\(name)"), "count": localizer.number(count)]
            },
        ]
    }
}
