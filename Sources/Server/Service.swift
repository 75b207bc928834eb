package import Credentials
package import Domain
package import Gazetteer
import HTTPTypes
package import Hummingbird
package import Logging
package import Mail
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
    private let connections: ConnectionLimits
    private let quota: Quota
    private let metrics: MetricsSettings
    private let mailer: Mailer?
    private let now: @Sendable () -> Timestamp
    private let uses = SessionUses()
    private let hideAfter: Int?
    private let failures: FailedSignIns
    private let accountMail: AccountMail?
    private let newsMail: NewsMail?

    /// - Parameters:
    ///   - hideAfter: how many registered accounts have to report a listing for it to be hidden until a moderator looks at
    ///     it; nil for never.
    ///   - now: what expires is compared with it.
    ///   - steadyClock: seconds since some moment, by which waits after wrong passwords go.
    package init(
        database: DatabaseFile,
        gazetteer: Gazetteer,
        breeds: Breeds,
        passwords: PasswordHasher,
        baseURL: BaseURL,
        photoDesk: PhotoDesk,
        tiles: TileSource? = nil,
        limits: RateLimits = .standard,
        connections: ConnectionLimits = .standard,
        quota: Quota = .standard,
        metrics: MetricsSettings = MetricsSettings(),
        hideAfter: Int? = nil,
        mailer: Mailer? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        steadyClock: (@Sendable () -> Double)? = nil
    ) async throws {
        self.database = database
        self.gazetteer = gazetteer
        self.breeds = breeds
        self.passwords = passwords
        self.baseURL = baseURL
        self.photoDesk = photoDesk
        self.tiles = tiles
        self.limits = limits
        self.connections = connections
        self.quota = quota
        self.metrics = metrics
        self.mailer = mailer
        self.now = now
        self.hideAfter = hideAfter
        failures = FailedSignIns(clock: steadyClock ?? { SteadyClock.seconds })
        pages = try await Pages(breeds: breeds, base: baseURL.path)
        let words = MailWording(pages: pages, baseURL: baseURL)
        accountMail = mailer.map {
            AccountMail(mailer: $0, verifications: VerificationStore(database), words: words, now: now)
        }
        newsMail = mailer.map { NewsMail(mailer: $0, accounts: AccountStore(database), words: words) }
        document = try OpenAPIDocument(baseURL: baseURL, cookie: SessionCookie(baseURL))
    }

    /// An application that stops gracefully on SIGTERM and SIGINT. `onReady` is told the port it listens on.
    ///
    /// - Parameters:
    ///   - mostConnections: how many are open at once; others are told so.
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
        database.faults.report { report in
            logger.error(
                "the disk or the database fails",
                metadata: ["fault": "\(report.fault.rawValue)", "cause": "\(report.cause)", "times": "\(report.times)"]
            )
        }
        // The others are those that are just being refused.
        let door = Door(most: mostConnections - mostConnections / 16, connections, proxies: limits.proxies)
        var application = Application(
            router: router(board, door),
            server: .onConnectionLoop(door, connections),
            configuration: .init(
                address: .hostname(host, port: port),
                serverName: "DoggoFinder",
                availableConnectionsDelegate: .maximum(mostConnections, logger: logger)
            ),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) },
            logger: logger
        )
        application.addServices(board, housekeeping(logger))
        if let mailer { application.addServices(mailer) }
        return application
    }

    private func housekeeping(_ logger: Logger) -> Housekeeping {
        let sessions = SessionStore(database)
        let retention = RetentionStore(database)
        let verifications = VerificationStore(database)
        return Housekeeping(
            jobs: VerificationStore.tables.map { table in
                .init("expired \(table)") { try await verifications.prune(table, now: $0) }
            } + [
                .init("the disk", every: .seconds(60)) { [database, photoDesk] _ in
                    if await database.writeFault() == nil { await photoDesk.sweep() }
                    return false
                },
                .init("bans that end", every: .seconds(30)) { [database] _ in
                    try await ModerationStore(database).endBans()
                    return false
                },
                .init("listings that end soon") { [newsMail] now in
                    let warned = try await retention.warn(at: now)
                    newsMail?.tell(warned)
                    return warned.count == RetentionStore.mostAtOnce
                },
                .init("listings that end") { try await retention.expire(at: $0) == RetentionStore.mostAtOnce },
                .init("old events") { try await retention.pruneEvents(at: $0) == RetentionStore.mostAtOnce },
                .init("the log") { [database] _ in
                    _ = try await database.fold()
                    return false
                },
                .init("expired sessions") { try await sessions.prune(now: $0) },
                .init("uses of sessions", every: SessionUses.interval) { [uses] _ in
                    try await uses.write(to: sessions)
                },
            ],
            now: now,
            logger: logger
        )
    }

    private func liveBoard(_ mostWatchers: Int, _ logger: Logger) -> LiveBoard {
        LiveBoard(events: EventStore(database), base: baseURL.text, mostWatchers: mostWatchers, logger: logger)
    }

    /// Every method and path it answers, like `GET /v1/listings/{id}`.
    package var routes: [String] {
        let board = liveBoard(0, Logger(label: "routes"))
        return router(board, Door(most: 0, connections, proxies: .none)).routes.map {
            "\($0.method.rawValue) \($0.path)".replacing(#/:(\w+)/#) { "{\($0.1)}" }
        }
    }

    private func router(_ board: LiveBoard, _ door: Door) -> Router<ServiceContext> {
        let routes = RouteIndex()
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let accounts = AccountStore(database)
        let moderation = ModerationStore(database)
        let cookie = SessionCookie(baseURL)
        let desk = PageDesk(
            pages: pages,
            baseURL: baseURL,
            cookie: cookie,
            tiles: tiles,
            forms: FormDesk(photos: photoDesk),
            conversations: ConversationStore(database)
        )
        let requests = RequestMetrics()
        let proxies = limits.proxies
        let messageDesk = MessageDesk(
            conversations: ConversationStore(database),
            limits: MessageLimits(limits),
            mail: newsMail
        )
        let limits = RateLimitMiddleware(limits)
        router.addMiddleware {
            requests
            StreamedHead.Middleware()
            CompressionMiddleware()
            EntityTagMiddleware()
            // Around what answers errors: it would hide what they are.
            CrossOriginMiddleware()
            ProblemMiddleware(routes: routes, pages: desk, faults: database.faults)
            TargetMiddleware()
        }
        MetricsRoutes(
            settings: metrics,
            accounts: accounts,
            database: database,
            board: board,
            photoDesk: photoDesk,
            requests: requests,
            limits: limits,
            door: door,
            passwords: passwords,
            mailer: mailer
        ).add(to: router)
        router.addMiddleware {
            AuthenticationMiddleware(
                sessions: SessionStore(database),
                uses: uses,
                now: now,
                moderation: moderation,
                cookie: cookie,
                baseURL: baseURL
            )
            limits
            ValidTokenMiddleware()
            CrowdMiddleware(connections, proxies: proxies)
            ParameterMiddleware(Operation.all)
        }
        let accountDesk = AccountDesk(
            accounts: accounts,
            sessions: SessionStore(database),
            moderation: moderation,
            passwords: passwords,
            failures: failures,
            proxies: proxies,
            mail: accountMail,
            now: now
        )
        let accountRoutes = AccountRoutes(
            accounts: accounts,
            desk: accountDesk,
            baseURL: baseURL,
            photoDesk: photoDesk
        )
        accountRoutes.add(to: router)
        MailedTokenRoutes(desk: accountDesk, account: accountRoutes).add(to: router)
        SessionRoutes(sessions: SessionStore(database), now: now).add(to: router)
        let listings = ListingStore(database, quota: quota)
        let classifications = ClassificationStore(database)
        ListingRoutes(
            listings: listings,
            classifications: classifications,
            breeds: breeds,
            finder: gazetteer,
            baseURL: baseURL,
            photoDesk: photoDesk
        ).add(to: router)
        PersonalDataRoutes(
            data: PersonalData(database),
            listings: listings,
            photoDesk: photoDesk,
            baseURL: baseURL
        ).add(to: router)
        MessageRoutes(listings: listings, desk: messageDesk, pages: pages, baseURL: baseURL).add(to: router)
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
        let reports = ReportStore(database, hideAfter: hideAfter)
        ReportRoutes(reports: reports).add(to: router)
        ModerationRoutes(
            reports: reports,
            moderation: moderation,
            baseURL: baseURL,
            photoDesk: photoDesk,
            mail: newsMail
        ).add(to: router)
        AuditRoutes(audit: AuditLog(database), baseURL: baseURL).add(to: router)
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
            accountDesk: accountDesk,
            listings: listings,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk
        ).add(to: forms)
        MessagePages(desk: desk, messages: messageDesk, accountDesk: accountDesk, listings: listings).add(to: forms)
        let accountPages = AccountPages(
            desk: desk,
            accountDesk: accountDesk,
            photoDesk: photoDesk,
            photos: PhotoStore(database)
        )
        accountPages.add(to: forms)
        MailedTokenPages(desk: desk, accountDesk: accountDesk, account: accountPages).add(to: forms)
        ReportPages(desk: desk, reports: reports, accountDesk: accountDesk, listings: listings).add(to: forms)
        ModerationPages(
            desk: desk,
            reports: reports,
            moderation: moderation,
            listings: listings,
            audit: AuditLog(database),
            photoDesk: photoDesk,
            mail: newsMail
        ).add(to: forms)
        AssetRoutes(desk: desk).add(to: router)
        OpenAPIRoutes(document: document, desk: desk).add(to: router)
        routes.fill(from: router)
        return router
    }
}
