#include "CSpatiaLite.h"

#include <malloc.h>
#include <spatialite.h>
#include <time.h>

static void no_function(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

static void free_cache(void *cache) {
    spatialite_cleanup_ex(cache);
}

static _Thread_local struct time_limit limit;

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t earlier(int64_t a, int64_t b) {
    return a == 0 || (b != 0 && b < a) ? b : a;
}

int64_t thread_processor_time(void) {
    return now(CLOCK_THREAD_CPUTIME_ID);
}

struct time_limit sqlite_narrow_time_limit(int64_t processor_time, int64_t duration) {
    struct time_limit former = limit;
    if (processor_time != 0) {
        int64_t used = now(CLOCK_THREAD_CPUTIME_ID);
        limit.processor_end = earlier(limit.processor_end, used + processor_time);
        // The processor time does not run faster than the clock.
        limit.check = now(CLOCK_MONOTONIC) + limit.processor_end - used;
    }
    if (duration != 0) limit.end = earlier(limit.end, now(CLOCK_MONOTONIC) + duration);
    return former;
}

void sqlite_restore_time_limit(struct time_limit former) {
    limit = former;
}

static int is_over(void *unused) {
    (void)unused;
    if (limit.end == 0 && limit.processor_end == 0) return 0;
    int64_t time = now(CLOCK_MONOTONIC);
    if (limit.end != 0 && time > limit.end) return 1;
    if (limit.processor_end == 0 || time < limit.check) return 0;
    // Reading the clock of the thread is a system call, so it is read only when the limit can have been reached.
    int64_t left = limit.processor_end - now(CLOCK_THREAD_CPUTIME_ID);
    limit.check = time + left;
    return left <= 0;
}

static int wait_briefly(void *milliseconds, int tries) {
    struct timespec pause = {0, 1000000};
    return tries < (intptr_t)milliseconds && (nanosleep(&pause, 0), 1);
}

void sqlite_wait_for_locks(sqlite3 *connection, int milliseconds) {
    sqlite3_busy_handler(connection, wait_briefly, (void *)(intptr_t)milliseconds);
}

int sqlite_refuse_quoted_texts(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code == SQLITE_OK ? sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0) : code;
}

int sqlite_use_triggers(sqlite3 *connection, int is_enabled) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, is_enabled, (int *)0);
}

void sqlite_release_cache(sqlite3 *connection) {
    sqlite3_db_release_memory(connection);
    // The C library would keep the freed pages.
    malloc_trim(0);
}

int sqlite_configure(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int spatialite_install(sqlite3 *connection) {
    void *cache = spatialite_alloc_connection();
    spatialite_init_ex(connection, cache, 0);
    // Otherwise SpatiaLite would print messages about invalid polygons to the standard error.
    spatialite_set_silent_mode(cache);
    // SpatiaLite's cache must outlive the connection's statements. SQLite destroys functions last when a connection
    // closes.
    int code = sqlite3_create_function_v2(connection, "spatialite_cache_guard", 0, SQLITE_UTF8, cache, no_function, 0, 0,
                                          free_cache);
    // The handler is called every 1000 virtual machine instructions, which take microseconds unless they compare long
    // texts or geometries.
    sqlite3_progress_handler(connection, 1000, is_over, 0);
    return code;
}
