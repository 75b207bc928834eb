import Testing

@testable import Mail

@Suite("Rate of mails")
struct SendingRateTests {
    @Test("Without a limit there is always room")
    func unlimited() {
        var rate = SendingRate(perSecond: nil)
        rate.use(1_000)
        #expect(rate.room() == .max && rate.pause == .zero)
    }

    @Test("As many mails as a second permits may be sent at once, and further ones when their time has come")
    func limit() {
        var rate = SendingRate(perSecond: 10)
        let begin = ContinuousClock.now
        #expect(rate.room(at: begin) == 10)
        rate.use(10)
        #expect(rate.room(at: begin) == 0 && rate.pause > .milliseconds(90) && rate.pause <= .milliseconds(100))
        #expect(rate.room(at: begin + .milliseconds(510)) == 5)
        rate.use(5)
        // What was not used is lost.
        #expect(rate.room(at: begin + .seconds(60)) == 10)
    }
}
