package import Domain
import Mustache

/// The page about the site: its promises, its operator, and how much it is used.
package struct AboutView: PageView {
    package static let template = "about"
    let thirdParties: String
    let figures: [RowView]
}

/// The imprint or the privacy statement, as the operator wrote it.
package struct StatementView: PageView {
    package static let template = "statement"
    let heading, text: String

    package enum Kind: String, Sendable {
        case imprint
        case privacy
    }
}

extension PageBuilder {
    /// - Parameter tileHost: the host that browsers load map tiles from; nil if this is the site itself.
    package func about(_ figures: BoardFigures, tileHost: String?) -> AboutView {
        let numbers =
            Listing.Status.open.map { ($0.rawValue, figures.open[$0] ?? 0) }
            + [("reunited", figures.reunited), ("recentlyReunited", figures.recentlyReunited)]
        return AboutView(
            thirdParties: tileHost.map { localizer("about.tiles", ["host": $0]) } ?? localizer("about.noThirdParties"),
            figures: numbers.map { RowView(label: localizer("about.\($0)"), value: localizer.number($1)) }
        )
    }

    package func statement(_ kind: StatementView.Kind, text: String) -> StatementView {
        StatementView(heading: localizer("footer.\(kind.rawValue)"), text: text)
    }
}
