import Glibc

/// How many files and connections the process may hold open at once.
enum OpenFiles {
    private static let enough: rlim_t = 1 << 16

    /// As many as the system lets it have, where it starts with fewer: whoever watches the board holds a connection. Tells how many.
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
