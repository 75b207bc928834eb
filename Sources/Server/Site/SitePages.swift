import Concurrency
import Domain
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Pages
import Storage
import Synchronization

/// The pages about the site itself: what it promises and who runs it.
struct SitePages {
    let site: Site
    let setup: PrivacySetup
    private let figures = RecentFigures()
    private let pictures = SitePictures()

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/about", use: about)
        router.get("/picture.jpg", use: picture)
        router.get("/imprint") { try show(.imprint, site.settings.imprint, $0, $1) }
        router.get("/privacy") { try show(.privacy, site.settings.privacy, $0, $1) }
    }

    @Sendable private func about(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let now = site.now()
        let figures = try figures.read(now) { try site.stores.search.figures(now: now) }
        return site.page.show(request, context.caller?.account) {
            $0.about(figures, tileHost: setup.tileHost)
        }
    }

    /// The picture that previews of the site's pages show.
    @Sendable private func picture(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let localizer = site.page.localizer(request)
        let jpeg = try await pictures.read(localizer.language) {
            let picture = localizer.picture(ofSite: site.settings.name, origin: site.baseURL.text)
            let png = try await site.slowReads.run(RequestMeter.current) { try picture.png() }
            return try await site.photoService.jpeg(of: png)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/jpeg", .cacheControl: "public, max-age=86400", .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: jpeg)
        )
    }

    @Sendable private func show(
        _ kind: StatementView.Kind,
        _ statement: SiteSettings.Statement?,
        _ request: Request,
        _ context: ServiceContext
    ) throws -> Response {
        let viewer = context.caller?.account
        switch (statement, kind) {
        case (.text(let text), _): return site.page.show(request, viewer) { $0.statement(kind, text: text) }
        case (.link, _): throw ServiceError(.notFound, "this page is elsewhere")
        case (nil, .imprint): return site.page.show(request, viewer) { $0.defaultImprint() }
        case (nil, .privacy): return site.page.show(request, viewer) { $0.defaultPrivacy(setup) }
        }
    }
}

/// The figures of the board. They are counted at most once in five minutes, because counting takes longer the more
/// listings there are.
private final class RecentFigures: Sendable {
    private static let lifetimeSeconds = 300.0
    private let known = Mutex<(figures: BoardFigures, time: Timestamp)?>(nil)

    func read(_ now: Timestamp, _ count: () throws -> BoardFigures) throws -> BoardFigures {
        let fresh: BoardFigures? = known.withLock { known in
            guard let (figures, time) = known else { return nil }
            if now >= time, now < time.adding(seconds: Self.lifetimeSeconds) { return figures }
            // The other requests get the old figures while this one counts.
            known = (figures, now)
            return nil
        }
        if let fresh { return fresh }
        let figures = try count()
        known.withLock { $0 = (figures, now) }
        return figures
    }
}

/// The picture of the site in each language, which is drawn when it is first asked for.
private final class SitePictures: Sendable {
    private let known = Mutex<[Language: ByteBuffer]>([:])

    func read(_ language: Language, _ draw: () async throws -> ByteBuffer) async throws -> ByteBuffer {
        if let jpeg = known.withLock({ $0[language] }) { return jpeg }
        let jpeg = try await draw()
        known.withLock { $0[language] = jpeg }
        return jpeg
    }
}
