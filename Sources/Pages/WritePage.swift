package import Domain
import Foundation
import Localization
package import Mustache

/// The form fields of a message.
package struct MessageForm: Sendable {
    /// The idempotency key, so that a form that is submitted twice sends the message only once.
    private let key: String
    private let values: [String: String]
    private let problem: String?

    package init(key: String = UUID().uuidString.lowercased(), _ values: [String: String] = [:], problem: String? = nil)
    {
        self.key = key
        self.values = values
        self.problem = problem
    }

    func content(asksForMark: Bool, _ localizer: Localizer) -> [String: any TemplateValue] {
        [
            "key": key, "f": values.templateValues, "problem": problem ?? "", "asksForMark": asksForMark,
            "photoLabel": localizer("message.photo"),
            "showsContacts": values["contact_name"] != nil || values["contact_phone"] != nil,
        ]
    }
}

/// The form to write to the owner of a listing, or as its owner to the author of a sighting.
package struct WritePage: Page {
    package let template = "write"
    package let section = PageSection.none
    let listing: Listing
    /// The sighting whose author gets the message; nil for a message to the owner.
    let sighting: Sighting?
    let form: MessageForm

    package init(_ listing: Listing, about sighting: Sighting? = nil, _ form: MessageForm = MessageForm()) {
        self.listing = listing
        self.sighting = sighting
        self.form = form
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let key = sighting == nil ? "inbox.writeAbout" : "case.writeAbout"
        let heading = localizer(key, ["name": localizer.name(listing.content)])
        let path = compose.path("/listings/\(listing.id.uuidString.lowercased())")
        let about = sighting.map { "/sightings/\($0.id.uuidString.lowercased())" } ?? ""
        return [
            "title": heading, "heading": heading, "isFirst": true, "warnings": compose.warnings, "listing": path,
            "action": "\(path)\(about)/write",
            "seen": sighting.map { localizer.sighted($0, at: listing.location) } ?? "", "said": sighting?.text ?? "",
        ].merging(form.content(asksForMark: sighting == nil && listing.content[.secretMark] != nil, localizer)) { $1 }
    }
}

extension PageBuilder {
    /// The general warnings, shown independently of the text of a message.
    var warnings: [String] { MessageWarning.general.map { localizer("warning.\($0.rawValue)") } }
}
