import Domain
import SearchText

/// The meanings that a word can have in a message that asks for money or for a code. A word can have several.
struct RequestSigns: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    /// Denies what follows: "not".
    static let not = Self(bit: 0)
    /// Says with a denial that nothing is asked for: "I do not want", "it is not needed".
    static let want = Self(bit: 1)
    /// "Without", which denies, or is a condition where another denial follows.
    static let without = Self(bit: 2)
    /// A condition that denies nothing: "if you don't".
    static let ifNot = Self(bit: 3)
    /// Ends a denial: "until".
    static let unless = Self(bit: 4)
    /// Ends a denial, and begins a request.
    static let and = Self(bit: 5)
    /// Begins a clause: "but".
    static let but = Self(bit: 6)
    /// Says that nothing is asked for: "for free".
    static let refuse = Self(bit: 7)
    /// Warns of frauds.
    static let warned = Self(bit: 8)
    /// Says that the writer pays, or that it is paid at a desk.
    static let payer = Self(bit: 9)
    /// A way of paying that cannot be revoked.
    static let instrument = Self(bit: 10)
    /// Names money, or a thing that people pay for.
    static let money = Self(bit: 11)
    /// Names a cost: "fee". It needs an amount beside it.
    static let fee = Self(bit: 12)
    static let give = Self(bit: 13)
    static let tell = Self(bit: 14)
    /// Passing on a text.
    static let forward = Self(bit: 15)
    /// Makes a request of the next verb: "can you".
    static let modal = Self(bit: 16)
    /// A request without another verb: "I need".
    static let need = Self(bit: 17)
    /// Says that somebody else asks for money: "the clinic wants".
    static let demand = Self(bit: 18)
    /// The writer, to whom something is given.
    static let me = Self(bit: 19)
    /// Words of extortion.
    static let threat = Self(bit: 20)
    static let currency = Self(bit: 21)
    static let number = Self(bit: 22)
    /// Follows a number that is not an amount of money: "km".
    static let unit = Self(bit: 23)
    /// Precedes a number that is not an amount of money: "number".
    static let numbered = Self(bit: 24)
    /// Names of codes that nobody needs from others.
    static let secret = Self(bit: 25)
    static let code = Self(bit: 26)
    static let digits = Self(bit: 27)
    /// Names a thing whose number is harmless: "microchip".
    static let harmless = Self(bit: 28)
    /// Names a channel by which codes arrive: "SMS".
    static let letter = Self(bit: 29)
    static let arrive = Self(bit: 30)
    /// Asks what something is.
    static let what = Self(bit: 31)
    /// Names a thing that is harmless to ask for.
    static let object = Self(bit: 32)
    /// Follows a number that is an amount of money without a currency.
    static let afterAmount = Self(bit: 33)
    /// Several digits.
    static let sequence = Self(bit: 34)
    /// Money that owners offer, and others may mention: a reward.
    static let reward = Self(bit: 35)

    /// Says that a number is a price: "only".
    static let price = Self(bit: 42)

    // These follow from the other words of the message.

    static let denied = Self(bit: 36)
    /// Says that nothing is asked for.
    static let refusal = Self(bit: 37)
    /// In a clause with a refusal.
    static let refused = Self(bit: 38)
    static let asksToGive = Self(bit: 39)
    static let asksToTell = Self(bit: 40)
    static let asksToForward = Self(bit: 41)

    /// The signs by their names in the tables.
    private static let named: [Substring: RequestSigns] = [
        "not": .not, "want": .want, "without": .without, "if-not": .ifNot, "unless": .unless, "and": .and, "but": .but,
        "refuse": .refuse, "warned": .warned, "payer": .payer, "instrument": .instrument, "money": .money, "fee": .fee,
        "give": .give, "tell": .tell, "forward": .forward, "modal": .modal, "need": .need, "demand": .demand, "me": .me,
        "threat": .threat, "currency": .currency, "number": .number, "unit": .unit, "numbered": .numbered,
        "secret": .secret, "code": .code, "digits": .digits, "harmless": .harmless, "letter": .letter,
        "arrive": .arrive, "what": .what, "object": .object, "after-amount": .afterAmount, "price": .price,
        "sequence": .sequence, "reward": .reward,
    ]

    private init(bit: UInt64) { rawValue = 1 << bit }
    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter language: that of the table that has the name.
    init(name: Substring, in language: Language) {
        guard let signs = Self.named[name] else { preconditionFailure("requests.tsv of \(language.code): \(name)") }
        self = signs
    }

    func hasAny(_ signs: RequestSigns) -> Bool { !isDisjoint(with: signs) }
}

/// The words of requests, in all languages. The tables are files, one for each language.
struct RequestWords: Sendable {
    static let shared = RequestWords()

    let table: PhraseTable<RequestSigns>
    /// Endings of verbs, the longest first.
    private let pronouns: [String]
    private let pronounsOfWriter: [String]
    private let pronounsOfThing: [String]

    private init() {
        var (inflected, exact): ([String: RequestSigns], [String: RequestSigns]) = ([:], [:])
        var endings: [Substring: [String]] = [:]
        for (language, table) in Language.tables("requests") {
            for row in table.rows {
                let phrases = row[1].split(separator: "|")
                if row[0].hasPrefix("pronoun") {
                    endings[row[0], default: []] += phrases.map(String.init)
                    continue
                }
                let signs = RequestSigns(row[0].split(separator: " ").map { RequestSigns(name: $0, in: language) })
                for phrase in phrases {
                    if phrase.hasPrefix("=") {
                        exact[String(phrase.dropFirst()), default: []].formUnion(signs)
                    } else {
                        inflected[String(phrase), default: []].formUnion(signs)
                    }
                }
            }
        }
        table = PhraseTable(inflected, exact: exact) { $0.union($1) }
        pronounsOfWriter = endings["pronoun-writer"] ?? []
        pronounsOfThing = endings["pronoun-thing"] ?? []
        pronouns = (pronounsOfWriter + (endings["pronoun"] ?? [])).sorted { ($1.count, $0) < ($0.count, $1) }
    }

    /// Returns the signs of a verb with pronouns at its end, such as the Italian "mandami" and "copialo". A verb with two of
    /// them, such as "riferiscimelo", asks for something in any case.
    func signs(ofVerb word: String) -> RequestSigns {
        for pronoun in pronouns where word.hasSuffix(pronoun) {
            let verb = String(word.dropLast(pronoun.count))
            let signs = table.longest(verb.stemmedWords[...])?.value ?? []
            if signs.hasAny([.give, .tell]) { return signs }
        }
        return pronounsOfThing.contains(where: word.hasSuffix) ? .tell : []
    }

    /// Whether a verb ends with a pronoun that means the writer.
    func hasPronounOfWriter(_ word: String) -> Bool { pronounsOfWriter.contains { word.hasSuffix($0) } }
}
