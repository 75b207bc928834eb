package import Domain
import Foundation
import Localization
import Mustache

/// The alerts of a reader, and how they want to be told.
package struct AlertsView: PageView {
    package static let template = "alerts"
    let alerts: [AlertView]
    let byMail, isDaily, likelyAtOnce: Bool
    let problem, place, text: String?
    let hours, statuses, species, radii: [OptionView]

    /// An alert, the own listing whose matches it tells, the town in the middle of its area, and what it has found, the
    /// newest first.
    package typealias Entry = (alert: Alert, listing: Listing?, town: String?, found: [Listing])

    struct AlertView: TemplateView {
        let id, heading: String
        let about, listing: String?
        let isPaused: Bool
        let area: AreaView?
        let found: [FoundView]
        let changes: ChangesView?
    }

    /// The inputs that change a search. Its area stays where it is.
    struct ChangesView: TemplateView {
        /// None if the area is not a circle.
        let radii: [OptionView]
        /// That of the alert.
        let id: String
        let statuses, species: [OptionView]
        let text: String?
    }

    /// The area of a search for the map: a circle, or corners as longitudes and latitudes with commas.
    struct AreaView: TemplateView {
        let lon, lat, radius, corners: String?

        /// - Parameter search: the parameters of the search. A town without a radius is not drawn.
        init?(_ search: [String: String]) {
            (lon, lat, radius) = (search["lon"], search["lat"], search["radius"])
            corners = search["polygon"] ?? search["bbox"].flatMap(Self.corners)
            guard corners != nil || lon != nil && lat != nil && radius != nil else { return nil }
        }

        private static func corners(ofBox text: String) -> String? {
            let edges = text.split(separator: ",").compactMap { Double($0) }
            guard edges.count == 4 else { return nil }
            let (west, south, north) = (edges[0], edges[1], edges[3])
            // A box across the antimeridian ends west of where it begins (RFC 7946, section 5.2).
            let east = edges[2] < west ? edges[2] + 360 : edges[2]
            return [west, south, east, south, east, north, west, north].map { "\($0)" }.joined(separator: ",")
        }
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
            radii: radii(selected: typed["radius"] ?? "10000")
        )
    }

    /// Also contains a selected radius that an alert has from elsewhere.
    private func radii(selected: String?) -> [OptionView] {
        let selected = selected.flatMap(Double.init)
        let radii = [5_000, 10_000, 25_000, 50_000]
        return Set(radii + [selected].compactMap { $0.map { Int($0) } }).sorted().map { radius in
            OptionView(
                value: String(radius), label: localizer.distance(Double(radius)), selected: selected == Double(radius)
            )
        }
    }

    private func changes(of search: [String: String], _ alert: UUID) -> AlertsView.ChangesView {
        let status = search["status"]
        var statuses = options(Listing.Status.open, "status", selected: status)
        if let status, status.contains(",") {
            statuses.insert(OptionView(value: status, label: self.statuses(status), selected: true), at: 0)
        }
        return AlertsView.ChangesView(
            radii: search["lon"] == nil ? [] : radii(selected: search["radius"]),
            id: alert.uuidString.lowercased(), statuses: statuses,
            species: options(Species.allCases, "species", selected: search["species"]), text: search["q"]
        )
    }

    /// The names of statuses with commas between them.
    private func statuses(_ statuses: String) -> String {
        statuses.split(separator: ",").map { localizer.status(Listing.Status(rawValue: String($0))) }
            .joined(separator: ", ")
    }

    private func alert(_ entry: AlertsView.Entry) -> AlertsView.AlertView {
        let about = description(of: entry)
        return AlertsView.AlertView(
            id: entry.alert.id.uuidString.lowercased(), heading: entry.alert.name ?? about,
            about: entry.alert.name == nil ? nil : about,
            listing: entry.listing.map { listingPath($0.id, "/matches") },
            isPaused: entry.alert.isPaused, area: entry.alert.subject.search.flatMap(AlertsView.AreaView.init),
            found: entry.found.map { listing in
                AlertsView.FoundView(
                    href: listingPath(listing.id), status: (listing.content.status ?? .lost).rawValue,
                    statusLabel: localizer.status(listing.content.status), name: localizer.name(listing.content),
                    place: localizer.place(listing.location)
                )
            },
            changes: entry.alert.subject.search.map { changes(of: $0, entry.alert.id) }
        )
    }

    /// For example "Lost · Dog · within 10 km of Fisciano".
    private func description(of entry: AlertsView.Entry) -> String {
        switch entry.alert.subject {
        case .matches:
            localizer("alert.matches", ["name": entry.listing.map { localizer.name($0.content) } ?? ""])
        case .search(let search):
            [
                search["status"].map(statuses) ?? localizer("alert.any"),
                search["species"].map { localizer("species.\($0)") }, search["breed"],
                search["crosses"] == "no" ? localizer("board.noCrosses") : nil, search["q"].map { "“\($0)”" },
                area(search, entry.town),
            ].compactMap(\.self).joined(separator: " · ")
        }
    }

    private func area(_ search: [String: String], _ town: String?) -> String {
        if search["organisation"] != nil { return localizer("alert.ofOrganisation") }
        let isBox = search["bbox"] != nil || search["polygon"] != nil
        if isBox, let town { return localizer("alert.inAreaNear", ["place": town]) }
        let distance = search["radius"].flatMap(Double.init).map(localizer.distance) ?? ""
        if let place = search["place"] ?? town {
            return distance.isEmpty
                ? localizer("alert.inPlace", ["place": place])
                : localizer("alert.nearPlace", ["distance": distance, "place": place])
        }
        return isBox ? localizer("alert.inArea") : localizer("alert.near", ["distance": distance])
    }
}

/// The page to which the links in mails lead that end them, or narrow the alert that sends them.
package struct UnsubscribeView: PageView {
    package static let template = "unsubscribe"
    let action, narrowed: String?
    let isOne, isDone: Bool
    let radii: [OptionView]
}

extension PageBuilder {
    /// - Parameters:
    ///   - action: the path of the forms; nil if the link is not valid.
    ///   - isOne: whether only one alert ends.
    ///   - isDone: whether the mails have ended.
    ///   - radii: those to which the alert may be narrowed, in metres.
    ///   - radius: that to which it was narrowed.
    package func unsubscribe(
        action: String?,
        isOne: Bool = false,
        isDone: Bool = false,
        radii: [Int] = [],
        radius: Int? = nil
    ) -> UnsubscribeView {
        UnsubscribeView(
            action: action.map(path),
            narrowed: radius.map { localizer("alert.narrowed", ["distance": localizer.distance(Double($0))]) },
            isOne: isOne, isDone: isDone,
            radii: radii.map { radius in
                OptionView(
                    value: String(radius), label: localizer.distance(Double(radius)), selected: radius == radii.last
                )
            }
        )
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
