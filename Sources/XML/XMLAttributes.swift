import CExpat
import Foundation

/// The attribute list that expat passes to a handler: names and values in turn, terminated by a null pointer.
package struct XMLAttributes {
    let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

    package subscript(_ name: String) -> String? {
        guard var entry = list else { return nil }
        while let key = entry[0], let value = entry[1] {
            if strcmp(key, name) == 0 { return String(cString: value) }
            entry += 2
        }
        return nil
    }

    /// Returns the attribute with this name behind the prefix of a namespace, whatever that is.
    package subscript(local name: String) -> String? {
        guard var entry = list else { return nil }
        while let key = entry[0], let value = entry[1] {
            if let colon = strrchr(key, Int32(UInt8(ascii: ":"))), strcmp(colon + 1, name) == 0 {
                return String(cString: value)
            }
            entry += 2
        }
        return nil
    }

    package func number(_ name: String) -> Int64? {
        self[name].flatMap { Int64($0) }
    }
}
