package import Hummingbird
import ServiceLifecycle

extension ApplicationProtocol {
    /// Runs the application until SIGTERM or SIGINT. Requests that last longer than five seconds after the signal are
    /// cancelled, because Docker kills a process ten seconds after SIGTERM.
    ///
    /// - Parameter manager: is told that the service lives, and that it stops.
    package func runUntilSignal(_ manager: ServiceManager? = nil) async throws {
        let watchdog = manager.map { EventLoopWatchdog(manager: $0, eventLoops: eventLoopGroup) }
        // The group stops the last service first, so that the manager learns of it at once.
        let services = [self as any ServiceLifecycle.Service] + [watchdog].compactMap(\.self)
        var configuration = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }
}
