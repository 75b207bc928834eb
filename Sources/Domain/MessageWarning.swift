import Foundation

/// A warning to the reader of a message. It is a hint based on some phrases that are typical of fraud: it does not
/// block the message, its sender is not told, and other spellings escape it.
package enum MessageWarning: String, CaseIterable, Sendable {
    /// Requests a code that the reader receives by phone, which fraudsters use to take over accounts.
    case verificationCode = "verification_code"
    /// Requests money by an irrevocable method of payment.
    case payment
    /// Contains a link to another site.
    case link

    /// The warnings that are shown with every conversation, independently of its messages.
    package static let general: [MessageWarning] = [.verificationCode, .payment]

    /// - Parameter host: the host of this service. Links to it cause no warning.
    package init?(in text: String, host: String) {
        let text = Self.visible(text)
        if let found = Self.firstPhrase(in: Self.words(text)) {
            self = found
        } else if Self.linksToOtherSite(Self.plainDots(text.lowercased()), host: host.lowercased()) {
            self = .link
        } else {
            return nil
        }
    }

    /// Removes invisible characters, which would prevent phrases from being found.
    private static func visible(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 128 }) else { return text }
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            visible.append(scalar)
        }
        return String(visible)
    }

    /// Returns the folded words with a space at both ends, without kinds of codes that are harmless to request; amounts
    /// of money become "#".
    private static func words(_ text: String) -> String {
        var text = text
        for (sign, name) in [("€", " euro "), ("$", " dollars "), ("£", " pounds ")] {
            text = text.replacing(sign, with: name)
        }
        var words = " \(withAmounts(text.folded)) "
        guard words.contains("cod") else { return words }
        for code in harmlessCodes { words = words.replacing(" \(code) ", with: " ") }
        return words
    }

    /// Returns the most serious warning. The time is proportional to the length of the text.
    private static func firstPhrase(in words: String) -> MessageWarning? {
        var found: MessageWarning?
        for word in words.split(separator: " ") {
            let rest = words[word.startIndex...].utf8
            for key in [word, ""] {
                for (start, warning) in starts[key] ?? [] where rest.starts(with: start.utf8) {
                    guard warning != .verificationCode else { return warning }
                    found = warning
                }
            }
        }
        return found
    }

    /// The beginnings of phrases by their first word; by "" if the first word may have any ending.
    private static let starts: [Substring: [(start: String, warning: MessageWarning)]] = {
        var starts: [Substring: [(start: String, warning: MessageWarning)]] = [:]
        for (warning, phrases) in phrases {
            for phrase in phrases {
                let first = phrase.prefix { $0 != " " }
                let start = phrase.hasSuffix("*") ? String(phrase.dropLast()) : phrase + " "
                starts[first.hasSuffix("*") ? "" : first, default: []].append((start, warning))
            }
        }
        return starts
    }()

    private static func withAmounts(_ folded: String) -> String {
        var rest = folded.split(separator: " ")[...]
        var words: [Substring] = []
        while let word = rest.first {
            let run = rest.prefix(while: isOfAmount)
            let hasNumber = run.contains { $0.first?.isNumber == true }
            let hasCurrency = run.contains { $0.last?.isNumber == false }
            if hasNumber, hasCurrency { words.append("#") } else { words += run.isEmpty ? [word] : Array(run) }
            rest = rest.dropFirst(max(1, run.count))
        }
        return words.joined(separator: " ")
    }

    /// Whether a word can be part of an amount, such as `200`, `euro` or `200euro`.
    private static func isOfAmount(_ word: Substring) -> Bool {
        let rest = word.drop { $0.isNumber }
        return rest.isEmpty || currencies.contains(String(rest))
    }

    private static let currencies: Set<String> = [
        "bucks", "dollar", "dollari", "dollars", "eur", "euro", "euros", "gbp", "pounds", "sterline", "usd",
    ]

    private static let harmlessCodes = [
        "codice postale", "codice fiscale", "codice microchip", "codice chip", "codice del microchip",
        "codice del chip", "codice del suo microchip", "codice del suo chip", "codice sul collare",
        "codice sulla medaglietta", "postal code", "post code", "zip code", "chip code", "microchip code",
        "code of the microchip", "code of the chip", "code on the collar", "code on the tag",
    ]

    /// Folded, in Italian and English. A star stands for any ending of a word, "#" for an amount of money.
    private static let phrases: [(warning: MessageWarning, phrases: [String])] = [
        (
            .verificationCode,
            [
                "codice di verifica", "codice di conferma", "codice di sicurezza", "codice sms", "codice whatsapp",
                "codice otp", "codice che ti ho*", "codice che ti arriv*", "codice che ti e arrivat*",
                "codice che ti mando", "codice che ti invio", "codice che le ho*", "codice che le arriv*",
                "codice che le e arrivat*", "codice che le mando", "codice che le invio", "codice che vi ho*",
                "codice che vi arriv*", "codice che ho mandato", "codice che ho inviato",
                "codice che hai ricevuto", "codice che ha ricevuto", "codice ricevuto",
                "codice arrivato", "codice per sms", "codice via sms",
                "codice a 6 cifre", "codice di 6 cifre", "codice a sei cifre", "codice di sei cifre",
                "mandami il codice", "inviami il codice", "dammi il codice", "dimmi il codice", "leggimi il codice",
                "girami il codice", "passami il codice", "mandarmi il codice", "inviarmi il codice",
                "darmi il codice", "dirmi il codice", "leggermi il codice", "mi mandi il codice",
                "mi invii il codice", "mi dai il codice", "mi dia il codice", "mi dici il codice",
                "mi dica il codice", "mi leggi il codice", "mi legga il codice", "mi giri il codice",
                "mi passi il codice", "otp",
                "verification code", "confirmation code", "security code", "whatsapp code", "google voice",
                "6 digit code", "six digit code", "code i sent", "code i just sent", "code that i sent",
                "code we sent", "code sent to you", "code you received", "code you got", "code you just received",
                "code you just got", "code that you received", "code that you got", "code you ll get",
                "code you ll receive",
                "code you will receive", "code you will get", "send me the code", "send the code", "text me the code",
                "give me the code", "read me the code", "read out the code", "forward me the code", "share the code",
                "send you a code", "text you a code", "tell me the code", "send me that code", "give me that code",
                "tell me that code", "read me that code",
            ]
        ),
        (
            .payment,
            [
                "soldi", "denaro", "pagament*", "pagare", "pagami", "caparra", "acconto", "in anticipo", "bonific*",
                "iban", "postepay", "satispay", "paysafecard", "carta regalo", "carte regalo", "buono regalo",
                "buoni regalo", "buono amazon", "ricarica*", "riscatto", "spese di trasporto", "spese veterinarie",
                "criptovalut*", "money", "pay me", "payment*", "upfront", "deposit", "wire transfer", "bank transfer",
                "western union", "moneygram", "paypal", "zelle", "venmo", "cash app", "gift card*", "giftcard*",
                "steam card*", "itunes card*", "ransom", "bitcoin*", "crypto*", "vet fees", "transport fees",
                "voucher*", "revolut", "servono #", "mi serve #", "servirebbero #", "occorrono #", "mandami #",
                "mandarmi #", "mi mandi #", "inviami #", "inviarmi #", "mi invii #", "versami #", "dammi #", "mi dai #",
                "voglio #", "# prima", "# per riaver*", "send #", "send me #", "give me #",
                "transfer #", "i need #", "i want #", "# first", "# up front",
            ]
        ),
    ]

    /// Replaces the characters that browsers accept as dots in host names.
    private static func plainDots(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 128 }) else { return text }
        return text.precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
    }

    /// Returns whether the text contains a host name of another site, recognised by its beginning or ending. Hosts of
    /// e-mail addresses do not count. The time is proportional to the length of the text.
    private static func linksToOtherSite(_ text: String, host: String) -> Bool {
        namesUser(text) || namesHost(text, besides: host)
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
