import Domain
import Forms
import HTTP
import Hummingbird
import Pages
import Storage

/// The page on which members write what their organisation notes of an animal for itself.
struct AnimalRecordPages {
    let site: Site

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/record", use: show)
        router.post("/listings/:id/record", use: change)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try own(context)
        let record = try site.stores.animalRecords.find(of: listing)
        return site.page.show(request, account, isPrivate: true) { $0.animalRecord(record, of: listing) }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try own(context)
        let typed = try await site.page.forms.read(request).typed
        return try await site.page.handleForm {
            let fields = typed.mapValues { JSONValue.string($0.replacing("\r\n", with: "\n")) }
            try await site.stores.animalRecords.put(try AnimalRecord(fields), of: listing, by: account)
            return site.page.redirect("/listings/\(listing.id.lowercased)", done: "my.saved")
        } orShow: { error, status in
            site.page.show(request, account, status: status, isPrivate: true) {
                $0.animalRecord(typed: typed, of: listing, problem: error)
            }
        }
    }

    private func own(_ context: ServiceContext) throws -> (Listing, Account) {
        let account = try SignedInContext(context: context).account
        return (try site.stores.listings.getOwn(context.parameters, account).listing, account)
    }
}
