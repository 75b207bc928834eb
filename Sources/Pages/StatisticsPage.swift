package import Domain
package import Mustache

/// Charts of how many animals are missing and come home.
package struct StatisticsPage: Page {
    package let template = "statistics"
    package let section = PageSection.none
    let figures: StatisticsFigures
    let regions: [String]
    let species: Species?
    let region: String?
    /// Nil for readers who are not the operator.
    package var work: OperatorFigures?

    /// - Parameter regions: those to choose from.
    package init(_ figures: StatisticsFigures, regions: [String], species: Species?, region: String?) {
        (self.figures, self.regions, self.species, self.region) = (figures, regions, species, region)
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        var filters = ["lang": localizer.language.rawValue]
        filters["species"] = species?.rawValue
        filters["region"] = region
        let query = BoardFilters.query(filters)
        let address = compose.path("/statistics")
        return [
            "title": localizer("statistics.title"), "description": localizer("statistics.lead"),
            "charts": StatisticsChart.Name.allCases.map { name in
                StatisticsChart(name, figures, selection: "", localizer).content(address: address, query: query)
            },
            "species": compose.options(Species.self, "species", selected: species),
            "regions": (regions + [region].compactMap(\.self).filter { !regions.contains($0) }).map { name in
                ["value": name, "selected": name == region] as [String: any TemplateValue]
            },
            "work": work.map { ["rows": $0.rows(localizer)] as [String: any TemplateValue] } ?? false,
            "all": compose.path("/v1/statistics") + BoardFilters.query(filters.merging(["format": "csv"]) { $1 }),
        ]
    }
}
