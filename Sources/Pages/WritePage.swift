package import Domain
import Foundation
import Localization
import MessageWarnings
import Mustache

/// The input of the form of a message.
package struct MessageForm: Sendable {
    /// The idempotency key, so that a form that is submitted twice sends the message only once.
    fileprivate let key: String
    fileprivate let values: [String: String]
    fileprivate let problem: String?

    package init(key: String = UUID().uuidString.lowercased(), _ values: [String: String] = [:], problem: String? = nil)
    {
        (self.key, self.values, self.problem) = (key, values, problem)
    }
}

struct MessageFormView: TemplateView {
    let key: String
    let text, mark, lon, lat, contactName, contactPhone, problem: String?
    let isFirst, asksForMark, showsContacts: Bool
    let photo: PhotoInputView
}

/// The form to write to the owner of a listing, or as its owner to the author of a sighting.
package struct WriteView: PageView {
    package static let template = "write"
    let heading, listing, action: String
    let seen, said: String?
    let warnings: [String]
    let form: MessageFormView
}

extension PageBuilder {
    /// - Parameter sighting: the sighting whose author gets the message; nil for a message to the owner.
    package func write(
        about listing: Listing,
        _ sighting: Sighting? = nil,
        _ form: MessageForm = MessageForm()
    ) -> WriteView {
        let status = listing.content.status.flatMap { $0.isOpen ? $0 : nil } ?? .lost
        let key = sighting == nil ? "inbox.writeAbout.\(status.rawValue)" : "case.writeAbout"
        let about = sighting.map { "/sightings/\($0.id.uuidString.lowercased())" } ?? ""
        let asksForMark = sighting == nil && listing.content[.secretMark] != nil
        return WriteView(
            heading: localizer(key, ["name": localizer.name(listing.content)]), listing: listingPath(listing.id),
            action: listingPath(listing.id, "\(about)/write"),
            seen: sighting.map { localizer.sighted($0, at: listing.location) },
            said: sighting?.text, warnings: warnings, form: messageForm(form, asksForMark: asksForMark, isFirst: true)
        )
    }

    func messageForm(_ form: MessageForm, asksForMark: Bool, isFirst: Bool = false) -> MessageFormView {
        let values = form.values
        return MessageFormView(
            key: form.key, text: values["text"], mark: values["mark"], lon: values["lon"], lat: values["lat"],
            contactName: values["contact_name"], contactPhone: values["contact_phone"], problem: form.problem,
            isFirst: isFirst, asksForMark: asksForMark,
            showsContacts: values["contact_name"] != nil || values["contact_phone"] != nil,
            photo: PhotoInputView(label: localizer("message.photo"), isAgain: form.problem != nil)
        )
    }

    /// The general warnings, shown independently of the text of a message.
    var warnings: [String] { MessageWarning.general.map { localizer("warning.\($0.rawValue)") } }
}
