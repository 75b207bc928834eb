import Domain
import Foundation
import MapDatabase

/// The names of streets, landmarks and parts of towns in a window of the map.
///
/// They are chosen for the whole window and lie within it, so that no name is cut at the border of a tile or picture.
struct MapLabels: Sendable {
    struct Label: Sendable {
        let text: String
        let style: NameStyle
        /// The centre, in pixels of the whole map.
        let x, y: Double
        /// In radians, to the right and downwards.
        let angle: Double
    }

    /// The least distance in pixels of two labels with the same text.
    private static let repetition = 260.0
    /// The least distance in pixels of other labels.
    private static let gap = 3.0
    private static let maxWidth = 260.0

    let labels: [Label]

    /// - Parameter towns: the names that are shown already.
    init(_ window: MapWindow, _ maps: [MapDatabase], towns: [MapNames.Name]) throws {
        let projection = Projection(zoom: window.zoom)
        var places = Placement(window.box, zoom: window.zoom)
        for town in towns { places.take(town) }
        guard let area = window.area(margin: 0) else {
            labels = []
            return
        }
        let shapes = try maps.flatMap { try $0.shapes(in: area, zoom: window.zoom) }.filter { $0.name != nil }
        var found: [Label] = []
        // Large places are before small ones, and main roads before streets.
        let ranks = shapes.map { Self.rank($0.kind, zoom: window.zoom) }
        for index in shapes.indices.sorted(by: { (ranks[$0], $0) < (ranks[$1], $1) }) {
            let shape = shapes[index]
            guard let text = shape.name, let line = shape.lines.first,
                let label = places.label(text, shape.kind, line.map(projection.position), window.zoom)
            else { continue }
            found.append(label)
        }
        labels = found
    }

    /// Where streets have names, these are more important than landmarks.
    private static func rank(_ kind: MapFeature.Kind, zoom: Int) -> Int {
        switch kind {
        case .landmark where zoom > 15: 11
        case .city: 0
        case .town: 1
        case .village: 2
        case .quarter: 3
        case .hamlet: 4
        case .motorway, .trunk, .primary: 5
        case .secondary: 6
        case .landmark: 7
        case .tertiary: 8
        case .street: 9
        case .river: 10
        case .locality: 11
        case .houseNumber: 13
        default: 12
        }
    }

    /// The places that are taken in a window.
    private struct Placement {
        private let window: MapNames.Box
        private var taken: [MapNames.Box] = []
        private var texts: [String: [(x: Double, y: Double)]] = [:]
        private var towns: [(words: Set<String>, x: Double, y: Double)] = []

        /// How far apart two sources may put the middle of a town, in pixels.
        private let reach: Double

        init(_ window: MapNames.Box, zoom: Int) {
            self.window = window
            // 260 pixels at zoom 13 are about 4 km in the middle latitudes.
            reach = MapLabels.repetition * Double(1 << max(0, zoom - 13))
        }

        mutating func take(_ name: MapNames.Name) {
            taken += Self.boxes(name.style, name.text, name.x, name.y, angle: 0)
            texts[name.text.folded, default: []].append((name.x, name.y))
            towns.append((Set(name.text.significantWords), name.x, name.y))
        }

        mutating func label(
            _ text: String,
            _ kind: MapFeature.Kind,
            _ line: [(x: Double, y: Double)],
            _ zoom: Int
        ) -> Label? {
            let style = NameStyle.of(kind)
            let width = style.width(of: text)
            guard width <= MapLabels.maxWidth else { return nil }
            let isPoint = line.count == 1
            let least = MapLabels.firstZoom(kind)
            guard zoom >= least else { return nil }
            let spots = isPoint ? line.map { ($0.x, $0.y, 0.0) } : StraightPart.spots(on: line, width: width + 6)
            for (x, y, angle) in spots {
                let boxes = Self.boxes(style, text, x, y, angle: angle)
                guard isFree(boxes), kind == .houseNumber || isNew(text, x, y) else { continue }
                if kind.isSettlement, isKnown(text, x, y) { continue }
                taken += boxes
                texts[text.folded, default: []].append((x, y))
                return Label(text: text, style: style, x: x, y: y, angle: angle)
            }
            return nil
        }

        private func isFree(_ boxes: [MapNames.Box]) -> Bool {
            boxes.allSatisfy { box in
                box.minX > window.minX && box.minY > window.minY && box.maxX < window.maxX && box.maxY < window.maxY
                    && !taken.contains { $0.meets(box) }
            }
        }

