import ArgumentParser
import CSV
import Domain
import Formats
import Foundation
import Storage

extension ListingsCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case geojson
        case csv
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all listings to standard output, oldest first, contacts included.",
            discussion: "What export writes, import reads."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var filter: ListingFilter
        @Option(help: "geojson or csv.") var format = Format.geojson

        func run() async throws {
            let store = ListingStore(try await dataOptions.openDatabase())
            var query = try filter.query()
            query.order = .oldest
            query.limit = 1000
            var writer = ListingFileWriter(format)
            writer.begin()
            // Page by page: one long read would keep the log from being folded into the database.
            repeat {
                query.cursor = try store.findListings(query) { row, _ in try writer.write(row) }
                writer.flush()
            } while query.cursor != nil
            writer.end()
        }
    }
}

/// Writes listings one by one, so that a large board needs little memory.
private struct ListingFileWriter {
    private let format: ListingsCommand.Format
    private let csv = CSVWriter()
    private var bytes: [UInt8] = []
    private var isFirst = true

    init(_ format: ListingsCommand.Format) {
        self.format = format
    }

    mutating func begin() {
        switch format {
        case .geojson: bytes += "{\"type\":\"FeatureCollection\",\"features\":[\n".utf8
        case .csv: csv.append(["id", "created_at"] + ListingContent.fieldNames, to: &bytes)
        }
    }

    mutating func write(_ row: ListingRow) throws {
        switch format {
        case .geojson:
            var json = JSONWriter()
            try json.feature(row, base: "", full: true)
            if !isFirst { bytes += ",\n".utf8 }
            json.withBytes { bytes += $0 }
        case .csv: csv.append(try Listing(row).cells, to: &bytes)
        }
        isFirst = false
    }

    mutating func end() {
        if format == .geojson { bytes += "\n]}\n".utf8 }
        flush()
    }

    mutating func flush() {
        FileHandle.standardOutput.write(Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }
}

extension Listing {
    /// In the order of `id`, `created_at` and `ListingContent.fieldNames`.
    fileprivate var cells: [String] {
        let values: [String: String?] = [
            "status": content.status?.rawValue, "species": content.species.rawValue, "name": content.name,
            "breed": content.breed, "sex": content.sex?.rawValue, "size": content.size?.rawValue,
            "colour": content.colour, "age": content.age, "microchip": content.microchip, "marks": content.marks,
            "description": content.description, "last_seen_at": content.lastSeenAt?.text,
            "lon": location.approximate ? nil : "\(location.coordinate.lon)",
            "lat": location.approximate ? nil : "\(location.coordinate.lat)",
            "place": location.place, "reference": content.reference,
            "contact_name": content.contactName.value, "contact_name_public": "\(content.contactName.isPublic)",
            "contact_phone": content.contactPhone.value, "contact_phone_public": "\(content.contactPhone.isPublic)",
            "contact_email": content.contactEmail.value, "contact_email_public": "\(content.contactEmail.isPublic)",
        ]
        let cells = ListingContent.fieldNames.map { (values[$0] ?? nil) ?? "" }
        return [id.uuidString.lowercased(), createdAt.text] + cells
    }
}
