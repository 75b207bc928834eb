package import Foundation

/// The operator's permissions for requests to addresses of users.
package struct OutgoingSettings: Sendable {
    package var schemes: Set<OutgoingURL.Scheme> = [.https]
    package var ports: Set<Int> = [443]
    /// Networks that are permitted although they are not public, such as loopback in tests.
    package var allowedNetworks: [IPNetwork] = []
    /// A PEM file with the certificate authorities that are trusted; nil for those of the system.
    package var authorities: URL?
    /// The time limit for resolving, connecting, sending and reading together, in milliseconds.
    package var time = 5_000
    /// The number of bytes of an answer's body that are read at most.
    package var maxBody = 64 << 10
    /// The number of threads for requests. Further requests wait; their time limit begins after that.
    package var atOnce = 8

    package init() {}

    /// Returns why no request may be sent to an address; nil if it may.
    package func refusal(of address: IPAddress) -> String? {
        allowedNetworks.contains { $0.contains(address) } ? nil : SpecialPurpose.name(of: address)
    }

    func permits(_ url: OutgoingURL) -> Bool {
        guard schemes.contains(url.scheme), ports.contains(url.port) else { return false }
        return url.address.map { refusal(of: $0) == nil } ?? true
    }
}
