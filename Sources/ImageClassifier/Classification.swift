/// What a model says about a picture.
public struct Classification: Sendable, Equatable {
    public enum Outcome: String, CaseIterable, Sendable, Codable {
        /// The first label is one of the model's subject, and its confidence is above the model's threshold.
        case accepted
        /// The subject is probably there, but which label is not sure enough: the predictions are candidates.
        case lowConfidence = "low_confidence"
        /// The labels of the subject have less than half of the probability together.
        case notTheSubject = "not_the_subject"
    }

    public struct Prediction: Sendable, Equatable {
        /// The label's id.
        public let label: String
        /// A probability, from 0 to 1.
        public let confidence: Double

        public init(label: String, confidence: Double) {
            self.label = label
            self.confidence = confidence
        }
    }

    public let outcome: Outcome
    /// All labels of the model, the most probable first.
    public let predictions: [Prediction]
    /// The model's id.
    public let model: String
    /// The model's version.
    public let version: String

    public init(outcome: Outcome, predictions: [Prediction], model: String, version: String) {
        self.outcome = outcome
        self.predictions = predictions
        self.model = model
        self.version = version
    }
}

/// Why a picture was not classified.
public enum ClassificationError: Error, Equatable, CustomStringConvertible {
    /// Not a picture.
    case picture(String)
    /// As many as may be are already waiting: try again later.
    case busy(waiting: Int)
    /// The task was cancelled while it waited for its turn.
    case cancelled
    /// The model gave no answer.
    case model(ModelError)

    public var description: String {
        switch self {
        case .picture(let reason): "not a picture: \(reason)"
        case .busy(let waiting): "the classifier is busy: \(waiting) pictures are waiting already"
        case .cancelled: "cancelled before it was this picture's turn"
        case .model(let error): "\(error)"
        }
    }
}
