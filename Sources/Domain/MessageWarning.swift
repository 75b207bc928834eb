/// What a message's reader is warned of. It is a hint, found by a few words that swindlers use: it blocks nothing, its sender is
/// not told, and whoever spells words otherwise escapes it.
package enum MessageWarning: String, CaseIterable, Sendable {
    /// Asks for a code that arrives on the reader's phone, with which their account is taken over.
    case verificationCode = "verification_code"
    /// Asks for money in a way that nobody gets back.
    case payment
    /// Leads to another site.
    case link

    /// What everybody is warned of, whatever was written.
    package static let general: [MessageWarning] = [.verificationCode, .payment]

    /// - Parameter host: of this service, whose links lead nowhere else.
    package init?(in text: String, host: String) {
        let words = " \(text.folded) "
        let found = Self.phrases.first { _, phrases in
            phrases.contains { words.contains($0.hasSuffix("*") ? " \($0.dropLast())" : " \($0) ") }
        }
        if let found {
            self = found.warning
        } else if Self.leadsElsewhere(text.lowercased(), host: host.lowercased()) {
            self = .link
        } else {
            return nil
        }
    }

    /// Folded, in Italian and English; a star stands for any end of a word.
    private static let phrases: [(warning: MessageWarning, phrases: [String])] = [
        (
            .verificationCode,
            [
                "codice di verifica", "codice di conferma", "codice di sicurezza", "codice sms", "codice whatsapp",
                "codice otp", "codice che ti arriva", "codice che ti ho mandato", "codice che hai ricevuto",
                "codice a 6 cifre", "codice di 6 cifre", "codice a sei cifre", "codice di sei cifre",
                "mandami il codice", "inviami il codice", "dammi il codice", "dimmi il codice", "otp",
                "verification code", "confirmation code", "security code", "whatsapp code", "google voice",
                "6 digit code", "six digit code", "code i sent", "code you received", "code you got",
                "send me the code",
                "send you a code", "text you a code", "tell me the code",
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
            ]
        ),
    ]

    /// Names of hosts, by how they begin or end; that of an e-mail address is no link. Takes time in proportion to the text.
    private static func leadsElsewhere(_ text: String, host: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || ".:/@-_+".contains($0)) }.contains { word in
            var name = word
            let isAddress = ["https://", "http://"].contains { prefix in
                defer { if name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) } }
                return name.hasPrefix(prefix)
            }
            name = name.prefix { !"/:".contains($0) }
            let labels = name.split(separator: ".")
            guard labels.count > 1, let ending = labels.last, !name.contains("@"), name != host else { return false }
            return isAddress || labels[0] == "www" || endings.contains(String(ending))
        }
    }

    private static let endings: Set<String> = [
        "app", "biz", "cc", "click", "co", "com", "eu", "gg", "info", "io", "it", "link", "live", "ly", "me", "net",
        "online", "org", "ru", "shop", "site", "store", "to", "top", "uk", "us", "xyz",
    ]
}
