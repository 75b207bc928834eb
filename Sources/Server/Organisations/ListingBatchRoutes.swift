import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import Storage

/// The API to renew, close and reopen many listings at once.
struct ListingBatchRoutes {
    let service: ListingBatchService

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self).post("/v1/listings/bulk", use: perform)
    }

    @Sendable private func perform(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["action", "ids"])
        guard
            let action = try Field("action", fields["action"] ?? .null).choice(ListingBatchService.Action.self)
        else { throw ServiceError.invalid("action", "expected renew, reunited, closed or reopen") }
        let most = ListingBatchService.maxCount
        guard case .array(let values)? = fields["ids"], (1...most).contains(values.count) else {
            throw ServiceError.invalid("ids", "expected a list of 1 to \(most) ids of listings")
        }
        let ids = try values.map { try Field("ids", $0).uuid() }
        let outcomes = try await service.perform(action, on: ids, by: context.account)
        return .uncachedObject { json in
            json.array("results", outcomes) { json, result in
                json.object { json in
                    json.field("id", result.id.lowercased)
                    json.field("outcome", result.outcome.rawValue)
                }
            }
        }
    }
}
