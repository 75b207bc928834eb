import CCurl
import Concurrency
import Domain
import Transfer

/// Sends requests to addresses that users gave, and only to public ones: by HTTPS unless the settings permit HTTP as well. It
/// follows no redirects and uses no proxy.
///
/// A name is resolved once. All its addresses must be permitted, and libcurl gets these addresses instead of resolving the
/// name again, whose answer could be another one. It asks once more for each socket that it opens and for each connection that
/// it keeps, so that a request never uses a connection to another address than its own.
package final class HTTPSClient: Sendable {
    private static let maxHeaders = 16 << 10

    private let settings: OutgoingSettings
    private let resolver: any NameResolver
    private let transfers: TransferQueue

    package init(_ settings: OutgoingSettings = OutgoingSettings(), resolver: any NameResolver = SystemResolver()) {
        self.settings = settings
        self.resolver = resolver
        transfers = TransferQueue(name: "outgoing", atOnce: settings.atOnce, idleTime: .seconds(60))
    }

    /// Returns the answer, whatever its status is.
    ///
    /// - Throws: `OutgoingFailure`, or `CancellationError` if the task is cancelled.
    package func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        // The settings may be others than when the address was stored.
        guard settings.permits(request.url) else { throw OutgoingFailure.notPermitted }
        let begin = MonotonicClock.seconds
        let addresses = try await addresses(of: request.url)
        let rest = settings.time - Int((MonotonicClock.seconds - begin) * 1000)
        guard rest > 0 else { throw OutgoingFailure.tooSlow }
        do {
            let reply = try await transfers.run { transfer in
                configure(transfer, request, addresses)
                transfer.limitTime(toConnect: rest, whole: rest)
                transfer.limitReply(headers: Self.maxHeaders, body: settings.maxBody)
            }
            return OutgoingAnswer(
                status: reply.status,
                headers: reply.headers,
                body: reply.body,
                isComplete: reply.isComplete
            )
        } catch let failure as TransferFailure {
            throw OutgoingFailure(failure)
        }
    }

    /// Returns the addresses to which the connection may go, at least one.
    private func addresses(of url: OutgoingURL) async throws -> [IPAddress] {
        if let address = url.address { return [address] }
        let late = ServiceError(.tooSlow, "the resolver took too long")
        let found: [IPAddress]
        do {
            found = try await withTimeout(.milliseconds(settings.time), orElse: late) { [resolver] in
                try await resolver.addresses(of: url.host)
            }
        } catch let error as ServiceError where error == late {
            throw OutgoingFailure.tooSlow
        }
        // One address that is not public is reason enough: it shows that the name is meant to lead there.
        guard !found.isEmpty, found.allSatisfy({ settings.refusal(of: $0) == nil }) else {
            throw OutgoingFailure.noPublicAddress
        }
        return found
    }

    private func configure(_ transfer: Transfer, _ request: OutgoingRequest, _ addresses: [IPAddress]) {
        let url = request.url
        transfer.set(CURLOPT_URL, url.text)
        transfer.set(CURLOPT_PATH_AS_IS, 1)
        transfer.set(CURLOPT_PROTOCOLS_STR, url.scheme.rawValue)
        transfer.set(CURLOPT_FOLLOWLOCATION, 0)
        // A proxy would resolve the name itself.
        transfer.set(CURLOPT_PROXY, "")
        // Requests to a host share a connection by HTTP/2 if it speaks that. The first ones wait until that is known.
        transfer.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        transfer.set(CURLOPT_PIPEWAIT, 1)
        transfer.mayShareConnection = true
        transfer.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        transfer.set(CURLOPT_USERAGENT, "DoggoFinder")
        transfer.set(CURLOPT_HTTPHEADER, request.headerLines)
        if let authorities = settings.authorities { transfer.trust(authorities.path) }
        if let body = request.body { transfer.post(body) }
        if [.put, .delete].contains(request.method) { transfer.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
        transfer.restrictAddresses { IPAddress($0).map(addresses.contains) ?? false }
        guard url.address == nil else { return }
        let list = addresses.map(\.urlText).joined(separator: ",")
        // With +, libcurl forgets the addresses after a minute. No request waits that long.
        transfer.set(CURLOPT_RESOLVE, ["+\(url.host):\(url.port):\(list)"])
    }
}

extension OutgoingFailure {
    fileprivate init(_ failure: TransferFailure) {
        switch failure.code {
        case CURLE_OPERATION_TIMEDOUT: self = .tooSlow
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: self = .notReachable
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION: self = .notTrusted
        default: self = .noAnswer
        }
    }
}
