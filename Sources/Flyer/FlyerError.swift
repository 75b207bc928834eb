/// Why there is no flyer.
package enum FlyerError: Error, Equatable, CustomStringConvertible {
    /// `Flyer.photo` is none that a PDF can hold as it is.
    case unreadablePhoto
    /// `Flyer.address` is empty, or makes a QR code too fine to be scanned from paper.
    case unsuitableAddress
    /// Cairo's own words.
    case drawing(String)

    package var description: String {
        switch self {
        case .unreadablePhoto: "the photo is no JPEG of 8 bits in grey or three colours"
        case .unsuitableAddress: "the address is empty or too long for a QR code"
        case .drawing(let reason): "the flyer cannot be drawn: \(reason)"
        }
    }
}
