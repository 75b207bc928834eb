import Domain

/// The answers about places, a limited number for a limited time.
struct AnswerCache {
    struct Answer {
        /// Nil if it could not be found out.
        let isLikely: Bool?
        /// The time in seconds at which the answer is forgotten.
        fileprivate let end: Double
    }

    static let maxCount = 10_000
    /// In seconds.
    static let lifetime = 86_400.0
    /// The time in seconds after which a failed request is repeated.
    static let lifetimeOfFailures = 60.0

    private var answers: [Coordinate: Answer] = [:]

    var count: Int { answers.count }

    /// Returns nil if there is no answer of the permitted age.
    func answer(for place: Coordinate, now: Double) -> Answer? {
        answers[place].flatMap { now < $0.end ? $0 : nil }
    }

    mutating func put(_ isLikely: Bool?, for place: Coordinate, now: Double) {
        if answers.count >= Self.maxCount, answers[place] == nil { makeRoom(now) }
        let lifetime = isLikely == nil ? Self.lifetimeOfFailures : Self.lifetime
        answers[place] = Answer(isLikely: isLikely, end: now + lifetime)
    }

    /// Removes the answers that are too old, or else the one that would be the next. An answer is added after a request
    /// to another server, which takes far longer than a look at all answers.
    private mutating func makeRoom(_ now: Double) {
        answers = answers.filter { now < $0.value.end }
        guard answers.count >= Self.maxCount, let oldest = answers.min(by: { $0.value.end < $1.value.end }) else {
            return
        }
        answers[oldest.key] = nil
    }
}
