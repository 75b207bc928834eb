import COpenCV
import Foundation

/// A neural network in OpenCV. Only one caller may use it at a time.
final class Network: @unchecked Sendable {
    private static let maxNumbers = 1 << 16

    /// The numbers that the network computes from a picture. All are finite.
    struct Answer {
        var outputs: [Double]
        /// Empty if the manifest names no node of features.
        var features: [Float]
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

    /// Runs the network on a picture. If the manifest says so, the numbers are the means over the picture and its mirror
    /// image.
    func run(_ image: PixelImage) throws(ModelError) -> Answer {
        let planes = try input.planes(image)
        let answer = try run(planes)
        guard input.mirror else { return answer }
        let mirrored = try run(input.mirrored(planes))
        return Answer(
            outputs: zip(answer.outputs, mirrored.outputs).map { ($0 + $1) / 2 },
            features: zip(answer.features, mirrored.features).map { ($0 + $1) / 2 }
        )
    }

    /// Runs the network on a picture of the input's size, without averaging over the mirror image.
    func runPlainly(_ image: PixelImage) throws(ModelError) -> Answer {
        try run(try input.planes(image))
    }

    private func run(_ planes: [Float]) throws(ModelError) -> Answer {
        var failure = opencv_failure()
        var (status, found): (Int32, (outputs: Int64, features: Int64)) = (-1, (0, 0))
        var features: [Float] = []
        let outputs = [Float](unsafeUninitializedCapacity: Self.maxNumbers) { room, written in
            features = [Float](unsafeUninitializedCapacity: node == nil ? 0 : Self.maxNumbers) { other, count in
                var outputs = opencv_numbers(values: room.baseAddress, most: room.count, count: 0)
                var features = opencv_numbers(values: other.baseAddress, most: other.count, count: 0)
                let size = (Int32(input.width), Int32(input.height))
                status = opencv_network_run(handle, planes, size.0, size.1, node, &outputs, &features, &failure)
                found = (outputs.count, features.count)
                count = Int(min(max(found.features, 0), Int64(other.count)))
            }
            written = Int(min(max(found.outputs, 0), Int64(room.count)))
        }
        guard status == 0 else { throw .network(reason: failure.reason) }
        for (found, kept) in [(found.outputs, outputs.count), (found.features, features.count)] where found != kept {
            throw .outputs(expected: "at most \(Self.maxNumbers)", found: Int(found))
        }
        if let output = (outputs + features).firstIndex(where: { !$0.isFinite }) { throw .notFinite(output: output) }
        return Answer(outputs: outputs.map(Double.init), features: features)
    }
}

extension ModelManifest.Input {
    /// Converts the picture to the planes that the network expects: all red, all green, all blue, row by row.
    func planes(_ image: PixelImage) throws(ModelError) -> [Float] {
        var failure = opencv_failure()
        var status: Int32 = -1
        let planes = image.rgb.withUnsafeBufferPointer { rgb in
            var picture = opencv_picture(rgb: rgb.baseAddress, width: Int32(image.width), height: Int32(image.height))
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
