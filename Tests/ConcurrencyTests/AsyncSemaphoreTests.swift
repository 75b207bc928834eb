import Domain
import Synchronization
import Testing

@testable import Concurrency

@Suite("Semaphore", .timeLimit(.minutes(5)))
struct AsyncSemaphoreTests {
    @Test("A semaphore limits concurrency and the queue, and rejects the rest")
    func semaphore() async throws {
        let semaphore = AsyncSemaphore(permits: 3, maxWaiting: 40)
        let crowd = Crowd()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        try await semaphore.withPermit {
                            await crowd.enter()
                            // Until all that find no place have come.
                            while await crowd.turned < 57 { await Task.yield() }
                            await crowd.leave()
                        }
                    } catch {
                        await crowd.isTurnedAway()
                    }
                }
            }
        }
        #expect(await crowd.inside == 0)
        #expect(await crowd.most == 3)
        #expect(await crowd.passed == 43)
        #expect(await crowd.turned == 57)
        // All permits were returned.
        try await semaphore.withPermit {}
    }

    @Test("A cancelled waiter frees its place in the queue")
    func cancelled() async throws {
        let semaphore = AsyncSemaphore(permits: 1, maxWaiting: 10)
        try await semaphore.withPermit {
            let waiting = Task { try await semaphore.withPermit {} }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        try await semaphore.withPermit {}
    }

    @Test("The client that has used the least is next, however many tasks of others wait")
    func fairness() async throws {
        let semaphore = AsyncSemaphore(permits: 1, maxWaiting: 100)
        let order = Log()
        // The networks of the flood share a prefix, as those of one customer do.
        let flood = (0..<4).map { ClientPrefixes(["wide", "flood \($0)"]) }
        let tasks = try await Self.run(semaphore, flood[0]) {
            let first = (0..<40).map { number in
                Task { try await Self.run(semaphore, flood[number % 4]) { order.add("flood") } }
            }
            while semaphore.load.waiting < 40 { await Task.yield() }
            let rest = ["anna", "bruno"].map { name in
                Task { try await Self.run(semaphore, ClientPrefixes([name])) { order.add(name) } }
            }
            while semaphore.load.waiting < 42 { await Task.yield() }
            return first + rest
        }
        for task in tasks { try await task.value }
        #expect(order.entries.prefix(2).sorted() == ["anna", "bruno"])
        #expect(order.entries.count == 42)
    }

    @Test("A full line refuses the newest task of the client with the most tasks")
    func fullLine() async throws {
        let semaphore = AsyncSemaphore(permits: 1, maxWaiting: 5)
        let (done, refused) = (Log(), Log())
        let tasks = try await Self.run(semaphore, ClientPrefixes(["first"])) {
            var tasks: [Task<Void, Never>] = []
            for number in 0..<5 {
                tasks.append(Self.start(semaphore, "flood", "flood \(number)", done, refused))
                while semaphore.load.waiting == number { await Task.yield() }
            }
            tasks.append(Self.start(semaphore, "anna", "anna", done, refused))
            while refused.entries.isEmpty { await Task.yield() }
            return tasks
        }
        for task in tasks { await task.value }
        #expect(refused.entries == ["flood 4"])
        #expect(done.entries == ["anna", "flood 0", "flood 1", "flood 2", "flood 3"])
    }

    private static func start(
        _ semaphore: AsyncSemaphore,
        _ client: String,
        _ name: String,
        _ done: Log,
        _ refused: Log
    ) -> Task<Void, Never> {
        Task {
            do {
                try await run(semaphore, ClientPrefixes([client])) { done.add(name) }
            } catch {
                refused.add(name)
            }
        }
    }

    @Test("A task that waits too long is refused, and the time is recorded as waiting")
    func expiry() async throws {
        let semaphore = AsyncSemaphore(permits: 1, maxWaiting: 10, maxWait: .milliseconds(50))
        let meter = RequestMeter(client: ClientPrefixes(["anna"]))
        try await semaphore.withPermit {
            let error = await #expect(throws: ServiceError.self) {
                try await RequestMeter.$current.withValue(meter) { try await semaphore.withPermit {} }
            }
            #expect(error?.code == .unavailable)
        }
        #expect(meter.secondsWaited >= 0.05)
        #expect(semaphore.load == (0, 0))
    }

    private static func run<Value>(
        _ semaphore: AsyncSemaphore,
        _ client: ClientPrefixes,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await RequestMeter.$current.withValue(RequestMeter(client: client)) {
            try await semaphore.withPermit(body)
        }
    }
}

/// A list that several tasks append to.
private final class Log: Sendable {
    private let list = Mutex<[String]>([])

    var entries: [String] { list.withLock(\.self) }

    func add(_ entry: String) { list.withLock { $0.append(entry) } }
}

private actor Crowd {
    private(set) var inside = 0
    private(set) var most = 0
    private(set) var passed = 0
    private(set) var turned = 0

    func enter() {
        inside += 1
        most = max(most, inside)
    }

    func leave() {
        inside -= 1
        passed += 1
    }

    func isTurnedAway() { turned += 1 }
}
