import Domain
import Testing

@testable import Channels

@Suite("Pace of hosts")
struct PaceTests {
    private let begin = Timestamp(milliseconds: 1_000_000_000)
    private let service = Paces.Host(name: "push.example", isPushService: true)
    private let webhooks = Paces.Host(name: "push.example", isPushService: false)

    private func room(_ paces: Paces, _ host: Paces.Host, after seconds: Double = 0, beside load: Int = 0) -> Int {
        paces[host].room(beside: load, at: begin.adding(seconds: seconds))
    }

    @Test("A push service gets 8 messages at once and more while it answers quickly; a host of webhooks gets 4")
    func growth() {
        var paces = Paces()
        #expect(room(paces, service) == 8 && room(paces, service, beside: 5) == 3 && room(paces, webhooks) == 4)
        for _ in 0..<10 { paces[service].grow(after: .milliseconds(80)) }
        #expect(room(paces, service) == 18)
        paces[service].grow(after: .seconds(2))
        #expect(room(paces, service) == 18)
        for _ in 0..<1_000 {
            paces[service].grow(after: .milliseconds(80))
            paces[webhooks].grow(after: .milliseconds(80))
        }
        #expect(room(paces, service) == 80 && room(paces, webhooks) == 4)
    }

    @Test("Refusals halve the number once a second, and it grows slowly after them")
    func reduction() {
        var paces = Paces()
        for _ in 0..<100 { paces[service].grow(after: .milliseconds(80)) }
        for _ in 0..<50 { paces[service].reduce(at: begin) }
        #expect(room(paces, service) == 40)
        paces[service].reduce(at: begin.adding(seconds: 1))
        #expect(room(paces, service, after: 1) == 20)
        for _ in 0..<20 { paces[service].grow(after: .milliseconds(80)) }
        #expect((20...21).contains(room(paces, service, after: 1)))
        for second in 2..<20 { paces[service].reduce(at: begin.adding(seconds: Double(second))) }
        #expect(room(paces, service, after: 20) == 1)
    }

    @Test("A push service is left alone as long as it asks, at most a minute; others are not")
    func pause() {
        var paces = Paces()
        paces[service].reduce(at: begin, after: 10)
        #expect(room(paces, service, after: 9.9) == 0 && room(paces, service, after: 10) > 0)
        #expect(room(paces, webhooks) == 4)
        #expect(paces.busy([:], at: begin) == [service])
        #expect(paces.nextResumption(after: begin) == begin.adding(seconds: 10))
        paces[service].reduce(at: begin, after: 86_400)
        #expect(room(paces, service, after: 60) > 0)
    }

    @Test("A host that cannot be reached is left alone for 1, 2, 4 and up to 60 seconds, until it answers")
    func misses() {
        var paces = Paces()
        var time = begin
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            for _ in 0..<3 { paces[webhooks].miss(at: time) }
            #expect(paces[webhooks].resumesAt == time.adding(seconds: pause))
            time = time.adding(seconds: pause)
        }
        #expect(paces[webhooks].room(beside: 0, at: time) == 1)
        paces[webhooks].grow(after: .milliseconds(80))
        paces[webhooks].miss(at: time)
        #expect(paces[webhooks].resumesAt == time.adding(seconds: 1))
    }
}
