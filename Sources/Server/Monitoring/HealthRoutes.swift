import Concurrency
import Domain
import Formats
import HTTP
import Hummingbird
import Storage

/// The liveness and readiness checks.
struct HealthRoutes {
    let database: any Database
    let clock: PlausibleClock?
    let photoService: PhotoService
    /// The version of the program.
    let version: String

    func add(to router: Router<ServiceContext>) {
        router.get("/healthz", use: health)
        router.get("/readyz", use: readiness)
    }

    @Sendable private func health(_ request: Request, _ context: ServiceContext) async throws -> Response {
        Self.status("ok", version: version)
    }

    /// Answers 200 if the database can be read and written; if there is a standby, if the database can be read, because
    /// another node would not find another primary. A store of photos that fails is told, but the rest of the service
    /// works, and another server would find the same store.
    @Sendable private func readiness(_ request: Request, _ context: ServiceContext) async throws -> Response {
        do {
            try await database.ping()
        } catch {
            // `SlowReadMiddleware` handles the request again.
            if RequestMeter.current?.hasExceededTrial == true { throw error }
            context.logger.error("not ready", metadata: ["error": "\(error)"])
            throw ServiceError(.unavailable, "the database does not answer")
        }
        if !database.hasStandby, let fault = await database.writeFault() {
            throw ServiceError(.unavailable, fault.serviceError.message)
        }
        return Self.status(
            "ready",
            clockDaysAhead: clock?.daysAhead,
            photos: photoService.figures.map { $0.failure == nil ? "ready" : "unavailable" }
        )
    }

    private static func status(
        _ word: String,
        version: String? = nil,
        clockDaysAhead: Int? = nil,
        photos: String? = nil
    ) -> Response {
        .object { json in
            json.field("status", word)
            if let version { json.field("version", version) }
            if let photos { json.field("photos", photos) }
            if let clockDaysAhead { json.field("clock_days_ahead", clockDaysAhead) }
        }
    }
}
