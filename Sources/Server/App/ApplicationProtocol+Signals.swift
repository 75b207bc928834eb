package import Hummingbird
import ServiceLifecycle

extension ApplicationProtocol {
    /// Runs the application until SIGTERM or SIGINT. Requests that last longer than five seconds after the signal are
    /// cancelled, because Docker kills a process ten seconds after SIGTERM.
    package func runUntilSignal() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [self],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }
}
