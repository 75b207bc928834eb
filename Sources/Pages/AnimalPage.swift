package import Domain
import Localization
import Mustache

/// The page of an animal of which several listings tell: its way and the listings.
package struct AnimalView: PageView {
    package static let template = "animal"
    let heading, lead, href, action, canonical, status, way: String
    let canPart: Bool
    let steps: [StepView]
    let listings: [ListingView]

    struct StepView: TemplateView {
        let number: Int
        let at, when, what, href: String
        let photo: PhotoView?
    }

    struct ListingView: TemplateView {
        let cards: [CardView]
        /// Where a moderator separates it; nil for others.
        let part: String?
    }
}

extension PageBuilder {
    /// - Parameter listing: the one whose address the reader has opened.
    package func animal(_ animal: Animal, of listing: Listing, isOwner: Bool, isModerator: Bool) -> AnimalView {
        let last = animal.way[animal.way.count - 1]
        let first = animal.listings[0]
        return AnimalView(
            heading: animalHeading(animal, listing), lead: localizer("joined.lead"), href: listingPath(listing.id),
            action: listingPath(listing.id, "/animal"),
            canonical: origin + "/listings/\(first.id.uuidString.lowercased())/animal",
            status: last.listing.content.status?.rawValue ?? "", way: points(animal.way), canPart: isOwner,
            steps: zip(1..., animal.way).map(step),
            listings: animal.listings.map { one in
                AnimalView.ListingView(
                    cards: [card(.init(one))],
                    part: isModerator && !isOwner ? listingPath(one.id, "/animal") : nil
                )
            }
        )
    }

    /// A link to the page of the animal from that of one of its listings.
    func animalLink(_ count: Int) -> String {
        localizer("joined.link", count: count - 1)
    }

    private func animalHeading(_ animal: Animal, _ listing: Listing) -> String {
        let name = listing.content.name ?? animal.listings.lazy.compactMap(\.content.name).first
        let count = localizer.number(animal.listings.count)
        return name.map { localizer("joined.heading", ["name": $0, "n": count]) }
            ?? localizer("joined.unnamed.\(listing.content.species.rawValue)", ["n": count])
    }

    private func step(_ number: Int, _ step: Animal.Step) -> AnimalView.StepView {
        let (listing, sighting) = (step.listing, step.sighting)
        let status = localizer("timeline.seen.\((listing.content.status ?? .lost).rawValue)")
        let what = sighting == nil ? status : localizer("timeline.sighting")
        return AnimalView.StepView(
            number: number, at: sighting?.seenAt.text ?? listing.seenText,
            when: sighting.map { localizer.moment($0.seenAt, at: listing.location) } ?? localizer.seen(listing),
            what: [what, step.place].compactMap(\.self).joined(separator: " · "),
            href: listingPath(listing.id, sighting == nil ? "" : "#sightings"),
            photo: sighting?.photo.map { photo($0, alt: "sighting.photoAlt") }
        )
    }

    /// The places for the map as JSON, each with its number in the list: longitude, latitude, whether it is only an area.
    private func points(_ way: [Animal.Step]) -> String {
        let points = zip(1..., way).map { number, step in
            "[\(number),\(step.coordinate.lon),\(step.coordinate.lat),\(step.isApproximate ? 1 : 0)]"
        }
        return "[\(points.joined(separator: ","))]"
    }
}
