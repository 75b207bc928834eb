import Domain
import Logging
import ServiceLifecycle

/// Runs the periodic jobs, such as deleting expired data and writing collected data. Each job runs when the service
/// starts, or when this node becomes the leader, and again after each interval. It works in small steps, between which
/// other tasks can write to the database.
struct PeriodicJobs: ServiceLifecycle.Service {
    struct Job: Sendable {
        /// Where a job runs.
        enum Scope {
            /// On each node.
            case node
            /// On one node at a time.
            case leader
        }

        let name: String
        let interval: Duration
        let scope: Scope
        /// Performs one step, and returns whether there is more to do.
        let step: @Sendable (Timestamp) async throws -> Bool

        init(
            _ name: String,
            every interval: Duration = .seconds(3600),
            on scope: Scope = .leader,
            _ step: @escaping @Sendable (Timestamp) async throws -> Bool
        ) {
            self.name = name
            self.interval = interval
            self.scope = scope
            self.step = step
        }
    }

    let jobs: [Job]
    let now: @Sendable () -> Timestamp
    let logger: Logger
    var isLeader: @Sendable () -> Bool = { true }

    /// How often a node looks whether it has become the leader.
    private static let electionPause = Duration.seconds(1)
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
            let mayRun = job.scope == .node || isLeader()
            if mayRun { await run(job) }
            try? await Task.sleep(for: mayRun ? job.interval : min(job.interval, Self.electionPause))
        }
    }

    /// Performs all steps of a job that are due. A job that fails runs again after its interval.
    func run(_ job: Job) async {
        do {
            while job.scope == .node || isLeader(), try await job.step(now()) {
                try await Task.sleep(for: Self.stepPause)
            }
        } catch is CancellationError {
        } catch let error as ServiceError where error == StorageFault.unreachable.serviceError {
            // The database itself reports this, at limited intervals; jobs would repeat it several times a second.
        } catch {
            logger.error("periodic job failed", metadata: ["job": "\(job.name)", "error": "\(error)"])
        }
    }
}
