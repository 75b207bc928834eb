import SearchAreas
import Synchronization
import Testing

@testable import Server

@Suite("Cache of calibrations")
struct CalibrationCacheTests {
    @Test("A calibration is computed once an hour for each species, also if there is none")
    func lifetime() {
        let (time, computed) = (Clock(), Counter())
        let cache = CalibrationCache { time.seconds }
        func read(_ calibration: Calibration?) -> Int? {
            cache.calibration(of: .dog) {
                computed.add()
                return calibration
            }?.count
        }
        let fitted = Calibration(distances: Array(repeating: 500, count: Calibration.minReunions))
        #expect(fitted != nil && read(nil) == nil && read(fitted) == nil && computed.count == 1)
        time.add(3_599)
        #expect(read(fitted) == nil && computed.count == 1)
        time.add(1)
        #expect(read(fitted) == Calibration.minReunions && computed.count == 2)
        _ = cache.calibration(of: .cat) {
            computed.add()
            return nil
        }
        #expect(computed.count == 3 && read(nil) == Calibration.minReunions)
    }

    private final class Clock: Sendable {
        private let value = Mutex(0.0)
        var seconds: Double { value.withLock { $0 } }
        func add(_ seconds: Double) { value.withLock { $0 += seconds } }
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }
}
