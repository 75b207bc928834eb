import Domain
import Formats
import HTTP
import Hummingbird
import Storage

/// The API for what the owner of a listing notes of the animal for itself.
struct AnimalRecordRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/listings/:id/record", use: show)
            .put("/v1/listings/:id/record", use: put)
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        answer(try site.stores.animalRecords.find(of: try site.stores.listings.getOwn(context).listing))
    }

    @Sendable private func put(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try site.stores.listings.getOwn(context).listing
        let (fields, bytes) = try await request.fieldsAndBytes()
        guard bytes.readableBytes > 0 else { throw ServiceError.invalid("body", "expected a JSON object") }
        try fields.expect(AnimalRecord.Key.allCases.map(\.rawValue))
        for key in AnimalRecord.Key.allCases where key.isDay && fields[key.rawValue] == .string("") {
            throw ServiceError.invalid(key.rawValue, "expected a day like 2026-11-20, or null")
        }
        let record = try AnimalRecord(fields)
        try await site.stores.animalRecords.put(record, of: listing, by: context.account)
        return answer(record)
    }

    private func answer(_ record: AnimalRecord) -> Response {
        .uncachedObject { json in
            json.field("intake_on", record[.intakeDay])
            json.field("intake", record[.intake])
            json.field("outcome_on", record[.outcomeDay])
            json.field("outcome", record[.outcome])
            json.field("kennel", record[.kennel])
            json.field("behaviour", record[.behaviour])
        }
    }
}
