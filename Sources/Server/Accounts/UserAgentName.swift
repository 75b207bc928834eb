import HTTPTypes
import Hummingbird

extension Request {
    /// A readable name of the client program, such as `Firefox, Android`; nil if the client sends none. The complete
    /// `User-Agent` is not stored, because it can identify a person.
    var clientName: String? {
        guard let agent = headers[.userAgent] else { return nil }
        if let browser = Self.browsers.first(where: { agent.contains($0.mark) })?.name {
            let system = Self.systems.first { agent.contains($0.mark) }?.name
            return [browser, system].compactMap(\.self).joined(separator: ", ")
        }
        let product = agent.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }.prefix(40)
        return product.isEmpty ? nil : String(product)
    }

    /// The first match wins, because most browsers also claim to be Safari.
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
