import HTTP
import Hummingbird
import Pages
import SQL
import Storage

extension WebService {
    private var privacySetup: PrivacySetup {
        var setup = PrivacySetup()
        setup.tileHost = tiles.flatMap(\.host)
        setup.asksForStreetPictures = streetPictures != nil
        setup.sendsMail = mailer != nil
        setup.keepsDigests = database.engine == .postGIS
        setup.hasBucket = site.photoService.hasBucket
        return setup
    }

    /// Adds the pages, their forms and the files that pages are made of. These routes ignore unknown parameters.
    func addPages(to forms: RouterGroup<ServiceContext>, _ services: Services) {
        AssetRoutes(renderer: site.page, siteName: site.settings.name).add(to: forms)
        SitemapRoutes(search: site.stores.search, baseURL: site.baseURL).add(to: forms)
        SitePages(site: site, setup: privacySetup).add(to: forms)
        APIReferenceRoutes(renderer: site.page).add(to: forms)
        StatisticsPages(site: site, service: statistics, work: serviceWork).add(to: forms)
        BoardPages(site: site).add(to: forms)
        MapPages(
            site: site,
            places: placeSearch,
            asksForStreetPictures: streetPictures != nil,
            basemap: basemapTiles
        ).add(to: forms)
        BasemapRoutes(tiles: basemapTiles).add(to: forms)
        ListingPages(
            site: site,
            searchAreas: services.searchAreas,
            matches: services.match,
            messages: services.message,
            hours: hours,
            microchipLimits: services.microchip.limits,
            maps: MapPanels(tiles: basemapTiles)
        ).add(to: forms)
        ShortAddressPages(site: site).add(to: forms)
        OrganisationPages(site: site).add(to: forms)
        MemberPages(site: site, mail: accountMailer).add(to: forms)
        SocialPages(site: site, service: services.social).add(to: forms)
        AnimalRecordPages(site: site).add(to: forms)
        TablePages(site: site, batches: services.batch, microchips: services.microchip).add(to: forms)
        MatchPages(site: site, service: services.match).add(to: forms)
        OrganisationMatchPages(site: site).add(to: forms)
        AnimalPages(site: site, service: services.animal).add(to: forms)
        let reporter = SightingReporter(site: site, service: services.sighting, accountService: services.account)
        SightingPages(reporter: reporter).add(to: forms)
        AlertPages(site: site, service: alerts, accountService: services.account).add(to: forms)
        ImportPages(site: site, service: imports, feeds: importFeeds).add(to: forms)
        TrackPages(site: site, service: services.track).add(to: forms)
        PostPages(
            site: site,
            accountService: services.account,
            microchipLimits: services.microchip.limits,
            reporter: reporter
        ).add(to: forms)
        let messages = MessagePages(site: site, messages: services.message, accountService: services.account)
        messages.add(to: forms)
        SightingAuthorPages(pages: messages).add(to: forms)
        MicrochipPages(site: site, service: services.microchip, accountService: services.account).add(to: forms)
        let accounts = AccountPages(site: site, accountService: services.account)
        accounts.add(to: forms)
        SecondFactorPages(site: site, accountService: services.account, requirement: secondFactorRequirement)
            .add(to: forms)
        PersonalDataRoutes(site: site).add(to: forms, at: "/account/export")
        EmailTokenPages(site: site, accountService: services.account, account: accounts).add(to: forms)
        ReportPages(site: site, accountService: services.account).add(to: forms)
        ModerationPages(site: site, mail: notificationMailer).add(to: forms)
    }
}
