import Concurrency
import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import Imports
import Localization
import Logging
import NIOCore
import Photos
import Storage
import Synchronization

/// Receives the files of imports and writes their rows in small batches by turns.
final class ImportService: Sendable {
    let imports: ListingImportStore
    let remotePhotos: RemotePhotoStore
    private let accounts: AccountStore
    let organisations: OrganisationStore
    let folder: ImportFolder
    private let reserve: DiskReserve
    let breeds: Breeds
    let finder: any PlaceFinder
    let zones: TimeZones
    let ownHost: String?
    let slowReads: SlowReadExecutor
    private let uploads = ConcurrencyLimit(16)
    /// The files of running imports, by their ids.
    let open = Mutex<[UUID: ImportFile]>([:])
    let archives = Mutex<[UUID: PhotoArchive]>([:])
    let photos: PhotoService
    private let failures = Mutex<[UUID: Int]>([:])

    /// The imports that run by turns.
    static let maxRunning = 4
    /// The time between two batches, in which others write. `PeriodicJobs` pauses after the last one.
    private static let pause = Duration.milliseconds(10)
    private static let timeout = Duration.seconds(300)
    private static let archiveTimeout = Duration.seconds(1_800)
    /// The failures in a row after which an import is given up.
    private static let maxFailures = 20

    init(
        _ imports: ListingImportStore,
        _ remotePhotos: RemotePhotoStore,
        photos: PhotoService,
        accounts: AccountStore,
        organisations: OrganisationStore,
        data: URL,
        breeds: Breeds,
        finder: any PlaceFinder,
        zones: TimeZones,
        baseURL: BaseURL,
        slowReads: SlowReadExecutor
    ) {
        (self.imports, self.remotePhotos, self.photos) = (imports, remotePhotos, photos)
        (self.accounts, self.organisations) = (accounts, organisations)
        (self.breeds, self.finder, self.zones) = (breeds, finder, zones)
        ownHost = RemotePhoto.host(of: baseURL.link("/"))
        self.slowReads = slowReads
        folder = ImportFolder(data: data)
        reserve = DiskReserve(of: data)
    }

    // MARK: - Files

    /// Returns the account for which a caller imports: its own, or that of an organisation.
    ///
    /// - Parameter organisation: the id of an organisation, as it was sent.
    /// - Throws: `invalid` for the field, `notFound`, or `forbidden` if the caller is no member of it.
    func owner(_ organisation: String?, for caller: Account) throws -> Account {
        try Self.check(caller)
        guard let organisation else { return caller }
        let id = try Field("organisation", .string(organisation)).uuid()
        return try organisations.getAccount(id: id, for: caller)
    }

    /// Throws if the account cannot import.
    static func check(_ account: Account) throws(ServiceError) {
        guard account.role != .guest else {
            throw ServiceError(.forbidden, "imports need a registered account: register first")
        }
    }

