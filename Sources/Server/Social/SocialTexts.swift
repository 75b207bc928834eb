import Domain
import Formats
import Localization
import SocialMedia

/// Makes the posts of listings at other services, of what their public pages show. Contacts are left out: posts are copied, and
/// stay elsewhere after the listing ends.
struct SocialTexts: Sendable {
    let localization: Localization
    let photos: PhotoService
    let baseURL: BaseURL

    var source: SocialSource {
        SocialSource(
            content: content,
            withdrawn: { [localization] in localization.localizer($0)("social.withdrawn") },
            photo: photo
        )
    }

    @Sendable private func content(_ listing: Listing, _ language: Language) -> SocialContent {
        let localizer = localization.localizer(language)
        let (content, status) = (listing.content, listing.content.status ?? .lost)
        let breed = content.name == nil ? nil : localizer.breed(content)
        let what = [localizer.name(content), breed, localizer.place(listing.location)].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ", ")
        let link = baseURL.link("/l/\(listing.code.text)")
        let headline = localizer("social.headline.\(status.rawValue)", ["what": what])
        guard status.isOpen else {
            let thanks = status == .reunited ? [localizer("social.thanks")] : []
            return SocialContent(headline: headline, details: thanks, link: link, language: language)
        }
        let seen = "\(localizer("field.seen")): \(localizer.seen(listing))"
        let spot = "\(localizer("listing.where")): \(localizer.spot(of: listing))"
        var described = content
        // The headline tells the breed.
        (described.breedKey, described[.breed]) = (nil, nil)
        return SocialContent(
            headline: headline,
            details: ["\(seen)\n\(spot)"],
            description: localizer.sentences(on: described).sentences,
            link: link,
            tags: [localizer("social.tag.\(status.rawValue).\(content.species.rawValue)")],
            language: language
        )
    }

    @Sendable private func photo(_ listing: Listing, _ language: Language) async throws -> SocialContent.Photo? {
        guard let photo = listing.photos.first else { return nil }
        let localizer = localization.localizer(language)
        let name = localizer("listing.alt", ["name": localizer.name(listing.content)])
        do {
            return .init(jpeg: try await photos.medium(of: photo), description: name)
        } catch let error as ServiceError where error.code == .notFound {
            // The post is useful without it.
            return nil
        }
    }
}
