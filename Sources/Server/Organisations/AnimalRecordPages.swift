import Domain
import Forms
import HTTP
import Hummingbird
import Pages
import Storage

/// The page on which members write what their organisation notes of an animal for itself.
struct AnimalRecordPages {
    let renderer: PageRenderer
    let listings: ListingStore
    let records: AnimalRecordStore

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/record", use: show)
        router.post("/listings/:id/record", use: change)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try own(context)
        let record = try records.find(of: listing)
        return renderer.show(request, account, isPrivate: true) { $0.animalRecord(record, of: listing) }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try own(context)
        let typed = try await renderer.forms.read(request).typed
        return try await renderer.handleForm {
            let fields = typed.mapValues { JSONValue.string($0.replacing("\r\n", with: "\n")) }
            try await records.put(try AnimalRecord(fields), of: listing, by: account)
            return renderer.redirect("/listings/\(listing.id.lowercased)", done: "my.saved")
        } orShow: { error, status in
            renderer.show(request, account, status: status, isPrivate: true) {
                $0.animalRecord(typed: typed, of: listing, problem: error)
            }
        }
    }

    private func own(_ context: ServiceContext) throws -> (Listing, Account) {
        let account = try SignedInContext(context: context).account
        return (try listings.getOwn(context.parameters, account).listing, account)
    }
}
