/// How frequent breeds are among the listings at hand.
package struct MatchFrequencies: Sendable {
    package init(_ reader: MatchReader) {}
    package mutating func count(_ subject: MatchSubject) {}
}
