package import Domain
package import Foundation
package import Localization
package import Mustache

/// Renders the web pages. It is independent of HTTP: the caller supplies the base URL and the viewer.
package struct Pages: Sendable {
    let library: TemplateLibrary
    private let localization: Localization
    /// The texts of each language for the templates.
    private let texts: [Language: TemplateContent]
    package let assets: Assets
    /// The path prefix of all URLs; empty if the service is at the root of its host.
    private let base: String
    let site: SiteView
    /// Where maps start in each language.
    private let mapAreas: [Language: BoundingBox]

    /// - Parameters:
    ///   - base: the path of the service's base URL, without a slash at the end.
    ///   - site: what the operator says about the site.
    ///   - mapAreas: where maps start for readers of a language, if the operator names no area.
    package init(
        _ localization: Localization,
        base: String,
        site: SiteSettings = SiteSettings(),
        mapAreas: [Language: BoundingBox] = [:]
    ) throws {
        library = try Self.templates.get()
        assets = try Self.files.get()
        self.localization = localization
        self.base = base
        self.site = SiteView(site, base: base)
        self.mapAreas =
            if let area = site.mapArea {
                Dictionary(uniqueKeysWithValues: localization.languages.map { ($0, area) })
            } else {
                mapAreas
            }
        texts = Dictionary(
            uniqueKeysWithValues: localization.languages.map { language in
                let groups = localization.localizer(language).texts.tree
                return (language, .fields(groups.mapValues { .fields($0.mapValues(TemplateContent.text)) }))
            }
        )
    }

    /// The templates and files are part of the program, so they are read once.
    private static let templates = Result { try TemplateLibrary(folder: folder.appending(path: "Templates")) }
    private static let files = Result { try Assets(folder: folder.appending(path: "Assets")) }
    private static let folder = Bundle.module.resourceURL ?? Bundle.module.bundleURL

    package var timeZones: TimeZones { localization.timeZones }

    package func localizer(_ language: Language) -> Localizer {
        localization.localizer(language)
    }

    /// Returns the HTML of a page in UTF-8.
    package func render<View: PageView>(
        for visit: PageContext,
        _ page: (PageBuilder) throws -> View
    ) rethrows -> [UInt8] {
        var builder = builder(visit.language, origin: visit.origin)
        builder.localizer.readerZone = visit.timeZone
        return try render(View.template, page(builder), for: visit)
    }

    func render(_ template: String, _ view: some TemplateView, for visit: PageContext) -> [UInt8] {
        var frame = frame(visit.language)
        let (localizer, area) = (localizer(visit.language), mapAreas[visit.language])
        frame["page"] = TemplateContent(FrameView(visit, localizer, assets, base: base, site, mapArea: area))
        return library.render(template, view, frame: frame)
    }

    /// The values that templates of pages and mails see besides their views: the texts of the language.
    func frame(_ language: Language) -> [String: TemplateContent] { ["t": texts[language] ?? .fields([:])] }

    func builder(_ language: Language, origin: String) -> PageBuilder {
        PageBuilder(localizer: localizer(language), base: base, origin: origin)
    }
}

/// The values that templates of all pages see, by the name `page`.
struct FrameView: TemplateView {
    let lang, direction, locale, base, assets, stylesheet, scriptTexts, unread: String
    let languages: [LanguageView]
    /// The address of the page in the language that the reader's browser prefers.
    let neutralAddress: String
    /// The address of the picture of the site.
    let picture: String
    let notice, linkEmail: String?
    let address: String
    let isGuest, isUser, isAdmin, isSignedIn, sendsMail, canGetMail: Bool
    let hasMiles: Bool
    /// Where maps start, from west to north.
    let mapArea: String?
    let site: SiteView

