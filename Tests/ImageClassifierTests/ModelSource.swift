import Cryptography
import Foundation
import TestSupport

@testable import ImageClassifier

/// A model that a test can modify before it is written to a folder.
struct ModelSource {
    var manifest: [String: Any]
    var network: Data
    /// The file of the matrix that makes vectors; nil for none.
    var projection: Data?

    init(_ manifest: [String: Any], network name: String) throws {
        self.manifest = manifest
        let url = Bundle.module.resourceURL?.appending(path: "Models/\(name).onnx")
        network = try Data(contentsOf: url ?? Bundle.module.bundleURL)
        stamp()
    }

    subscript(object: String, field: String) -> Any? {
        get { (manifest[object] as? [String: Any])?[field] }
        set {
            var fields = manifest[object] as? [String: Any]
            fields?[field] = newValue
            manifest[object] = fields
        }
    }

    /// Writes the checksum of the network into the manifest.
    mutating func stamp() {
        manifest["sha256"] = Data.sha256(network).hexadecimal
    }

    /// Lets the model make vectors of the features of a node.
    mutating func project(_ node: String, dimensions: Int, scale: Double = 100, _ matrix: [Float16]) {
        let file = Data(matrix.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian, Array.init) })
        projection = file
        let form: [String: Any] = [
            "dimensions": dimensions, "scale": scale, "sha256": Data.sha256(file).hexadecimal,
        ]
        manifest["features"] = ["node": node, "projection": form] as [String: Any]
    }

    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONSerialization.data(withJSONObject: manifest).write(to: folder.appending(path: "manifest.json"))
        try network.write(to: folder.appending(path: "model.onnx"))
        try projection?.write(to: folder.appending(path: "projection.bin"))
    }

    func load(labelMaps: URL? = nil, limits: ImageModel.Limits = .init(concurrency: 1)) throws -> ImageModel {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) {
            try write(to: folder.url)
            return try ImageModel(folder: folder.url, labelMaps: labelMaps, limits: limits)
        }
    }
}

/// A model that recognises food by its colour. Its domain, input shape and numbers differ from those of the breed
/// model.
enum Food {
    static let (width, height) = (24, 32)
    static let mean = [0.5, 0.25, 0.5]
    static let std = [0.25, 0.5, 0.5]
    static let labels = ["tomato", "lime", "blueberry", "banana", "plate"]

    static func source(network: String = "food") throws -> ModelSource {
        let labels = labels.map { id in
            ["id": id, "key": "food/\(id)", "names": ["en": id.capitalized], "subject": id != "plate"] as [String: Any]
        }
        let logits = try logits(PixelImage.made(width: width, height: height))
        let top = logits.indices.map { [Double($0), network == "food" ? logits[$0] : softmax(logits)[$0]] }
        return try ModelSource(
            [
                "id": "food", "version": "1", "name": "Food by colour", "licence": "CC0-1.0",
                "input": [
                    "width": width, "height": height, "resize": "stretch", "mean": mean, "std": std,
                ] as [String: Any],
                "output": network == "food" ? "logits" : "probabilities", "temperature": 1.0, "threshold": 0.5,
                "subject": "food", "labels": labels, "test_vector": ["top": top, "tolerance": 0.001] as [String: Any],
            ],
            network: network
        )
    }

    /// The outputs that the network must compute. `Models/make.py` contains the same numbers.
    static func logits(_ image: PixelImage) -> [Double] {
        var sums = Array(repeating: 0.0, count: 6)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    let value = Double(image.rgb[(y * width + x) * 3 + channel]) / 255
                    sums[channel * 2 + (x < width / 2 ? 0 : 1)] += (value - mean[channel]) / std[channel]
                }
            }
        }
        let half = sums.map { $0 / Double(width * height / 2) }
        let (red, green, blue) = (half[0...1], half[2...3], half[4...5])
        return [
            2 * red[0] + red[1] - green[2],
            2 * green[2] + green[3] - red[0],
            2 * blue[4] + blue[5],
            red[0] + green[2] - blue[4],
            0.5,
        ]
    }

    static func softmax(_ logits: [Double], temperature: Double = 1) -> [Double] {
        let powers = logits.map { exp($0 / temperature) }
        return powers.map { $0 / powers.reduce(0, +) }
    }

    /// A picture with one colour in the left half and another in the right half.
    static func picture(_ left: [Int], _ right: [Int]) throws -> PixelImage {
        try PixelImage(width: width, height: height) { x, _ in x < width / 2 ? left : right }
    }
}

extension PixelImage {
    init(width: Int, height: Int, _ pixel: (Int, Int) -> [Int]) throws {
        let rgb = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y).map(UInt8.init) } }
        try self.init(width: width, height: height, rgb: rgb)
    }

    /// The picture to which the test vectors of manifests refer.
    static func made(width: Int, height: Int) throws -> PixelImage {
        try PixelImage(width: width, height: height) { x, y in
            let start = x * 7 + y * 13
            return [start % 256, (start + 29) % 256, (start + 58) % 256]
        }
    }

    /// The means of red, green and blue, from 0 to 1.
    var means: [Double] {
        (0..<3).map { channel in
            let values = stride(from: channel, to: rgb.count, by: 3).map { Double(rgb[$0]) / 255 }
            return values.reduce(0, +) / Double(values.count)
        }
    }
}

extension Classification {
    func confidence(_ label: String) -> Double {
        predictions.first { $0.label == label }?.confidence ?? -1
    }
}
