import Channels
package import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Mail
import ObjectStorage
import Storage

/// The settings of the metrics.
package struct MetricsSettings: Sendable {
    /// The token that gives access to the metrics; nil if only admins have access.
    let token: Token?
    /// The version of the program.
    let version: String

    package init(token: Token? = nil, version: String = "0") {
        self.token = token
        self.version = version
    }
}

/// The metrics for Prometheus. They need a token, because they show how busy the service is and whether it is backed
/// up. Access cannot depend on the client's address: behind a proxy on the same machine, all requests come from that
/// machine.
struct MetricsRoutes {
    let settings: MetricsSettings
    let accounts: AccountStore
    let secondFactorRequirement: SecondFactor.Requirement
    let work: ServiceWork
    let board: ListingEventBroadcaster
    let photoService: PhotoService
    let requests: RequestMetrics
    let limits: RateLimitMiddleware
    let connections: ConnectionLimiter
    let passwords: PasswordHasher
    let slowReads: SlowReadExecutor

    /// - Parameter router: a router that does not check account tokens, because the metrics token belongs to no
    ///   account.
    func add(to router: Router<ServiceContext>) {
        router.group().add(middleware: limits).add(
            middleware: SlowReadMiddleware(executor: slowReads, engine: work.database.engine)
        )
        .get("/metrics", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await checkAccess(request)
        var text = PrometheusText()
        requests.write(&text)
        writeLimits(&text)
        writeConnections(&text)
        writeQueues(&text)
        writePhotoStore(&text)
        try addUnlessFaulty(to: &text, writeMails)
        try addUnlessFaulty(to: &text, writeChannels)
        text.gauge("doggofinder_stream_subscribers", "Subscribers of the live stream.", await board.subscriberCount)
        text.gauge(
            "doggofinder_leader", "Whether this process runs the jobs that one node at a time runs.",
            work.database.isLeader ? 1 : 0
        )
        await writeFaults(&text)
        try addUnlessFaulty(to: &text, writeData)
        writeBuild(&text)
        ProcessStatistics().write(&text)
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusText.mediaType, .cacheControl: CacheControl.noStore],
            body: .init(byteBuffer: ByteBuffer(string: text.text))
        )
    }

    /// Leaves out figures of the database while it does not answer, because the others tell this.
    private func addUnlessFaulty(
        to text: inout PrometheusText,
        _ write: (inout PrometheusText) throws -> Void
    ) throws {
        var longer = text
        do { try write(&longer) } catch is ServiceError { return }
        text = longer
    }

    private func checkAccess(_ request: Request) async throws {
        guard let digest = request.bearerToken?.digest else {
            throw ServiceError(
                .unauthenticated,
                "Authorization: expected an admin's token, or that of --metrics-token-file"
            )
        }
        // Comparing digests needs no constant time: the time reveals nothing about the token.
        if let token = settings.token, token.digest == digest { return }
        guard let account = try await accounts.findAccount(tokenHash: digest) else {
            throw ServiceError(.unauthenticated, "Authorization: the token is unknown or was revoked")
        }
        guard account.role == .admin else { throw ServiceError(.forbidden, "only admins see the figures") }
        guard !secondFactorRequirement.restricts(account) else { throw ServiceError.needsSecondFactor }
    }

    private func writeLimits(_ text: inout PrometheusText) {
        let figures = limits.figures
        let name: StaticString = "doggofinder_rate_limited_requests_total"
        text.family(name, .counter, "Requests that were refused because their caller asked for too much.")
        for (policy, count) in figures.refused { text.sample(name, ["policy": policy], Double(count)) }
        text.counter(
            "doggofinder_rate_slowed_requests_total", "Reads that had to wait because their caller asked for much.",
            figures.slowed
        )
        text.gauge("doggofinder_rate_slowed_requests_waiting", "Reads that wait so now.", figures.waiting)
    }

    private func writeConnections(_ text: inout PrometheusText) {
        let (open, refused) = connections.counts
        text.gauge("doggofinder_connections", "Connections that are open.", open)
        let help: StaticString = "Connections that were refused because there were too many."
        text.counter("doggofinder_connections_refused_total", help, refused)
    }

    private func writeQueues(_ text: inout PrometheusText) {
        let photos = photoService.load
        text.gauge("doggofinder_photos_arriving", "Photos being received or decoded.", photos.arriving)
        text.gauge("doggofinder_photos_waiting", "Photos that wait for their turn.", photos.waiting)
        text.gauge("doggofinder_writes_waiting", "Writes that wait for the next commit.", work.database.writesWaiting)
    }

    private func writePhotoStore(_ text: inout PrometheusText) {
        guard let figures = photoService.figures else { return }
        let name: StaticString = "doggofinder_photo_store_requests_total"
        text.family(name, .counter, "Requests to the store of photos, by operation and result.")
        for operation in BucketFigures.Operation.allCases {
            let counts = figures.counts(of: operation)
            for (result, count) in [("done", counts.done), ("failed", counts.failed)] {
                text.sample(name, ["operation": operation.rawValue, "result": result], Double(count))
            }
        }
        text.counter("doggofinder_photo_store_repeats_total", "Further attempts of such requests.", figures.repeats)
        text.gauge(
            "doggofinder_photo_store_failing", "1 if the last request to the store of photos failed.",
            figures.failure == nil ? 0 : 1
        )
    }

    private func writeFaults(_ text: inout PrometheusText) async {
        let counts = work.database.faults.counts
        text.family("doggofinder_disk_faults_total", .counter, "What the disk or the memory refused, by kind.")
        for fault in StorageFault.allCases {
            text.sample("doggofinder_disk_faults_total", ["fault": fault.rawValue], Double(counts[fault] ?? 0))
        }
        text.gauge(
            "doggofinder_writes_failing", "1 while the disk takes no writes.",
            await work.database.writeFault() == nil ? 0 : 1
        )
    }

    private func writeMails(_ text: inout PrometheusText) throws {
        let hashes = passwords.load
        text.counter("doggofinder_password_hashes_total", "Passwords hashed or compared.", hashes.done)
        text.gauge("doggofinder_password_hashes_waiting", "Passwords that wait for it.", hashes.waiting)
        guard let figures = try work.mailer?.figures else { return }
        text.family("doggofinder_mails_total", .counter, "Mails by what became of them; refused were too many at once.")
        for (result, count) in [("sent", figures.sent), ("failed", figures.failed), ("refused", figures.refused)] {
            text.sample("doggofinder_mails_total", ["result": result], Double(count))
        }
        text.gauge("doggofinder_mails_waiting", "Mails that wait, for their turn or another attempt.", figures.waiting)
    }

    private func writeChannels(_ text: inout PrometheusText) throws {
        let figures = work.channels.figures
        text.family("doggofinder_events_sent_total", .counter, "Events sent to browsers and webhooks, by result.")
        for (channel, result, count) in [
            ("push", "sent", figures.pushSent), ("push", "failed", figures.pushFailed),
            ("webhook", "sent", figures.webhookSent), ("webhook", "failed", figures.webhookFailed),
            ("any", "expired", figures.expired),
        ] {
            text.sample(
                "doggofinder_events_sent_total",
                ["channel": channel, "result": result],
                Double(count)
            )
        }
        text.family("doggofinder_social_posts_total", .counter, "Posts at other services that were made or changed.")
        for (result, count) in [("done", work.social.figures.done), ("failed", work.social.figures.failed)] {
            text.sample("doggofinder_social_posts_total", ["result": result], Double(count))
        }
        text.gauge(
            "doggofinder_social_posts_waiting", "Posts at other services that are to be made, changed or deleted.",
            try work.social.waiting
        )
        text.family(
            "doggofinder_alert_delay_seconds", .histogram, "From a post until its alerts were ready to be sent.")
        text.samples("doggofinder_alert_delay_seconds", of: work.notifications.delayHistogram)
        text.gauge(
            "doggofinder_events_waiting", "Events that wait, for their turn or another attempt.",
            try work.channels.waiting
        )
        text.family("doggofinder_messages_late_seconds", .gauge, "How long the oldest message that is due has waited.")
        for queue in try work.database.waitingMessages() {
            text.sample("doggofinder_messages_late_seconds", ["channel": queue.channel], queue.late)
        }
    }

    private func writeData(_ text: inout PrometheusText) throws {
        let figures = try work.database.statistics()
        text.family("doggofinder_listings", .gauge, "Listings on the board.")
        for kind in figures.listings {
            text.sample(
                "doggofinder_listings",
                ["status": kind.status, "species": kind.species],
                Double(kind.count)
            )
        }
        text.family("doggofinder_imports", .gauge, "Imports whose reports are kept, by state.")
        for (state, count) in try work.imports.countByState() {
            text.sample("doggofinder_imports", ["state": state.rawValue], Double(count))
        }
        text.gauge("doggofinder_accounts", "Accounts, guests among them.", figures.accounts)
        text.gauge("doggofinder_open_reports", "What waits for a moderator.", figures.openReports)
        text.counter("doggofinder_events_total", "What happened to listings and accounts.", figures.events)
        text.gauge("doggofinder_database_size_bytes", "The database's file.", figures.databaseSize)
        text.gauge("doggofinder_database_log_size_bytes", "What is written and not yet in its place.", figures.logSize)
        text.gauge("doggofinder_schema_version", "The last step of the schema.", figures.schema)
        text.gauge(
            "doggofinder_backup_last_success_timestamp_seconds",
            "When the last backup that was checked was begun, since 1970; absent where none is known.",
            work.database.lastBackup.map { Double($0.milliseconds) / 1000 }
        )
    }

    private func writeBuild(_ text: inout PrometheusText) {
        text.family("doggofinder_build_info", .gauge, "The program's version.")
        text.sample("doggofinder_build_info", ["version": settings.version], 1)
        guard let model = photoService.recogniser.modelName else { return }
        text.family("doggofinder_model_info", .gauge, "The model that recognises breeds.")
        text.sample("doggofinder_model_info", ["id": model.id, "version": model.version], 1)
    }
}
