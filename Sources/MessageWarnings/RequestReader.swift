/// Finds requests for money and for codes in a message: what can be asked for, and near it that the reader shall hand it over.
/// The time is proportional to the length of the text.
struct RequestReader: Sendable {
    /// In words: how far a request is from what it asks for.
    private static let reach = 14
    /// In words: how far from it something is mentioned that makes a request of it.
    private static let nearReach = 5

    private let words: [RequestText.Word]
    /// Whether the message warns of frauds. Then only what the reader shall hand over to the writer counts, not what is
    /// mentioned or what others ask for.
    private let warns: Bool
    /// The same for money, also if the writer pays or refuses it.
    private let disclaims: Bool
    /// Whether the message names things that have harmless numbers, and nothing that receives codes.
    private let isAboutHarmless: Bool

    init(_ text: String) {
        let words = RequestText(text).words
        let signs = words.reduce(into: RequestSigns()) { $0.formUnion($1.signs) }
        self.words = words
        warns = signs.hasAny(.warned)
        disclaims = signs.hasAny([.warned, .payer, .refused])
        isAboutHarmless = signs.hasAny(.harmless) && !signs.hasAny(.letter)
    }

    var asksForCode: Bool { words.indices.contains(where: asksForCode) }
    var asksForMoney: Bool { words.indices.contains(where: asksForMoney) }

    private func asksForCode(_ index: Int) -> Bool {
        let signs = words[index].signs
        guard !signs.hasAny(.denied) else { return false }
        if signs.hasAny(.secret) { return !warns || has(.asksToTell, near: index) }
        if signs.hasAny([.code, .digits]) { return asksForDigits(index) }
        guard signs.hasAny(.letter) else { return false }
        if has(.asksToTell, near: index), has(.what, near: index) { return true }
        return has(.asksToForward, near: index) && (signs.hasAny(.arrive) || has([.arrive, .letter], near: index))
    }

    private func asksForDigits(_ index: Int) -> Bool {
        guard !isAboutHarmless, !has(.harmless, near: index, within: 4) else { return false }
        let signs = words[index].signs
        let isCode = signs.hasAny([.code, .sequence])
        let arrives = has(.arrive, near: index) || isCode && has(.letter, near: index)
        if has(.asksToTell, near: index) { return arrives || signs.hasAny(.code) }
        return arrives && !warns && (isCode || signs.hasAny(.what) || has(.what, near: index))
    }

    private func asksForMoney(_ index: Int) -> Bool {
        let signs = words[index].signs
        guard !signs.hasAny([.denied, .refused]) else { return false }
        if isBareAmount(index) {
            return has(.asksToGive, near: index, within: Self.nearReach)
                || !disclaims && has([.demand, .threat, .price], near: index, within: Self.nearReach)
        }
        if !disclaims {
            if signs.hasAny([.instrument, .threat]) { return true }
            if signs.hasAny([.fee, .money]), hasAmount(near: index, isBare: signs.hasAny(.fee)) { return true }
        }
        guard signs.hasAny([.instrument, .money, .fee, .reward]) || isAmount(index) else { return false }
        return signs.hasAny(.asksToGive) || has(.asksToGive, near: index)
            || !disclaims && has(.demand, near: index, within: Self.nearReach)
    }

    // MARK: - Amounts

    /// - Parameter isBare: whether a number without a currency suffices.
    private func hasAmount(near index: Int, isBare: Bool) -> Bool {
        neighbours(of: index, within: 4).contains { isAmount($0) || isBare && isBareAmount($0) }
    }

    private func isAmount(_ index: Int) -> Bool {
        let signs = words[index].signs
        return signs.hasAny(.number) && (signs.hasAny(.currency) || has(.currency, near: index, within: 1))
    }

    /// Whether the word is a number that can be an amount of money without its currency.
    private func isBareAmount(_ index: Int) -> Bool {
        let word = words[index]
        guard word.signs.hasAny(.number), !isAmount(index), (10...50_000).contains(word.number ?? 10) else {
            return false
        }
        if index > word.clause.lowerBound, words[index - 1].signs.hasAny([.numbered, .number]) { return false }
        guard index + 1 < word.clause.upperBound else { return true }
        let next = words[index + 1].signs
        return next.hasAny([.afterAmount, .and, .demand]) && !next.hasAny([.unit, .number])
    }

    // MARK: - Neighbours

    /// Whether another word near this one has one of the signs, also in another clause.
    private func has(_ signs: RequestSigns, near index: Int, within reach: Int = reach) -> Bool {
        neighbours(of: index, within: reach).contains { $0 != index && words[$0].signs.hasAny(signs) }
    }

    private func neighbours(of index: Int, within reach: Int) -> Range<Int> {
        words.indices.clamped(to: index - reach..<index + reach + 1)
    }
}
