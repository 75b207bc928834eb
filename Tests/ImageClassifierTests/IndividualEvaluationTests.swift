import ImageClassifier
import Testing

@Suite("Evaluation of individuals")
struct IndividualEvaluationTests {
    private typealias Picture = (individual: String, vector: PictureVector, label: String?)

    private static func pictures(_ list: [(String, [Int8])]) -> [Picture] {
        list.map { ($0.0, PictureVector(bytes: $0.1), $0.0 == "stray" ? "poodle" : "beagle") }
    }

    @Test("Pictures are compared with all others, and individuals with one picture are only rivals")
    func figures() {
        let found = IndividualEvaluation(
            Self.pictures([
                ("argo", [100, 0]), ("argo", [99, 10]), ("luna", [0, 100]), ("luna", [-60, 80]), ("stray", [10, 99]),
            ])
        )
        #expect(found.pictures == 5 && found.individuals == 2)
        // The stray is nearer to one picture of Luna than her other one.
        #expect(found.first == 0.75 && found.topFive == 1)
        // Eight pairs show two individuals. One of them equals the pair of Argo and is above that of Luna.
        #expect(found.auc == (7.5 + 7) / 16)
        // The stray, which equals Argo's other picture, is no beagle.
        #expect(found.aucOfLabel == 1)
    }

    @Test("Without pairs there is no area, and a zero vector is like nothing")
    func limits() {
        #expect(IndividualEvaluation([]).auc == nil)
        let alone = IndividualEvaluation(Self.pictures([("argo", [1, 0]), ("luna", [0, 0])]))
        #expect(alone.auc == nil && alone.aucOfLabel == nil && alone.individuals == 0 && alone.first == 0)
        #expect(PictureVector(bytes: [0, 0]).likeness(to: PictureVector(bytes: [1, 0])) == 0)
        #expect(abs(PictureVector(bytes: [-127, 127]).likeness(to: PictureVector(bytes: [127, -127])) + 1) < 1e-9)
    }
}
