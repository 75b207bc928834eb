import HTTPTypes
import Hummingbird

extension Request {
    /// What people would call the program that sends it, like `Firefox, Android`; nil where it does not say. Not more than that is kept: the
    /// whole of `User-Agent` can tell one person from all others.
    var clientName: String? {
        guard let agent = headers[.userAgent] else { return nil }
        if let browser = Self.browsers.first(where: { agent.contains($0.mark) })?.name {
            let system = Self.systems.first { agent.contains($0.mark) }?.name
            return [browser, system].compactMap(\.self).joined(separator: ", ")
        }
        let product = agent.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }.prefix(40)
        return product.isEmpty ? nil : String(product)
    }

    /// The first that is found: most claim to be Safari too.
    private static let browsers = [
        (mark: "Edg/", name: "Edge"), (mark: "EdgA/", name: "Edge"), (mark: "OPR/", name: "Opera"),
        (mark: "SamsungBrowser/", name: "Samsung Internet"), (mark: "Firefox/", name: "Firefox"),
        (mark: "FxiOS/", name: "Firefox"), (mark: "CriOS/", name: "Chrome"), (mark: "Chrome/", name: "Chrome"),
        (mark: "Safari/", name: "Safari"),
    ]
    private static let systems = [
        (mark: "iPhone", name: "iPhone"), (mark: "iPad", name: "iPad"), (mark: "Android", name: "Android"),
        (mark: "Windows", name: "Windows"), (mark: "Mac OS X", name: "macOS"), (mark: "CrOS", name: "ChromeOS"),
        (mark: "Linux", name: "Linux"),
    ]
}
