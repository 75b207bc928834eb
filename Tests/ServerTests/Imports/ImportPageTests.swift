import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("The page of an import")
struct ImportPageTests {
    /// A file as a volunteer has it: a title, words of a kennel, a misspelt town, dates with months first.
    private static let csv = """
        Canile comunale;;;;;
        Scheda;Cosa;Nome;Comune;Entrata;Telefono
        1;In canile;Argo;Fiscano;10/13/2025;089 123456
        2;In canile;Luna;Fiscano;10/14/2025;
        3;preso;Rex;Salerno;10/14/2025;
        4;preso;Zora;;10/15/2025;089 123457

        """

    private static func form(_ fields: [(String, String)]) -> Data {
        let pairs = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return Data(pairs.joined(separator: "&").utf8)
    }

    private static func headers(_ token: String) -> [String: String] {
        [
            "Cookie": "__Host-doggofinder=\(token)", "Content-Type": "application/x-www-form-urlencoded",
            "Origin": "https://dogs.example.org",
        ]
    }

    /// Sends the form of a trial, and returns what became of the import that it starts.
    private static func send(
        _ fields: [(String, String)],
        to id: String,
        _ service: RunningService,
        _ token: String
    ) async throws -> RunningService.Answer {
        let answer = try await service.send(
            "POST",
            "/my/imports/\(id)",
            bytes: form(fields),
            nil,
            headers(token),
            isFollowing: false
        )
        #expect(answer.status == 303, "\(answer.html.suffix(300))")
        let next = try #require(answer.headers["location"]?.split(separator: "/").last)
        return try await eventually("the end of the import") {
            let now = try await service.send("GET", "/v1/imports/\(next)", token: token)
            return now["ended_at"] != .null ? now : nil
        }
    }

