import CExpat
import Foundation

/// Names and values in turn, as expat lists them, up to a null.
struct XMLAttributes {
    let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

    subscript(_ name: String) -> String? {
        guard var entry = list else { return nil }
        while let key = entry[0], let value = entry[1] {
            if strcmp(key, name) == 0 { return String(cString: value) }
            entry += 2
        }
        return nil
    }

    func number(_ name: String) -> Int64? {
        self[name].flatMap { Int64($0) }
    }
}
