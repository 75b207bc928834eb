package import Domain
import Foundation
import Storage

extension JSONWriter {
    /// - Parameters:
    ///   - country: that of the listing.
    ///   - base: the base URL of the service, before the paths of photos.
    package mutating func sighting(_ sighting: Sighting, in country: String?, base: String) {
        object { json in
            json.field("id", sighting.id.lowercased)
            json.field("state", sighting.state.rawValue)
            json.field("mine", sighting.isMine)
            json.field("seen_at", sighting.seenAt.text)
            json.field("lon", sighting.point.lon)
            json.field("lat", sighting.point.lat)
            json.field("approximate", sighting.isApproximate)
            json.field("place", sighting.place)
            json.field("text", sighting.text)
            json.field("contact_phone", sighting.contactPhone)
            json.field("contact_phone_e164", TelephoneNumber.e164(of: sighting.contactPhone, in: country))
            json.embed("listing") { json in
                guard let attached = sighting.attached else { return json.null() }
                json.object { json in
                    json.field("id", attached.id.lowercased)
                    json.field("name", attached.name)
                }
            }
            json.photo(sighting.photo, base: base)
            json.field("created_at", sighting.createdAt.text)
        }
    }

    /// - Parameter text: a short text about the entry in the reader's language.
    package mutating func timelineEntry(_ entry: TimelineEntry, text: String) {
        object { json in
            json.field("at", entry.at.text)
            json.field("type", entry.kind.rawValue)
            json.field("status", entry.status?.rawValue)
            json.field("sighting", entry.sighting?.id.lowercased)
            json.field("listing", entry.other?.id.lowercased)
            json.field("answer", entry.answer?.rawValue)
            json.field("text", text)
        }
    }
}
