package import Domain
import Foundation
package import Localization
package import Mustache

/// Renders the web pages. It is independent of HTTP: the caller supplies the base URL and the viewer.
package struct Pages: Sendable {
    let library: TemplateLibrary
    private let localization: Localization
    /// The texts of each language as values for templates.
    let texts: [Language: [String: any TemplateValue]]
    package let assets: Assets
    /// The path prefix of all URLs; empty if the service is at the root of its host.
    let base: String
    let siteName: String
    private let siteValues: [String: any TemplateValue]

    /// - Parameters:
    ///   - base: the path of the service's base URL, without a slash at the end.
    ///   - site: what the operator says about the site.
    package init(_ localization: Localization, base: String, site: SiteSettings = SiteSettings()) throws {
        library = try Self.templates.get()
        assets = try Self.files.get()
        self.localization = localization
        self.base = base
        siteValues = site.values(base: base)
        siteName = site.name
        texts = Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                (language, localization.localizer(language).texts.tree.mapValues(\.templateValues))
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
    package func render(_ page: some Page, for visit: PageContext) -> [UInt8] {
        let localizer = localizer(visit.language)
        var content = frame(visit, localizer)
        content.merge(page.content(PageBuilder(localizer: localizer, base: base, origin: visit.origin))) { $1 }
        content[page.section.rawValue] = true
        return library.render(page.template, content)
    }

    private func frame(_ visit: PageContext, _ localizer: Localizer) -> [String: any TemplateValue] {
        let other = Language.allCases.first { $0 != visit.language } ?? visit.language
        return [
            "t": texts[visit.language] ?? [:], "site": siteValues, "lang": visit.language.rawValue, "base": base,
            "assets": "\(base)/assets/\(assets.version)", "scriptTexts": localizer.texts.script,
            "stylesheet": assets.stylesheet,
            "otherLanguage": other.rawValue, "otherLanguageLink": base + visit.link(in: other),
            "unread": visit.unread == 0 ? "" : visit.unread < 100 ? String(visit.unread) : "99+",
            "notice": visit.notice.map { localizer($0) } ?? "",
            "isGuest": visit.viewer?.role == .guest, "isSignedIn": visit.viewer != nil,
            "isAdmin": visit.viewer?.role == .admin,
            "isUser": visit.viewer.map { $0.role != .guest } ?? false,
            "description": localizer("board.description"),
        ]
    }
}

extension SiteSettings {
    /// The settings for templates. What is not set is empty.
    fileprivate func values(base: String) -> [String: any TemplateValue] {
        func link(_ statement: Statement?, _ path: String) -> String {
            switch statement {
            case .text: base + path
            case .link(let url): url
            case nil: ""
            }
        }
        return [
            "name": name, "region": region ?? "", "contact": contactLink ?? "", "imprint": link(imprint, "/imprint"),
            "privacy": link(privacy, "/privacy"), "mapArea": mapArea?.text ?? "",
        ]
    }
}

/// The data of a request that every page needs.
package struct PageContext: Sendable {
    package let language: Language
    package let viewer: Account?
    /// The scheme and host of the service, such as `https://dogs.example.org`, for absolute URLs.
    package let origin: String
    /// The requested path and query, relative to the service's root.
    package let address: String
    /// The key of a text that confirms the preceding action.
    package let notice: String?
    /// The number of the viewer's conversations with unread messages.
    package let unread: Int

    package init(
        language: Language,
        viewer: Account?,
        origin: String,
        address: String,
        notice: String? = nil,
        unread: Int = 0
    ) {
        self.language = language
        self.viewer = viewer
        self.origin = origin
        self.address = address
        self.notice = notice
        self.unread = unread
    }

    /// Returns the path and query of the same page in another language, relative to the service's root.
    func link(in language: Language) -> String {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let query =
            parts.count < 2 ? [] : parts[1].split(separator: "&").filter { !$0.hasPrefix("lang=") }.map(String.init)
        // A path that begins with two slashes would be interpreted as a host name.
        let path = "/" + (parts.first ?? "").drop { $0 == "/" }
        return path + "?" + (query + ["lang=\(language.rawValue)"]).joined(separator: "&")
    }
}

/// The content of a template.
package protocol Page {
    var template: String { get }
    var section: PageSection { get }
    func content(_ compose: PageBuilder) -> [String: any TemplateValue]
}

/// The item of the navigation that is marked as current.
package enum PageSection: String {
    case board = "isBoard"
    case map = "isMap"
    case post = "isPost"
    case mine = "isMine"
    case account = "isAccount"
    case inbox = "isInbox"
    case none = "isElsewhere"
}

/// Helpers for building the content of pages.
package struct PageBuilder: Sendable {
    let localizer: Localizer
    let base: String
    let origin: String

    /// Returns a URL path on this site, including the base path.
    func path(_ path: String) -> String { base + path }

    /// Returns a complete URL on this site.
    func link(_ path: String) -> String { origin + base + path }

    func options<Choice>(
        _ type: Choice.Type,
        _ group: String,
        selected: Choice?,
        among choices: [Choice] = Array(Choice.allCases)
    ) -> [[String: any TemplateValue]] where Choice: RawRepresentable<String> & CaseIterable & Sendable {
        choices.map { choice in
            [
                "value": choice.rawValue, "label": localizer("\(group).\(choice.rawValue)"),
                "selected": choice.rawValue == selected?.rawValue,
            ]
        }
    }
}
