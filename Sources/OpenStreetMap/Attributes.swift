import Domain
import Foundation

extension PointOfInterest {
    /// Creates a point of interest, or returns nil if the tags match no category.
    init?(_ tags: Tags, at coordinate: Coordinate, element: Element?) {
        guard let category = Category(tags) else { return nil }
        self.init(category: category, coordinate: coordinate)
        self.element = element
        name = tags.text("name", "brand", "operator")
        street = tags.text("addr:street", "addr:place")
        houseNumber = tags.text("addr:housenumber")
        postalCode = tags.text("addr:postcode")
        city = tags.text("addr:city")
        phone = tags.text("phone", "contact:phone", "mobile", "contact:mobile")
        website = ["website", "contact:website", "url"].lazy.compactMap { tags[$0].flatMap(Self.website) }.first
        openingHours = tags.text("opening_hours")
    }

    private static let maxWebsiteLength = 300

    private static func website(_ value: String) -> String? {
        value.split(separator: ";").lazy.compactMap { httpURL($0.trimmed) }.first
    }

    private static func httpURL(_ text: String) -> String? {
        let url = text.contains("://") ? text : "https://" + text
        guard url.utf8.count <= maxWebsiteLength,
            let components = URLComponents(string: url),
            ["http", "https"].contains(components.scheme?.lowercased()),
            let host = components.host, isDomain(host),
            components.user == nil, components.password == nil
        else { return nil }
        return url
    }

    private static func isDomain(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }
}

extension Tags {
    private static let maxTextLength = 300

    /// Returns the first non-empty value of the keys.
    func text(_ keys: String...) -> String? {
        keys.lazy.compactMap { self[$0].flatMap(Self.cleaned) }.first
    }

    private static func cleaned(_ value: String) -> String? {
        // The length is limited in scalars, because one Character can consist of any number of them.
        let scalars = value.unicodeScalars.lazy.map { $0.properties.generalCategory == .control ? " " : $0 }
        let text = String(String.UnicodeScalarView(scalars)).trimmed.unicodeScalars.prefix(maxTextLength)
        return text.isEmpty ? nil : String(text).trimmed
    }
}

extension StringProtocol {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