    init(
        _ visit: PageContext,
        _ localizer: Localizer,
        _ assets: Assets,
        base: String,
        _ site: SiteView,
        mapArea: BoundingBox?
    ) {
        let properties = visit.language.properties
        lang = visit.language.code
        direction = properties.direction.rawValue
        locale = properties.locale.replacing("_", with: "-")
        self.base = base
        self.assets = "\(base)/assets/\(assets.version)"
        stylesheet = assets.stylesheet
        scriptTexts = localizer.texts.script
        picture = "\(visit.origin)/picture.jpg?lang=\(lang)"
        languages = Language.allCases.map { LanguageView($0, visit, base: base) }
        neutralAddress = visit.origin + visit.link(in: nil)
        unread = visit.unread == 0 ? "" : visit.unread < 100 ? String(visit.unread) : "99+"
        notice = visit.notice.map { localizer($0) }
        isGuest = visit.viewer?.role == .guest
        isUser = visit.viewer.map { $0.role != .guest } ?? false
        isAdmin = visit.viewer?.role == .admin
        isSignedIn = visit.viewer != nil
        sendsMail = visit.sendsMail
        canGetMail = visit.sendsMail && visit.viewer?.hasAddress ?? false
        linkEmail = visit.viewer?.linkEmail
        address = visit.address
        hasMiles = localizer.hasMiles
        self.mapArea = mapArea?.text
        self.site = site
    }
}

/// A language in which the page can be read.
struct LanguageView: TemplateView {
    let code, name, link, address: String
    let isCurrent: Bool

    init(_ language: Language, _ visit: PageContext, base: String) {
        (code, name) = (language.code, language.properties.name)
        link = base + visit.link(in: language)
        address = visit.origin + visit.link(in: language)
        isCurrent = language == visit.language
    }
}

/// The operator's statements about the site.
struct SiteView: TemplateView {
    let name, imprint, privacy: String
    let region, contact, contactText: String?
    let hasOperator: Bool

    init(_ site: SiteSettings, base: String) {
        // Without a text of the operator, the page has that of the program.
        func link(_ statement: SiteSettings.Statement?, _ path: String) -> String {
            if case .link(let url) = statement { url } else { base + path }
        }
        name = site.name
        region = site.region
        contact = site.contactLink
        contactText = site.contact
        imprint = link(site.imprint, "/imprint")
        privacy = link(site.privacy, "/privacy")
        hasOperator = site.hasOperator
    }
}

/// The data of a request that every page needs.
package struct PageContext: Sendable {
    package let language: Language
    package let viewer: Account?
    /// The base URL of the service, such as `https://dogs.example.org`, for absolute URLs.
    package let origin: String
    /// The requested path and query, relative to the service's root.
    package let address: String
    /// The key of a text that confirms the preceding action.
    package var notice: String?
    /// The number of the viewer's conversations with unread messages.
    package var unread = 0
    /// Whether the service sends e-mail.
    package var sendsMail = false
    /// That of the viewer; nil if it is not known.
    package var timeZone: TimeZone?

    package init(language: Language, viewer: Account?, origin: String, address: String) {
        (self.language, self.viewer, self.origin, self.address) = (language, viewer, origin, address)
    }

    /// Returns the path and query of the same page in another language, or in the one that the reader prefers if it is nil,
    /// relative to the service's root.
    func link(in language: Language?) -> String {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let query =
            parts.count < 2 ? [] : parts[1].split(separator: "&").filter { !$0.hasPrefix("lang=") }.map(String.init)
        // A path that begins with two slashes would be interpreted as a host name.
        let path = "/" + (parts.first ?? "").drop { $0 == "/" }
        let all = query + (language.map { ["lang=\($0.code)"] } ?? [])
        return all.isEmpty ? path : path + "?" + all.joined(separator: "&")
    }
}

/// The values that the template of a page may see.
package protocol PageView: TemplateView {
    /// The template of the page.
    static var template: String { get }
    /// All templates that see the view.
    static var templates: [String] { get }
}

extension PageView {
    package static var templates: [String] { [template] }
}

/// Makes views in one language. Each page is a function from its data to its view.
///
/// Where a page takes them, `typed` is the input of a rejected request, which the user can correct, with its `problem`;
/// `next` is the path and query of the next page, or of the page to show after a sign-in.
package struct PageBuilder: Sendable {
    var localizer: Localizer
    let base: String
    let origin: String

    /// Returns a URL path on this site, including the base path.
    func path(_ path: String) -> String { base + path }

    /// Returns a complete URL on this site.
    func link(_ path: String) -> String { origin + base + path }

    /// Returns choices with the texts of a group.
    func options(_ values: [String], _ group: String, selected: String?) -> [OptionView] {
        values.map { OptionView(value: $0, label: localizer("\(group).\($0)"), selected: $0 == selected) }
    }

    func options(_ choices: [some RawRepresentable<String>], _ group: String, selected: String?) -> [OptionView] {
        options(choices.map(\.rawValue), group, selected: selected)
    }
}