        /// Whether it is a town of the gazetteer, which may have another form of the name: "Il-Gżira" and "Gżira".
        private func isKnown(_ text: String, _ x: Double, _ y: Double) -> Bool {
            let words = text.significantWords
            return towns.contains { town in
                hypot(town.x - x, town.y - y) < reach && words.contains(where: town.words.contains)
            }
        }

        private func isNew(_ text: String, _ x: Double, _ y: Double) -> Bool {
            texts[text.folded]?.allSatisfy { hypot($0.x - x, $0.y - y) > MapLabels.repetition } ?? true
        }

        /// Squares along the text, which need less room than one box around a text at an angle.
        private static func boxes(
            _ style: NameStyle,
            _ text: String,
            _ x: Double,
            _ y: Double,
            angle: Double
        ) -> [MapNames.Box] {
            let half = style.size * 0.6 + MapLabels.gap
            let length = max(0, style.width(of: text) / 2 - style.size * 0.6)
            let count = max(1, Int((2 * length / half).rounded(.up)) + 1)
            return (0..<count).map { number in
                let along = count == 1 ? 0 : -length + 2 * length * Double(number) / Double(count - 1)
                let (centreX, centreY) = (x + along * cos(angle), y + along * sin(angle))
                return MapNames.Box(
                    minX: centreX - half,
                    minY: centreY - half,
                    maxX: centreX + half,
                    maxY: centreY + half
                )
            }
        }
    }

    /// The zoom level from which on a line has its name.
    private static func firstZoom(_ kind: MapFeature.Kind) -> Int {
        switch kind {
        case .motorway, .trunk, .primary: 13
        case .secondary, .river: 14
        case .tertiary: 14
        case .street, .stream: 15
        case .service, .track, .path: 17
        default: 0
        }
    }
}

extension MapFeature.Kind {
    fileprivate var isSettlement: Bool { [.city, .town, .village, .hamlet, .quarter].contains(self) }
}

extension String {
    /// The words that distinguish a name from others.
    fileprivate var significantWords: [String] { foldedWords().filter { $0.count > 3 } }
}

/// The positions of points in pixels of the whole map.
struct Projection: Sendable {
    private let pixels: Double

    init(zoom: Int) {
        pixels = MapNames.tileSize * Double(1 << zoom)
    }

    func position(_ point: Coordinate) -> (x: Double, y: Double) {
        let (x, y) = MapTile.fraction(of: point)
        return (x * pixels, y * pixels)
    }
}

/// The parts of a line that are straight enough for a text.
private enum StraightPart {
    /// How far a text may be from the line, in pixels.
    private static let deviation = 3.0
    private static let maxPoints = 400
    /// The distance in pixels of places along a straight line, and how many are tried.
    private static let (spacing, maxSpots) = (250.0, 40)

    /// Returns the middle of parts with a length, and their angle, that of the longest part first.
    static func spots(on line: [(x: Double, y: Double)], width: Double) -> [(Double, Double, Double)] {
        guard line.count <= maxPoints else { return [] }
        var parts: [(length: Double, x: Double, y: Double, angle: Double)] = []
        var start = 0
        while start < line.count - 1 {
            var end = start + 1
            while end + 1 < line.count, isStraight(line[start...end + 1]) { end += 1 }
            let (from, to) = (line[start], line[end])
            let length = hypot(to.x - from.x, to.y - from.y)
            if length >= width {
                let upright = from.x <= to.x ? (to.x - from.x, to.y - from.y) : (from.x - to.x, from.y - to.y)
                let angle = atan2(upright.1, upright.0)
                parts.append((length, (from.x + to.x) / 2, (from.y + to.y) / 2, angle))
                // Other places along a long part, where the middle is taken or outside of the window.
                let count = min(maxSpots, Int(length / max(2 * width, spacing)))
                for number in 0..<max(0, count) {
                    let share = (Double(number) + 0.5) / Double(count)
                    parts.append(
                        (length / 2, from.x + share * (to.x - from.x), from.y + share * (to.y - from.y), angle)
                    )
                }
            }
            start = end
        }
        return parts.sorted { $0.length > $1.length }.map { ($0.x, $0.y, $0.angle) }
    }

    private static func isStraight(_ points: ArraySlice<(x: Double, y: Double)>) -> Bool {
        guard let from = points.first, let to = points.last else { return false }
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let length = hypot(dx, dy)
        guard length > 0 else { return false }
        return points.allSatisfy { point in
            abs(dx * (point.y - from.y) - dy * (point.x - from.x)) <= deviation * length
        }
    }
}
