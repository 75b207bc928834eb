package import Basemap
package import Channels
import Concurrency
package import Credentials
package import Domain
package import Formats
package import Gazetteer
import HTTP
import HTTPTypes
import Hummingbird
import Localization
package import Logging
package import Mail
import MapDatabase
package import Mapillary
package import Matching
package import Pages
package import ServiceLifecycle
import SocialMedia
package import Storage
package import UnixSignals
import WebPush

/// The HTTP service with everything that it depends on.
package struct WebService {
    let database: any Database
    let gazetteer: Gazetteer
    let addresses: MapAddresses
    let hours: PlaceHours
    let passwords: PasswordHasher
    let site: Site
    let limits: RateLimits
    let connections: ConnectionLimits
    let metrics: MetricsSettings
    let mailer: Mailer?
    let channels: ChannelSettings
    let channelSender: ChannelSender
    let socialClients: SocialClients
    let socialSender: SocialSender
    let tiles: TileSource?
    let streetPictures: StreetPictures?
    let secondFactorKey: SecondFactorKey
    let secondFactorRequirement: SecondFactor.Requirement
    let clockGuard: ClockGuard?
    let uses = SessionUses()
    let basemapTiles: BasemapTiles
    let databaseThreads: DatabaseThreads
    let calibrations = CalibrationCache()
    let alerts: AlertService
    let imports: ImportService
    let importFeeds: ImportFeedService
    let remotePhotos: RemotePhotoService
    let statistics: StatisticsService
    let counters: any LimitCounters
    let accountMailer: AccountMailer?
    let notificationMailer: NotificationMailer?
    let notifications: NotificationService

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - basemap: a map of the gazetteer that several services share; nil for one of its own.
    ///   - telegramServer: the origin of Telegram's Bot API.
    ///   - hideAfter: the number of registered accounts whose reports hide a listing until a moderator has decided; nil
    ///     to hide none.
    ///   - now: the clock for expiry times.
    ///   - monotonicClock: a clock in seconds for `LimitCounters`; nil for the one of the machine or of the database server.
    package init(
        database: any Database,
        gazetteer: Gazetteer,
        basemap: Basemap? = nil,
        breeds: Breeds,
        matchReader: MatchReader,
        matchWeights: MatchWeights = .standard,
        passwords: PasswordHasher,
        baseURL: BaseURL,
        photoService: PhotoService,
        site: SiteSettings = SiteSettings(),
        tiles: TileSource? = nil,
        limits: RateLimits = .standard,
        connections: ConnectionLimits = .standard,
        quota: Quota = .standard,
        metrics: MetricsSettings = MetricsSettings(),
        hideAfter: Int? = nil,
        mailer: Mailer? = nil,
        channels: ChannelSettings = ChannelSettings(key: VAPIDKey(), logger: Logger(label: "channels")),
        telegramServer: String = SocialClients.telegramServer,
        streetPictures: StreetPictures? = nil,
        secondFactorKey: SecondFactorKey = SecondFactorKey(),
        secondFactorRequirement: SecondFactor.Requirement = .none,
        clockGuard: ClockGuard? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        monotonicClock: (@Sendable () -> Double)? = nil
    ) async throws {
        self.database = database
        databaseThreads = DatabaseThreads(database)
        let stores = Stores(
            database: database,
            quota: quota,
            hideAfter: hideAfter,
            matchReader: matchReader,
            matchWeights: matchWeights
        )
        let slowReads = SlowReadExecutor()
        let maps = database.folder.appending(path: MapFolder.name)
        addresses = MapAddresses(MapFolder(maps))
        // Connections of its own, so that event loops do not wait for the searches of others.
        let places = SitePlaces(gazetteer, addresses: MapAddresses(MapFolder(maps)), region: site.mapArea)
        let countries = try Countries(finder: gazetteer, area: site.mapArea)
        let localization = try Localization(breeds: breeds, site: countries.site)
        imports = ImportService(
            stores.imports,
            stores.remotePhotos,
            photos: photoService,
            accounts: stores.accounts,
            organisations: stores.organisations,
            data: database.folder,
            breeds: breeds,
            finder: places,
            zones: localization.timeZones,
            baseURL: baseURL,
            slowReads: slowReads
        )
        remotePhotos = RemotePhotoService(
            stores.remotePhotos,
            photos: photoService,
            outgoing: channels.outgoing,
            resolver: channels.resolver,
            baseURL: baseURL,
            now: now
        )
        importFeeds = ImportFeedService(
            stores.importFeeds,
            imports,
            accounts: stores.accounts,
            outgoing: channels.outgoing,
            resolver: channels.resolver
        )
        statistics = StatisticsService(store: stores.statistics, now: now)
        self.gazetteer = gazetteer
        basemapTiles = BasemapTiles(
            basemap ?? Basemap(gazetteer),
            maps: MapFolder(maps)
        )
        hours = PlaceHours(countries, localization.timeZones, now: now)
        let queries = ListingQueryReader(breeds, places, stores.search)
        self.passwords = passwords
        self.tiles = tiles
        self.limits = limits
        self.connections = connections
        self.metrics = metrics
        self.mailer = mailer
        self.channels = channels
        self.streetPictures = streetPictures
        self.secondFactorKey = secondFactorKey
        self.secondFactorRequirement = secondFactorRequirement
        self.clockGuard = clockGuard
        counters = database.limitCounters(clock: monotonicClock)
        alerts = AlertService(
            stores.alerts,
            stores.matches,
            stores.organisations,
            queries: queries,
            timeZones: localization.timeZones
        )
        let pages = try Pages(localization, base: baseURL.path, site: site, mapAreas: gazetteer.mapAreas)
        let words = MailTexts(localization: localization, pages: pages, baseURL: baseURL, siteName: site.name)
        accountMailer = mailer.map { [counters] mailer in
            AccountMailer(
                mailer: mailer,
                verifications: stores.verifications,
                words: words,
                counters: counters,
                now: now
            )
        }
        self.site = Site(
            settings: site,
            stores: stores,
            page: PageRenderer(
                pages: pages,
                baseURL: baseURL,
                cookie: SessionCookie(baseURL),
                tiles: tiles,
                forms: FormReader(photos: photoService),
                conversations: stores.conversations,
                sightings: stores.sightings,
                sendsMail: mailer != nil
            ),
            baseURL: baseURL,
            localization: localization,
            breeds: breeds,
            finder: places,
            countries: countries,
            queries: queries,
            photoService: photoService,
            slowReads: slowReads,
            now: now,
            titles: Dictionary(
                uniqueKeysWithValues: Language.allCases.map { language in
                    let localizer = localization.localizer(language)
                    return (language, FeatureTitles { localizer.texts($0) })
                })
        )
        let notificationMailer = mailer.map { [counters] mailer in
            NotificationMailer(mailer: mailer, accounts: stores.accounts, words: words, counters: counters)
        }
        self.notificationMailer = notificationMailer
        channelSender = ChannelSender(
            stores.channels,
            channels,
            subject: site.pushSubject(baseURL),
            now: now
        ) { notificationMailer?.notify($0) }
        socialClients = SocialClients(
            channels.outgoing, resolver: channels.resolver, telegram: telegramServer, now: now)
        socialSender = SocialSender(
            stores.socialPosts,
            socialClients,
            key: secondFactorKey,
            source: SocialTexts(localization: localization, photos: photoService, baseURL: baseURL).source,
            logger: channels.logger,
            now: now
        )
        notifications = NotificationService(
            store: stores.notifications,
            mails: stores.outgoingMails,
            mailer: mailer,
            sender: channelSender,
            texts: NotificationTexts(words: words),
            photos: photoService,
            maps: MapPanels(tiles: basemapTiles)
        )
    }

    /// Returns the server with its services.
    ///
    /// - Parameters:
    ///   - maxConnections: the maximum number of open connections. Further ones are refused with an error response.
    ///   - maxSubscribers: the maximum number of clients of the event stream. Further ones are refused.
    ///   - certificate: for TLS, read again at SIGHUP; without it, the application speaks plain HTTP/1.1.
    ///   - signals: the signals that stop the server.
    ///   - manager: is told that the server lives, stops, and reads the certificate again.
    ///   - onReady: receives the port on which the application listens.
    package func serviceGroup(
        host: String,
        port: Int,
        maxConnections: Int = 512,
        maxSubscribers: Int = 256,
        certificate: TLSCertificate? = nil,
        stoppedBy signals: [UnixSignal] = [],
        manager: ServiceManager? = nil,
        logger: Logger,
        onReady: @Sendable @escaping (Int) async -> Void
    ) -> ServiceGroup {
        let board = eventBroadcaster(maxSubscribers, logger)
        database.faults.report { report in
            logger.error(
                "the disk or the database fails",
                metadata: ["fault": "\(report.fault.rawValue)", "cause": "\(report.cause)", "times": "\(report.times)"]
            )
        }
        // The remaining sixteenth is for connections that are being refused.
        let connectionLimiter = ConnectionLimiter(
            total: maxConnections - maxConnections / 16,
            connections,
            proxies: limits.proxies
        )
        var application = Application(
            router: UnreservedPathRouter(router(board, connectionLimiter)),
            server: .onConnectionLoop(connectionLimiter, connections, certificate),
            configuration: .init(
                address: .hostname(host, port: port),
                serverName: "DoggoFinder",
                availableConnectionsDelegate: .maximum(maxConnections, logger: logger)
            ),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) },
            logger: logger
        )
        let working: [(any ServiceLifecycle.Service)?] = [
            board, periodicJobs(logger), channelSender, socialSender, mailer,
        ]
        for service in working.compactMap(\.self) {
            application.addServices(DatabaseThreads.Service(threads: databaseThreads, service: service))
        }
        if let certificate { application.addServices(CertificateReload(certificate: certificate, manager: manager)) }
        return application.serviceGroup(stoppedBy: signals, manager: manager)
    }

    func eventBroadcaster(_ maxSubscribers: Int, _ logger: Logger) -> ListingEventBroadcaster {
        ListingEventBroadcaster(
            events: site.stores.events,
            base: site.baseURL.text,
            maxSubscribers: maxSubscribers,
            logger: logger
        )
    }
}

extension SiteSettings {
    /// The address at which push services reach the operator (RFC 8292, section 2.1).
    fileprivate func pushSubject(_ baseURL: BaseURL) -> String {
        if let contact {
            if contact.hasPrefix("https://") { return contact }
            if contact.contains("@"), !contact.contains(where: \.isWhitespace) { return "mailto:\(contact)" }
        }
        return baseURL.text.replacing(/^http:/, with: "https:")
    }
}
