import CSV
import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Statistics over HTTP")
struct StatisticsRoutesTests {
    private static let now = Timestamp(stored: "2026-06-20T12:00:00.000Z")

    /// Runs the body with a board of ten lost dogs and five found cats of May, of which five dogs are linked to a found
    /// listing each.
    private static func with(_ body: (RunningService) async throws -> Void) async throws {
        let board = try await TestDatabase()
        for day in 0..<10 {
            let time = TestDatabase.may(Double(day) * 24)
            let lost = try await board.post(.lost, time) { $0.content.breedKey = "beagle" }
            guard day < 5 else { continue }
            let found = try await board.post(.found, time) { $0.content.species = .cat }
            try await board.link(lost, found, at: time.adding(days: 8))
        }
        try await RunningService.with(board: board, hasModel: false, now: ManualClock(now).reading, body)
    }

    @Test("JSON has a period for each month, with null below five")
    func json() async throws {
        try await Self.with { service in
            let answer = try await service.send("GET", "/v1/statistics")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(answer.headers["vary"]?.contains("Accept") == true && answer.headers["etag"] != nil)
            #expect(answer.text("by") == "month" && answer.text("updated_at") == Self.now.text)
            #expect(answer.text("periods", "0", "start") == "2026-05-01")
            #expect(answer.text("periods", "0", "end") == "2026-06-01")
            #expect(answer["periods", "0", "lost"] == .number(10) && answer["periods", "0", "found"] == .number(5))
            #expect(answer["periods", "0", "sighted"] == .null)
            #expect(answer["periods", "0", "reunited_by_match"] == .number(5))
            #expect(answer["periods", "0", "days", "median"] == .number(8))
            #expect(answer["periods", "0", "metres", "maximum"] == .number(500))
            #expect(answer["periods", "1", "lost"] == .null && answer["periods", "1", "days"] == .null)
            let narrow = "/v1/statistics?by=week&species=dog&breed=beagle&region=campania&status=lost&since=2026-05-01"
            let weeks = try await service.send("GET", narrow)
            #expect(weeks.text("periods", "0", "start") == "2026-04-27" && weeks["periods", "0", "lost"] == .null)
            #expect(weeks["periods", "1", "lost"] == .number(5))
        }
    }

