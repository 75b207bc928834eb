/// Prepared GeoJSON features as `board` stores them: control characters, which JSON texts never contain, stand for parts that
/// nearly all features share, such as the names of properties. This halves the table.
package enum ShortFeature {
    /// The parts for which the characters from U+0001 on stand. Databases contain them: their places and texts must not change.
    static let parts: [[UInt8]] = [
        #"{"type":"Feature","id":""#, #"","geometry":{"type":"Point","coordinates":["#, #"]},"properties":{"code":""#,
        #"","status":""#, #"","species":"dog","name":"#, #","breed":"#, #","breed_key":"#,
        #","breed_source":"owner","breed_keys":["#, #"],"mixed":false,"sex":"#, #"],"mixed":true,"sex":"#, #","size":"#,
        #","colour":"#, #","age":null,"reward":null,"marks":null,"collar":"#, #","age":"#, #","reward":null"#,
        #","marks":"#, #","collar":"#, #","description":"#, #","whereabouts":null,"last_seen_at":""#,
        #"","contact_name":null,"contact_phone":null,"contact_email":null,"place":"#, #"","contact_name":"#,
        #","locality":"#, #","province":"#, #","province_code":"#, #","region":"#, #","country":"#,
        #","country_code":"#,
        #","postal_code":"#, #","approximate":false,"created_at":""#, #"","updated_at":""#, #"","photos":[]"#,
    ].map { Array($0.utf8) }

    /// The numbers of the parts that begin with a byte, the longest part first.
    private static let numbers: [UInt8: [Int]] = Dictionary(grouping: parts.indices) { parts[$0][0] }.mapValues {
        numbers in
        numbers.sorted { parts[$0].count > parts[$1].count }
    }

    /// Returns the short form of a feature.
    static func shorten(_ feature: String) -> String {
        var feature = feature
        let short = feature.withUTF8 { bytes in
            var (short, start) = ([UInt8](), 0)
            short.reserveCapacity(bytes.count / 2)
            while start < bytes.count {
                let rest = bytes[start...]
                if let number = numbers[bytes[start]]?.first(where: { rest.starts(with: parts[$0]) }) {
                    short.append(UInt8(number + 1))
                    start += parts[number].count
                } else {
                    short.append(bytes[start])
                    start += 1
                }
            }
            return short
        }
        return String(decoding: short, as: UTF8.self)
    }

    /// Replaces the contents of `feature` by the feature with a short form. Other features stay as they are.
    package static func expand(_ short: UnsafeBufferPointer<UInt8>, into feature: inout [UInt8]) {
        feature.removeAll(keepingCapacity: true)
        var start = 0
        for (place, byte) in short.enumerated() where byte < 32 {
            feature += UnsafeBufferPointer(rebasing: short[start..<place])
            start = place + 1
            if parts.indices.contains(Int(byte) - 1) { feature += parts[Int(byte) - 1] }
        }
        feature += UnsafeBufferPointer(rebasing: short[start...])
    }
}
