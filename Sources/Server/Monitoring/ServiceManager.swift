package import Domain
import Glibc
package import Logging

/// Tells systemd the state of the service by datagrams, as sd_notify(3) does.
package struct ServiceManager: Sendable {
    package enum State {
        /// The service listens, or has read its settings again.
        case ready
        case reloading
        case stopping
        /// All event loops answer.
        case alive
    }

    private let address: sockaddr_un
    private let length: socklen_t
    private let logger: Logger
    /// The maximum time between two `alive`; nil if the manager does not expect any.
    let watchdogInterval: Duration?

    /// Returns nil if no service manager started the process.
    ///
    /// - Parameter environment: the variables that sd_notify(3) and sd_watchdog_enabled(3) describe.
    package init?(environment: [String: String], logger: Logger) throws(ServiceError) {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        guard let (address, length) = Self.address(path) else {
            throw .invalid(
                "NOTIFY_SOCKET",
                "expected the path of a socket, or an abstract name like @name, got '\(path)'"
            )
        }
        (self.address, self.length) = (address, length)
        self.logger = logger
        // The variables of a parent process are not meant for this one.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = isMeant ? environment["WATCHDOG_USEC"].flatMap { Int64($0) } : nil
        watchdogInterval = microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    package func tell(_ state: State) {
        let text =
            switch state {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        if let error = send(text) { logger.warning("systemd cannot be told '\(text)': \(error)") }
    }

    /// Returns an error in words. It does not wait while the queue of the manager is full, because event loops call it.
    private func send(_ text: String) -> String? {
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return String(cString: strerror(errno)) }
        defer { close(socket) }
        let count = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), address, length)
            }
        }
        return count < 0 ? String(cString: strerror(errno)) : nil
    }

    private static func address(_ path: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The name of an abstract socket begins with a null byte and ends with the length (unix(7)).
        let isAbstract = path.hasPrefix("@")
        var bytes = Array(path.utf8)
        if isAbstract { bytes[0] = 0 }
        guard isAbstract || path.hasPrefix("/"), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let prefix = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        return (address, socklen_t(prefix + bytes.count + (isAbstract ? 0 : 1)))
    }

    private static var monotonicMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
