import Logging
import Storage

extension WebService {
    func periodicJobs(_ logger: Logger) -> PeriodicJobs {
        PeriodicJobs(
            jobs: expiry + work + imports(logger) + upkeep
                + (database.engine == .postGIS ? [messagesOfOtherNodes] : []),
            now: site.now,
            logger: logger,
            isLeader: { [database] in database.isLeader }
        )
    }

    /// The jobs that delete expired data.
    private var expiry: [PeriodicJobs.Job] {
        let (retention, sessions, verifications) = (
            site.stores.retention, site.stores.sessions, site.stores.verifications
        )
        return VerificationStore.expiring.map { table in
            .init("expired \(table)") { try await verifications.prune(table, now: $0) }
        } + [
            .init("bans that end", every: .seconds(30)) { [moderation = site.stores.moderation] now in
                try await moderation.endBans(at: now)
                return false
            },
            .init("listings that end soon") { [notificationMailer] now in
                let warned = try await retention.warn(at: now)
                notificationMailer?.notify(warned)
                return warned.count == RetentionStore.batchSize
            },
            .init("listings that end") { try await retention.expire(at: $0) == RetentionStore.batchSize },
            .init("old events") { try await retention.pruneEvents(at: $0) == RetentionStore.batchSize },
            .init("old reports") { [reports = site.stores.reports] now in
                try await reports.prune(at: now)
                return false
            },
            .init("expired invitations and keys") { [organisations = site.stores.organisations] now in
                try await organisations.prune(at: now)
                try await organisations.pruneActions(at: now)
                return false
            },
            .init("expired counters of limits") { [counters] _ in try await counters.prune() },
            .init("expired sessions") { try await sessions.prune(now: $0) },
        ]
    }

    private func imports(_ logger: Logger) -> [PeriodicJobs.Job] {
        [
            .init("imports", every: .seconds(1)) { [imports] now in try await imports.advance(at: now, logger) },
            .init("addresses of imports", every: .seconds(1)) { [importFeeds] now in
                try await importFeeds.advance(at: now, logger)
            },
            .init("photos at addresses", every: .seconds(1)) { [remotePhotos] _ in
                try await remotePhotos.advance(logger)
            },
            .init("files of imports in the database", every: .seconds(600)) { [imports = site.stores.imports] now in
                try await imports.removeFiles(at: now)
                return false
            },
            .init("old imports") { [imports = site.stores.imports] now in try await imports.prune(at: now) },
        ]
    }

    /// The jobs that tell readers of changes, and that prepare searches.
    private var work: [PeriodicJobs.Job] {
        [
            .init("alerts", every: .seconds(1)) { [alerts, channelSender] now in
                let isBusy = try await alerts.advance(at: now)
                // Webhooks are told at once.
                if isBusy { channelSender.wake() }
                return isBusy
            },
            .init("notifications", every: .milliseconds(100)) { [notifications] now in
                try await notifications.tell(at: now)
            },
            .init("texts for matches", every: .seconds(2)) { [matches = site.stores.matches] now in
                try await matches.readSubjects(at: now) == MatchStore.batchSize
            },
            .init("owners of animals of organisations", every: .seconds(2)) { [matches = site.stores.matches] now in
                try await matches.compareAnimals(at: now) == MatchStore.animalsAtOnce
            },
            .init("listings of earlier versions", every: .seconds(86_400)) {
                [rereading = ListingRereading(database, site.breeds)] _ in
                try await rereading.advance().seen > 0
            },
            .init("outdated texts for matches", every: .seconds(86_400)) { [matches = site.stores.matches] _ in
                try await matches.forgetOutdatedSubjects() == MatchStore.batchSize
            },
        ]
    }

    /// Only the leader sends messages, and other nodes cannot tell it that they have stored some.
    private var messagesOfOtherNodes: PeriodicJobs.Job {
        .init("messages of other nodes", every: .seconds(1)) { [mailer, channelSender, socialSender] _ in
            mailer?.wake()
            channelSender.wake()
            socialSender.wake()
            return false
        }
    }

    /// The jobs that each node does for itself.
    private var upkeep: [PeriodicJobs.Job] {
        [
            .init("leadership", every: .seconds(2), on: .node) { [database] _ in
                try database.renewLeadership()
                return false
            },
            .init("the standby", every: .seconds(2), on: .node) { [database] _ in
                try database.checkStandby()
                return false
            },
            .init("the disk", every: .seconds(60), on: .node) { [database, photoService = site.photoService] _ in
                if await database.writeFault() == nil { await photoService.removeDeletedFiles() }
                return false
            },
            .init("the files of photos", every: .seconds(30), on: .node) { [photoService = site.photoService] _ in
                try await photoService.checkFiles()
                return false
            },
            .init("files of imports", every: .seconds(600), on: .node) { [imports] now in
                try imports.removeFiles(at: now)
                return false
            },
            .init("statistics", every: StatisticsService.interval, on: .node) { [statistics] _ in
                try await statistics.refreshUnlessCancelled()
                return false
            },
            .init("the clock", on: .node) { [clockGuard] _ in
                clockGuard?.check()
                return false
            },
            .init("the log", on: .node) { [database] _ in
                _ = try await database.checkpoint()
                return false
            },
            .init("copies of former schemas", every: .seconds(86_400), on: .node) { [database] now in
                database.removeOldUpgradeCopies(now: now)
                return false
            },
            .init("uses of sessions", every: SessionUses.interval, on: .node) {
                [uses, sessions = site.stores.sessions] _ in
                try await uses.write(to: sessions)
            },
        ]
    }
}
