import Glibc

/// The limit on files and connections that the process may have open at once.
enum OpenFiles {
    private static let enough: rlim_t = 1 << 16

    /// Raises the limit as far as the system permits, because every subscriber to the event stream holds a connection.
    /// Returns the new limit.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < enough {
            var raised = limit
            raised.rlim_cur = min(enough, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, enough))
    }
}
