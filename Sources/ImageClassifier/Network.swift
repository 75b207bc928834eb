import COpenCV
import Foundation

/// A neural network in OpenCV. Only one caller may use it at a time.
final class Network: @unchecked Sendable {
    /// The numbers that the network computes from a picture. All are finite.
    struct Answer {
        var outputs: [Double]
        /// Empty if the manifest names no node of features.
        var features: [Float]
        /// Nil if the second view does not need it.
        var activity: ActivityMap?
    }

    private let handle: OpaquePointer
    private let input: ModelManifest.Input
    /// The node whose output is returned as features.
    private let node: String?

    init(onnx: Data, input: ModelManifest.Input, node: String?) throws(ModelError) {
        var failure = opencv_failure()
        let handle = onnx.withUnsafeBytes { opencv_network_create($0.baseAddress, $0.count, &failure) }
        guard let handle else { throw .network(reason: failure.reason) }
        self.handle = handle
        self.input = input
        self.node = node
    }

    /// Reads and runs a network in a separate process, before it is used in this one.
    ///
    /// - Throws: An error if OpenCV crashes or exceeds the time limit.
    static func tryOut(onnx: Data, input: ModelManifest.Input, seconds: UInt32) throws(ModelError) {
        var failure = opencv_failure()
        let size = (Int32(input.width), Int32(input.height))
        let status = onnx.withUnsafeBytes {
            opencv_network_try($0.baseAddress, $0.count, size.0, size.1, seconds, &failure)
        }
        guard status == 0 else { throw .network(reason: failure.reason) }
    }

    deinit {
        opencv_network_free(handle)
    }

    /// Runs the network on a picture. The numbers are the means over the views that the manifest names.
    func run(_ image: PixelImage) throws(ModelError) -> Answer {
        let planes = try input.planes(image)
        let first = try run(planes)
        guard let other = try secondView(image, planes, first.activity) else { return first }
        let second = try run(input.mirrored(other))
        return Answer(
            outputs: zip(first.outputs, second.outputs).map { ($0 + $1) / 2 },
            features: zip(first.features, second.features).map { ($0 + $1) / 2 }
        )
    }

    /// Runs the network on a picture of the input's size, without a second view.
    func runPlainly(_ image: PixelImage) throws(ModelError) -> Answer {
        try run(try input.planes(image))
    }

    /// Returns the planes of the second view before they are mirrored; nil if there is none.
    private func secondView(
        _ image: PixelImage,
        _ planes: [Float],
        _ activity: ActivityMap?
    ) throws(ModelError) -> [Float]? {
        switch input.views {
        case .one: nil
        case .mirror: planes
        case .subject: try input.planes(image, in: activity?.square(width: image.width, height: image.height))
        }
    }

    private func run(_ planes: [Float]) throws(ModelError) -> Answer {
        var failure = opencv_failure()
        var (outputs, features, activity) = (Numbers(), Numbers(), Numbers())
        let status = outputs.receive { outputs in
            features.receive { features in
                activity.receive { activity in
                    let size = (Int32(input.width), Int32(input.height))
                    let map = input.views == .subject ? activity : nil
                    return opencv_network_run(handle, planes, size.0, size.1, node, outputs, features, map, &failure)
                }
            }
        }
        guard status == 0 else { throw .network(reason: failure.reason) }
        return Answer(
            outputs: try outputs.finite().map(Double.init),
            features: try features.finite(),
            activity: try map(activity)
        )
    }

    private func map(_ activity: Numbers) throws(ModelError) -> ActivityMap? {
        guard input.views == .subject else { return nil }
        guard activity.columns > 0 else {
            throw .manifest(
                field: "features.node",
                expected: "a node of maps, as \"input.subject_view\" is true",
                found: node ?? "nothing"
            )
        }
        return ActivityMap(cells: try activity.finite(), columns: activity.columns)
    }
}

/// Numbers that OpenCV returns.
private struct Numbers {
    private static let most = 1 << 16

    private var room = [Float](repeating: 0, count: most)
    private var count: Int64 = 0
    private(set) var columns = 0

    mutating func receive(_ call: (UnsafeMutablePointer<opencv_numbers>) -> Int32) -> Int32 {
        room.withUnsafeMutableBufferPointer { room in
            var numbers = opencv_numbers(values: room.baseAddress, most: room.count, count: 0, columns: 0)
            defer { (count, columns) = (numbers.count, Int(numbers.columns)) }
            return call(&numbers)
        }
    }

    /// - Throws: An error if there are too many numbers, or one is not finite.
    func finite() throws(ModelError) -> [Float] {
        guard let numbers = Int(exactly: count).flatMap({ $0 <= room.count ? room.prefix($0) : nil }) else {
            throw .outputs(expected: "at most \(Self.most)", found: Int(clamping: count))
        }
        if let output = numbers.firstIndex(where: { !$0.isFinite }) { throw .notFinite(output: output) }
        return Array(numbers)
    }
}

extension ModelManifest.Input {
    /// Converts the picture, or a square of it, to the planes that the network expects: all red, all green, all blue, row
    /// by row.
    func planes(_ image: PixelImage, in square: PixelSquare? = nil) throws(ModelError) -> [Float] {
        var failure = opencv_failure()
        var status: Int32 = -1
        let planes = image.rgb.withUnsafeBufferPointer { rgb in
            var picture = opencv_picture(image, rgb.baseAddress, square)
            var input = opencv_input(self)
            return [Float](unsafeUninitializedCapacity: width * height * 3) { room, written in
                status = opencv_picture_prepare(&picture, &input, room.baseAddress, &failure)
                written = status == 0 ? room.count : 0
            }
        }
        guard status == 0 else { throw .network(reason: failure.reason) }
        return planes
    }

    /// Mirrors the planes horizontally.
    func mirrored(_ planes: [Float]) -> [Float] {
        stride(from: 0, to: planes.count, by: width).flatMap { planes[$0..<($0 + width)].reversed() }
    }
}

extension opencv_picture {
    fileprivate init(_ image: PixelImage, _ rgb: UnsafePointer<UInt8>?, _ square: PixelSquare?) {
        let stride = image.width * 3
        let start = square.map { $0.top * stride + $0.left * 3 } ?? 0
        self.init(
            rgb: rgb.map { $0 + start },
            width: Int32(square?.side ?? image.width),
            height: Int32(square?.side ?? image.height),
            stride: stride
        )
    }
}

extension opencv_input {
    fileprivate init(_ input: ModelManifest.Input) {
        let (mean, std) = (input.mean.map(Float.init), input.std.map(Float.init))
        self.init(
            width: Int32(input.width),
            height: Int32(input.height),
            covers: input.resize == .cover ? 1 : 0,
            crop: input.crop,
            mean: (mean[0], mean[1], mean[2]),
            std: (std[0], std[1], std[2])
        )
    }
}

extension opencv_failure {
    fileprivate var reason: String {
        let text = withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.split(separator: "\n").joined(separator: " ")
    }
}
