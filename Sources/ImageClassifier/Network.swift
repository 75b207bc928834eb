import COpenCV
import Foundation

/// A neural network in OpenCV. Only one caller may use it at a time.
final class Network: @unchecked Sendable {
    private static let maxOutputs = 1 << 16

    private let handle: OpaquePointer
    private let input: ModelManifest.Input

    init(onnx: Data, input: ModelManifest.Input) throws(ModelError) {
        var failure = opencv_failure()
        let handle = onnx.withUnsafeBytes { opencv_network_create($0.baseAddress, $0.count, &failure) }
        guard let handle else { throw .network(reason: failure.reason) }
        self.handle = handle
        self.input = input
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

    /// Returns the outputs of the network for a picture; all of them are finite.
    func outputs(_ image: PixelImage) throws(ModelError) -> [Double] {
        let planes = try input.planes(image)
        let outputs = try run(planes)
        guard input.mirror else { return outputs }
        return zip(outputs, try run(input.mirrored(planes))).map { ($0 + $1) / 2 }
    }

    /// Returns the outputs for a picture of the input's size, without averaging over the mirror image.
    func plainOutputs(_ image: PixelImage) throws(ModelError) -> [Double] {
        try run(try input.planes(image))
    }

    private func run(_ planes: [Float]) throws(ModelError) -> [Double] {
        var failure = opencv_failure()
        var found: Int64 = 0
        let outputs = [Float](unsafeUninitializedCapacity: Self.maxOutputs) { room, written in
            let size = (Int32(input.width), Int32(input.height))
            found = opencv_network_run(handle, planes, size.0, size.1, room.baseAddress, room.count, &failure)
            written = Int(min(max(found, 0), Int64(room.count)))
        }
        guard found >= 0 else { throw .network(reason: failure.reason) }
        guard found == outputs.count else { throw .outputs(expected: "at most \(Self.maxOutputs)", found: Int(found)) }
        if let output = outputs.firstIndex(where: { !$0.isFinite }) { throw .notFinite(output: output) }
        return outputs.map(Double.init)
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
