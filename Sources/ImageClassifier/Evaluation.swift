/// Measures the quality of a model on pictures with known labels.
public struct Evaluation: Sendable {
    /// The true label of a picture and the model's classification.
    public struct Result: Sendable {
        public let truth: String
        public let classification: Classification

        public init(truth: String, classification: Classification) {
            self.truth = truth
            self.classification = classification
        }

        fileprivate var first: Classification.Prediction {
            classification.predictions.first ?? .init(label: "", confidence: 0)
        }
        fileprivate var isRight: Bool { first.label == truth }
        fileprivate var isAccepted: Bool { classification.outcome == .accepted }
    }

    /// The number of pictures of one label for which the model predicted a certain other label.
    public struct Confusion: Sendable, Equatable {
        public let truth: String
        public let prediction: String
        public let count: Int
    }

    /// The recall of one label.
    public struct Recall: Sendable, Equatable {
        public let label: String
        public let count: Int
        /// The share of the label's pictures with a correct first prediction.
        public let recall: Double
    }

    /// The number of bins of equal width for the confidence of the first prediction.
    public static let calibrationBins = 15

    public let count: Int
    /// The share of pictures with a correct first prediction.
    public let top1: Double
    /// The mean of the labels' recalls: top-1 accuracy in which every label has the same weight, regardless of its
    /// number of pictures.
    public var meanRecall: Double { recalls.isEmpty ? 0 : recalls.map(\.recall).reduce(0, +) / Double(recalls.count) }
    /// The share of pictures whose label is among the first five predictions.
    public let top5: Double
    /// The recalls, sorted by label.
    public let recalls: [Recall]
    /// The confusions, in descending order of count.
    public let confusions: [Confusion]
    /// The share of the subject's pictures that were accepted.
    public let coverage: Double
    /// The share of accepted pictures with a correct first prediction, or nil if none was accepted.
    public let precision: Double?
    /// The mean over all pictures of the difference between confidence and accuracy in the picture's bin.
    public let calibrationError: Double
    /// The share of pictures that were correctly recognised as the subject or as something else.
    public let subjectAccuracy: Double

    /// - Parameters:
    ///   - results: The results. If there are none, all figures are 0.
    ///   - subjects: The labels of the subject.
    public init(_ results: [Result], subjects: Set<String>) {
        func share(_ isCounted: (Result) -> Bool) -> Double { results.share(isCounted) }
        count = results.count
        top1 = share(\.isRight)
        top5 = share { result in result.classification.predictions.prefix(5).contains { $0.label == result.truth } }
        recalls = Dictionary(grouping: results, by: \.truth).sorted { $0.key < $1.key }
            .map { Recall(label: $0.key, count: $0.value.count, recall: $0.value.share(\.isRight)) }
        confusions = Self.confusions(results)
        coverage = results.filter { subjects.contains($0.truth) }.share(\.isAccepted)
        let accepted = results.filter(\.isAccepted)
        precision = accepted.isEmpty ? nil : accepted.share(\.isRight)
        calibrationError = Self.calibrationError(results)
        subjectAccuracy = share { subjects.contains($0.truth) == ($0.classification.outcome != .notTheSubject) }
    }

    private static func confusions(_ results: [Result]) -> [Confusion] {
        Dictionary(grouping: results.filter { !$0.isRight }) { [$0.truth, $0.first.label] }
            .map { Confusion(truth: $0.key[0], prediction: $0.key[1], count: $0.value.count) }
            .sorted { ($1.count, $0.truth, $0.prediction) < ($0.count, $1.truth, $1.prediction) }
    }

    private static func calibrationError(_ results: [Result]) -> Double {
        let bins = Dictionary(grouping: results) { result in
            min(Int(result.first.confidence * Double(calibrationBins)), calibrationBins - 1)
        }
        return bins.values.reduce(0) { sum, bin in
            let confidence = bin.reduce(0) { $0 + $1.first.confidence } / Double(bin.count)
            return sum + abs(bin.share(\.isRight) - confidence) * Double(bin.count) / Double(results.count)
        }
    }
}

extension [Evaluation.Result] {
    fileprivate func share(_ isCounted: (Element) -> Bool) -> Double {
        isEmpty ? 0 : Double(count(where: isCounted)) / Double(count)
    }
}
