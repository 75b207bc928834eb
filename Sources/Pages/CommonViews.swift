import Domain
import Foundation
import Localization
import Mustache

/// A choice of a form.
struct OptionView: TemplateView {
    let value, label: String
    let selected: Bool
}

struct LinkView: TemplateView {
    let name, href: String
}

/// A fact with its label.
struct RowView: TemplateView {
    let label, value: String
}

/// A value that a form sends without showing it.
struct FieldView: TemplateView {
    let name, value: String
}

extension [String: String] {
    var fieldViews: [FieldView] { sorted { $0.key < $1.key }.map { FieldView(name: $0.key, value: $0.value) } }
}

/// An input with its text, and with the problem if that is about it.
struct InputView: TemplateView {
    let value, error: String?
}

/// The texts of a form's inputs by name. After a rejected request these are the typed ones, with the problem.
struct Inputs {
    var values: [String: String] = [:]
    var problem: String?
    /// The name of the input that the problem is about.
    var wrong: String?

    subscript(_ name: String) -> InputView { InputView(value: values[name], error: wrong == name ? problem : nil) }
}

/// The input of a place, and the towns or points that it may mean.
struct PlaceInputView: TemplateView {
    let value, error: String?
    let choices: [ChoiceView]

    /// A choice by an input of a name.
    struct ChoiceView: TemplateView {
        let name, value, label: String
    }

    init(_ inputs: Inputs, _ problem: ServiceError?) {
        (value, error) = (inputs["place"].value, inputs["place"].error)
        let isPoint = problem?.field == "lon"
        choices = (problem?.candidates ?? []).map { place in
            let point = "\(place.coordinate.lon),\(place.coordinate.lat)"
            let label = place.fullName.isEmpty ? point : place.fullName
            return isPoint
                ? ChoiceView(name: ListingForm.pointChoice, value: point, label: label)
                : ChoiceView(name: ListingForm.placeChoice, value: label, label: label)
        }
    }
}

/// The input of a point on a map.
struct SpotInputView: TemplateView {
    let lon, lat: String?
    /// The text for a chosen point; nil for that of listings.
    var positionSet: String?
    /// Where the map starts; nil for where the visitor was last.
    var startLon, startLat: String?
}

/// The input of a single photo.
struct PhotoInputView: TemplateView {
    let label: String
    var error: String?
    /// Whether the form was rejected, so that the photo must be chosen again.
    let isAgain: Bool
}

/// A photo in its sizes.
struct PhotoView: TemplateView {
    let number, width, height: Int
    let isFirst: Bool
    let url, medium, small, thumbnail, alt: String
}

extension PageBuilder {
    /// - Parameters:
    ///   - count: the number of photos of the listing.
    ///   - isFirst: whether it is the first one of the listing, which is not always number 1, or of a list of cards. It is
    ///     loaded before others.
    func photo(_ photo: ListingPhoto, name: String, of count: Int, isFirst: Bool = true) -> PhotoView {
        PhotoView(
            number: photo.number, width: photo.width, height: photo.height, isFirst: isFirst,
            url: path(photo.url), medium: path(photo.medium), small: path(photo.small),
            thumbnail: path(photo.thumbnail),
            alt: count == 1
                ? localizer("listing.alt", ["name": name])
                : localizer("listing.altNumber", ["name": name, "number": String(photo.number)])
        )
    }

    /// - Parameter count: as in `photo(_:name:of:isFirst:)`; more than 1 numbers even a single photo.
    func photos(of listing: Listing, name: String, count: Int) -> [PhotoView] {
        listing.photos.enumerated().map { photo($1, name: name, of: count, isFirst: $0 == 0) }
    }

    /// - Parameter alt: the key of the text for readers who do not see the photo.
    func photo(_ photo: StoredPhoto, alt: String) -> PhotoView {
        PhotoView(
            number: 1, width: photo.width, height: photo.height, isFirst: true, url: path(photo.url),
            medium: path(photo.medium), small: path(photo.small), thumbnail: path(photo.thumbnail),
            alt: localizer(alt)
        )
    }

    /// Returns the path of a page of a listing.
    func listingPath(_ id: UUID, _ rest: String = "") -> String {
        path("/listings/\(id.uuidString.lowercased())\(rest)")
    }
}

/// A telephone number as a reader sees it, with the address that calls it.
struct TelephoneView {
    let text, link: String
    /// The address of a chat in WhatsApp; nil unless the number can be that of a mobile telephone.
    let whatsApp: String?

    /// The first number of a text; the text if it has none.
    ///
    /// - Parameter country: where the number is used; nil if it is unknown.
    init(_ text: String, in country: String?) {
        let number = TelephoneNumber.first(in: text)
        self.text = number?.formatted(in: country) ?? text
        link = number?.link(in: country) ?? "tel:" + text.filter { $0.isNumber || $0 == "+" }
        whatsApp = number?.whatsApp(in: country)
    }
}

extension Listing {
    /// The address for people to copy, which leads to the page of the listing.
    ///
    /// - Parameter origin: the base URL of the service.
    func shortAddress(_ origin: String) -> String { origin + code.path }

    /// The telephone number that everybody may see.
    var telephone: TelephoneView? {
        shown(\.contactPhone).map { TelephoneView($0, in: location.countryCode) }
    }
}
