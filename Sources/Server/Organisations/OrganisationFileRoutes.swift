import Concurrency
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Storage

/// The found animals of an organisation as a file that another program imports.
struct OrganisationFileRoutes {
    let site: Site

    /// The number of listings read together.
    private static let batch = 200

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self).get("/v1/organisations/:id/animals.csv", use: export)
    }

    @Sendable private func export(_ request: Request, _ context: SignedInContext) async throws -> Response {
        guard let program = try request.queryReader().choice("format", ShelterProgram.self) else {
            throw ServiceError.invalid("format", "expected asm3 or petfinder")
        }
        let id = try context.parameters.uuid(orElse: "no such organisation")
        let owner = try site.stores.organisations.getAccount(id: id, for: context.account)
        var query = ListingQuery()
        (query.owner, query.statuses, query.order, query.limit) = (owner.key, [.found], .oldest, Self.batch)
        let reading = query
        // This happens before the response begins, while an error can still be reported.
        let (first, file) = try await site.slowReads.run(RequestMeter.current) { [site] in
            let known = try site.stores.animalRecords.findFound(of: owner)
            var file = ListingFile(
                for: program, of: reading, with: site.stores.search, records: known, base: site.baseURL.text
            ) {
                $0.day(in: site.page.timeZones.zone(at: $1))
            }
            return (try file.next(), file)
        }
        let name = "doggofinder-\(program.rawValue)-\(site.now().text.prefix(10)).csv"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8; header=present",
                .contentDisposition: "attachment; filename=\"\(name)\"", .cacheControl: CacheControl.noStore,
            ],
            body: .file(first, file, site.slowReads)
        )
    }
}

extension Timestamp {
    /// For example `2026-11-12`.
    fileprivate func day(in zone: TimeZone) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return String(
            Timestamp(milliseconds: milliseconds + Int64(zone.secondsFromGMT(for: date)) * 1000).text.prefix(10))
    }
}
