import CSV
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The page of statistics, and its charts as images and files.
struct StatisticsPages {
    let site: Site
    let service: StatisticsService
    let work: ServiceWork

    /// How many months the chart of months shows.
    private static let months = 12

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/statistics", use: page)
        router.get("/statistics/:chart", use: chart)
    }

    private struct Selection {
        let figures: StatisticsFigures
        let regions: [String]
        let species: Species?
        let region: String?
    }

    /// Returns the figures for the filters `species` and `region`. An empty filter of the form is none.
    private func selection(_ request: Request) async throws -> Selection {
        let filters = request.parameters.filter { ["species", "region"].contains($0.key) && !$0.value.isEmpty }
        let snapshot = try await service.snapshot()
        let query = try StatisticsQuery(
            QueryReader(filters),
            snapshot,
            breeds: site.breeds,
            finder: site.finder,
            language: site.page.pageLanguage(request)
        )
        return Selection(
            figures: (snapshot.figures(query).suffix(Self.months), snapshot.reunionFigures(query)),
            regions: snapshot.regions,
            species: query.species,
            region: query.region
        )
    }

    @Sendable private func page(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let chosen = try await selection(request)
        let figures = context.caller?.account.role == .admin ? try work.figures() : nil
        return site.page.show(request, context.caller?.account, isPrivate: figures != nil) {
            $0.statistics(
                chosen.figures,
                regions: chosen.regions,
                species: chosen.species,
                region: chosen.region,
                work: figures
            )
        }
    }

    @Sendable private func chart(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let parts = (context.parameters.get("chart") ?? "").split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let name = StatisticsChart.Name(rawValue: String(parts[0])),
            ["svg", "csv"].contains(parts[1])
        else { throw ServiceError(.notFound, "no such chart") }
        let chosen = try await selection(request)
        let localizer = site.page.localizer(request)
        let words = [chosen.species.map { localizer("species.\($0.rawValue)") }, chosen.region].compactMap(\.self)
        let chart = StatisticsChart(name, chosen.figures, selection: words.joined(separator: ", "), localizer)
        var response = parts[1] == "csv" ? Self.file(chart) : Self.image(chart)
        response.headers[.cacheControl] = "public, max-age=600"
        response.headers[.contentLanguage] = localizer.language.rawValue
        response.headers[.vary] = "Accept-Language, Cookie"
        return response
    }

    private static func image(_ chart: StatisticsChart) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml",
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: chart.svg(isAlone: true)))
        )
    }

    private static func file(_ chart: StatisticsChart) -> Response {
        var bytes: [UInt8] = []
        let writer = CSVWriter()
        for row in chart.table { writer.append(row, to: &bytes) }
        return Response(
            status: .ok,
            headers: [
                .contentType: StatisticsRoutes.csvType,
                .contentDisposition: "attachment; filename=\"doggofinder-\(chart.name.rawValue).csv\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
