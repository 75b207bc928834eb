import Domain
import Formats
import Foundation
import Logging
import NIOCore
import OutgoingHTTP
import Photos
import Storage
import Synchronization

/// Fetches the photos at the addresses that imports named, and adds them to their listings. Accounts have turns, no host gets
/// more than two requests at once, and a host that does not answer in time is left alone for some minutes.
final class RemotePhotoService: Sendable {
    private let remotes: RemotePhotoStore
    private let photos: PhotoService
    private let outgoing: OutgoingSettings
    private let client: HTTPSClient
    private let ownHost: String?
    private let now: @Sendable () -> Timestamp
    private let hosts = Mutex(RemoteHosts())

    /// The number of photos that are fetched at once. Each may be in memory.
    private static let atOnce = 4
    /// The photos after which a step ends.
    private static let stepSize = 40
    private static let maxRedirects = 3
    /// The seconds that a server can ask to wait for at most.
    private static let longestWait = 24 * 3_600

    /// - Parameter outgoing: what is permitted for requests to addresses of users.
    init(
        _ remotes: RemotePhotoStore,
        photos: PhotoService,
        outgoing: OutgoingSettings,
        resolver: any NameResolver,
        baseURL: BaseURL,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.remotes, self.photos, self.now) = (remotes, photos, now)
        self.outgoing = outgoing.forFiles(within: 30_000, size: PhotoProcessor.maxFileSize, atOnce: Self.atOnce)
        client = HTTPSClient(self.outgoing, resolver: resolver)
        ownHost = RemotePhoto.host(of: baseURL.link("/"))
    }

    /// Fetches some photos that are due. Returns false if none is.
    func advance(_ logger: Logger) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var (count, running, account) = (0, 0, Int64(0))
            while true {
                while running < Self.atOnce, count < Self.stepSize {
                    let busy = hosts.withLock { $0.leftOut(at: now()) }
                    guard let photo = try await remotes.takeDue(after: account, without: busy, at: now()) else { break }
                    hosts.withLock { $0.begin(photo.host) }
                    (count, running, account) = (count + 1, running + 1, photo.account)
                    group.addTask { try await self.fetch(photo, logger) }
                }
                guard running > 0 else { return count > 0 }
                try await group.next()
                running -= 1
            }
        }
    }

    private func fetch(_ photo: RemotePhoto, _ logger: Logger) async throws {
        var isLate = false
        defer { hosts.withLock { $0.end(photo.host, isLate: isLate, at: now()) } }
        do {
            try await store(try await bytes(of: photo), photo)
        } catch is CancellationError {
            throw CancellationError()
        } catch let failure as RemotePhotoFailure {
            isLate = failure.problem == .timedOut
            try await remotes.fail(photo, failure.problem, waiting: failure.wait, at: now())
        } catch let error as ServiceError where [.conflict, .notFound].contains(error.code) {
            // Another attempt added it, its row has another address now, or its listing was deleted.
        } catch {
            logger.error("a photo was not stored", metadata: ["photo": "\(photo.key)", "error": "\(error)"])
            try await remotes.postpone(photo, at: now())
        }
    }

    /// Returns the file at the address of a photo, or at the one to which that leads.
    private func bytes(of photo: RemotePhoto) async throws -> [UInt8] {
        // The photos of this service belong to listings already. Imports on the command line do not know its address.
        guard photo.host != ownHost else { throw RemotePhotoFailure(.notPermitted) }
        var address = photo.url
        for _ in 0...Self.maxRedirects {
            let answer = try await answer(at: address)
            if (301...308).contains(answer.status), let location = answer.header("Location") {
                guard let next = URL(string: location, relativeTo: URL(string: address))?.absoluteString else { break }
                address = next
                continue
            }
            guard answer.body.count <= PhotoProcessor.maxFileSize else { throw RemotePhotoFailure(.tooLarge) }
            guard answer.status == 200, answer.isComplete, !answer.body.isEmpty else {
                let wait = answer.retryAfter(now: Double(now().milliseconds) / 1_000) ?? 0
                throw RemotePhotoFailure(.refused, wait: Double(min(wait, Self.longestWait)))
            }
            return answer.body
        }
        throw RemotePhotoFailure(.refused)
    }

    private func answer(at address: String) async throws -> OutgoingAnswer {
        let url: OutgoingURL
        do {
            url = try OutgoingURL(address, settings: outgoing)
        } catch {
            throw RemotePhotoFailure(.notPermitted)
        }
        do {
            return try await client.send(OutgoingRequest(url))
        } catch let failure as OutgoingFailure {
            throw RemotePhotoFailure(RemotePhoto.Problem(failure))
        }
    }

    private func store(_ bytes: [UInt8], _ photo: RemotePhoto) async throws {
        let processed: ProcessedPhoto
        do {
            processed = try await photos.process(PieceSequence(bytes))
        } catch let error as ServiceError where [.invalid, .unsupportedMediaType].contains(error.code) {
            throw RemotePhotoFailure(.noPhoto)
        } catch let error as ServiceError where error.code == .tooLarge {
            throw RemotePhotoFailure(.tooLarge)
        }
        do {
            try await photos.store(processed, for: photo, in: remotes)
        } catch let error as ServiceError where error.code == .quotaExceeded {
            throw RemotePhotoFailure(.full)
        }
    }
}

/// The hosts that are asked for photos.
private struct RemoteHosts {
    private var running: [String: Int] = [:]
    /// When hosts that were late may be asked again.
    private var pauses: [String: Timestamp] = [:]

    private static let atOnce = 2
    /// In seconds.
    private static let pause = 600.0
    private static let maxPauses = 1_000

    /// Returns those that get no further request now.
    mutating func leftOut(at now: Timestamp) -> [String] {
        pauses = pauses.filter { $0.value > now }
        return running.filter { $0.value >= Self.atOnce }.map(\.key) + pauses.keys
    }

    mutating func begin(_ host: String) { running[host, default: 0] += 1 }

    mutating func end(_ host: String, isLate: Bool, at now: Timestamp) {
        running[host, default: 1] -= 1
        if running[host] == 0 { running[host] = nil }
        if isLate, pauses.count < Self.maxPauses { pauses[host] = now.adding(seconds: Self.pause) }
    }
}

private struct RemotePhotoFailure: Error {
    let problem: RemotePhoto.Problem
    /// The seconds for which the server asks.
    let wait: Double

    init(_ problem: RemotePhoto.Problem, wait: Double = 0) { (self.problem, self.wait) = (problem, wait) }
}

extension RemotePhoto.Problem {
    /// Says no more than users may know: not whether the name leads to addresses that are not permitted.
    fileprivate init(_ failure: OutgoingFailure) {
        switch failure {
        case .tooSlow: self = .timedOut
        case .notTrusted: self = .untrusted
        case .notPermitted, .noPublicAddress, .notReachable, .noAnswer: self = .unreachable
        }
    }
}
