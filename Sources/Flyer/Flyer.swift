package import Domain
package import Foundation

/// A page of A4 to print and to hang up, for an animal that is missed, was found or was seen.
///
/// Texts are set as they are given: whoever fills in a flyer has translated them. What is too long is set smaller, and ends in an
/// ellipsis where that is not enough; what cannot be printed is left out.
package struct Flyer: Equatable, Sendable {
    package struct Fact: Equatable, Sendable {
        package let label: String
        package let value: String

        package init(_ label: String, _ value: String) {
            self.label = label
            self.value = value
        }
    }

    /// What is read from afar, such as "LOST".
    package var headline: String
    /// Decides the colour of the bands.
    package var status: Listing.Status
    package var name: String?
    /// The most telling ones first: there is room for about eight, at most twelve, and the last ones are left out.
    package var facts: [Fact]
    package var description: String?
    /// An upright JPEG of 8 bits, baseline or progressive, grey or of three colours. Its bytes go into the PDF as they are.
    package var photo: Data?
    /// Stands above the contacts, such as "Please call at any hour".
    package var callToAction: String?
    /// The most useful one first: it is set as large as it gets.
    package var contacts: [String]
    /// Where the page of the animal is, told in words and as a QR code.
    package var address: String
    package var language: Language

    package init(
        headline: String,
        status: Listing.Status,
        name: String? = nil,
        facts: [Fact] = [],
        description: String? = nil,
        photo: Data? = nil,
        callToAction: String? = nil,
        contacts: [String] = [],
        address: String,
        language: Language
    ) {
        self.headline = headline
        self.status = status
        self.name = name
        self.facts = facts
        self.description = description
        self.photo = photo
        self.callToAction = callToAction
        self.contacts = contacts
        self.address = address
        self.language = language
    }

    /// A PDF of one page; the same flyer gives the same bytes.
    ///
    /// May be called from any thread; flyers are drawn one after another.
    /// - Throws: `FlyerError`.
    package func pdf() throws -> Data {
        let photo = try photo.map(Photo.init)
        let code = try QRCode(address)
        return try Canvas.draw(title: title, language: language) {
            FlyerLayout(flyer: self, photo: photo, code: code, canvas: $0).draw()
        }
    }

    private var title: String {
        [headline, name ?? ""].map { $0.singleLine(limit: 200) }.filter { !$0.isEmpty }.joined(separator: " – ")
    }
}