    @Test("Mistakes are grouped and answered once; the answers are kept for the next file")
    func corrections() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let query = "?dry_run=true&lang=it&source=canile"
            let trial = try await service.ended(try await service.upload(Self.csv, token, query), token)
            #expect(trial["rows", "rejected"] == .number(4), "\(trial.html)")
            let id = try #require(trial.text("id"))
            let page = try await service.send("GET", "/my/imports/\(id)?lang=it", headers: Self.headers(token))
            // "Cosa" is no name that is known, so the person says what it is.
            #expect(page.html.contains("4 righe") && page.html.contains("name=\"column.1\""))
            let second = try await Self.send(
                [("action", "try"), ("column.1", "status"), ("column.4", "last_seen_at")],
                to: id,
                service,
                token
            )
            #expect(try await service.send("GET", "/v1/imports/\(id)", token: token).status == 404)
            let mistakes = try await service.send(
                "GET",
                "/v1/imports/\(try #require(second.text("id")))/rows?outcome=rejected",
                token: token
            )
            #expect(mistakes.text("rows", "0", "value") == "Fiscano" && mistakes.text("rows", "0", "field") == "place")
            let html = try await service.send(
                "GET",
                "/my/imports/\(try #require(second.text("id")))?lang=it",
                headers: Self.headers(token)
            ).html
            #expect(html.contains("Leggi «Fiscano» come") && html.contains("Fisciano (SA)"))
            #expect(html.contains("Leggi «preso» come"))
            let third = try await Self.send(
                [
                    ("action", "try"), ("fix.0.field", "place"), ("fix.0.text", "Fiscano"),
                    ("fix.0.as", "Fisciano (SA)"),
                    ("fix.1.field", "status"), ("fix.1.text", "preso"), ("fix.1.as", "found"),
                    ("fix.2.field", "place"), ("fix.2.text", ""), ("fix.2.as", "Eboli"), ("asks", "contacts"),
                    ("contacts", "public"),
                ],
                to: try #require(second.text("id")),
                service,
                token
            )
            #expect(third["rows", "created"] == .number(4), "\(third.html)")
            let left = try await service.send(
                "GET",
                "/v1/imports/\(try #require(third.text("id")))/rows?outcome=rejected",
                token: token
            )
            #expect(left["rows"] == [], "\(left.html)")
            let done = try await Self.send([("action", "import")], to: try #require(third.text("id")), service, token)
            #expect(done["rows", "created"] == .number(4))
            let argo = try await service.send("GET", "/v1/listings?q=Argo")
            #expect(argo.text("features", "0", "properties", "place") == "Fisciano")
            #expect(argo.text("features", "0", "properties", "contact_phone") == "089 123456")
            #expect(argo.text("features", "0", "properties", "last_seen_at")?.hasPrefix("2025-10-13") == true)

            let next = Self.csv.replacing("Zora", with: "Zara").replacing("4;preso", with: "5;preso")
            let again = try await service.ended(try await service.upload(next, token, "?source=canile"), token)
            #expect(again["rows", "created"] == .number(1) && again["rows", "unchanged"] == .number(3))
            // Another list of the account has a plan of its own.
            let other = try await service.ended(
                try await service.upload(next, token, "?source=other&dry_run=true"), token)
            #expect(other["rows", "rejected"] == .number(4))
        }
    }

    @Test("Dates that can be read in two ways are asked once for the file")
    func unclearDates() async throws {
        let csv = "reference,status,place,date\n1,found,Salerno,3/4/2025\n2,found,Salerno,5/6/2025\n"
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let trial = try await service.ended(try await service.upload(csv, token, "?dry_run=true"), token)
            let id = try #require(trial.text("id"))
            let page = try await service.send("GET", "/my/imports/\(id)?lang=en", headers: Self.headers(token))
            #expect(page.html.contains("can be read in two ways"))
            let second = try await Self.send([("action", "try"), ("dates", "month_first")], to: id, service, token)
            let next = try #require(second.text("id"))
            let answered = try await service.send("GET", "/my/imports/\(next)?lang=en", headers: Self.headers(token))
            #expect(!answered.html.contains("can be read in two ways"))
            _ = try await Self.send([("action", "import")], to: next, service, token)
            let found = try await service.send("GET", "/v1/listings")
            let days = (0..<2).compactMap {
                found.text("features", String($0), "properties", "last_seen_at")?.prefix(10)
            }
            #expect(Set(days) == ["2025-03-04", "2025-05-06"])
        }
    }

    @Test("Who imports without another trial gets what the page says, too")
    func importWithAnswers() async throws {
        let csv = "reference,status,place\n1,found,Fiscano\n2,preso,Salerno\n"
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let trial = try await service.ended(try await service.upload(csv, token, "?dry_run=true"), token)
            #expect(trial["rows", "created"] == .number(0))
            let done = try await Self.send(
                [
                    ("action", "import"), ("fix.0.field", "place"), ("fix.0.text", "Fiscano"),
                    ("fix.0.as", "Fisciano (SA)"),
                    ("fix.1.field", "status"), ("fix.1.text", "preso"), ("fix.1.as", "found"),
                ],
                to: try #require(trial.text("id")),
                service,
                token
            )
            #expect(done["rows", "created"] == .number(2) && done["dry_run"] == .bool(false), "\(done.html)")
        }
    }

    @Test("A form with anything else in it changes nothing that it should not")
    func hostileForm() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let trial = try await service.ended(try await service.upload(Self.csv, token, "?dry_run=true"), token)
            let long = String(repeating: "x", count: 5_000)
            let answer = try await Self.send(
                [
                    ("action", "try"), ("column.1", "account_id"), ("column.99999", "name"), ("column.0", long),
                    ("fix.0.field", "owner"), ("fix.0.text", "x"), ("fix.0.as", "y"), ("fix.1.field", "name"),
                    ("fix.1.text", long), ("fix.1.as", long), ("value.0.field", "name"), ("dates", "unclear"),
                    ("value.0.as", "<b>"),
                ],
                to: try #require(trial.text("id")),
                service,
                token
            )
            #expect(answer.text("state") == "done" && answer["rows", "rejected"] == .number(4))
            let id = try #require(answer.text("id"))
            let stranger = try await service.register("eva@example.org")
            let refused = try await service.send(
                "POST",
                "/my/imports/\(id)",
                bytes: Self.form([("action", "try")]),
                nil,
                Self.headers(stranger),
                isFollowing: false
            )
            #expect(refused.status == 404)
        }
    }
}
