/// The results of comparisons, as positions in `MatchLevels.names`.
enum Comparison {
    /// The bit of white in `ColourReader.names`.
    private static let white: UInt16 = 1 << 1

    @inline(__always)
    static func colours(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        let (left, right) = (lost.colours, found.colours)
        if left == 0 || right == 0 { return Level.Colour.unsaid }
        if left == right { return Level.Colour.sameSet }
        let shared = left & right
        if shared == 0 { return lost.closeColours & right != 0 ? Level.Colour.close : Level.Colour.other }
        let (onlyLeft, onlyRight) = (left & ~shared, right & ~shared)
        if onlyLeft.nonzeroBitCount == 1, onlyRight.nonzeroBitCount == 1, lost.closeColours & onlyRight != 0 {
            return Level.Colour.nearlySame
        }
        if onlyLeft | onlyRight == white { return Level.Colour.differsInWhite }
        let sameFirst = lost.firstColour == found.firstColour
        if onlyLeft == 0 || onlyRight == 0 {
            return sameFirst ? Level.Colour.containedSameFirst : Level.Colour.contained
        }
        return sameFirst ? Level.Colour.sameFirst : Level.Colour.sharesOne
    }

    static func sexes(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        guard let left = lost.sex, let right = found.sex else { return 0 }
        return left == right ? 1 : 2
    }

    static func neutering(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        switch (lost.neutered, found.neutered) {
        case (true, true), (false, false): 3
        case (true, false), (false, true): 4
        case (true, nil): 2
        case (nil, true): 1
        // Only that an animal is neutered is said as a rule.
        case (nil, nil), (false, nil), (nil, false): 0
        }
    }

    static func sizes(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        guard let left = lost.size, let right = found.size else { return 0 }
        if left == right { return 1 }
        return left == .medium || right == .medium ? 2 : 3
    }

    static func ages(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        guard let left = lost.age, let right = found.age else { return 0 }
        let (younger, older) = (Double(min(left, right)) + 4, Double(max(left, right)) + 4)
        return older < 1.6 * younger ? 1 : older < 2.6 * younger ? 2 : 3
    }

    /// Compares weights that are said, or those that the breeds usually have where the breeds differ.
    static func weights(_ lost: MatchSubject, _ found: MatchSubject, breedLevel: Int) -> Int {
        let left = lost.weight != 0 ? lost.weight : lost.usualWeight
        let right = found.weight != 0 ? found.weight : found.usualWeight
        let areOther = breedLevel > Level.Breed.sharesOne
        guard left != 0, right != 0, areOther || lost.weight != 0 || found.weight != 0 else { return 0 }
        let difference = abs(left - right)
        let level = difference <= 0.35 ? 1 : difference <= 0.8 ? 2 : difference <= 1.3 ? 3 : 4
        return areOther ? level + 4 : level
    }

    static func marks(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        guard lost.marks[0] != 0, found.marks[0] != 0 else { return 0 }
        var shared = 0
        for index in 0..<MarkReader.maxWords {
            let hash = lost.marks[index]
            guard hash != 0 else { break }
            if any(found.marks .== hash) { shared += 1 }
        }
        return min(shared, 2) + 1
    }

    static func microchips(_ lost: MatchSubject, _ found: MatchSubject) -> Int {
        if lost.microchip == 0 || found.microchip == 0 { return 0 }
        return lost.microchip == found.microchip ? 1 : 2
    }
}
