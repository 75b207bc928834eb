import Testing

@testable import ImageClassifier

@Suite("Evaluation")
struct EvaluationTests {
    private func result(
        _ truth: String,
        _ ranked: [(String, Double)],
        _ outcome: Classification.Outcome = .accepted
    ) -> Evaluation.Result {
        let predictions = ranked.map { Classification.Prediction(label: $0.0, confidence: $0.1) }
        return .init(
            truth: truth,
            classification: .init(outcome: outcome, predictions: predictions, model: "m", version: "1")
        )
    }

    private var five: [Evaluation.Result] {
        [
            result("a", [("a", 0.9), ("b", 0.1)]),
            result("a", [("b", 0.6), ("a", 0.4)]),
            result("b", [("c", 0.3), ("d", 0.2), ("e", 0.2), ("f", 0.1), ("g", 0.1), ("b", 0.1)], .lowConfidence),
            result("a", [("b", 0.5), ("a", 0.5)], .lowConfidence),
            result("x", [("x", 1)], .notTheSubject),
        ]
    }

    @Test("All figures equal those computed by hand")
    func figures() {
        let evaluation = Evaluation(five, subjects: ["a", "b"])
        #expect(evaluation.count == 5)
        #expect(evaluation.top1 == 0.4)
        #expect(evaluation.top5 == 0.8)
        #expect(abs(evaluation.meanRecall - 4.0 / 9) < 1e-12)
        #expect(
            evaluation.recalls == [
                .init(label: "a", count: 3, recall: 1.0 / 3), .init(label: "b", count: 1, recall: 0),
                .init(label: "x", count: 1, recall: 1),
            ]
        )
        #expect(
            evaluation.confusions == [
                .init(truth: "a", prediction: "b", count: 2), .init(truth: "b", prediction: "c", count: 1),
            ]
        )
        #expect(evaluation.coverage == 0.5)
        #expect(Evaluation(five, subjects: ["a", "b", "x"]).coverage == 0.4)
        #expect(Evaluation(five, subjects: ["b"]).coverage == 0)
        #expect(evaluation.precision == 0.5)
        #expect(evaluation.subjectAccuracy == 1)
        #expect(Evaluation(five, subjects: ["a", "b", "x"]).subjectAccuracy == 0.8)
    }

    @Test("The calibration error is the mean difference between confidence and accuracy per bin")
    func calibrationError() {
        // Bins 13 (0.9), 9 (0.6), 4 (0.3), 7 (0.5) and 14 (1.0) contain one picture each.
        let gaps = [0.1, 0.6, 0.3, 0.5, 0]
        #expect(abs(Evaluation(five, subjects: []).calibrationError - gaps.reduce(0, +) / 5) < 1e-12)
        // Within a bin, the means of confidence and accuracy are compared.
        let oneBin = [result("a", [("a", 0.70)]), result("b", [("a", 0.72)]), result("a", [("a", 0.68)])]
        #expect(abs(Evaluation(oneBin, subjects: []).calibrationError - abs(2.0 / 3 - 0.70)) < 1e-12)
    }

    @Test("An evaluation without pictures has no figures")
    func empty() {
        let evaluation = Evaluation([], subjects: [])
        #expect((evaluation.count, evaluation.top1, evaluation.coverage) == (0, 0, 0))
        #expect(evaluation.precision == nil)
        #expect(evaluation.calibrationError == 0)
    }
}
