/// The results that the comparison of each kind may have.
package enum MatchLevels {
    /// The names of the results of each kind. Tables of weights and texts for readers use them.
    package static func names(_ kind: EvidenceKind) -> [String] { table[index(kind)] }

    /// Groups of results whose shares are counted together. Results in no group always weigh nothing, because not
    /// saying a thing does not tell animals apart.
    static func groups(_ kind: EvidenceKind) -> [Range<Int>] {
        switch kind {
        case .weight: [1..<5, 5..<9]
        case .breed, .colour, .sex: [1..<names(kind).count]
        case .distance, .days: [0..<names(kind).count]
        // A contradiction is too rare to be counted.
        case .neutered: [0..<4]
        // No data tell how often these are equal, or words of the breed say the same; the weights are set by hand.
        case .size, .age, .marks, .microchip, .photo, .likeness: []
        }
    }

    static func index(_ kind: EvidenceKind) -> Int { positions[kind] ?? 0 }

    /// The position of the first result of each kind when the results of all kinds are numbered in order.
    static let starts: [Int] = table.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }

    private static let positions = Dictionary(uniqueKeysWithValues: EvidenceKind.allCases.enumerated().map { ($1, $0) })

    private static let table: [[String]] = EvidenceKind.allCases.map { kind in
        switch kind {
        case .distance:
            [
                "under_100_m", "under_200_m", "under_400_m", "under_800_m", "under_1600_m", "under_2400_m",
                "under_3600_m", "under_5400_m", "under_8_km", "under_12_km", "over_12_km",
            ]
        case .days:
            [
                "over_3_days_before", "2_to_3_days_before", "day_before", "same_day", "next_day", "2_to_3_days_after",
                "4_to_7_days_after", "8_to_14_days_after", "15_to_30_days_after", "over_30_days_after",
            ]
        case .breed:
            [
                "unsaid", "same_words", "same_set", "same_set_one_mixed", "same_first", "shares_one", "variant",
                "look_alike", "other_mixed", "other",
            ]
        case .colour:
            [
                "unsaid", "same_set", "nearly_same", "differs_in_white", "contained_same_first", "contained",
                "same_first", "shares_one", "close", "other",
            ]
        case .sex: ["unsaid", "same", "other"]
        case .neutered: ["neither_says", "found_says", "lost_says", "both_say", "contradiction"]
        case .size: ["unsaid", "same", "near", "other"]
        case .age: ["unsaid", "same", "near", "other"]
        case .weight:
            [
                "unsaid", "fits", "near", "off", "far_off", "build_fits", "build_near", "build_off", "build_far_off",
            ]
        case .marks: ["unsaid", "none_shared", "one_shared", "several_shared"]
        case .microchip: ["unsaid", "equal", "different"]
        case .photo: ["unsaid", "fits", "unclear", "against"]
        case .likeness: ["unsaid", "alike", "unclear", "different"]
        }
    }
}

/// Positions in `MatchLevels.names`.
enum Level {
    enum Breed {
        static let (unsaid, sameWords, sameSet, sameSetOneMixed, sameFirst) = (0, 1, 2, 3, 4)
        static let (sharesOne, variant, lookAlike, otherMixed, other) = (5, 6, 7, 8, 9)
    }

    enum Colour {
        static let (unsaid, sameSet, nearlySame, differsInWhite, containedSameFirst) = (0, 1, 2, 3, 4)
        static let (contained, sameFirst, sharesOne, close, other) = (5, 6, 7, 8, 9)
    }
}
