import Foundation

/// Metrics of the process from `/proc`, with the names that the Prometheus client libraries use.
struct ProcessStatistics {
    private let fields: [Double]

    init() {
        let stat = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        // The process name, in parentheses, can contain any character. The fields after it begin with the third one
        // (proc(5)).
        let rest = stat.split(separator: ")").last ?? ""
        fields = rest.split(separator: " ").map { Double($0) ?? 0 }
    }

    func write(_ text: inout PrometheusText) {
        guard fields.count > 21 else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        text.counter("process_cpu_seconds_total", "Time of processors spent.", (fields[11] + fields[12]) / ticks)
        text.gauge(
            "process_resident_memory_bytes", "Memory held, the mapped database among it.",
            fields[21] * Double(sysconf(Int32(_SC_PAGESIZE)))
        )
        text.gauge(
            "process_start_time_seconds", "When it began, since 1970.",
            Self.bootTime.map { $0 + fields[19] / ticks }
        )
        text.gauge("process_open_fds", "Files and connections that are open.", Self.openFiles)
        text.gauge("process_max_fds", "How many may be.", Self.maxFiles)
    }

    private static var bootTime: Double? {
        let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
        return stat?.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    private static var openFiles: Int? {
        // The descriptor that reads the directory is not counted.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count).map { $0 - 1 }
    }

    private static var maxFiles: UInt? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? UInt(limit.rlim_cur) : nil
    }
}
