import Concurrency
package import Domain
package import Foundation
package import Logging
import Synchronization
import Transfer

/// Asks Mapillary whether it has pictures of the street at a place, https://www.mapillary.com/developer/api-documentation.
/// The answers are kept in memory.
package final class StreetPictures: Sendable {
    /// How much Mapillary may be asked, and how long its answers may take.
    package struct Limits: Sendable {
        package var requestsAtOnce = 4
        package var maxWaiting = 32
        /// The time for which a request waits for others.
        package var maxWait = Duration.seconds(1)
        /// The time limit for a whole request, in milliseconds.
        package var requestTime = 3_000

        package init() {}
    }

    private static let maxBytes = 64 << 10
    private static let maxHeaderBytes = 16 << 10

    private let token: String
    private let address: URL
    private let requestTime: Int
    private let logger: Logger
    private let clock: @Sendable () -> Double
    private let turns: AsyncSemaphore
    private let transfers: TransferQueue
    private let answers = Mutex(AnswerCache())

    /// Returns nil if the token has no characters, or others than visible ASCII.
    ///
    /// - Parameters:
    ///   - address: the scheme, host and port of the API.
    ///   - clock: a monotonic clock in seconds, for the age of answers.
    package init?(
        token: String,
        address: URL? = nil,
        limits: Limits = Limits(),
        logger: Logger,
        clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }
    ) {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let address = address ?? URL(string: "https://graph.mapillary.com")
        else { return nil }
        (self.token, self.address, self.logger, self.clock) = (token, address, logger, clock)
        requestTime = limits.requestTime
        turns = AsyncSemaphore(permits: limits.requestsAtOnce, maxWaiting: limits.maxWaiting, maxWait: limits.maxWait)
        transfers = TransferQueue(name: "mapillary", atOnce: limits.requestsAtOnce)
    }

    /// Returns whether there is a picture within about 50 m of a place; nil if that is not known.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func areLikely(near place: Coordinate) async throws -> Bool? {
        if let known = answer(for: place) { return known.isLikely }
        do {
            return try await turns.withPermit {
                // Another task may have asked while this one waited.
                if let known = answer(for: place) { return known.isLikely }
                let isLikely = try await ask(for: place)
                answers.withLock { $0.put(isLikely, for: place, now: clock()) }
                return isLikely
            }
        } catch let refusal as ServiceError {
            log(refusal)
            return nil
        }
    }

    private func answer(for place: Coordinate) -> AnswerCache.Answer? {
        answers.withLock { $0.answer(for: place, now: clock()) }
    }

    private func ask(for place: Coordinate) async throws -> Bool? {
        let begin = MonotonicClock.seconds
        // Waiting for Mapillary costs the server nothing.
        defer { RequestMeter.current?.addWait(MonotonicClock.seconds - begin) }
        let request = "\(address.absoluteString)/images?fields=id&limit=1&bbox=\(Self.box(around: place))"
        do {
            let reply = try await transfers.run { transfer in
                transfer.get(
                    request,
                    host: address.host() ?? "",
                    headers: ["Authorization: OAuth \(token)"],
                    within: requestTime
                )
                transfer.limitReply(headers: Self.maxHeaderBytes, body: Self.maxBytes)
            }
            return try !JSONDecoder().decode(Answer.self, from: Data(reply.content())).data.isEmpty
        } catch is CancellationError {
            throw CancellationError()
        } catch let failure as TransferFailure {
            log(failure)
        } catch {
            // Errors of the decoder quote the answer.
            log("the answer is not the expected JSON")
        }
        return nil
    }

    /// The log contains neither the token nor the place.
    private func log(_ reason: some Sendable) {
        logger.warning("Mapillary did not say whether it has pictures", metadata: ["reason": "\(reason)"])
    }

    private struct Answer: Decodable {
        struct Image: Decodable {
            let id: String
        }

        let data: [Image]
    }

    /// Returns west, south, east and north, 50 m from a place. The API requires boxes of less than 0.01 square degrees.
    static func box(around place: Coordinate) -> String {
        let high = 50 / 111_200.0
        // Near the poles the box is narrower.
        let wide = high / max(0.01, cos(place.lat * .pi / 180))
        return [
            max(-180, place.lon - wide), max(-90, place.lat - high), min(180, place.lon + wide),
            min(90, place.lat + high),
        ].map { String(format: "%.6f", $0) }.joined(separator: ",")
    }
}
