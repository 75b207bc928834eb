public import Foundation

/// A loaded model. It classifies several pictures concurrently, on its own threads.
public final class ImageModel: Sendable {
    /// The limits of concurrent work.
    public struct Limits: Sendable {
        /// The number of pictures classified concurrently, each on one thread with its own copy of the network. By default
        /// half of the processors, so that the others answer requests meanwhile.
        public var concurrency: Int
        /// The maximum number of pictures in the queue.
        public var maxLineLength: Int

        public init(
            concurrency: Int = min(ProcessInfo.processInfo.activeProcessorCount / 2, 4),
            maxLineLength: Int = 256
        ) {
            self.concurrency = max(concurrency, 1)
            self.maxLineLength = max(maxLineLength, 0)
        }
    }

    /// The maximum time in seconds for reading a network and running it once.
    private static let maxTrialTime: UInt32 = 60

    public let manifest: ModelManifest
    /// The labels that the model predicts, without duplicates.
    public var labels: [ModelManifest.Label] { table.labels.filter(\.isNamed) }

    private let table: LabelTable
    private let pool: NetworkPool
    private let projection: FeatureProjection?

    /// Loads the model in a folder and verifies the checksum, the input size, the number of outputs and the test
    /// vector. Blocks the thread.
    ///
    /// - Parameter labelMaps: The folder of the label maps that manifests can name.
    public convenience init(folder: URL, labelMaps: URL? = nil, limits: Limits = Limits()) throws(ModelError) {
        try self.init(ModelFolder(folder), labelMaps: labelMaps, limits: limits)
    }

    init(_ folder: ModelFolder, labelMaps: URL?, limits: Limits) throws(ModelError) {
        let (manifest, file) = (folder.manifest, folder.networkFile)
        try Network.tryOut(onnx: folder.network, input: manifest.input, seconds: Self.maxTrialTime)
        let answer = try Network(onnx: folder.network, input: manifest.input, node: manifest.features?.node)
            .runPlainly(manifest.input.testPicture())
        table = try LabelTable(manifest, count: answer.outputs.count, labelMaps: labelMaps)
        try manifest.testVector.verify(answer.outputs)
        if let form = manifest.features?.projection, let file = folder.projection {
            projection = try FeatureProjection(form, file, features: answer.features.count)
        } else {
            projection = nil
        }
        pool = NetworkPool(concurrency: limits.concurrency, maxLineLength: limits.maxLineLength) {
            () throws(ModelError) in
            try Network(onnx: try manifest.checked(file.read()), input: manifest.input, node: manifest.features?.node)
        }
        self.manifest = manifest
    }

    /// Classifies a picture, after waiting in the queue if the maximum number of pictures is being classified.
    ///
    /// Cancelling the task ends the wait, but not a classification that has started.
    ///
    /// - Throws: `busy` if the queue is full, `cancelled`, or `model` if the network fails on this picture.
    public func classify(_ image: PixelImage) async throws(ClassificationError) -> Classification {
        try await pool.withNetwork { [self] network throws(ModelError) in
            let found = try network.run(image)
            return classification(found.outputs, projection?.vector(found.features))
        }
    }

    /// Returns the numbers that the network computes before its labels: pictures of the same individual have similar ones,
    /// also where the labels are unsure. Waits and throws like `classify`.
    ///
    /// - Returns: One number for each channel of the node that the manifest names; nil if it names none.
    public func features(of image: PixelImage) async throws(ClassificationError) -> [Float]? {
        guard manifest.features != nil else { return nil }
        return try await pool.withNetwork { network throws(ModelError) in try network.run(image).features }
    }

    private func classification(_ outputs: [Double], _ vector: PictureVector?) -> Classification {
        let ranked = zip(table.labels, table.sum(manifest.probabilities(outputs))).sorted { $0.1 > $1.1 }
        let subject = ranked.reduce(0) { $1.0.isSubject ? $0 + $1.1 : $0 }
        let outcome: Classification.Outcome =
            if subject < 0.5 {
                .notTheSubject
            } else if let (label, confidence) = ranked.first, label.isSubject, label.isNamed,
                confidence > manifest.threshold
            {
                .accepted
            } else {
                .lowConfidence
            }
        return Classification(
            outcome: outcome,
            predictions: ranked.filter(\.0.isNamed).map { .init(label: $0.0.id, key: $0.0.key, confidence: $0.1) },
            model: manifest.id,
            version: manifest.version,
            vector: vector
        )
    }
}

extension ModelManifest {
    /// Returns the softmax of the logits divided by the temperature. If the outputs are probabilities, their logarithms
    /// are the logits.
    func probabilities(_ outputs: [Double]) -> [Double] {
        let logits = output == .logits ? outputs : outputs.map { log(max($0, .leastNormalMagnitude)) }
        let most = logits.max() ?? 0
        let powers = logits.map { exp(($0 - most) / temperature) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}

extension ModelManifest.Input {
    /// Returns a synthetic picture of the input's size, in which all channels and rows differ.
    func testPicture() -> PixelImage {
        var rgb: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 { rgb.append(UInt8((x * 7 + y * 13 + channel * 29) % 256)) }
            }
        }
        return PixelImage(unchecked: rgb, width: width, height: height)
    }
}

extension ModelManifest.TestVector {
    func verify(_ outputs: [Double]) throws(ModelError) {
        for expected in top {
            guard outputs.indices.contains(expected.index) else {
                let form = "the index of an output, from 0 to \(outputs.count - 1)"
                throw .manifest(field: "test_vector.top", expected: form, found: "\(expected.index)")
            }
            let found = outputs[expected.index]
            guard abs(found - expected.value) <= tolerance else {
                throw .testVector(output: expected.index, expected: expected.value, found: found)
            }
        }
    }
}
