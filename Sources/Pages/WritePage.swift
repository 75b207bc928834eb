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

    func content(asksForMark: Bool) -> [String: any TemplateValue] {
        [
            "key": key, "f": values.templateValues, "problem": problem ?? "", "asksForMark": asksForMark,
            "showsContacts": values["contact_name"] != nil || values["contact_phone"] != nil,
        ]
    }
}

/// The form to write to the owner of a listing.
package struct WritePage: Page {
    package let template = "write"
    package let section = PageSection.none
    let listing: Listing
    let form: MessageForm

    package init(_ listing: Listing, _ form: MessageForm = MessageForm()) {
        self.listing = listing
        self.form = form
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let heading = compose.localizer("inbox.writeAbout", ["name": compose.localizer.name(listing.content)])
        return [
            "title": heading, "heading": heading, "isFirst": true, "warnings": compose.warnings,
            "listing": compose.path("/listings/\(listing.id.uuidString.lowercased())"),
        ].merging(form.content(asksForMark: listing.content[.secretMark] != nil)) { $1 }
    }
}

extension PageBuilder {
    /// The general warnings, shown independently of the text of a message.
    var warnings: [String] { MessageWarning.general.map { localizer("warning.\($0.rawValue)") } }
}
