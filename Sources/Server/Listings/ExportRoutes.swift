import Concurrency
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Storage

/// Exports all results of a search as one file, in the order of posting, with their public fields.
struct ExportRoutes {
    let site: Site

    /// The number of listings read together.
    private static let batch = 200

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings.csv") { request, _ in try export(.csv, request) }
        router.get("/v1/listings.geojson") { request, _ in try export(.geojson, request) }
    }

    private func export(_ format: ListingFile.Format, _ request: Request) throws -> Response {
        let parameters = request.queryReader()
        let language = try request.language(parameters)
        let query = try site.queries.read(
            parameters.assuming(["sort": ListingQuery.Order.oldest.rawValue, "limit": String(Self.batch)]),
            language: language
        )
        var file = ListingFile(
            format,
            of: query,
            with: site.stores.search,
            base: site.baseURL.text,
            full: false,
            titles: site.titles[language]
        )
        // This happens before the response begins, while an error can still be reported.
        let first = try file.next()
        return Response(status: .ok, headers: headers(format), body: .file(first, file, site.slowReads))
    }

    private func headers(_ format: ListingFile.Format) -> HTTPFields {
        let name = "doggofinder-\(site.now().text.prefix(10)).\(format.rawValue)"
        return [
            .contentType: format == .csv ? "text/csv; charset=utf-8; header=present" : "application/geo+json",
            .contentDisposition: "attachment; filename=\"\(name)\"", .cacheControl: CacheControl.noStore,
            // The language determines the titles and the meaning of place names.
            .vary: "Accept-Language",
        ]
    }
}

extension ResponseBody {
    /// A file, of which each piece is read after the client has received the one before.
    static func file(_ first: [UInt8]?, _ rest: ListingFile, _ slowReads: SlowReadExecutor) -> ResponseBody {
        let meter = RequestMeter.current
        return ResponseBody { writer in
            var (piece, file) = (first, rest)
            while let bytes = piece {
                try await writer.write(ByteBuffer(bytes: bytes))
                try Task.checkCancellation()
                piece = try await slowReads.run(meter) { try file.next() }
            }
            try await writer.finish(nil)
        }
    }
}
