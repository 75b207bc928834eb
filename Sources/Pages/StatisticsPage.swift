package import Domain
import Mustache

/// Charts of how many animals are missing and come home.
package struct StatisticsView: PageView {
    package static let template = "statistics"
    let charts: [ChartView]
    let species, regions: [OptionView]
    let work: [RowView]
    let all: String

    struct ChartView: TemplateView {
        let name, title, description, svg, image, file: String
        let header: [String]
        let rows: [ChartRowView]
    }

    struct ChartRowView: TemplateView {
        let label: String
        let cells: [String]
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - regions: those to choose from.
    ///   - work: nil for readers who are not the operator.
    package func statistics(
        _ figures: StatisticsFigures,
        regions: [String],
        species: Species?,
        region: String?,
        work: OperatorFigures?
    ) -> StatisticsView {
        var filters = ["lang": localizer.language.rawValue]
        filters["species"] = species?.rawValue
        filters["region"] = region
        let query = BoardFilters.query(filters)
        let shown = regions + [region].compactMap(\.self).filter { !regions.contains($0) }
        return StatisticsView(
            charts: StatisticsChart.Name.allCases.map { name in
                StatisticsChart(name, figures, selection: "", localizer).view(
                    address: path("/statistics"), query: query
                )
            },
            species: options(Species.allCases, "species", selected: species?.rawValue),
            regions: shown.map { OptionView(value: $0, label: $0, selected: $0 == region) },
            work: work?.rows(localizer) ?? [],
            all: path("/v1/statistics") + BoardFilters.query(filters.merging(["format": "csv"]) { $1 })
        )
    }
}
