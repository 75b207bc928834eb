import Flyer
import Foundation
import Photos
import TestSupport

enum Flyers {
    static let address = "https://dogs.example.org/l/7KF3M2Q"

    static let argo = Flyer(
        headline: "SMARRITO",
        status: .lost,
        name: "Argo",
        facts: [
            Flyer.Fact("Razza", "Pastore tedesco"), Flyer.Fact("Sesso", "maschio"), Flyer.Fact("Taglia", "grande"),
            Flyer.Fact("Colore", "nero focato"), Flyer.Fact("Età", "4 anni"),
            Flyer.Fact("Microchip", "finisce con 4471"),
            Flyer.Fact("Visto l’ultima volta", "Lungomare Trieste, Salerno, 14 novembre 2026"),
        ],
        description: "Collare rosso, molto timido: non rincorretelo.",
        callToAction: "Se lo vedi, chiama a qualsiasi ora!",
        contacts: ["+39 333 123 4567", "anna@example.org"],
        address: address,
        language: .italian
    )

    /// A blue photo, processed as the service stores it.
    static func photo(width: Int, height: Int) async throws -> Data {
        let png = try plainPNG(width: width, height: height, colour: [40, 120, 200])
        return Data(try await PhotoProcessor.built().process(png).jpegs[0].bytes)
    }

    /// A green map.
    static func map() throws -> MapPanel {
        let (width, height) = (MapPanel.width * MapPanel.scale, MapPanel.height * MapPanel.scale)
        return MapPanel(png: Data(try plainPNG(width: width, height: height, colour: [60, 180, 90])), mark: .point)
    }

    static func isMap(_ pixel: [Int]) -> Bool { zip(pixel, [60, 180, 90]).allSatisfy { abs($0 - $1) < 12 } }

    /// The distance in points of the strips to tear off from the top of an A4 page of 842 points.
    static let topOfStrips = 645.0

    static func isPhoto(_ pixel: [Int]) -> Bool { zip(pixel, [40, 120, 200]).allSatisfy { abs($0 - $1) < 12 } }

    /// Texts that could break the layout.
    static let hostile: [String] = [
        String(repeating: "W", count: 80),
        String(repeating: "molto lungo ", count: 350),
        String(repeating: "x", count: 4000),
        String(repeating: "riga\n", count: 800),
        "Z" + String(repeating: "\u{0300}\u{0323}\u{20DD}", count: 1300),
        "a\u{0}b\u{1}c\u{1B}[31md\u{7F}e\u{85}f\u{2028}g\u{FEFF}\u{FFFF}\u{10FFFF}",
        "\u{202E}\u{202E}\u{2067}drow\u{2066} \u{200D}\u{FE0F}",
        "寻狗启事 " + String(repeating: "非常友善的狗", count: 300),
        "كلب ودود جدا يرتدي طوقا أحمر " + String(repeating: "مفقود ", count: 500),
        "🐕‍🦺👨‍👩‍👧‍👦🇮🇹❤️ " + String(repeating: "🐶", count: 1000),
        "<b>& %s %n 'uri=' \\ \" </b>",
        "", " ", "\u{0}",
    ]

    static func spoiled(by text: String, photo: Data?) -> Flyer {
        Flyer(
            headline: text,
            status: .found,
            name: text,
            reward: text,
            facts: (0..<30).map { _ in Flyer.Fact(text, text) },
            description: text,
            photo: photo,
            callToAction: text,
            contacts: Array(repeating: text, count: 9),
            address: address,
            language: .english
        )
    }
}
