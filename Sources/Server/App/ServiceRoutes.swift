import Hummingbird
import Logging
import Storage

extension Service {
    /// Every method and path it answers, like `GET /v1/listings/{id}`.
    package var routes: [String] {
        let board = liveBoard(0, Logger(label: "routes"))
        return router(board, Door(most: 0, connections, proxies: .none)).routes.map {
            "\($0.method.rawValue) \($0.path)".replacing(#/:(\w+)/#) { "{\($0.1)}" }
        }
    }

    /// What a route is made of that others need too.
    private struct Desks {
        let page: PageDesk
        let account: AccountDesk
        let message: MessageDesk
        let board: BoardPages
    }

    func router(_ board: LiveBoard, _ door: Door) -> Router<ServiceContext> {
        let index = RouteIndex()
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let desks = desks
        addMiddleware(to: router, index, desks.page, board, door)
        addAccounts(to: router, desks.account)
        addListings(to: router, desks.message)
        addPlaces(to: router)
        addModeration(to: router)
        StreamRoutes(board: board, breeds: breeds, finder: gazetteer).add(to: router)
        LandingRoutes(baseURL: baseURL, board: desks.board).add(to: router)
        OperationsRoutes(database: database).add(to: router)
        AssetRoutes(desk: desks.page).add(to: router)
        OpenAPIRoutes(document: document, desk: desks.page).add(to: router)
        addPages(to: router.group().add(middleware: SameOriginMiddleware(baseURL: baseURL)), desks)
        index.fill(from: router)
        return router
    }

    private var desks: Desks {
        let page = PageDesk(
            pages: pages,
            baseURL: baseURL,
            cookie: SessionCookie(baseURL),
            tiles: tiles,
            forms: FormDesk(photos: photoDesk),
            conversations: stores.conversations
        )
        let account = AccountDesk(
            accounts: stores.accounts,
            sessions: stores.sessions,
            moderation: stores.moderation,
            passwords: passwords,
            failures: failures,
            proxies: limits.proxies,
            mail: accountMail,
            now: now
        )
        let message = MessageDesk(conversations: stores.conversations, limits: MessageLimits(limits), mail: newsMail)
        let board = BoardPages(
            desk: page,
            listings: stores.listings,
            classifications: stores.classifications,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk,
            events: stores.events
        )
        return Desks(page: page, account: account, message: message, board: board)
    }

    /// What each request goes through. `/metrics` is answered before anybody is limited.
    private func addMiddleware(
        to router: Router<ServiceContext>,
        _ index: RouteIndex,
        _ page: PageDesk,
        _ board: LiveBoard,
        _ door: Door
    ) {
        let requests = RequestMetrics()
        let rates = RateLimitMiddleware(limits)
        router.addMiddleware {
            requests
            StreamedHead.Middleware()
            CompressionMiddleware()
            EntityTagMiddleware()
            // Around what answers errors: it would hide what they are.
            CrossOriginMiddleware()
            ProblemMiddleware(routes: index, baseURL: baseURL, faults: database.faults) { reason, request in
                page.show(reason, request)
            }
            TargetMiddleware()
        }
        MetricsRoutes(
            settings: metrics,
            accounts: stores.accounts,
            database: database,
            board: board,
            photoDesk: photoDesk,
            requests: requests,
            limits: rates,
            door: door,
            passwords: passwords,
            mailer: mailer
        ).add(to: router)
        router.addMiddleware {
            AuthenticationMiddleware(
                sessions: stores.sessions,
                uses: uses,
                now: now,
                moderation: stores.moderation,
                cookie: SessionCookie(baseURL),
                baseURL: baseURL
            )
            rates
            ValidTokenMiddleware()
            CrowdMiddleware(connections, proxies: limits.proxies)
            ParameterMiddleware(Operation.all)
        }
    }

    private func addAccounts(to router: Router<ServiceContext>, _ desk: AccountDesk) {
        let accounts = AccountRoutes(accounts: stores.accounts, desk: desk, baseURL: baseURL, photoDesk: photoDesk)
        accounts.add(to: router)
        MailedTokenRoutes(desk: desk, account: accounts).add(to: router)
        SessionRoutes(sessions: stores.sessions, now: now).add(to: router)
        PersonalDataRoutes(
            data: stores.personalData,
            listings: stores.listings,
            photoDesk: photoDesk,
            baseURL: baseURL
        ).add(to: router)
    }

    private func addListings(to router: Router<ServiceContext>, _ desk: MessageDesk) {
        let listings = stores.listings
        ListingRoutes(
            listings: listings,
            classifications: stores.classifications,
            breeds: breeds,
            finder: gazetteer,
            baseURL: baseURL,
            photoDesk: photoDesk
        ).add(to: router)
        MessageRoutes(listings: listings, desk: desk, pages: pages, baseURL: baseURL).add(to: router)
        PhotoRoutes(listings: listings, photos: stores.photos, desk: photoDesk, baseURL: baseURL).add(to: router)
        ExportRoutes(listings: listings, breeds: breeds, finder: gazetteer, baseURL: baseURL).add(to: router)
        FeedRoutes(listings: listings, breeds: breeds, finder: gazetteer, pages: pages, baseURL: baseURL)
            .add(to: router)
        BreedRoutes(breeds: breeds, recogniser: photoDesk.recogniser).add(to: router)
        ClassificationRoutes(
            desk: photoDesk,
            classifications: stores.classifications,
            breeds: breeds,
            baseURL: baseURL
        ).add(to: router)
    }

    /// Places, and what is told of listings and points of interest as geography.
    private func addPlaces(to router: Router<ServiceContext>) {
        let (listings, pois) = (stores.listings, stores.pois)
        PointOfInterestRoutes(pois: pois, baseURL: baseURL).add(to: router)
        TileRoutes(listings: listings, pois: pois, breeds: breeds, finder: gazetteer, baseURL: baseURL)
            .add(to: router)
        PlaceRoutes(gazetteer: gazetteer, baseURL: baseURL).add(to: router)
        let catalogue = PlaceCatalogue(database, stamp: gazetteer.stamp) { [gazetteer] in
            try gazetteer.everyPlace($0)
        }
        FeatureRoutes(
            collections: [
                ListingCollection(listings: listings, baseURL: baseURL),
                PointOfInterestCollection(pois: pois),
                PlaceCollection(catalogue: catalogue),
            ],
            baseURL: baseURL
        ).add(to: router)
        let geocoder = Geocoder(gazetteer: gazetteer)
        NominatimRoutes(geocoder: geocoder).add(to: router)
        PhotonRoutes(geocoder: geocoder).add(to: router)
    }

    private func addModeration(to router: Router<ServiceContext>) {
        ReportRoutes(reports: stores.reports).add(to: router)
        ModerationRoutes(
            reports: stores.reports,
            moderation: stores.moderation,
            baseURL: baseURL,
            photoDesk: photoDesk,
            mail: newsMail
        ).add(to: router)
        AuditRoutes(audit: stores.audit, baseURL: baseURL).add(to: router)
    }

    private func addPages(to forms: RouterGroup<ServiceContext>, _ desks: Desks) {
        let (desk, listings) = (desks.page, stores.listings)
        desks.board.add(to: forms)
        MapPages(desk: desk, listings: listings, gazetteer: gazetteer).add(to: forms)
        ListingPages(
            desk: desk,
            listings: listings,
            photos: stores.photos,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk
        ).add(to: forms)
        PostPages(
            desk: desk,
            accountDesk: desks.account,
            listings: listings,
            breeds: breeds,
            finder: gazetteer,
            photoDesk: photoDesk
        ).add(to: forms)
        MessagePages(desk: desk, messages: desks.message, accountDesk: desks.account, listings: listings)
            .add(to: forms)
        let accounts = AccountPages(
            desk: desk,
            accountDesk: desks.account,
            photoDesk: photoDesk,
            photos: stores.photos
        )
        accounts.add(to: forms)
        MailedTokenPages(desk: desk, accountDesk: desks.account, account: accounts).add(to: forms)
        ReportPages(desk: desk, reports: stores.reports, accountDesk: desks.account, listings: listings)
            .add(to: forms)
        ModerationPages(
            desk: desk,
            reports: stores.reports,
            moderation: stores.moderation,
            listings: listings,
            audit: stores.audit,
            photoDesk: photoDesk,
            mail: newsMail
        ).add(to: forms)
    }
}
