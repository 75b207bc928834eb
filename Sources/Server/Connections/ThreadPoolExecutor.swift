import Glibc
import NIOPosix

/// Runs tasks on the threads of a pool.
final class ThreadPoolExecutor: TaskExecutor {
    private let pool: NIOThreadPool
    private let niceness: CInt

    /// - Parameter niceness: the `nice` value of the threads.
    init(threads: Int, niceness: CInt = 0) {
        self.niceness = niceness
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        pool.submit { [niceness] _ in
            // On Linux this concerns only the calling thread.
            if niceness != 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            job.runSynchronously(on: executor)
        }
    }
}
