package import Credentials
package import Domain
package import Gazetteer
import HTTPTypes
package import Hummingbird
package import Logging
package import Pages
package import Storage

/// The HTTP service over everything it needs.
package struct Service {
    private let database: DatabaseFile
    private let gazetteer: Gazetteer
    private let breeds: Breeds
    private let passwords: PasswordHasher
    private let baseURL: BaseURL
    private let photoDesk: PhotoDesk
    private let pages: Pages
    private let tiles: TileSource?
    private let limits: RateLimits
    private let document: OpenAPIDocument
    private let metrics: MetricsSettings

    package init(
        database: DatabaseFile,
        gazetteer: Gazetteer,
        breeds: Breeds,
        passwords: PasswordHasher,
        baseURL: BaseURL,
        photoDesk: PhotoDesk,
        tiles: TileSource? = nil,
        limits: RateLimits = .standard,
        metrics: MetricsSettings = MetricsSettings()
    ) async throws {
        self.database = database
        self.gazetteer = gazetteer
        self.breeds = breeds
        self.passwords = passwords
        self.baseURL = baseURL
        self.photoDesk = photoDesk
        self.tiles = tiles
        self.limits = limits
        self.metrics = metrics
        pages = try await Pages(breeds: breeds, base: baseURL.path)
        document = try OpenAPIDocument(baseURL: baseURL, cookie: SessionCookie(baseURL))
    }

    /// An application that stops gracefully on SIGTERM and SIGINT. `onReady` is told the port it listens on.
    ///
    /// - Parameters:
    ///   - mostConnections: how many are answered at once; others wait.
    ///   - mostWatchers: how many of them may watch the board; others are refused.
    package func application(
        host: String,
        port: Int,
        mostConnections: Int = 512,
        mostWatchers: Int = 256,
        logger: Logger,
        onReady: @Sendable @escaping (Int) async -> Void
    ) -> some ApplicationProtocol {
        let board = liveBoard(mostWatchers, logger)
        var application = Application(
            router: router(board),
            server: .onConnectionLoop(),
            configuration: .init(
                address: .hostname(host, port: port),
                serverName: "DoggoFinder",
                availableConnectionsDelegate: .maximum(mostConnections, logger: logger)
            ),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) },
            logger: logger
        )
        application.addServices(board)
        return application
    }

    private func liveBoard(_ mostWatchers: Int, _ logger: Logger) -> LiveBoard {
        LiveBoard(events: EventStore(database), base: baseURL.text, mostWatchers: mostWatchers, logger: logger)
    }

    /// Every method and path it answers, like `GET /v1/listings/{id}`.
    package var routes: [String] {
        router(liveBoard(0, Logger(label: "routes"))).routes.map {
            "\($0.method.rawValue) \($0.path)".replacing(#/:(\w+)/#) { "{\($0.1)}" }
        }
    }

    private func router(_ board: LiveBoard) -> Router<ServiceContext> {
        let routes = RouteIndex()
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let accounts = AccountStore(database)
        let cookie = SessionCookie(baseURL)
        let desk = PageDesk(
            pages: pages,
            baseURL: baseURL,
            cookie: cookie,
            tiles: tiles,
            forms: FormDesk(photos: photoDesk)
        )
        let requests = RequestMetrics()
        let limits = RateLimitMiddleware(limits)
        router.addMiddleware {
            requests
            StreamedHead.Middleware()
            CompressionMiddleware()
            EntityTagMiddleware()
            // Around what answers errors: it would hide what they are.
            CrossOriginMiddleware()
            ProblemMiddleware(routes: routes, pages: desk)
            TargetMiddleware()
        }
        MetricsRoutes(
            settings: metrics,
            accounts: accounts,
            database: database,
            board: board,
            photoDesk: photoDesk,
            requests: requests,
            limits: limits
        ).add(to: router)
        router.addMiddleware {
            AuthenticationMiddleware(accounts: accounts, cookie: cookie, baseURL: baseURL)
            limits
            ParameterMiddleware(Operation.all)
        }
        let accountDesk = AccountDesk(accounts: accounts, passwords: passwords)
        AccountRoutes(accounts: accounts, desk: accountDesk, baseURL: baseURL, photoDesk: photoDesk).add(to: router)
        let listings = ListingStore(database)
        let classifications = ClassificationStore(database)
        ListingRoutes(
            listings: listings,
            classifications: classifications,
            breeds: breeds,
            finder: gazetteer,
            baseURL: baseURL,
            photoDesk: photoDesk
        ).add(to: router)
        ExportRoutes(listings: listings, breeds: breeds, finder: gazetteer, baseURL: baseURL).add(to: router)
        FeedRoutes(listings: listings, breeds: breeds, finder: gazetteer, pages: pages, baseURL: baseURL)
            .add(to: router)
        ClassificationRoutes(
            desk: photoDesk,
            classifications: classifications,
            breeds: breeds,
            baseURL: baseURL
        ).add(to: router)
        PhotoRoutes(listings: listings, photos: PhotoStore(database), desk: photoDesk, baseURL: baseURL)
            .add(to: router)
        PointOfInterestRoutes(pois: PointOfInterestStore(database), baseURL: baseURL).add(to: router)
        TileRoutes(
            listings: listings,
            pois: PointOfInterestStore(database),
            breeds: breeds,
            finder: gazetteer,
            baseURL: baseURL
        ).add(to: router)
        PlaceRoutes(gazetteer: gazetteer, baseURL: baseURL).add(to: router)
        FeatureRoutes(
            collections: [
                ListingCollection(listings: listings, baseURL: baseURL),
                PointOfInterestCollection(pois: PointOfInterestStore(database)),
                PlaceCollection(
                    catalogue: PlaceCatalogue(database, stamp: gazetteer.stamp) { [gazetteer] in
                        try gazetteer.everyPlace($0)
                    }
                ),
            ],
            baseURL: baseURL
        ).add(to: router)
        let geocoder = Geocoder(gazetteer: gazetteer)
        NominatimRoutes(geocoder: geocoder).add(to: router)
        PhotonRoutes(geocoder: geocoder).add(to: router)
        BreedRoutes(breeds: breeds, recogniser: photoDesk.recogniser).add(to: router)
        StreamRoutes(board: board, breeds: breeds, finder: gazetteer).add(to: router)
        let boardPages = BoardPages(
            desk: desk,
            listings: listings,
            classifications: classifications,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk,
            events: EventStore(database)
        )
        OperationsRoutes(database: database, baseURL: baseURL, board: boardPages).add(to: router)
        let forms = router.group().add(middleware: SameOriginMiddleware(baseURL: baseURL))
        boardPages.add(to: forms)
        MapPages(desk: desk, listings: listings, gazetteer: gazetteer).add(to: forms)
        ListingPages(
            desk: desk,
            listings: listings,
            photos: PhotoStore(database),
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk
        ).add(to: forms)
        PostPages(
            desk: desk,
            accounts: accounts,
            listings: listings,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk
        ).add(to: forms)
        AccountPages(
            desk: desk,
            accountDesk: accountDesk,
            photoDesk: photoDesk,
            photos: PhotoStore(database)
        ).add(to: forms)
        AssetRoutes(desk: desk).add(to: router)
        OpenAPIRoutes(document: document, desk: desk).add(to: router)
        routes.fill(from: router)
        return router
    }
}