    @Test("CSV has the same figures, by Accept and by format")
    func csv() async throws {
        try await Self.with { service in
            let byFormat = try await service.send("GET", "/v1/statistics?format=csv")
            let byAccept = try await service.send("GET", "/v1/statistics", headers: ["Accept": "text/csv"])
            #expect(byFormat.body == byAccept.body && byFormat.headers["content-type"]?.hasPrefix("text/csv") == true)
            let lines = byFormat.html.split(separator: "\r\n")
            #expect(
                lines.first
                    == """
                    start,end,lost,found,sighted,reunited,reunited_by_match,reunited_otherwise,days_minimum,days_mean,\
                    days_median,days_maximum,metres_minimum,metres_mean,metres_median,metres_maximum
                    """
            )
            #expect(lines.dropFirst().first == "2026-05-01,2026-06-01,10,5,,5,5,,7,8,8,14,0,0,0,500")
            #expect(lines.last == "2026-06-01,2026-07-01,,,,,,,,,,,,,,")
            let both = try await service.send(
                "GET",
                "/v1/statistics",
                headers: ["Accept": "application/json, text/csv"]
            )
            #expect(both.headers["content-type"] == "application/json")
        }
    }

    @Test(
        "Invalid parameters are named",
        arguments: [
            ("by=year", "by"), ("since=yesterday", "since"), ("since=2026-02-01&until=2026-01-01", "until"),
            ("status=reunited", "status"), ("status=dog", "status"), ("species=horse", "species"),
            ("breed=zzzzzz", "breed"), ("region=Nowhereland", "region"), ("format=xml", "format"),
            ("colour=red", "colour"),
        ]
    )
    func invalid(query: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", "/v1/statistics?\(query)")
            #expect(answer.status == 400 && answer.text("field") == field, "\(answer.html)")
        }
    }

    @Test("Regions are known by their names in both languages, also without listings")
    func regions() async throws {
        try await RunningService.with(hasModel: false) { service in
            for name in ["Lombardia", "Lombardy", "lombardia"] {
                let answer = try await service.send("GET", "/v1/statistics?region=\(name)")
                #expect(answer.status == 200, "\(name)")
            }
        }
    }

    @Test("The page has every chart with a title, a description and a table", arguments: [Language.english, .italian])
    func page(language: Language) async throws {
        try await Self.with { service in
            let page = try await service.send("GET", "/statistics?lang=\(language.rawValue)&species=&region=Campania")
            #expect(page.status == 200 && !page.html.contains("statistics."))
            #expect(page.html.components(separatedBy: "<svg class=\"chart\" role=\"img\"").count == 5)
            #expect(page.html.components(separatedBy: "<table>").count == 5)
            #expect(page.html.contains(#"<option value="Campania" selected>"#))
            let (month, few) = language == .italian ? ("maggio 2026", "meno di 5") : ("May 2026", "fewer than 5")
            #expect(page.html.contains(#"<th scope="row">\#(month)</th><td>10</td><td>5</td>"#))
            #expect(page.html.contains("<td>\(few)</td>"))
            for link in page.html.matches(of: #/(?:href)="(\/(?:v1\/)?statistics[^"]*)"/#) {
                let path = String(link.1).replacing("&amp;", with: "&")
                #expect(try await service.send("GET", path).status == 200, "\(path)")
            }
        }
    }

    @Test(
        "Each chart is a well-formed image, also with a hostile region, and a file",
        arguments: [
            "missing", "days", "distance", "how",
        ]
    )
    func charts(name: String) async throws {
        let board = try await TestDatabase()
        for _ in 0..<5 {
            try await board.post(.lost, TestDatabase.may(1), reunitedAfter: 3) { $0.location.region = "<A & \"B\">" }
        }
        let clock = ManualClock(Self.now)
        try await RunningService.with(board: board, hasModel: false, now: clock.reading) { service in
            let region = "region=%3CA%20%26%20%22B%22%3E&lang=en"
            let image = try await service.send("GET", "/statistics/\(name).svg?\(region)")
            #expect(image.status == 200 && image.headers["content-type"] == "image/svg+xml")
            #expect(image.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            let parser = XMLParser(data: image.body)
            #expect(parser.parse(), "\(String(describing: parser.parserError))")
            for part in ["role=\"img\"", "<title id=\"\(name)-title\">", "<desc id=\"\(name)-desc\">", "&lt;A &amp;"] {
                #expect(image.html.contains(part), "\(part)")
            }
            #expect(!image.html.contains("<script") && !image.html.contains("nan"))
            let file = try await service.send("GET", "/statistics/\(name).csv?\(region)")
            #expect(file.status == 200 && file.headers["content-type"]?.hasPrefix("text/csv") == true)
            let csv = ["missing": "May 2026,5,5", "days": "3–6,5", "distance": "≥ 50,", "how": "Otherwise,5"]
            #expect(file.html.contains((csv[name] ?? "") + "\r\n"), "\(file.html)")
            let page = try await service.send("GET", "/statistics?\(region)")
            #expect(page.html.contains("&lt;A &amp;") && !page.html.contains("<A &"))
        }
    }

    @Test("There are no other charts, and an empty board has charts without bars")
    func missing() async throws {
        try await RunningService.with(hasModel: false) { service in
            for name in ["missing", "missing.png", "other.svg", ".svg", "missing.svg.csv"] {
                #expect(try await service.send("GET", "/statistics/\(name)").status == 404, "\(name)")
            }
            for name in ["missing", "days", "distance", "how"] {
                let image = try await service.send("GET", "/statistics/\(name).svg?lang=it")
                #expect(XMLParser(data: image.body).parse() && image.html.contains("abbastanza"), "\(name)")
            }
        }
    }

    @Test("Figures are computed again after an hour, and not at each request")
    func freshness() async throws {
        let clock = ManualClock()
        let board = try await TestDatabase()
        try await RunningService.with(board: board, hasModel: false, now: clock.reading) { service in
            let path = "/v1/statistics?since=2026-05-01"
            #expect(try await service.send("GET", path)["periods", "0", "lost"] == .null)
            for _ in 0..<5 { try await board.post(.lost, TestDatabase.may(2)) }
            #expect(try await service.send("GET", path)["periods", "0", "lost"] == .null)
            clock.advance(hours: 1.1)
            #expect(try await service.send("GET", path)["periods", "0", "lost"] == .number(5))
        }
    }
}
