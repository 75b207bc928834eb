import Domain
import Matching
import Storage

/// The stores of the database.
struct Stores: Sendable {
    let accounts: AccountStore
    let alerts: AlertStore
    let audit: AuditLog
    let channels: ChannelStore
    let classifications: ClassificationStore
    let conversations: ConversationStore
    let events: EventStore
    let imports: ListingImportStore
    let listings: ListingStore
    let matches: MatchStore
    let microchips: MicrochipStore
    let moderation: ModerationStore
    let notifications: NotificationStore
    let outgoingMails: OutgoingMailStore
    let organisations: OrganisationStore
    let importFeeds: ImportFeedStore
    let personalData: PersonalData
    let photos: PhotoStore
    let pois: PointOfInterestStore
    let reports: ReportStore
    let retention: RetentionStore
    let search: ListingSearch
    let secondFactors: SecondFactorStore
    let sessions: SessionStore
    let sightings: SightingStore
    let statistics: StatisticsStore
    let timelines: TimelineStore
    let tracks: TrackStore
    let verifications: VerificationStore

    init(_ database: any Database, quota: Quota, hideAfter: Int?, matchReader: MatchReader, matchWeights: MatchWeights)
    {
        accounts = AccountStore(database)
        alerts = AlertStore(database)
        audit = AuditLog(database)
        channels = ChannelStore(database)
        classifications = ClassificationStore(database)
        conversations = ConversationStore(database)
        events = EventStore(database)
        imports = ListingImportStore(database, quota: quota)
        listings = ListingStore(database, quota: quota)
        matches = MatchStore(database, matchReader, weights: matchWeights)
        microchips = MicrochipStore(database)
        moderation = ModerationStore(database)
        notifications = NotificationStore(database)
        outgoingMails = OutgoingMailStore(database)
        organisations = OrganisationStore(database)
        importFeeds = ImportFeedStore(database)
        personalData = PersonalData(database)
        photos = PhotoStore(database)
        pois = PointOfInterestStore(database)
        reports = ReportStore(database, hideAfter: hideAfter)
        retention = RetentionStore(database)
        search = ListingSearch(database)
        secondFactors = SecondFactorStore(database)
        sessions = SessionStore(database)
        sightings = SightingStore(database)
        statistics = StatisticsStore(database)
        timelines = TimelineStore(database)
        tracks = TrackStore(database)
        verifications = VerificationStore(database)
    }
}
