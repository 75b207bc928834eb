import Domain
import Logging
import ServiceLifecycle

/// Work that comes back: what has expired is taken away, what was noted is written down. Every job is done when the service starts, and
/// again and again after its interval, in small steps between which others write.
struct PeriodicJobs: ServiceLifecycle.Service {
    struct Job: Sendable {
        let name: String
        let interval: Duration
        /// One step; tells whether there is more to do.
        let step: @Sendable (Timestamp) async throws -> Bool

        init(
            _ name: String,
            every interval: Duration = .seconds(3600),
            _ step: @escaping @Sendable (Timestamp) async throws -> Bool
        ) {
            self.name = name
            self.interval = interval
            self.step = step
        }
    }

    let jobs: [Job]
    let now: @Sendable () -> Timestamp
    let logger: Logger

    private static let stepPause = Duration.milliseconds(10)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for job in jobs { group.addTask { await self.repeatedly(job) } }
            }
        }
    }

    private func repeatedly(_ job: Job) async {
        while !Task.isCancelled {
            await run(job)
            try? await Task.sleep(for: job.interval)
        }
    }

    /// All steps of a job that there are to do now. What goes wrong is tried again next time.
    func run(_ job: Job) async {
        do {
            while try await job.step(now()) { try await Task.sleep(for: Self.stepPause) }
        } catch is CancellationError {
        } catch {
            logger.error("housekeeping failed", metadata: ["job": "\(job.name)", "error": "\(error)"])
        }
    }
}
