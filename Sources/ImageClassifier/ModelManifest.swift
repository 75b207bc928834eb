/// What `manifest.json` says about a model; `README.md` beside this file describes each field.
public struct ModelManifest: Sendable, Equatable {
    public struct Input: Sendable, Equatable {
        public enum Resize: String, Sendable, CaseIterable {
            /// The picture is resized until it covers the input, and its centre cut out.
            case cover
            /// The whole picture is squeezed into the input.
            case stretch
        }

        /// Pixels.
        public let width: Int
        public let height: Int
        public let resize: Resize
        /// The side of the cut relative to what is covered, above 0 to 1.
        public let crop: Double
        /// Of red, green and blue from 0 to 1: subtracted.
        public let mean: [Double]
        /// Divided by, after that.
        public let std: [Double]
        /// Whether the answers for the picture and its mirror image are averaged.
        public let mirror: Bool
    }

    public enum Output: String, Sendable, CaseIterable {
        case logits
        case probabilities
    }

    public struct Label: Sendable, Equatable {
        public let id: String
        /// By language ("en", "it").
        public let names: [String: String]
        /// Whether it is one of what the model is about, as against a label for everything else.
        public let isSubject: Bool
    }

    public enum Labels: Sendable, Equatable {
        /// One for each output, in their order.
        case list([Label])
        /// The name of a label map.
        case map(String)
    }

    public struct TestVector: Sendable, Equatable {
        public struct Output: Sendable, Equatable {
            public let index: Int
            public let value: Double
        }

        /// The highest outputs for the test picture, as the network gives them.
        public let top: [Output]
        public let tolerance: Double
    }

    public let id: String
    public let version: String
    public let name: String
    public let licence: String
    public let input: Input
    public let output: Output
    /// What outputs are divided by before the softmax.
    public let temperature: Double
    /// The confidence that an accepted answer exceeds.
    public let threshold: Double
    /// What the model is about, in one word ("dog").
    public let subject: String?
    public let labels: Labels
    /// Of `model.onnx`, as lower-case hex digits.
    public let sha256: String
    public let testVector: TestVector
    /// What it was trained on.
    public let dataset: String?
    /// When (ISO 8601).
    public let date: String?
}
