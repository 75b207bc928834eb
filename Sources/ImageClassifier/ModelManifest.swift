/// The content of `manifest.json`; `README.md` beside this file describes each field.
public struct ModelManifest: Sendable, Equatable {
    public struct Input: Sendable, Equatable {
        public enum Resize: String, Sendable, CaseIterable {
            /// The picture is resized to cover the input, and its centre is cut out.
            case cover
            /// The whole picture is resized to the input, without keeping the aspect ratio.
            case stretch
        }

        /// The views of a picture whose outputs and features are averaged.
        public enum Views: Sendable {
            case one
            /// The picture and its mirror image.
            case mirror
            /// The picture, and the mirror image of a square around the subject. The activity of the network in the first
            /// view shows where the subject is.
            case subject
        }

        /// The size in pixels.
        public let width: Int
        public let height: Int
        public let resize: Resize
        /// The side of the cut-out centre relative to the covered area; above 0, at most 1.
        public let crop: Double
        /// The means of red, green and blue (from 0 to 1), which are subtracted.
        public let mean: [Double]
        /// The standard deviations by which the difference is divided.
        public let std: [Double]
        public let views: Views
    }

    public enum Output: String, Sendable, CaseIterable {
        case logits
        case probabilities
    }

    public struct Label: Sendable, Equatable {
        public let id: String
        /// The key of the label in the database of the program that uses the model; nil if it has none.
        public let key: String?
        /// Display names by language ("en", "it").
        public let names: [String: String]
        /// Whether the label belongs to the model's subject. A label for everything else does not.
        public let isSubject: Bool
        /// Whether the label can be predicted. A label that is not named stands for everything in the subject that no
        /// other label names ("a dog of another breed"): its probability lowers the confidence of the others.
        public let isNamed: Bool
    }

    public enum Labels: Sendable, Equatable {
        /// One label for each output, in order.
        case list([Label])
        case map(String)
    }

    public struct TestVector: Sendable, Equatable {
        public struct Output: Sendable, Equatable {
            public let index: Int
            public let value: Double
        }

        /// The highest raw outputs of the network for the test picture.
        public let top: [Output]
        public let tolerance: Double
    }

    public struct Features: Sendable, Equatable {
        /// The name of the ONNX node whose output is returned as features, or of the output of a node without a name.
        public let node: String
        /// Nil if the model makes no vectors.
        public let projection: Projection?
    }

    /// How `projection.bin` makes vectors of features.
    public struct Projection: Sendable, Equatable {
        /// The number of bytes of a vector.
        public let dimensions: Int
        /// The length of a vector before it is rounded to bytes.
        public let scale: Double
        /// The checksum of `projection.bin` as lower-case hex digits.
        public let sha256: String
    }

    public let id: String
    public let version: String
    public let name: String
    public let licence: String
    public let input: Input
    public let output: Output
    /// The value by which the logits are divided before the softmax.
    public let temperature: Double
    /// The confidence that an accepted prediction must exceed.
    public let threshold: Double
    /// The subject of the model in one word ("dog").
    public let subject: String?
    public let labels: Labels
    /// Nil if the model offers no features.
    public let features: Features?
    /// The checksum of `model.onnx` as lower-case hex digits.
    public let sha256: String
    public let testVector: TestVector
    /// The training data.
    public let dataset: String?
    /// The date of training (ISO 8601).
    public let date: String?
}
