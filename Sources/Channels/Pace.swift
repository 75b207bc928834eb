import Domain

/// How many messages a host gets at once: few at first, more while it answers quickly, fewer when it fails. A host that
/// cannot be reached is left alone for some time.
struct Pace: Equatable {
    /// The least and the greatest number of messages at once, and that of the beginning.
    struct Bounds: Equatable {
        let first: Double
        let most: Double
    }

    /// A host that takes longer for an answer gets no more messages at once.
    static let quickTime = Duration.seconds(1)
    private static let maxPause = 60.0

    private let bounds: Bounds
    private var window: Double
    /// Whether the host has failed, so that the number grows slowly.
    private var hasFailed = false
    private var reducedAt: Timestamp?
    /// The number of times that the host could not be reached since it last answered.
    private var misses = 0
    private(set) var resumesAt: Timestamp?

    init(_ bounds: Bounds) {
        self.bounds = bounds
        window = bounds.first
    }

    /// Whether nothing is known of the host.
    var isFresh: Bool { self == Pace(bounds) }

    func room(beside load: Int, at time: Timestamp) -> Int {
        if let resumesAt, resumesAt > time { return 0 }
        return max(0, Int(window) - load)
    }

    /// The host took a message.
    mutating func grow(after duration: Duration) {
        (misses, resumesAt) = (0, nil)
        guard duration < Self.quickTime else { return }
        window = min(bounds.most, window + (hasFailed ? 1 / window : 1))
    }

    /// The host answers, but refuses messages or is late.
    ///
    /// - Parameter seconds: the time for which the host asked to be left alone.
    mutating func reduce(at time: Timestamp, after seconds: Int? = nil) {
        hasFailed = true
        misses = 0
        // Messages that were sent together fail together.
        if reducedAt.map({ $0.adding(seconds: 1) <= time }) ?? true {
            window = max(1, window / 2)
            reducedAt = time
        }
        // It may mean only the receiver of this message, which waits as long as it was asked.
        if let seconds { resumesAt = time.adding(seconds: min(Self.maxPause, Double(seconds))) }
    }

    /// The host cannot be reached.
    mutating func miss(at time: Timestamp) {
        // The others that were on their way tell nothing new.
        guard resumesAt.map({ $0 <= time }) ?? true else { return }
        window = 1
        hasFailed = true
        misses += 1
        resumesAt = time.adding(seconds: min(Self.maxPause, Double(1 << min(misses - 1, 6))))
    }
}

/// The paces of the hosts. Hosts that are both have one for each.
struct Paces {
    struct Host: Hashable {
        let name: String
        let isPushService: Bool
    }

    /// Push services take the messages of many readers; one of them never takes all of what is sent at once.
    private static let ofPushServices = Pace.Bounds(first: 8, most: 80)
    private static let ofWebhooks = Pace.Bounds(first: 4, most: 4)
    private static let maxHosts = 10_000

    private var known: [Host: Pace] = [:]

    subscript(host: Host) -> Pace {
        get { known[host] ?? Pace(host.isPushService ? Self.ofPushServices : Self.ofWebhooks) }
        set {
            if known.count >= Self.maxHosts { known = [:] }
            known[host] = newValue.isFresh ? nil : newValue
        }
    }

    /// The hosts that get nothing now, with the numbers of messages on their way.
    func busy(_ loads: [Host: Int], at time: Timestamp) -> Set<Host> {
        Set(known.keys).union(loads.keys).filter { self[$0].room(beside: loads[$0] ?? 0, at: time) == 0 }
    }

    /// The time at which the next host is no longer left alone.
    func nextResumption(after time: Timestamp) -> Timestamp? {
        known.values.compactMap(\.resumesAt).filter { $0 > time }.min()
    }
}
