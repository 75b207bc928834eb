import Domain

/// The mails that may be sent in a time, if the operator limits them.
struct SendingRate {
    private let perSecond: Double?
    private var allowance: Double
    private var countedAt = ContinuousClock.now

    init(perSecond: Int?) {
        self.perSecond = perSecond.map(Double.init)
        allowance = perSecond.map(Double.init) ?? 0
    }

    /// The number of mails that may be sent now.
    mutating func room(at time: ContinuousClock.Instant = .now) -> Int {
        guard let perSecond else { return .max }
        // Unused allowance is kept for one second at most.
        allowance = min(perSecond, allowance + perSecond * (countedAt.duration(to: time) / .seconds(1)))
        countedAt = time
        return Int(allowance)
    }

    mutating func use(_ count: Int) { allowance -= Double(count) }

    /// The time until a mail may be sent.
    var pause: Duration {
        guard let perSecond, allowance < 1 else { return .zero }
        return .seconds((1 - allowance) / perSecond)
    }
}
