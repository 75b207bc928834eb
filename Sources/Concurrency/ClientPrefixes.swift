/// A client, as queues and limits see it: hashes of the network prefixes that contain its address. Someone who controls
/// a large network has many addresses, but only one of the widest prefix.
package struct ClientPrefixes: Hashable, Sendable {
    /// For example the hashes of the /48, the /56 and the /64 of an IPv6 address, the widest prefix first.
    package let hashes: [Int]

    package init(_ prefixes: [some Hashable]) {
        // With the place in the list, because a network and its first part have the same address.
        hashes = prefixes.enumerated().map { place, prefix in
            var hasher = Hasher()
            hasher.combine(place)
            hasher.combine(prefix)
            return hasher.finalize()
        }
    }

    /// The program itself, for work without a request.
    static let program = ClientPrefixes([Int]())
}
