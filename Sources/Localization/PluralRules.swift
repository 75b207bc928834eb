/// The plural forms of a language, by the rules of CLDR for whole numbers.
///
/// Source: Unicode Technical Standard #35, part 3, "Language Plural Rules".
struct PluralRules: Sendable {
    /// The form of a number for which no rule holds.
    static let other = "other"

    private typealias Relation = (modulus: Int?, isWhole: Bool, isEqual: Bool, ranges: [ClosedRange<Int>])
    /// The forms with their alternatives, each a list of relations of which all must hold.
    private let rules: [(form: String, alternatives: [[Relation]])]

    /// - Parameter rules: the condition of each form but `other`, such as `"one": "i = 1 and v = 0"`.
    init(_ rules: [String: String]) {
        self.rules = rules.sorted { $0.key < $1.key }.map { form, condition in
            let alternatives = condition.split(separator: " or ")
            return (form, alternatives.map { $0.split(separator: " and ").map { Self.relation(String($0)) } })
        }
    }

    /// The forms that texts with a number can have.
    var forms: [String] { rules.map(\.form) + [Self.other] }

    func form(of number: Int) -> String {
        rules.first { $0.alternatives.contains { $0.allSatisfy { Self.holds($0, number) } } }?.form ?? Self.other
    }

    /// `n` and `i` are the number itself; the other operands are about fractions and exponents, and 0 for a whole number.
    private static func holds(_ relation: Relation, _ number: Int) -> Bool {
        let operand = relation.isWhole ? abs(number) : 0
        let value = relation.modulus.map { operand % $0 } ?? operand
        return relation.ranges.contains { $0.contains(value) } == relation.isEqual
    }

    nonisolated(unsafe) private static let form = #/\s*([nivwftce])\s*(?:%\s*([1-9]\d*))?\s*(!?=)\s*([\d.,]+)\s*/#

    private static func relation(_ text: String) -> Relation {
        guard let parts = text.wholeMatch(of: form) else {
            preconditionFailure("language.json: expected a rule of CLDR, found \(text)")
        }
        let ranges = parts.4.split(separator: ",").compactMap { range -> ClosedRange<Int>? in
            let ends = range.split(separator: "..").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return nil }
            return first...last
        }
        return (parts.2.flatMap { Int($0) }, "ni".contains(parts.1), parts.3 == "=", ranges)
    }
}
