import NIOCore

/// The limits on the number of connections, and the timeouts for slow clients. Decision 0060 gives the reasons.
package struct ConnectionLimits: Sendable {
    /// The maximum number of connections per network address; for HTTP/2 and for addresses behind a trusted proxy, also
    /// the maximum number of simultaneous requests.
    let perAddress: Int
    /// The maximum number of simultaneous uploads (photos, and forms with files) per network address.
    var uploadsPerAddress = 8
    /// The maximum number of simultaneous requests on an HTTP/2 connection; RFC 9113 recommends at least 100.
    var maxStreams = 100
    /// The maximum time until the request head is complete. It begins when the connection opens for the first request,
    /// and with the first byte for later requests. A TLS handshake may take as long.
    var head = TimeAmount.seconds(15)
    /// The maximum time between two requests. It is longer than proxies keep idle connections.
    var idle = TimeAmount.seconds(75)
    /// The minimum throughput at which a request body must arrive.
    var arrival = ThroughputMeter.Limit(maxStall: .seconds(20), rate: 1024)
    /// The minimum throughput at which the client must receive a response.
    var departure = ThroughputMeter.Limit(maxStall: .seconds(30), rate: 1024)
    /// The maximum time for the rest of a request body that nobody reads, and for the client to close its side of the
    /// connection.
    var lingerTimeout = TimeAmount.seconds(5)

    package static let standard = ConnectionLimits(perAddress: 256)

    package init(perAddress: Int) {
        self.perAddress = perAddress
    }
}
