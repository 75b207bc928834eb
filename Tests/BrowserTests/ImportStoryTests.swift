import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("A shelter's spreadsheet")
    struct ImportStoryTests {
        /// 205 animals as a volunteer keeps them: a title, an empty row, words of a kennel, three forms of dates, misspelt towns,
        /// in Windows-1252 with semicolons. Five rows stay out: two are there twice, three have no real telephone number.
        private static func file() throws -> Data {
            let months = ["gennaio", "marzo", "maggio", "luglio", "settembre"]
            let towns = ["Salerno", "Eboli", "Fiscano", "Baronissi", "Nocera Inf.", "Cava de' Tirreni"]
            var lines = [
                "CANILE COMUNALE - elenco dei cani, perché è tardi;;;;;;;;", ";;;;;;;;",
                "N. scheda;Situazione;Nome;Razza;Sesso;Comune ritrovamento;Data entrata;Tel. canile;Note",
            ]
            for number in 1...205 {
                let day = number % 28 + 1
                let dates = ["\(day)/3/2025", "\(day).03.25", "\(day) \(months[number % 5]) 2025"]
                let phone = number > 202 ? "123" : number.isMultiple(of: 3) ? "" : "089 123456"
                // The numbers of the cards 201 and 202 are those of the first two.
                let card = (201...202).contains(number) ? number - 200 : number
                lines.append(
                    [
                        "C\(card)", number % 20 == 0 ? "Adottato" : "In canile", "Cane \(number)", "meticcio",
                        number.isMultiple(of: 2) ? "M" : "F sterilizzata", towns[number % 6], dates[number % 3], phone,
                        number % 50 == 0 ? "\"buono; gioca\"" : "",
                    ].joined(separator: ";")
                )
            }
            return try #require(lines.joined(separator: "\r\n").data(using: .windowsCP1252))
        }

        @Test(
            "205 rows of a messy file: 200 in the organisation with phones after one correction, 5 left out with a reason"
        )
        func messyFile() async throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "elenco.csv")
            try Self.file().write(to: file)
            try await Scene.empty(hasModel: false) { service in
                let anna = try await service.register("anna@example.org")
                let body = #"{"name": "Canile di Salerno", "phone": "089 555123", "address": "Salerno (SA)"}"#
                let id = try await service.send("POST", "/v1/organisations", body, token: anna).created("id")
                try await Browser.with(Visitor(screen: .phone, language: "it", runsScripts: false)) { browser in
                    try await browser.hold(anna, at: service)
                    try await browser.open(service.base + "/my/imports")
                    try await browser.find("form[enctype] [name=organisation]").select(id)
                    try await browser.find("form[enctype] [name=import]").upload(file)
                    try await browser.click("form[enctype] button[value=try]")
                    try await browser.waitForImport(rejected: 72)
                    #expect(try await browser.findAll(".mistakes li").count == 4)
                    // The towns that are meant are there already.
                    #expect(try await browser.find("[name='fix.0.as']").value() == "Fisciano (SA)")
                    #expect(try await browser.find("[name='fix.1.as']").value() == "Nocera Inferiore (SA)")
                    try await browser.click("button[value=try]")
                    try await browser.waitForImport(rejected: 5)
                    try await browser.click("button[value=import]")
                    try await browser.waitForImport(rejected: 5)
                    try await browser.wait(for: "200", in: ".import-counts dd")
                }
                let query = "/v1/listings/count?status=lost,found,sighted"
                #expect(try await service.send("GET", query)["count"] == .number(190))
                let page = try await service.send("GET", "/v1/listings?q=%22Cane%203%22")
                let properties = try #require(page["features", "0", "properties"])
                #expect(properties["contact_phone"] == "089 555123" && properties["place"] == "Baronissi")
                let mine = try await service.send("GET", "/v1/me/listings", token: anna)
                #expect(mine["features"] == [])
            }
        }
    }
}

extension Browser {
    /// Waits until the page, which loads itself again, shows that an import has ended.
    fileprivate func waitForImport(rejected: Int) async throws {
        try await wait(for: "\(rejected) rejected rows") {
            let counts = try await findAll(".import-counts dd").last?.text()
            return counts == String(rejected)
        }
    }
}
