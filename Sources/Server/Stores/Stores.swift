import Domain
import Matching
import Storage

/// The stores of the database.
struct Stores: Sendable {
    let database: any Database
    let quota: Quota
    let hideAfter: Int?
    let matchReader: MatchReader
    let matchWeights: MatchWeights

    var accounts: AccountStore { AccountStore(database) }
    var alerts: AlertStore { AlertStore(database) }
    var animals: AnimalStore { AnimalStore(database) }
    var animalRecords: AnimalRecordStore { AnimalRecordStore(database) }
    var audit: AuditLog { AuditLog(database) }
    var channels: ChannelStore { ChannelStore(database) }
    var classifications: ClassificationStore { ClassificationStore(database) }
    var conversations: ConversationStore { ConversationStore(database) }
    var events: EventStore { EventStore(database) }
    var imports: ListingImportStore { ListingImportStore(database, quota: quota) }
    var listings: ListingStore { ListingStore(database, quota: quota) }
    var matches: MatchStore { MatchStore(database, matchReader, weights: matchWeights) }
    var microchips: MicrochipStore { MicrochipStore(database) }
    var moderation: ModerationStore { ModerationStore(database) }
    var notifications: NotificationStore { NotificationStore(database) }
    var outgoingMails: OutgoingMailStore { OutgoingMailStore(database) }
    var organisations: OrganisationStore { OrganisationStore(database) }
    var importFeeds: ImportFeedStore { ImportFeedStore(database) }
    var remotePhotos: RemotePhotoStore { RemotePhotoStore(database, quota: quota) }
    var personalData: PersonalData { PersonalData(database) }
    var photoCopies: PhotoCopies { PhotoCopies(database) }
    var photos: PhotoStore { PhotoStore(database) }
    var pois: PointOfInterestStore { PointOfInterestStore(database) }
    var reports: ReportStore { ReportStore(database, hideAfter: hideAfter) }
    var reunions: ReunionStore { ReunionStore(database) }
    var retention: RetentionStore { RetentionStore(database) }
    var search: ListingSearch { ListingSearch(database) }
    var secondFactors: SecondFactorStore { SecondFactorStore(database) }
    var sessions: SessionStore { SessionStore(database) }
    var sightings: SightingStore { SightingStore(database) }
    var socialAccounts: SocialAccountStore { SocialAccountStore(database) }
    var socialPosts: SocialPostStore { SocialPostStore(database) }
    var statistics: StatisticsStore { StatisticsStore(database) }
    var timelines: TimelineStore { TimelineStore(database) }
    var tracks: TrackStore { TrackStore(database) }
    var verifications: VerificationStore { VerificationStore(database) }
}
