package import Domain
import Localization
import Mustache

/// The alerts of a reader, and how they want to be told.
package struct AlertsView: PageView {
    package static let template = "alerts"
    let alerts: [AlertView]
    let byMail, isDaily, likelyAtOnce: Bool
    let problem, place, text: String?
    let hours, statuses, species, radii: [OptionView]

    /// An alert, the own listing whose matches it tells, and what it has found, the newest first.
    package typealias Entry = (alert: Alert, listing: Listing?, found: [Listing])

    struct AlertView: TemplateView {
        let id, heading: String
        let about, listing: String?
        let isPaused: Bool
        let found: [FoundView]
    }

    struct FoundView: TemplateView {
        let href, status, statusLabel, name, place: String
    }
}

extension PageBuilder {
    package func alerts(
        _ entries: [AlertsView.Entry],
        _ settings: NotificationSettings,
        problem: ServiceError? = nil,
        typed: [String: String] = [:]
    ) -> AlertsView {
        AlertsView(
            alerts: entries.map(alert), byMail: settings.email,
            isDaily: settings.frequency == .daily, likelyAtOnce: settings.likelyAtOnce,
            problem: problem.map(localizer.problem), place: typed["place"], text: typed["q"],
            hours: NotificationSettings.summaryHours.map { hour in
                OptionView(value: String(hour), label: "\(hour):00", selected: hour == settings.summaryHour)
            },
            statuses: options(Listing.Status.open, "status", selected: typed["status"]),
            species: options(Species.allCases, "species", selected: typed["species"] ?? Species.dog.rawValue),
            radii: [5_000, 10_000, 25_000, 50_000].map { radius in
                OptionView(
                    value: String(radius), label: localizer.distance(Double(radius)),
                    selected: String(radius) == typed["radius"] ?? "10000"
                )
            }
        )
    }

    private func alert(_ entry: AlertsView.Entry) -> AlertsView.AlertView {
        let about = description(of: entry.alert, entry.listing)
        return AlertsView.AlertView(
            id: entry.alert.id.uuidString.lowercased(), heading: entry.alert.name ?? about,
            about: entry.alert.name == nil ? nil : about,
            listing: entry.listing.map { listingPath($0.id, "/matches") },
            isPaused: entry.alert.isPaused,
            found: entry.found.map { listing in
                AlertsView.FoundView(
                    href: listingPath(listing.id), status: (listing.content.status ?? .lost).rawValue,
                    statusLabel: localizer.status(listing.content.status), name: localizer.name(listing.content),
                    place: localizer.place(listing.location)
                )
            }
        )
    }

    /// For example "Lost · Dog · within 10 km of Fisciano".
    private func description(of alert: Alert, _ listing: Listing?) -> String {
        switch alert.subject {
        case .matches:
            localizer("alert.matches", ["name": listing.map { localizer.name($0.content) } ?? ""])
        case .search(let search):
            [
                search["status"].map { statuses in
                    statuses.split(separator: ",").map { localizer.status(Listing.Status(rawValue: String($0))) }
                        .joined(separator: ", ")
                } ?? localizer("alert.any"),
                search["species"].map { localizer("species.\($0)") }, search["breed"],
                search["crosses"] == "no" ? localizer("board.noCrosses") : nil, search["q"].map { "“\($0)”" },
                area(search),
            ].compactMap(\.self).joined(separator: " · ")
        }
    }

    private func area(_ search: [String: String]) -> String {
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
package struct UnsubscribeView: PageView {
    package static let template = "unsubscribe"
    let action: String?
    let isOne, isDone: Bool
}

extension PageBuilder {
    /// - Parameters:
    ///   - action: the path of the form; nil if the link is not valid.
    ///   - isOne: whether only one alert ends.
    ///   - isDone: whether the mails have ended.
    package func unsubscribe(action: String?, isOne: Bool = false, isDone: Bool = false) -> UnsubscribeView {
        UnsubscribeView(action: action.map(path), isOne: isOne, isDone: isDone)
    }
}

/// The form that saves a search as an alert with one tap.
struct AlertOfferView: TemplateView {
    /// The parameters of the search; none if it has no area.
    let fields: [FieldView]

    /// - Parameter filters: the search of the board.
    init(_ filters: BoardFilters) {
        var search = filters.values.filter {
            ["species", "breed", "crosses", "place", "q", "lon", "lat", "radius"].contains($0.key)
        }
        let statuses =
            filters["status"]?.split(separator: ",").compactMap { Listing.Status(rawValue: String($0)) } ?? []
        if !statuses.isEmpty, statuses.allSatisfy(\.isOpen) { search["status"] = filters["status"] }
        if search["lon"] != nil, search["radius"] == nil { search["radius"] = "10000" }
        fields = search["lon"] != nil || search["place"] != nil ? search.fieldViews : []
    }

    /// - Parameter listing: the search finds what can be of the same animal, around its public point.
    init(near listing: Listing) {
        let point = listing.location.coordinate
        fields =
            [
                "status": listing.content.status == .lost ? "found,sighted" : "lost",
                "species": listing.content.species.rawValue,
                "lon": String(point.lon), "lat": String(point.lat), "radius": "10000",
            ].fieldViews
    }
}
