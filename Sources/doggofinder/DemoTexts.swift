import Domain
import Foundation
import Storage

/// The texts of invented listings, messages and places, from `demo.json` of a language.
struct DemoTexts: Decodable {
    struct Reports: Decodable {
        let scam, wrong, spam: String
    }

    struct Help: Decodable {
        let alwaysOpenVets, vets, shops, shelters, parks: [String]
    }

    let names: [String]
    /// The last one is that of whoever found an animal.
    let stories: [String]
    let collars: [String]
    /// In the order of `DrawnDog.coats`.
    let coats: [String]
    /// A question and an answer each.
    let conversations: [[String]]
    let reports: Reports
    let help: Help

    static let file = "demo.json"

    /// - Parameter language: English stands for one without such texts.
    init(_ language: Language) throws {
        let bytes = language.bytesIfThere(of: Self.file) ?? Language.english.bytes(of: Self.file)
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }
}
