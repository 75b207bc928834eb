/// What each result of a comparison weighs.
package struct MatchWeights: Equatable, Sendable {
    package var calibration = MatchCalibration(scale: 0.8, none: 6.5)
    package static let standard = MatchWeights()
}
