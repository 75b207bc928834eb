package import Domain
import Localization
package import Mustache

/// The alerts of a reader, and how they want to be told.
package struct AlertsPage: Page {
    /// An alert with what it shows besides.
    package struct Entry: Sendable {
        let alert: Alert
        /// The own listing whose matches it tells.
        let listing: Listing?
        /// What it has found, the newest first.
        let found: [Listing]

        package init(_ alert: Alert, listing: Listing?, found: [Listing]) {
            (self.alert, self.listing, self.found) = (alert, listing, found)
        }
    }

    package let template = "alerts"
    package let section = PageSection.mine
    let entries: [Entry]
    let settings: NotificationSettings
    /// Whether the reader can get mails.
    let hasMail: Bool
    let problem: ServiceError?
    /// What was typed into the form for a new alert.
    let typed: [String: String]

    package init(
        _ entries: [Entry],
        _ settings: NotificationSettings,
        hasMail: Bool,
        problem: ServiceError? = nil,
        typed: [String: String] = [:]
    ) {
        (self.entries, self.settings, self.hasMail) = (entries, settings, hasMail)
        (self.problem, self.typed) = (problem, typed)
    }

    private static let radii = [5_000, 10_000, 25_000, 50_000]

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("alert.title"), "alerts": entries.map { $0.content(compose) },
            "hasMail": hasMail, "byMail": settings.email, "isDaily": settings.frequency == .daily,
            "likelyAtOnce": settings.likelyAtOnce,
            "hours": NotificationSettings.summaryHours.map { hour -> [String: any TemplateValue] in
                ["value": hour, "label": "\(hour):00", "selected": hour == settings.summaryHour]
            },
            "problem": problem.map(localizer.problem) ?? "", "place": typed["place"] ?? "", "q": typed["q"] ?? "",
            "statuses": compose.options(
                Listing.Status.self,
                "status",
                selected: typed["status"].flatMap(Listing.Status.init),
                among: Listing.Status.open
            ),
            "speciesChoices": compose.options(
                Species.self,
                "species",
                selected: typed["species"].flatMap(Species.init) ?? .dog
            ),
            "radii": Self.radii.map { radius -> [String: any TemplateValue] in
                [
                    "value": radius, "label": localizer.distance(Double(radius)),
                    "selected": String(radius) == typed["radius"] ?? "10000",
                ]
            },
        ]
    }
}

extension AlertsPage.Entry {
    fileprivate func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let id = alert.id.uuidString.lowercased()
        return [
            "id": id, "action": compose.path("/my/alerts/\(id)"), "heading": heading(localizer),
            "about": alert.name == nil ? "" : description(localizer), "isPaused": alert.isPaused,
            "listing": listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())/matches") } ?? "",
            "found": found.map { listing -> [String: any TemplateValue] in
                [
                    "href": compose.path("/listings/\(listing.id.uuidString.lowercased())"),
                    "status": (listing.content.status ?? .lost).rawValue,
                    "statusLabel": localizer.status(listing.content.status),
                    "name": localizer.name(listing.content), "where": localizer.place(listing.location),
                ]
            },
        ]
    }

    private func heading(_ localizer: Localizer) -> String { alert.name ?? description(localizer) }

    /// For example "Lost · Dog · within 10 km of Fisciano".
    private func description(_ localizer: Localizer) -> String {
        switch alert.subject {
        case .matches:
            localizer("alert.matches", ["name": listing.map { localizer.name($0.content) } ?? ""])
        case .search(let search):
            [
                search["status"].map { statuses in
                    statuses.split(separator: ",").map { localizer.status(Listing.Status(rawValue: String($0))) }
                        .joined(separator: ", ")
                } ?? localizer("alert.any"),
                search["species"].map { localizer("species.\($0)") }, search["breed"], search["q"].map { "“\($0)”" },
                area(search, localizer),
            ].compactMap(\.self).joined(separator: " · ")
        }
    }

    private func area(_ search: [String: String], _ localizer: Localizer) -> String {
        let distance = search["radius"].flatMap(Double.init).map(localizer.distance) ?? ""
        if let place = search["place"] {
            return distance.isEmpty
                ? localizer("alert.inPlace", ["place": place])
                : localizer("alert.nearPlace", ["distance": distance, "place": place])
        }
        let isBox = search["bbox"] != nil || search["polygon"] != nil
        return isBox ? localizer("alert.inArea") : localizer("alert.near", ["distance": distance])
    }
}

/// The page to which the links in mails lead that end them.
package struct UnsubscribePage: Page {
    package let template = "unsubscribe"
    package let section = PageSection.none
    /// The path of the form; nil if the link is not valid.
    let action: String?
    /// Whether only one alert ends.
    let isOne: Bool
    /// Whether the mails have ended.
    let isDone: Bool

    package init(action: String?, isOne: Bool = false, isDone: Bool = false) {
        (self.action, self.isOne, self.isDone) = (action, isOne, isDone)
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("alert.unsubscribeTitle"), "action": action.map(compose.path) ?? "", "isOne": isOne,
            "isDone": isDone,
        ]
    }
}

/// The form that saves a search as an alert with one tap.
struct AlertOffer {
    /// The parameters of the search; nil if it has no area.
    let search: [String: String]?

    /// - Parameter filters: the search of the board.
    init(_ filters: BoardFilters) {
        var search = filters.values.filter {
            ["species", "breed", "place", "q", "lon", "lat", "radius"].contains($0.key)
        }
        let statuses =
            filters["status"]?.split(separator: ",").compactMap { Listing.Status(rawValue: String($0)) } ?? []
        if !statuses.isEmpty, statuses.allSatisfy(\.isOpen) { search["status"] = filters["status"] }
        if search["lon"] != nil, search["radius"] == nil { search["radius"] = "10000" }
        self.search = search["lon"] != nil || search["place"] != nil ? search : nil
    }

    /// - Parameter listing: the search finds what can be of the same animal, around its public point.
    init(near listing: Listing) {
        let point = listing.location.coordinate
        search = [
            "status": listing.content.status == .lost ? "found,sighted" : "lost",
            "species": listing.content.species.rawValue,
            "lon": String(point.lon), "lat": String(point.lat), "radius": "10000",
        ]
    }

    func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "action": compose.path("/my/alerts"),
            "fields": (search ?? [:]).sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] },
            "hasArea": search != nil,
        ]
    }
}
