import HTTP
import Hummingbird
import Logging
import OpenAPI
import Storage

extension WebService {
    /// The methods and paths of all routes, such as `GET /v1/listings/{id}`.
    package var routes: [String] {
        let board = eventBroadcaster(0, Logger(label: "routes"))
        return Self.names(router(board, ConnectionLimiter(total: 0, connections, proxies: .none)))
    }

    /// The routes of pages: those that `addPages` registers. Each other route has an `Operation`.
    package var pageRoutes: [String] {
        let router = Router(context: ServiceContext.self)
        let services = Services(self)
        UnsubscribePages(site: site, service: alerts).add(to: router)
        addPages(to: router.group(), services)
        return Self.names(router)
    }

    private static func names(_ router: Router<ServiceContext>) -> [String] {
        router.routes.map { "\($0.method.rawValue) \($0.path)".replacing(#/:(\w+)/#) { "{\($0.1)}" } }
    }

    func router(_ board: ListingEventBroadcaster, _ connectionLimiter: ConnectionLimiter) -> Router<ServiceContext> {
        let index = RouteIndex()
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let services = Services(self)
        addMiddleware(to: router, index, board, connectionLimiter)
        addAccounts(to: router, services.account)
        addListings(to: router, services)
        addPlaces(to: router)
        MicrochipRoutes(site: site, service: services.microchip).add(to: router)
        AlertRoutes(site: site, service: alerts).add(to: router)
        addChannels(to: router)
        ImportFeedRoutes(site: site, service: importFeeds).add(to: router)
        ImportRoutes(site: site, service: imports).add(to: router)
        addModeration(to: router)
        addOrganisations(to: router, services)
        StreamRoutes(site: site, board: board).add(to: router)
        LandingRoutes(site: site, board: BoardPages(site: site)).add(to: router)
        HealthRoutes(
            database: database,
            clock: clockGuard?.clock,
            photoService: site.photoService,
            version: metrics.version
        ).add(to: router)
        OpenAPIRoutes(baseURL: site.baseURL).add(to: router)
        UnsubscribePages(site: site, service: alerts).add(to: router)
        let forms = router.group().add(middleware: SameOriginMiddleware(baseURL: site.baseURL))
            .add(middleware: EndedSessionMiddleware(renderer: site.page))
        addPages(to: forms, services)
        index.fill(from: router)
        return router
    }

    var serviceWork: ServiceWork {
        ServiceWork(
            database: database,
            mailer: mailer,
            channels: channelSender,
            social: socialSender,
            notifications: notifications,
            imports: site.stores.imports
        )
    }

    /// Adds the middleware. `/metrics` is added before the rate limits, so that they do not apply to it.
    private func addMiddleware(
        to router: Router<ServiceContext>,
        _ index: RouteIndex,
        _ board: ListingEventBroadcaster,
        _ connectionLimiter: ConnectionLimiter
    ) {
        let requests = RequestMetrics()
        let rates = RateLimitMiddleware(limits)
        router.addMiddleware {
            requests
            UnknownLengthHead.Middleware()
            CompressionMiddleware()
            EntityTagMiddleware()
            // This is outside of the middleware that answers errors; otherwise browsers would hide the error responses
            // from other sites' scripts.
            CrossOriginMiddleware()
            ProblemMiddleware(
                routes: index,
                baseURL: site.baseURL,
                serviceError: { [faults = database.faults] error in faults.note(error)?.serviceError }
            ) { [page = site.page] reason, request in
                page.show(reason, request)
            }
            TargetMiddleware()
            ClientMiddleware(proxies: limits.proxies)
            DatabaseThreads.Middleware(threads: databaseThreads, cookie: site.page.cookie)
        }
        MetricsRoutes(
            settings: metrics,
            accounts: site.stores.accounts,
            secondFactorRequirement: secondFactorRequirement,
            work: serviceWork,
            board: board,
            photoService: site.photoService,
            requests: requests,
            limits: rates,
            connections: connectionLimiter,
            passwords: passwords,
            slowReads: site.slowReads
        ).add(to: router)
        router.addMiddleware {
            AuthenticationMiddleware(
                sessions: site.stores.sessions,
                organisations: site.stores.organisations,
                uses: uses,
                now: site.now,
                moderation: site.stores.moderation,
                cookie: site.page.cookie,
                baseURL: site.baseURL
            )
            rates
            ValidTokenMiddleware()
            SecondFactorMiddleware(requirement: secondFactorRequirement, baseURL: site.baseURL)
            ConcurrentRequestMiddleware(connections, proxies: limits.proxies)
            ParameterMiddleware(Operation.all)
            SlowReadMiddleware(executor: site.slowReads, engine: database.engine)
        }
    }

    private func addAccounts(to router: Router<ServiceContext>, _ service: AccountService) {
        let accounts = AccountRoutes(site: site, service: service)
        accounts.add(to: router)
        EmailTokenRoutes(service: service, account: accounts).add(to: router)
        SecondFactorRoutes(service: service).add(to: router)
        SessionRoutes(site: site).add(to: router)
        PersonalDataRoutes(site: site).add(to: router, at: "/v1/me/export")
    }

    private func addListings(to router: Router<ServiceContext>, _ services: Services) {
        ListingRoutes(site: site, microchipLimits: services.microchip.limits, matches: services.match).add(to: router)
        MatchRoutes(site: site, service: services.match).add(to: router)
        OrganisationMatchRoutes(site: site).add(to: router)
        AnimalRoutes(site: site, service: services.animal).add(to: router)
        let messages = MessageRoutes(site: site, service: services.message)
        messages.add(to: router)
        SightingAuthorRoutes(site: site, messages: messages).add(to: router)
        SightingRoutes(site: site, service: services.sighting).add(to: router)
        SearchAreaRoutes(site: site, service: services.searchAreas).add(to: router)
        TrackRoutes(site: site, service: services.track).add(to: router)
        PhotoRoutes(stores: site.stores, service: site.photoService, baseURL: site.baseURL).add(to: router)
        ExportRoutes(site: site).add(to: router)
        SuggestionRoutes(site.localization, site.breeds, placeSearch, site.stores.search, site.slowReads)
            .add(to: router)
        FeedRoutes(site: site).add(to: router)
        BreedRoutes(breeds: site.breeds, recogniser: site.photoService.recogniser).add(to: router)
        ClassificationRoutes(
            service: site.photoService,
            classifications: site.stores.classifications,
            localization: site.localization,
            baseURL: site.baseURL
        ).add(to: router)
    }

    private func addOrganisations(to router: Router<ServiceContext>, _ services: Services) {
        OrganisationRoutes(site: site).add(to: router)
        MemberRoutes(site: site, mail: accountMailer).add(to: router)
        SocialRoutes(site: site, service: services.social).add(to: router)
        ListingBatchRoutes(service: services.batch).add(to: router)
        OrganisationFileRoutes(site: site).add(to: router)
        OrganisationAnimalRoutes(site: site, microchipLimits: services.microchip.limits, matches: services.match)
            .add(to: router)
        AnimalRecordRoutes(site: site).add(to: router)
    }

    /// Towns, streets, houses and landmarks.
    var placeSearch: PlaceSearch { PlaceSearch(gazetteer: gazetteer, addresses: addresses) }

    /// Adds the routes for places, and those that serve listings and points of interest as geographic data.
    private func addPlaces(to router: Router<ServiceContext>) {
        let (baseURL, slowReads, pois) = (site.baseURL, site.slowReads, site.stores.pois)
        PointOfInterestRoutes(
            pois: pois,
            hours: hours,
            slowReads: slowReads,
            streetPictures: streetPictures,
            baseURL: baseURL
        ).add(to: router)
        TileRoutes(site: site).add(to: router)
        PlaceRoutes(gazetteer: gazetteer, search: placeSearch, slowReads: slowReads, baseURL: baseURL).add(to: router)
        StatisticsRoutes(service: statistics, breeds: site.breeds, finder: gazetteer, baseURL: baseURL).add(to: router)
        FeatureRoutes(
            collections: [
                ListingCollection(search: site.stores.search, queries: site.queries, baseURL: baseURL),
                PointOfInterestCollection(pois: pois, countries: site.countries),
            ],
            baseURL: baseURL,
            engine: database.engine
        ).add(to: router)
        let geocoder = Geocoder(gazetteer: gazetteer, search: placeSearch, slowReads: slowReads)
        NominatimRoutes(geocoder: geocoder).add(to: router)
        PhotonRoutes(geocoder: geocoder).add(to: router)
    }

    private func addChannels(to router: Router<ServiceContext>) {
        PushRoutes(site: site, settings: channels).add(to: router)
        WebhookRoutes(
            site: site,
            sender: channelSender,
            outgoing: channels.outgoing,
            tests: WebhookLimits(limits, counters)
        ).add(to: router)
    }

    private func addModeration(to router: Router<ServiceContext>) {
        ReportRoutes(site: site).add(to: router)
        ModerationRoutes(site: site, mail: notificationMailer).add(to: router)
        AuditRoutes(site: site).add(to: router)
    }
}
