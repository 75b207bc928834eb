#include "CSpatiaLite.h"

#include <sqlite3.h>
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

/// The time (CLOCK_MONOTONIC, in nanoseconds) at which statements on this thread are interrupted; 0 for never.
static _Thread_local int64_t deadline;

static int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sqlite_give_up_after(int64_t nanoseconds) {
    deadline = nanoseconds == 0 ? 0 : monotonic_now() + nanoseconds;
}

static int is_over(void *unused) {
    (void)unused;
    return deadline != 0 && monotonic_now() > deadline;
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
