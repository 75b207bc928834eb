import Domain
import Foundation
import HTTP
import Hummingbird
import Storage

/// The short addresses of listings, which people copy from paper.
struct ShortAddressPages {
    let site: Site

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/l/:code", use: lead)
    }

    /// Leads to the page of the listing.
    @Sendable private func lead(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let typed = context.parameters.get("code")?.removingPercentEncoding
        guard let code = typed.flatMap({ ListingCode(typed: $0) }),
            let id = try site.stores.listings.id(of: code, seenBy: context.caller?.account)
        else { throw ServiceError(.notFound, "no listing has this code", field: "code") }
        return site.page.redirect("/listings/\(id)")
    }
}
