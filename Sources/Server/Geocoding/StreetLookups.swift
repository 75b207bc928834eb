import Concurrency
import Domain

extension SlowReadExecutor {
    /// Runs `body`, which finds the place of a listing or sighting. It runs off the event loop if it may search the extracts of
    /// OpenStreetMap for a street, which takes milliseconds.
    ///
    /// - Parameter hasPoint: whether the place has a position. Streets are then not searched.
    func findPlace<Value>(
        _ finder: any PlaceFinder,
        hasPoint: Bool,
        _ body: () throws -> Value
    ) async throws -> Value {
        guard !hasPoint, finder.knowsStreets else { return try body() }
        return try await run(RequestMeter.current) { try body() }
    }
}
