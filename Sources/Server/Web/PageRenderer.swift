import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Storage

/// Which sites can show a page in a frame.
enum Frames {
    case none
    case byAll
    /// A site, such as `https://example.org`; none if it is nil.
    case by(String?)

    fileprivate var source: String {
        switch self {
        case .byAll: "*"
        case .by(let site?): site
        case .none, .by(nil): "'none'"
        }
    }
}

/// Renders pages as responses.
struct PageRenderer {
    let pages: Pages
    let baseURL: BaseURL
    let cookie: SessionCookie
    let tiles: TileSource?
    let forms: FormReader
    let conversations: ConversationStore
    let sightings: SightingStore
    let sendsMail: Bool

    /// The confirmations that a page shows after an action, as values of the query parameter `done`.
    private static let notices: Set<String> = [
        "my.saved", "home.thanked", "my.renewed", "my.deleted", "account.saved", "account.passwordChanged",
        "account.welcome", "account.sessionsEnded", "account.mailed", "account.addressChanged",
        "account.passwordReset", "account.factorRemoved", "guest.linkSent", "guest.linkEnded",
        "photo.cat", "report.received", "match.saved", "moderation.done", "inbox.sent", "inbox.deleted",
        "inbox.reported",
        "sighting.thanks", "sighting.added", "sighting.attachedNow", "chip.sent", "case.blocked",
        "alert.created", "alert.changed", "alert.deleted",
        "social.works", "table.none", "track.added", "track.added_partly",
    ]

    /// - Parameter isPrivate: whether the page contains data of its reader, so that no cache may store it.
    func show<View: PageView>(
        _ request: Request,
        _ viewer: Account?,
        status: HTTPResponse.Status = .ok,
        frames: Frames = .none,
        isPrivate: Bool = false,
        _ page: (PageBuilder) throws -> View
    ) rethrows -> Response {
        let language = pageLanguage(request)
        let (origin, address) = (baseURL.text, request.uri.string)
        var visit = PageContext(language: language, viewer: viewer, origin: origin, address: address)
        visit.notice = request.uri.queryParameters["done"].map(String.init).flatMap {
            Self.notices.contains($0) ? $0 : nil
        }
        visit.sendsMail = sendsMail
        visit.timeZone = readerZone(request)
        // An error is ignored, because the page is useful without the number of unread messages.
        visit.unread = viewer.flatMap { try? countUnread(of: $0) } ?? 0
        let html = try pages.render(for: visit, page)
        var response = Response(
            status: status,
            headers: headers(frames),
            body: .init(byteBuffer: ByteBuffer(bytes: html))
        )
        if isPrivate { response.headers[.cacheControl] = CacheControl.noStore }
        response.headers[.contentLanguage] = language.rawValue
        if request.uri.queryParameters["lang"] != nil {
            response.setCookie(
                Cookie(
                    name: "lang",
                    value: language.rawValue,
                    maxAge: 365 * 24 * 3600,
                    path: "/",
                    httpOnly: true,
                    sameSite: .lax
                )
            )
        }
        return response
    }

    private func readerZone(_ request: Request) -> TimeZone? {
        request.cookies["time_zone"].flatMap { TimeZones.zone(named: $0.value) }
    }

    /// The time zone of the reader's device, or that of the server if it is unknown.
    func timeZone(_ request: Request) -> TimeZone { readerZone(request) ?? .current }

    /// Returns the number of unread conversations and of sightings to decide on.
    private func countUnread(of viewer: Account) throws -> Int {
        try conversations.countUnread(of: viewer) + sightings.countWaiting(for: viewer)
    }

    /// Redirects to a page after an action, so that reloading the page does not repeat the action.
    func redirect(_ path: String, done: String? = nil) -> Response {
        let query = done.map { (path.contains("?") ? "&done=" : "?done=") + $0 } ?? ""
        return Response(
            status: .seeOther,
            headers: [.location: baseURL.path + path + query, .cacheControl: CacheControl.noStore]
        )
    }

    func show(_ reason: ErrorPageReason, _ request: Request) -> Response {
        switch reason {
        case .error(let error, let status): show(error, request, status: status)
        case .ban(let ban): show(request, nil, status: .forbidden, isPrivate: true) { $0.ban(ban) }
        case .failure: show(request, nil, status: .internalServerError) { $0.message(.failure) }
        }
    }

    /// Renders the page for an error that users meet when they follow a link.
    private func show(_ error: ServiceError, _ request: Request, status: HTTPResponse.Status) -> Response {
        let message: MessageView.Message =
            switch error.code {
            case .notFound: .missing
            case .unauthenticated: .signIn
            case .forbidden: .forbidden
            default: .failure
            }
        let isExplained =
            message == .failure || ["origin", "Origin"].contains(error.field)
            || message == .missing && error.field == "code"
        let explained = isExplained ? error : nil
        let next = request.method == .get ? request.uri.string : ""
        return show(request, nil, status: status) { $0.message(message, problem: explained, next: next) }
    }

    var timeZones: TimeZones { pages.timeZones }

    func localizer(_ request: Request) -> Localizer { pages.localizer(pageLanguage(request)) }

    /// The language chosen on a page, else the one that the browser prefers.
    func pageLanguage(_ request: Request) -> Language {
        let chosen = request.uri.queryParameters["lang"].map(String.init) ?? request.cookies["lang"]?.value
        return chosen.flatMap(Language.init(rawValue:)) ?? request.preferredLanguage
    }

    private func headers(_ frames: Frames) -> HTTPFields {
        [
            .contentType: "text/html; charset=utf-8", .cacheControl: "private, no-cache",
            .vary: "Accept-Language, Cookie", .contentSecurityPolicy: policy(frames),
            .referrerPolicy: "strict-origin-when-cross-origin",
            .permissionsPolicy: "geolocation=(self), camera=(self), microphone=(), payment=()",
        ]
    }

    /// The content security policy: only the site's own scripts run, and map tiles come from the configured server.
    private func policy(_ frames: Frames) -> String {
        let tileOrigin = tiles.flatMap(\.origin).map { " " + $0 } ?? ""
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self' '\(pages.assets.stylesheetHash)'",
            "img-src 'self' data: blob:" + tileOrigin,
            "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "form-action 'self'", "base-uri 'none'",
            "frame-ancestors \(frames.source)",
        ].joined(separator: "; ")
    }
}

extension TileSource {
    /// For example `tile.openstreetmap.org`.
    var host: String? { origin?.split(separator: "/").last.map { String($0).replacing("*.", with: "") } }

    /// The origin of the tile server as it is written in a policy. A host that varies by `{s}` becomes a wildcard.
    fileprivate var origin: String? {
        let parts = template.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "https:" || parts[0] == "http:" else { return nil }
        return "\(parts[0])//\(parts[2].replacing("{s}", with: "*"))"
    }
}
