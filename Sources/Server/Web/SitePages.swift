import Domain
import HTTP
import Hummingbird
import Pages
import Storage
import Synchronization

/// The pages about the site itself: what it promises and who runs it.
struct SitePages {
    let renderer: PageRenderer
    let site: SiteSettings
    let search: ListingSearch
    let now: @Sendable () -> Timestamp
    private let figures = RecentFigures()

    init(renderer: PageRenderer, site: SiteSettings, search: ListingSearch, now: @escaping @Sendable () -> Timestamp) {
        self.renderer = renderer
        self.site = site
        self.search = search
        self.now = now
    }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/about", use: about)
        router.get("/imprint") { try show(.imprint, site.imprint, $0, $1) }
        router.get("/privacy") { try show(.privacy, site.privacy, $0, $1) }
    }

    @Sendable private func about(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let now = now()
        let figures = try figures.read(now) { try search.figures(now: now) }
        return renderer.show(request, context.caller?.account) {
            $0.about(figures, tileHost: renderer.tiles.flatMap(\.host))
        }
    }

    @Sendable private func show(
        _ kind: StatementView.Kind,
        _ statement: SiteSettings.Statement?,
        _ request: Request,
        _ context: ServiceContext
    ) throws -> Response {
        guard case .text(let text) = statement else { throw ServiceError(.notFound, "this site has no such page") }
        return renderer.show(request, context.caller?.account) { $0.statement(kind, text: text) }
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
