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
        UnsubscribePages(renderer: services.page, settings: stores.notifications, service: alerts).add(to: router)
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
        addMiddleware(to: router, index, services.page, board, connectionLimiter)
        addAccounts(to: router, services.account)
        addListings(to: router, services)
        addPlaces(to: router)
        MicrochipRoutes(service: services.microchip, localization: localization, baseURL: baseURL).add(to: router)
        AlertRoutes(service: alerts, listings: stores.listings, settings: stores.notifications, baseURL: baseURL)
            .add(to: router)
        addChannels(to: router)
        ImportFeedRoutes(service: importFeeds, baseURL: baseURL, now: now).add(to: router)
        ImportRoutes(service: imports, baseURL: baseURL, slowReads: slowReads).add(to: router)
        addModeration(to: router)
        addOrganisations(to: router, services)
        StreamRoutes(board: board, queries: queries).add(to: router)
        LandingRoutes(baseURL: baseURL, board: services.board, siteName: site.name).add(to: router)
        HealthRoutes(
            database: database,
            clock: clockGuard?.clock,
            photoService: photoService,
            version: metrics.version
        ).add(to: router)
        OpenAPIRoutes(baseURL: baseURL).add(to: router)
        UnsubscribePages(renderer: services.page, settings: stores.notifications, service: alerts).add(to: router)
        let forms = router.group().add(middleware: SameOriginMiddleware(baseURL: baseURL))
            .add(middleware: EndedSessionMiddleware(renderer: services.page))
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
            imports: stores.imports
        )
    }

    /// Adds the middleware. `/metrics` is added before the rate limits, so that they do not apply to it.
    private func addMiddleware(
        to router: Router<ServiceContext>,
        _ index: RouteIndex,
        _ page: PageRenderer,
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
                baseURL: baseURL,
                serviceError: { [faults = database.faults] error in faults.note(error)?.serviceError }
            ) { reason, request in
                page.show(reason, request)
            }
            TargetMiddleware()
            ClientMiddleware(proxies: limits.proxies)
            DatabaseThreads.Middleware(threads: databaseThreads, cookie: SessionCookie(baseURL))
        }
        MetricsRoutes(
            settings: metrics,
            accounts: stores.accounts,
            secondFactorRequirement: secondFactorRequirement,
            work: serviceWork,
            board: board,
            photoService: photoService,
            requests: requests,
            limits: rates,
            connections: connectionLimiter,
            passwords: passwords,
            slowReads: slowReads
        ).add(to: router)
        router.addMiddleware {
            AuthenticationMiddleware(
                sessions: stores.sessions,
                organisations: stores.organisations,
                uses: uses,
                now: now,
                moderation: stores.moderation,
                cookie: SessionCookie(baseURL),
                baseURL: baseURL
            )
            rates
            ValidTokenMiddleware()
            SecondFactorMiddleware(requirement: secondFactorRequirement, baseURL: baseURL)
            ConcurrentRequestMiddleware(connections, proxies: limits.proxies)
            ParameterMiddleware(Operation.all)
            SlowReadMiddleware(executor: slowReads, engine: database.engine)
        }
    }

    private func addAccounts(to router: Router<ServiceContext>, _ service: AccountService) {
        let accounts = AccountRoutes(
            accounts: stores.accounts,
            service: service,
            baseURL: baseURL,
            photoService: photoService
        )
        accounts.add(to: router)
        EmailTokenRoutes(service: service, account: accounts).add(to: router)
        SecondFactorRoutes(service: service).add(to: router)
        SessionRoutes(sessions: stores.sessions, now: now).add(to: router)
        personalData.add(to: router, at: "/v1/me/export")
    }

    var personalData: PersonalDataRoutes {
        PersonalDataRoutes(
            data: stores.personalData,
            search: stores.search,
            photoService: photoService,
            baseURL: baseURL,
            slowReads: slowReads,
            now: now
        )
    }

    private func addListings(to router: Router<ServiceContext>, _ services: Services) {
        let listings = stores.listings
        ListingRoutes(
            listings: listings,
            organisations: stores.organisations,
            search: stores.search,
            classifications: stores.classifications,
            breeds: breeds,
            finder: places,
            queries: queries,
            baseURL: baseURL,
            photoService: photoService,
            microchipLimits: services.microchip.limits,
            matches: services.match,
            localization: localization,
            slowReads: slowReads
        ).add(to: router)
        MatchRoutes(listings: listings, service: services.match, localization: localization, baseURL: baseURL)
            .add(to: router)
        OrganisationMatchRoutes(
            organisations: stores.organisations,
            matches: stores.matches,
            localization: localization,
            baseURL: baseURL
        ).add(to: router)
        AnimalRoutes(
            listings: listings,
            service: services.animal,
            matches: stores.matches,
            moderation: stores.moderation,
            baseURL: baseURL
        ).add(to: router)
        let messages = MessageRoutes(
            listings: listings,
            service: services.message,
            queries: queries,
            forms: services.page.forms,
            localization: localization,
            baseURL: baseURL
        )
        messages.add(to: router)
        SightingAuthorRoutes(listings: listings, messages: messages).add(to: router)
        SightingRoutes(
            listings: listings,
            service: services.sighting,
            forms: services.page.forms,
            timelines: stores.timelines,
            localization: localization,
            baseURL: baseURL
        ).add(to: router)
        SearchAreaRoutes(listings: listings, service: services.searchAreas, baseURL: baseURL).add(to: router)
        TrackRoutes(listings: listings, service: services.track, baseURL: baseURL).add(to: router)
        PhotoRoutes(stores: stores, service: photoService, baseURL: baseURL).add(to: router)
        ExportRoutes(
            search: stores.search,
            queries: queries,
            baseURL: baseURL,
            localization: localization,
            slowReads: slowReads,
            now: now
        )
        .add(to: router)
        SuggestionRoutes(localization, breeds, placeSearch, stores.search, slowReads).add(to: router)
        FeedRoutes(search: stores.search, queries: queries, pages: pages, baseURL: baseURL)
            .add(to: router)
        BreedRoutes(breeds: breeds, recogniser: photoService.recogniser).add(to: router)
        ClassificationRoutes(
            service: photoService,
            classifications: stores.classifications,
            localization: localization,
            baseURL: baseURL
        ).add(to: router)
    }

    private func addOrganisations(to router: Router<ServiceContext>, _ services: Services) {
        OrganisationRoutes(
            organisations: stores.organisations,
            finder: places,
            countries: countries,
            baseURL: baseURL,
            photoService: photoService
        ).add(to: router)
        MemberRoutes(
            organisations: stores.organisations,
            countries: countries,
            baseURL: baseURL,
            mail: accountMailer,
            now: now
        ).add(to: router)
        SocialRoutes(service: services.social, baseURL: baseURL).add(to: router)
        ListingBatchRoutes(service: services.batch).add(to: router)
        OrganisationFileRoutes(
            organisations: stores.organisations,
            records: stores.animalRecords,
            search: stores.search,
            timeZones: pages.timeZones,
            baseURL: baseURL,
            slowReads: slowReads,
            now: now
        ).add(to: router)
        OrganisationAnimalRoutes(
            listings: stores.listings,
            organisations: stores.organisations,
            breeds: breeds,
            finder: places,
            baseURL: baseURL,
            microchipLimits: services.microchip.limits,
            matches: services.match,
            slowReads: slowReads
        ).add(to: router)
        AnimalRecordRoutes(listings: stores.listings, records: stores.animalRecords).add(to: router)
    }

    /// Towns, streets, houses and landmarks.
    var placeSearch: PlaceSearch { PlaceSearch(gazetteer: gazetteer, addresses: addresses) }

    /// Adds the routes for places, and those that serve listings and points of interest as geographic data.
    private func addPlaces(to router: Router<ServiceContext>) {
        let (search, pois) = (stores.search, stores.pois)
        PointOfInterestRoutes(
            pois: pois,
            hours: hours,
            slowReads: slowReads,
            streetPictures: streetPictures,
            baseURL: baseURL
        ).add(to: router)
        TileRoutes(search: search, pois: pois, queries: queries, baseURL: baseURL)
            .add(to: router)
        PlaceRoutes(gazetteer: gazetteer, search: placeSearch, slowReads: slowReads, baseURL: baseURL).add(to: router)
        StatisticsRoutes(service: statistics, breeds: breeds, finder: gazetteer, baseURL: baseURL).add(to: router)
        FeatureRoutes(
            collections: [
                ListingCollection(search: search, queries: queries, baseURL: baseURL),
                PointOfInterestCollection(pois: pois, countries: countries),
            ],
            baseURL: baseURL,
            engine: database.engine
        ).add(to: router)
        let geocoder = Geocoder(gazetteer: gazetteer, search: placeSearch, slowReads: slowReads)
        NominatimRoutes(geocoder: geocoder).add(to: router)
        PhotonRoutes(geocoder: geocoder).add(to: router)
    }

    private func addChannels(to router: Router<ServiceContext>) {
        PushRoutes(channels: stores.channels, settings: channels, baseURL: baseURL, now: now).add(to: router)
        WebhookRoutes(
            channels: stores.channels,
            sender: channelSender,
            outgoing: channels.outgoing,
            tests: WebhookLimits(limits, counters),
            baseURL: baseURL,
            now: now
        ).add(to: router)
    }

    private func addModeration(to router: Router<ServiceContext>) {
        ReportRoutes(reports: stores.reports).add(to: router)
        ModerationRoutes(
            reports: stores.reports,
            moderation: stores.moderation,
            queries: queries,
            baseURL: baseURL,
            photoService: photoService,
            mail: notificationMailer
        ).add(to: router)
        AuditRoutes(audit: stores.audit, baseURL: baseURL).add(to: router)
    }
}
