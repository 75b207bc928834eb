package import Domain
package import Matching

/// Which way a piece of evidence speaks.
package enum EvidenceDirection: String, CaseIterable, Sendable {
    case `for`, against, neither
}

extension Evidence {
    /// Evidence of less than half a bit says nothing that is worth a sentence.
    package var direction: EvidenceDirection { bits >= 0.5 ? .for : bits <= -0.5 ? .against : .neither }
}

extension Localizer {
    /// Returns the reason that a piece of evidence is, for example "Found 3 days later"; empty if it is `neither` and
    /// has no number of its own.
    ///
    /// - Parameters:
    ///   - distance: in metres between the public points, rounded up.
    ///   - days: from the loss to the find; for listings of the same side, from the listing to the other one.
    package func reason(_ evidence: Evidence, distance: Double, days: Int, _ side: MatchSide = .other) -> String {
        switch evidence.kind {
        case .distance:
            let isNear = evidence.direction != .against
            return texts("match.distance.\(isNear ? "near" : "far")", ["distance": self.distance(distance)])
        case .days: return reason(days: days, side)
        default:
            let isSaid = evidence.direction != .neither
            return isSaid ? texts("match.\(evidence.kind.rawValue).\(evidence.direction.rawValue)") : ""
        }
    }

    private func reason(days: Int, _ side: MatchSide) -> String {
        if days == 0 { return texts("match.days.same") }
        let order = days > 0 ? "after" : "before"
        let key = side == .same ? "match.days.seen.\(order)" : "match.days.\(order)"
        return self(key, count: abs(days))
    }
}
