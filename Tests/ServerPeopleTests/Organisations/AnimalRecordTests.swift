import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Records of animals")
struct AnimalRecordTests {
    private static func dog(_ name: String, _ organisation: String) -> String {
        """
        {"status": "found", "name": "\(name)", "place": "Salerno", "reference": "\(name)-1", "organisation": "\(organisation)"}
        """
    }

    @Test("Members read and replace the record over the API; it is never public")
    func api() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let id = try await service.post(Self.dog("Argo", String(path.suffix(36))), anna)
            let record = "/v1/listings/\(id)/record"
            let empty = try await service.send("GET", record, token: anna)
            #expect(empty.status == 200 && empty["kennel"] == .null && empty["intake_on"] == .null)
            let body = #"{"intake_on": "2026-11-20", "intake": " stray ", "kennel": "B 12", "behaviour": "shy\nbites"}"#
            let put = try await service.send("PUT", record, body, token: anna)
            #expect(put.status == 200 && put.text("intake") == "stray" && put["outcome"] == .null)
            let read = try await service.send("GET", record, token: anna)
            #expect(read.text("kennel") == "B 12" && read.text("behaviour") == "shy\nbites")
            #expect(read.headers["cache-control"] == "no-store")
            for wrong in [#"{"intake_on": "20/11/2026"}"#, #"{"outcome_on": "2026-02-30"}"#, #"{"outcome_on": ""}"#] {
                let answer = try await service.send("PUT", record, wrong, token: anna)
                #expect(answer.status == 400 && answer.text("field")?.hasSuffix("_on") == true, "\(answer.html)")
            }
            let long = try await service.send(
                "PUT", record, #"{"kennel": "\#(String(repeating: "x", count: 101))"}"#, token: anna)
            #expect(long.status == 400 && long.text("field") == "kennel")
            for body in [#"{"cage": "1"}"#, nil] {
                #expect(try await service.send("PUT", record, body, token: anna).status == 400)
            }
            let stranger = try await service.register("bruno@example.org")
            #expect(try await service.send("GET", record, token: stranger).status == 403)
            #expect(try await service.send("PUT", record, body, token: stranger).status == 403)
            for address in ["/v1/listings/\(id)", "/v1/listings.csv", "/v1/listings.geojson", "/listings/\(id)"] {
                let answer = try await service.send("GET", address, headers: ["Accept": "*/*"])
                #expect(answer.status == 200 && !answer.html.contains("B 12") && !answer.html.contains("bites"))
            }
            #expect(try await service.send("PUT", record, "{}", token: anna).status == 200)
            let rows: Int? = try await service.board.database.read {
                try $0.value("SELECT count(*) FROM animal_record")
            }
            #expect(rows == 0)
        }
    }

    @Test("Members edit the record on a page, filter the table by kennel, and see who came today by the intake date")
    func pages() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            let argo = try await service.post(Self.dog("Argo", organisation), anna)
            _ = try await service.post(Self.dog("Bruna", organisation), anna)
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            #expect(try await visitor.get("/listings/\(argo)").html.contains("/listings/\(argo)/record"))
            let form = "/listings/\(argo)/record"
            let wrong = try await visitor.submit(form, ["intake_on": "yesterday", "kennel": "B 12"])
            #expect(wrong.status == 400 && wrong.html.contains("aria-invalid") && wrong.html.contains("B 12"))
            let day = String(clock.now.adding(days: -3).text.prefix(10))
            let sent = try await visitor.submit(form, ["intake_on": day, "intake": "stray", "kennel": "B 12"])
            #expect(sent.location?.contains("/listings/\(argo)") == true)
            #expect(try await visitor.get(form).html.contains(#"value="\#(day)""#))
            let table = "/my/table?organisation=\(organisation)"
            let all = try await visitor.get(table).html
            #expect(all.contains("Kennel: B 12") && all.contains(", stray") && all.contains("<option value=\"B 12\""))
            let some = try await visitor.get(table + "&kennel=B+12").html
            #expect(some.contains(">Argo<") && !some.contains(">Bruna<"))
            #expect(try await visitor.get(table + "&kennel=C").html.contains(">Argo<") == false)
            // Argo was posted today and came three days ago.
            let today = try await visitor.get(table + "&arrived=today").html
            #expect(today.contains(">Bruna<") && !today.contains(">Argo<") && today.contains("1 arrived today"))
            for format in ["asm3", "petfinder"] {
                let file = try await service.send("GET", "\(path)/animals.csv?format=\(format)", token: anna).html
                #expect(file.contains(day) && file.contains("B 12") == (format == "asm3"))
            }
            let actions = try await service.send("GET", "\(path)/actions", token: anna)
            #expect(actions.text("actions", "0", "action") == "listing.record")
        }
    }

    @Test("A file fills and changes records, and the same file again changes nothing")
    func imports() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            func read(_ kennel: String) async throws -> RunningService.Answer {
                let file = """
                    Scheda;Stato;Comune;Data ingresso;Provenienza;Box;Carattere;Note comportamentali;Uscita
                    7;trovato;Salerno;20/11/2026;ceduto;\(kennel);timido;morde i bambini;
                    8;trovato;Salerno;21/11/2026;;;;;adottato

                    """
                let sent = try await service.upload(file, anna, "?organisation=\(organisation)")
                return try await service.ended(sent, anna)
            }
            #expect(try await read("B 12")["rows", "created"] == .number(2))
            let records = try await service.board.database.read { db in
                try db.rows("SELECT * FROM animal_record ORDER BY listing_id") { row in
                    try ["intake_on", "intake", "kennel", "behaviour", "outcome_on", "outcome"].map { name in
                        (try row[name] as String?) ?? "-"
                    }
                }
            }
            #expect(
                Set(records) == [
                    ["2026-11-20", "ceduto", "B 12", "morde i bambini", "-", "-"],
                    ["2026-11-21", "-", "-", "-", "-", "adottato"],
                ])
            #expect(try await read("B 12")["rows", "unchanged"] == .number(2))
            let moved = try await read("C 1")
            #expect(moved["rows", "updated"] == .number(1) && moved["rows", "unchanged"] == .number(1))
            let list = try await service.send("GET", "/v1/me/listings?organisation=\(organisation)", token: anna).html
            // What the column of the temperament says is public, as before.
            #expect(list.contains("carattere: timido") && !list.contains("morde"))
        }
    }
}
