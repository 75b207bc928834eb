import Concurrency
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Photos
import Storage

/// Exports all data of an account as a ZIP file with `data.json`, `listings.geojson` and the photos.
struct PersonalDataRoutes {
    let site: Site

    func add(to router: some RouterMethods<ServiceContext>, at path: RouterPath) {
        router.get(path) { _, context in try export(SignedInContext(context: context).account) }
    }

    private func export(_ account: Account) throws -> Response {
        let name = "doggofinder-\(site.now().text.prefix(10)).zip"
        // This happens before the response begins, while an error can still be reported.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let (overview, photos) = (
            try encoder.encode(site.stores.personalData.overview(of: account)),
            try site.stores.personalData.photos(of: account)
        )
        let meter = RequestMeter.current
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/zip", .contentDisposition: "attachment; filename=\"\(name)\"",
                .cacheControl: CacheControl.noStore,
            ],
            body: ResponseBody { writer in
                let zip = try ZipStream()
                try zip.add("data.json", Array(overview))
                try await writer.write(ByteBuffer(bytes: zip.take()))
                try zip.begin("listings.geojson")
                var file = listingFile(of: account)
                while let piece = try await site.slowReads.run(meter, { try file.next() }) {
                    try zip.append(piece)
                    try await writer.write(ByteBuffer(bytes: zip.take()))
                    try Task.checkCancellation()
                }
                for photo in photos {
                    // Photos that were deleted meanwhile are skipped.
                    guard
                        let bytes = try? await site.photoService.bytes(of: photo.id, side: PhotoProcessor.sides[0])
                    else { continue }
                    try zip.add("photos/\(photo.name).jpg", Array(bytes.readableBytesView), isPacked: true)
                    try await writer.write(ByteBuffer(bytes: zip.take()))
                    try Task.checkCancellation()
                }
                try await writer.write(ByteBuffer(bytes: zip.finish()))
                try await writer.finish(nil)
            }
        )
    }

    private func listingFile(of account: Account) -> ListingFile {
        var query = ListingQuery()
        query.restrict(to: account)
        query.order = .oldest
        query.limit = 200
        return ListingFile(.geojson, of: query, with: site.stores.search, base: site.baseURL.text, full: true)
    }
}
