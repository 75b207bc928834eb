package import Hummingbird
package import ServiceLifecycle
package import UnixSignals

extension Application {
    /// Returns the group that runs the server and its services, and that stops them in one way, whatever the cause: the
    /// server first, which accepts no more connections and answers the open requests, and then the others. Requests that
    /// last longer than five seconds after that are cancelled, because Docker kills a process ten seconds after SIGTERM.
    ///
    /// - Parameters:
    ///   - signals: the signals that stop the group. Further ones have no effect.
    ///   - manager: is told that the service lives, and that it stops.
    package func serviceGroup(stoppedBy signals: [UnixSignal] = [], manager: ServiceManager? = nil) -> ServiceGroup {
        // If the application ran the services itself, one that ended would cancel the server.
        var server = self
        server.services = []
        let watchdog = manager.map { EventLoopWatchdog(manager: $0, eventLoops: eventLoopGroup) }
        // The group stops the last service first, so that the manager learns of it at once.
        let services = self.services + [server] + [watchdog].compactMap(\.self)
        var configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(service: Unending(service: $0), failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: signals,
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        return ServiceGroup(configuration: configuration)
    }
}

/// A service that fails if it ends before it is told to.
private struct Unending: ServiceLifecycle.Service {
    let service: any ServiceLifecycle.Service

    func run() async throws {
        try await service.run()
        guard Task.isShuttingDownGracefully || Task.isCancelled else {
            throw ServiceGroupError.serviceFinishedUnexpectedly(service: "\(service)")
        }
    }
}
