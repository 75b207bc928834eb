import NIOCore

/// How many connections clients may have, and how slow they may be. Decision 0060 gives the reasons.
package struct ConnectionLimits: Sendable {
    /// Connections of one network address, or requests in progress where it comes through a trusted proxy.
    let perAddress: Int
    /// Photos and forms with files that one address sends at once.
    var uploadsPerAddress = 8
    /// From the connection, or else from the first byte, to the end of a request's head.
    var head = TimeAmount.seconds(15)
    /// Between requests. More than proxies keep their connections.
    var idle = TimeAmount.seconds(75)
    /// Of a body.
    var arrival = ThroughputMeter.Limit(patience: .seconds(20), rate: 1024)
    /// Of an answer.
    var departure = ThroughputMeter.Limit(patience: .seconds(30), rate: 1024)
    /// For the rest of a body that nobody wanted, and for the client to close its side.
    var lingerTimeout = TimeAmount.seconds(5)

    package static let standard = ConnectionLimits(perAddress: 256)

    package init(perAddress: Int) {
        self.perAddress = perAddress
    }
}
