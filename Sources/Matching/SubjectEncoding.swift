extension MatchSubject {
    package var encoded: [UInt8] { [] }
    package init?(encoded: [UInt8]) { nil }
}
