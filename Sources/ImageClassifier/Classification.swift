/// The result of classifying a picture.
public struct Classification: Sendable, Equatable {
    public enum Outcome: String, CaseIterable, Sendable, Codable {
        /// The best label belongs to the model's subject, and its confidence is above the model's threshold.
        case accepted
        /// The picture probably shows the subject, but the best label is uncertain or not named: the predictions are
        /// candidates.
        case lowConfidence = "low_confidence"
        /// The subject's labels together have a probability below one half.
        case notTheSubject = "not_the_subject"
    }

    public struct Prediction: Sendable, Equatable {
        /// The id of the label.
        public let label: String
        /// The key of the label in the database of the program that uses the model; nil if it has none.
        public let key: String?
        public let confidence: Double

        public init(label: String, key: String? = nil, confidence: Double) {
            self.label = label
            self.key = key
            self.confidence = confidence
        }
    }

    public let outcome: Outcome
    /// All named labels of the model, in descending order of confidence.
    public let predictions: [Prediction]
    /// The id of the model.
    public let model: String
    /// The version of the model.
    public let version: String
    /// A short vector of the features, by which individuals are recognised; nil if the model makes none.
    public let vector: PictureVector?

    public init(
        outcome: Outcome,
        predictions: [Prediction],
        model: String,
        version: String,
        vector: PictureVector? = nil
    ) {
        self.vector = vector
        self.outcome = outcome
        self.predictions = predictions
        self.model = model
        self.version = version
    }
}

/// An error that prevents the classification of a picture.
public enum ClassificationError: Error, Equatable, CustomStringConvertible {
    /// The data is not a picture.
    case picture(String)
    /// The queue is full; the client can try again later.
    case busy(waiting: Int)
    /// The task was cancelled while it was in the queue.
    case cancelled
    /// The model failed.
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
