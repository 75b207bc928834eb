/// A rectangle of the page, in points from the upper left corner.
struct Box: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var area: Double { width * height }

    func inset(_ x: Double, _ y: Double) -> Box {
        Box(x: self.x + x, y: self.y + y, width: max(0, width - 2 * x), height: max(0, height - 2 * y))
    }

    /// Returns a box of another size with the same centre.
    func centred(width: Double, height: Double) -> Box {
        Box(x: x + (self.width - width) / 2, y: y + (self.height - height) / 2, width: width, height: height)
    }

    /// Removes a strip from the top, and a gap between the strip and the rest. Returns the strip.
    mutating func cutTop(_ height: Double, gap: Double = 0) -> Box {
        let strip = Box(x: x, y: y, width: width, height: height)
        y += height + gap
        self.height = max(0, self.height - height - gap)
        return strip
    }

    mutating func cutBottom(_ height: Double, gap: Double = 0) -> Box {
        self.height = max(0, self.height - height - gap)
        return Box(x: x, y: y + self.height + gap, width: width, height: height)
    }

    mutating func cutLeft(_ width: Double, gap: Double = 0) -> Box {
        let strip = Box(x: x, y: y, width: width, height: height)
        x += width + gap
        self.width = max(0, self.width - width - gap)
        return strip
    }

    mutating func cutRight(_ width: Double, gap: Double = 0) -> Box {
        self.width = max(0, self.width - width - gap)
        return Box(x: x + self.width + gap, y: y, width: width, height: height)
    }
}

/// Converts millimetres to points.
func mm(_ length: Double) -> Double { length * 72 / 25.4 }
