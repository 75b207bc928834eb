/// How fast mails are sent, and how often.
package struct MailSettings: Sendable {
    /// Mails that may be sent once more after a crash are at most as many.
    package static let connectionRange = 1...100
    package static let rateRange = 1...10_000

    /// The number of mails that are sent at once, each by a connection of its own.
    package var connections = 4
    /// The number of mails in a second at most.
    package var rate: Int?
    /// The pause before each further attempt: servers that use greylisting accept a message after some minutes.
    package var pauses: [Duration] = [.seconds(15), .seconds(60), .seconds(300), .seconds(1200), .seconds(3600)]

    package init() {}
}
