import Foundation

/// Finds links to other sites in a message. The time is proportional to the length of the text.
enum LinkReader {
    /// Returns whether the text contains a host name of another site, recognised by its beginning or ending. Hosts of
    /// e-mail addresses do not count.
    static func linksToOtherSite(_ text: String, host: String) -> Bool {
        let text = plainDots(text.lowercased())
        return namesUser(text) || namesHost(text, besides: host.lowercased())
    }

    /// Replaces the characters that browsers accept as dots in host names.
    private static func plainDots(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 128 }) else { return text }
        return text.precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
    }

    /// Returns whether there is a link with a user name, `https://somebody@host`, which seems to lead to another host
    /// than it does.
    private static func namesUser(_ text: String) -> Bool {
        text.components(separatedBy: "://").dropFirst().contains { address in
            address.prefix { !$0.isWhitespace && !"/?#\\".contains($0) }.contains("@")
        }
    }

    private static func namesHost(_ text: String, besides host: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || ".:/@-_+".contains($0)) }.contains { word in
            var name = word
            let isAddress = ["https://", "http://"].contains { prefix in
                defer { if name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) } }
                return name.hasPrefix(prefix)
            }
            name = name.prefix { !"/:".contains($0) }
            let labels = name.withoutOuterDots.split(separator: ".", omittingEmptySubsequences: false)
            guard labels.count > 1, let ending = labels.last, !name.contains("@"), name != host,
                !labels.contains(where: \.isEmpty)
            else { return false }
            return isAddress || labels[0] == "www" || endings.contains(String(ending))
        }
    }

    private static let endings: Set<String> = [
        "app", "bid", "biz", "br", "cc", "cf", "cfd", "ch", "click", "cloud", "club", "cn", "co", "com", "cyou", "de",
        "dev", "es", "eu", "fr", "gd", "gg", "gl", "gq", "icu", "info", "io", "it", "link", "live", "loan", "ly", "me",
        "net", "nl", "online", "org", "pl", "pw", "ro", "ru", "sbs", "shop", "site", "store", "tech", "tk",
        "to", "top", "tv", "ua", "uk", "us", "vip", "website", "ws", "xyz", "zip",
    ]
}

extension Substring {
    fileprivate var withoutOuterDots: Substring {
        let rest = drop { $0 == "." }
        guard let last = rest.lastIndex(where: { $0 != "." }) else { return "" }
        return rest[...last]
    }
}
