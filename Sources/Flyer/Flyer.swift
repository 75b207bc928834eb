package import Domain
package import Foundation

/// A printable page about an animal that is lost, was found or was sighted.
///
/// The caller supplies all texts in the flyer's language. Long texts are set in a smaller size, but not below 9 points.
/// If that is not enough, they end with an ellipsis. Characters that cannot be printed are omitted.
package struct Flyer: Equatable, Sendable {
    package struct Fact: Equatable, Sendable {
        package let label: String
        package let value: String

        package init(_ label: String, _ value: String) {
            self.label = label
            self.value = value
        }
    }

    /// The text to be read from a distance, such as "LOST".
    package var headline: String
    /// Determines the colour of the bands.
    package var status: Listing.Status
    package var name: String?
    /// A line that is set prominently, such as "Reward: 50 euro".
    package var reward: String?
    /// The most important ones first. There is room for about eight and at most twelve; the last ones are omitted.
    package var facts: [Fact]
    package var description: String?
    /// An upright JPEG with 8 bits per sample, baseline or progressive, greyscale or with three colour components. Its
    /// bytes are copied to the PDF unchanged.
    package var photo: Data?
    package var map: MapPanel?
    /// The text above the contacts, such as "Please call at any hour".
    package var callToAction: String?
    /// The most useful one first: it is set in the largest possible size.
    package var contacts: [String]
    /// The web address of the listing, printed as text and as a QR code.
    package var address: String
    package var language: Language

    package init(
        headline: String,
        status: Listing.Status,
        name: String? = nil,
        reward: String? = nil,
        facts: [Fact] = [],
        description: String? = nil,
        photo: Data? = nil,
        map: MapPanel? = nil,
        callToAction: String? = nil,
        contacts: [String] = [],
        address: String,
        language: Language
    ) {
        (self.headline, self.status, self.name) = (headline, status, name)
        (self.reward, self.facts, self.description) = (reward, facts, description)
        (self.photo, self.map, self.callToAction) = (photo, map, callToAction)
        (self.contacts, self.address, self.language) = (contacts, address, language)
    }

    /// Returns a PDF of one page. The same flyer always produces the same bytes.
    ///
    /// The method can be called from any thread; flyers are drawn one after another.
    /// - Throws: `FlyerError`.
    package func pdf(_ format: Format = .a4) throws -> Data {
        let photo = try photo.map(Photo.init)
        let code = try QRCode(address)
        return try Canvas.draw(.pdf, format.page, title: title, language: language) {
            FlyerLayout(flyer: self, format: format, photo: photo, code: code, canvas: $0).draw()
        }
    }

    var title: String {
        [headline, name ?? ""].map { $0.singleLine(limit: 200) }.filter { !$0.isEmpty }.joined(separator: " – ")
    }

    /// The address without its scheme, as people type it.
    var shortAddress: String {
        address.singleLine(limit: 400).replacing(/^https?:\/\//, with: "")
    }
}
