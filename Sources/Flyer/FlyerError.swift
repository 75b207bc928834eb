/// The reason why a flyer could not be created.
package enum FlyerError: Error, Equatable, CustomStringConvertible {
    /// `Flyer.photo` is not a JPEG that a PDF can contain unchanged.
    case unreadablePhoto
    /// `Flyer.address` is empty, or so long that its QR code could not be scanned from paper.
    case unsuitableAddress
    /// Cairo's error message.
    case drawing(String)

    package var description: String {
        switch self {
        case .unreadablePhoto: "the photo is no JPEG of 8 bits in grey or three colours"
        case .unsuitableAddress: "the address is empty or too long for a QR code"
        case .drawing(let reason): "the flyer cannot be drawn: \(reason)"
        }
    }
}
