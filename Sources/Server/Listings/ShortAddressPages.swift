import Domain
import HTTP
import Hummingbird
import Storage

/// The short addresses of listings, which people copy from paper.
struct ShortAddressPages {
    let renderer: PageRenderer
    let listings: ListingStore

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/l/:code", use: lead)
    }

    /// Leads to the page of the listing.
    @Sendable private func lead(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let code = context.parameters.get("code").flatMap({ ListingCode(typed: $0) }),
            let id = try listings.id(of: code, seenBy: context.caller?.account)
        else { throw ServiceError(.notFound, "no listing has this code", field: "code") }
        return renderer.redirect("/listings/\(id)")
    }
}
