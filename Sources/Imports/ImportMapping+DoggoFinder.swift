import Domain
import Foundation

/// The board of another service with this program, as `/v1/listings.geojson`, pages of `/v1/listings` and of
/// `/collections/listings/items`, and `/v1/listings.csv` publish it.
extension ImportMapping {
    /// The folded names of columns that together no other program has.
    static let boardColumns: Set<String> = ["id", "created at", "status", "species", "whereabouts", "origin"]

    static let doggofinder: ImportMapping = {
        var mapping = ImportMapping(columns: [], marks: [], ignored: ["origin", "title"]) { _, _ in }
        mapping.isBoard = true
        mapping.hasRecords = false
        return mapping
    }()

    /// Whether the properties of a feature are those of a listing of such a board.
    static func isListing(_ properties: [String: JSONValue]) -> Bool {
        guard case .string(let code)? = properties["code"], ListingCode(code) != nil,
            case .bool? = properties["approximate"], case .string? = properties["created_at"]
        else { return false }
        return true
    }
}

extension ListingRecords {
    /// The page of a listing at the service whose board the file is. Nil unless the file was fetched from a service.
    func origin(of id: UUID?) -> ListingOrigin? {
        guard let service, let id else { return nil }
        return ListingOrigin(url: "\(service)/listings/\(id.uuidString.lowercased())")
    }

    /// Whether a listing is itself a copy of one at another service, which passes it on.
    ///
    /// - Parameter origin: the value of its field `origin`.
    static func isCopy(id: UUID?, origin: String?) -> Bool {
        id != nil && origin?.prefixMatch(of: /https?:\/\//) != nil
    }
}

extension [String: JSONValue] {
    /// Says of the properties of a feature on a board what the board leaves out because readers can tell.
    mutating func completeAsListing() {
        if self["approximate"] == .bool(false) {
            self["location_precision"] = .string(LocationPrecision.exact.rawValue)
        }
        if case .array(let photos)? = self["photos"] {
            self["photos"] = .array(
                photos.compactMap { photo in
                    guard case .object(let members) = photo, case .string? = members["url"] else { return nil }
                    return members["url"]
                }
            )
        }
    }

    /// Shows all contacts of a copied listing, because they are public there. Those of the account that copies are not its.
    mutating func takeContactsOfBoard() {
        for field in [ListingField.contactName, .contactPhone, .contactEmail].map(\.name) {
            if self[field] == nil { self[field] = .null } else { self[field + "_public"] = .bool(true) }
        }
    }
}
