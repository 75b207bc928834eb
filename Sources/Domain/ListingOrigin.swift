/// Where a listing began, of which this service has a copy: its page at another service.
package struct ListingOrigin: Equatable, Sendable {
    /// An https or http address.
    package let url: String

    package init(url: String) { self.url = url }

    /// The host and, unless it is that of the scheme, the port.
    package var host: String {
        String((url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]).prefix { $0 != "/" })
    }
}
