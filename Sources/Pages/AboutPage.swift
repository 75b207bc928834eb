package import Domain
package import Mustache

/// What the site promises, who runs it, and how much it is used.
package struct AboutPage: Page {
    package let template = "about"
    package let section = PageSection.none
    let site: SiteSettings
    let figures: BoardFigures
    /// The host that browsers load map tiles from; nil if this is the site itself.
    let tileHost: String?

    package init(_ site: SiteSettings, figures: BoardFigures, tileHost: String?) {
        self.site = site
        self.figures = figures
        self.tileHost = tileHost
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let open = Listing.Status.open.map { row(localizer("about.\($0.rawValue)"), figures.open[$0] ?? 0, compose) }
        let reunions = [
            row(localizer("about.reunited"), figures.reunited, compose),
            row(localizer("about.recentlyReunited"), figures.recentlyReunited, compose),
        ]
        let thirdParties =
            tileHost.map { localizer("about.tiles", ["host": $0]) } ?? localizer("about.noThirdParties")
        return [
            "title": localizer("about.title"), "heading": site.name, "description": localizer("about.lead"),
            "hasOperator": site.hasOperator, "contactText": site.contact ?? "",
            "thirdParties": thirdParties, "figures": open + reunions,
        ]
    }

    private func row(_ label: String, _ number: Int, _ compose: PageBuilder) -> [String: any TemplateValue] {
        ["label": label, "number": compose.localizer.number(number)]
    }
}

/// The imprint or the privacy statement, as the operator wrote it.
package struct StatementPage: Page {
    package enum Kind: String, Sendable {
        case imprint
        case privacy
    }

    package let template = "statement"
    package let section = PageSection.none
    let kind: Kind
    let text: String

    package init(_ kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        ["title": compose.localizer("footer.\(kind.rawValue)"), "text": text]
    }
}
