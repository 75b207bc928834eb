import CSV
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for statistics of all listings.
struct StatisticsRoutes {
    enum Format: String, CaseIterable {
        case json
        case csv
    }

    let service: StatisticsService
    let breeds: Breeds
    let finder: any PlaceFinder
    let baseURL: BaseURL

    /// The language determines the meaning of the names of regions.
    private static let varies = "Accept, Accept-Language"
    static let csvType = "text/csv; charset=utf-8; header=present"

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/statistics", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let parameters = request.queryReader()
        let format = try parameters.choice("format", Format.self) ?? (request.wantsCSV ? .csv : .json)
        let snapshot = try await service.snapshot()
        let query = try StatisticsQuery(
            parameters,
            snapshot,
            breeds: breeds,
            finder: finder,
            language: request.language(parameters)
        )
        let figures = snapshot.figures(query)
        var response: Response
        switch format {
        case .json:
            var json = JSONWriter(capacity: 1_024 + 512 * figures.count)
            json.statistics(figures, query, at: snapshot.time, selfLink: baseURL.link(request))
            response = Response(json)
        case .csv: response = Self.csv(figures, query)
        }
        response.headers[.cacheControl] = "public, max-age=600"
        response.vary(by: Self.varies)
        return response
    }

    private static func csv(_ figures: [PeriodFigures], _ query: StatisticsQuery) -> Response {
        var bytes: [UInt8] = []
        let writer = CSVWriter()
        writer.append(StatisticsColumn.all.map(\.name), to: &bytes)
        for period in figures { writer.append(StatisticsColumn.all.map { $0.cell(period) }, to: &bytes) }
        return Response(
            status: .ok,
            headers: [
                .contentType: csvType,
                .contentDisposition: "attachment; filename=\"doggofinder-statistics-\(query.interval.rawValue).csv\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}

extension Request {
    /// Whether `Accept` names CSV, and names JSON not before it.
    fileprivate var wantsCSV: Bool {
        let types = (headers[.accept] ?? "").split(separator: ",").map { $0.prefix { $0 != ";" }.trimmed.lowercased() }
        return types.first { $0 == "text/csv" || $0 == "application/json" } == "text/csv"
    }
}

/// A column of the CSV.
private struct StatisticsColumn: Sendable {
    let name: String
    let cell: @Sendable (PeriodFigures) -> String

    static let all: [StatisticsColumn] =
        [
            .init(name: "start") { $0.firstDay }, .init(name: "end") { $0.endDay },
            number("lost") { $0.posted[.lost] }, number("found") { $0.posted[.found] },
            number("sighted") { $0.posted[.sighted] }, number("reunited") { $0.reunited },
            number("reunited_by_match") { $0.byMatch }, number("reunited_otherwise") { $0.otherwise },
        ] + spread("days", \.days) + spread("metres", \.metres)

    private static func number(_ name: String, _ value: @escaping @Sendable (PeriodFigures) -> Int?) -> Self {
        Self(name: name) { value($0).map(String.init) ?? "" }
    }

    private static func spread(
        _ name: String,
        _ spread: @escaping @Sendable (PeriodFigures) -> Spread?
    ) -> [Self] {
        [
            number("\(name)_minimum") { spread($0)?.minimum }, number("\(name)_mean") { spread($0)?.mean },
            number("\(name)_median") { spread($0)?.median }, number("\(name)_maximum") { spread($0)?.maximum },
        ]
    }
}

extension PeriodFigures {
    fileprivate var firstDay: String { Self.text(start) }
    fileprivate var endDay: String { Self.text(end) }

    private static func text(_ day: Int) -> String {
        String(Timestamp(milliseconds: Int64(day) * Int64(CalendarDay.seconds) * 1_000).text.prefix(10))
    }
}

extension JSONWriter {
    fileprivate mutating func statistics(
        _ figures: [PeriodFigures],
        _ query: StatisticsQuery,
        at time: Timestamp,
        selfLink: String
    ) {
        object { json in
            json.field("by", query.interval.rawValue)
            json.field("updated_at", time.text)
            json.array("periods", figures) { $0.period($1) }
            json.links([Link(rel: "self", href: selfLink, type: "application/json")])
        }
    }

    private mutating func period(_ figures: PeriodFigures) {
        object { json in
            json.field("start", figures.firstDay)
            json.field("end", figures.endDay)
            json.field("lost", figures.posted[.lost])
            json.field("found", figures.posted[.found])
            json.field("sighted", figures.posted[.sighted])
            json.field("reunited", figures.reunited)
            json.field("reunited_by_match", figures.byMatch)
            json.field("reunited_otherwise", figures.otherwise)
            json.embed("days") { $0.spread(figures.days) }
            json.embed("metres") { $0.spread(figures.metres) }
        }
    }

    private mutating func spread(_ spread: Spread?) {
        guard let spread else { return null() }
        object { json in
            json.field("minimum", spread.minimum)
            json.field("mean", spread.mean)
            json.field("median", spread.median)
            json.field("maximum", spread.maximum)
        }
    }
}
