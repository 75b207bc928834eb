import Domain
import Foundation
import Storage

extension ListingQuery.Cursor {
    /// The cursor as clients see it, an opaque token: order, value, key and rank in base64url.
    var token: String {
        let letters = Data("\(order.rawValue)|\(value)|\(key)|\(rank)".utf8).base64EncodedData().compactMap { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): UInt8?.none
            default: letter
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Decodes a token. Throws `invalid` if the token is malformed or belongs to another order.
    ///
    /// - Parameter ranks: the number of `likelyBreeds` in the query.
    init(token: String, order: ListingQuery.Order, ranks: Int) throws(ServiceError) {
        let refusal = ServiceError.invalid("cursor", "expected the one of a next link, with the same parameters")
        let base64 = token.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: padded) else { throw refusal }
        let parts = String(decoding: data, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == order.rawValue, let key = Int64(parts[2]), let rank = Int(parts[3]),
            rank == 0 || (1..<max(ranks, 1)).contains(rank)
        else { throw refusal }
        guard order == .distance ? Double(parts[1]) != nil : parts[1].isEmpty else { throw refusal }
        self.init(order: order, value: String(parts[1]), key: key, rank: rank)
    }
}