    /// Receives a file and returns its id, for `create`.
    ///
    /// - Parameter isArchive: whether it may be as large as a ZIP file of photos.
    func receive<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        isArchive: Bool = false,
        by account: Account
    ) async throws -> UUID
    where Pieces.Element == ByteBuffer {
        try Self.check(account)
        try imports.throwIfFull(account)
        guard let permit = uploads.take() else {
            throw ServiceError(.unavailable, "too many imports at once: try again in a moment")
        }
        defer { withExtendedLifetime(permit) {} }
        do { try reserve.check() } catch { throw error.serviceError }
        let id = UUID()
        let late = ServiceError(.tooSlow, "the file took too long to arrive")
        let (timeout, limit) =
            isArchive
            ? (Self.archiveTimeout, ListingImport.maxArchiveSize) : (Self.timeout, ListingImport.maxFileSize)
        try await withTimeout(timeout, orElse: late) { [folder] in try await folder.write(pieces, id: id, limit: limit)
        }
        return id
    }

    /// Records the import of a file that was received. Its columns and values mean what those of the last file of its source
    /// meant.
    ///
    /// - Parameter sender: who sent the file; nil if the service fetched it.
    func create(
        _ id: UUID,
        _ order: ListingImport.Order,
        by account: Account,
        sender: Account?
    ) async throws -> ListingImport {
        var order = order
        let shows = order.plan.showsContacts
        order.plan = try imports.plan(of: account, source: order.source)
        if let shows { order.plan.showsContacts = shows }
        return try await record(id, order, by: account, sender: sender)
    }

    private func record(
        _ id: UUID,
        _ order: ListingImport.Order,
        by account: Account,
        sender: Account?
    ) async throws -> ListingImport {
        var order = order
        // Photos say nothing of the listings that they are not of.
        if order.isPhotos { order.closeMissing = .no }
        do {
            return try await imports.create(id: id, order, file: folder.url(id), by: account, sender: sender)
        } catch {
            folder.remove(id)
            throw error
        }
    }

    /// The kinds of files that are received.
    enum FileKind: Sendable {
        case table
        /// A ZIP file of photos.
        case photos
    }

    /// Looks whether a file that was received is a ZIP file of photos, or a spreadsheet, that can be read. It is removed if it
    /// is a ZIP file that is neither.
    ///
    /// - Throws: `invalid` for the field, with words on what to do with a spreadsheet of another kind.
    func kind(of id: UUID, field: String) async throws -> FileKind {
        let url = folder.url(id)
        do {
            return try await slowReads.run(RequestMeter.current) {
                guard let start = try FileHandle(forReadingFrom: url).read(upToCount: 8), Spreadsheet.begins(start)
                else { return .table }
                if try PhotoArchive.isArchive(url) { return .photos }
                try Spreadsheet.check(url)
                return .table
            }
        } catch {
            folder.remove(id)
            throw (error as? ServiceError).map { ServiceError.invalid(field, $0.message) } ?? error
        }
    }

    /// Whether the first character of the file, behind white space, is one of these.
    func begins(_ id: UUID, withOneOf characters: String) async throws -> Bool {
        let url = folder.url(id)
        return try await slowReads.run(nil) { Self.begins(url, withOneOf: characters) }
    }

    private static func begins(_ url: URL, withOneOf characters: String) -> Bool {
        guard let file = try? FileHandle(forReadingFrom: url), let start = try? file.read(upToCount: 256)
        else {
            return false
        }
        let text = start.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return text.first.map(characters.utf8.contains) ?? false
    }

    func discard(_ id: UUID) { folder.remove(id) }

    /// Reads the file of a trial once more, with the changes of its plan, which is kept for the next file of its source.
    ///
    /// - Parameters:
    ///   - isDryRun: whether it is another trial, which takes the place of the first one. Otherwise the file is imported.
    ///   - change: receives the beginning of the file and the plan.
    func readAgain(
        _ id: UUID,
        isDryRun: Bool,
        by account: Account,
        _ change: @Sendable @escaping (ImportSample, inout ImportPlan) -> Void
    ) async throws -> ListingImport {
        try Self.check(account)
        let trial = try imports.getImport(id: id, of: account)
        let copy = UUID()
        guard try isDraft(trial), try folder.link(id, as: copy) else { throw Self.gone }
        var order = trial.order
        order.isDryRun = isDryRun
        do {
            order.plan = try await slowReads.run(RequestMeter.current) { [plan = order.plan] in
                var plan = plan
                change(try sample(of: trial), &plan)
                return plan
            }
        } catch {
            folder.remove(copy)
            throw error
        }
        let owner = try owner(of: trial)
        if order.plan != ImportPlan() { try await imports.keep(order.plan, of: owner, source: order.source) }
        let next = try await record(copy, order, by: owner, sender: account)
        if isDryRun { try await imports.remove(id: id, of: account) }
        return next
    }

    private static let gone = ServiceError(
        .conflict,
        "the file of this import is not there any more: send it again"
    )

    func owner(of listingImport: ListingImport) throws -> Account {
        guard let owner = try accounts.findAccount(key: listingImport.owner) else {
            throw ServiceError(.notFound, "no such account")
        }
        return owner
    }

    /// Whether a trial has ended whose file is still there.
    func isDraft(_ listingImport: ListingImport) throws -> Bool {
        try listingImport.order.isDryRun && listingImport.state == .done && hasFile(listingImport.id)
    }

    func sample(of listingImport: ListingImport) throws -> ImportSample {
        guard !listingImport.order.isPhotos else { return ImportSample() }
        let mapping = ImportMapping.Name(rawValue: listingImport.order.mapping) ?? .auto
        return try ImportSample(folder.url(listingImport.id), mapping: mapping, plan: listingImport.order.plan)
    }

    /// Whether the file of an import is in the folder. If another node has received it, it is copied there first.
    private func hasFile(_ id: UUID) throws -> Bool {
        let file = folder.url(id)
        return try FileManager.default.fileExists(atPath: file.path) || imports.readFile(of: id, to: file)
    }

    /// Removes files that are not needed any more, such as those of accounts that were deleted.
    func removeFiles(at now: Timestamp) throws {
        let ids = folder.ids()
        let needed = try imports.needed(ids, at: now)
        // A file whose import is not recorded yet may still arrive.
        for id in ids where !needed.contains(id) && folder.isOld(id) { folder.remove(id) }
        for id in open.withLock({ Array($0.keys) }) where !needed.contains(id) { open.withLock { $0[id] = nil } }
        for id in archives.withLock({ Array($0.keys) }) where !needed.contains(id) {
            archives.withLock { $0[id] = nil }
        }
    }

    // MARK: - Work

    /// Processes the next batches of each running import. Returns whether there is more to do.
    ///
    /// - Parameter turn: how long the batches of one import follow each other before the next import has its turn.
    func advance(at now: Timestamp, _ logger: Logger, turn: Duration = .seconds(1)) async throws -> Bool {
        let due = try imports.findDue(limit: Self.maxRunning)
        var hasProgress = false
        for (index, listingImport) in due.enumerated() {
            if index > 0 { try await Task.sleep(for: Self.pause) }
            do {
                try await advance(listingImport, until: .now + turn, at: now)
                hasProgress = true
                failures.withLock { $0[listingImport.id] = nil }
            } catch is CancellationError {
                throw CancellationError()
            } catch let error as ServiceError where error.code == .forbidden {
                try await end(listingImport, .banned, at: now)
            } catch {
                try await note(error, of: listingImport, at: now, logger)
            }
        }
        return hasProgress
    }

    /// A disk that is full is no reason to give up.
    private func note(
        _ error: any Error,
        of listingImport: ListingImport,
        at now: Timestamp,
        _ logger: Logger
    ) async throws {
        open.withLock { $0[listingImport.id] = nil }
        logger.error("an import failed", metadata: ["import": "\(listingImport.id)", "error": "\(error)"])
        if let error = error as? ServiceError, [.unavailable, .diskFull, .diskFailing].contains(error.code) { return }
        let count = failures.withLock { failures in
            failures[listingImport.id, default: 0] += 1
            return failures[listingImport.id] ?? 0
        }
        if count >= Self.maxFailures { try await end(listingImport, .internal, at: now) }
    }

    private func advance(
        _ listingImport: ListingImport,
        until deadline: ContinuousClock.Instant,
        at now: Timestamp
    ) async throws {
        guard try hasFile(listingImport.id) else {
            return try await end(listingImport, .lost, at: now)
        }
        guard !listingImport.order.isPhotos else { return try await advancePhotos(listingImport, at: now) }
        guard let total = listingImport.total else { return try await begin(listingImport, at: now) }
        guard listingImport.position < total else {
            if try await !imports.finish(listingImport, at: now) { try await close(listingImport) }
            return
        }
        guard let owner = try accounts.findAccount(key: listingImport.owner) else { return }
        let organisation = try organisations.find(account: owner)
        try await write(listingImport, total: total, for: owner, organisation, until: deadline, at: now)
    }

    func end(
        _ listingImport: ListingImport,
        _ problem: ListingImport.Problem,
        at now: Timestamp
    ) async throws {
        try await imports.fail(listingImport, problem, at: now)
        try await close(listingImport)
    }

    func close(_ listingImport: ListingImport) async throws {
        open.withLock { $0[listingImport.id] = nil }
        archives.withLock { $0[listingImport.id] = nil }
        failures.withLock { $0[listingImport.id] = nil }
        // The file of a dry run is imported if its owner likes the report.
        if !listingImport.order.isDryRun {
            folder.remove(listingImport.id)
            try await imports.removeFile(of: listingImport)
        }
    }
}
