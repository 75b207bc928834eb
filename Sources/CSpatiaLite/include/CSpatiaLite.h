#ifndef CSPATIALITE_H
#define CSPATIALITE_H

#include <sqlite3.h>
#include <stdint.h>

/// Disables SQLite's memory statistics, whose global lock all threads would take for each allocation. It has an effect
/// only before the first connection is opened. Returns an SQLite result code.
int sqlite_configure(void);

/// Adds SpatiaLite's functions to an open connection. Their resources are freed when the connection closes. Returns an
/// SQLite result code.
int spatialite_install(struct sqlite3 *connection);

/// Makes a connection look for a lock that another one holds every millisecond, at most for the given time. SQLite's own
/// time-out looks ever less often, up to every 0.1 s, and misses the gaps between the transactions of an import.
void sqlite_wait_for_locks(struct sqlite3 *connection, int milliseconds);

/// Frees the connection's page cache, and returns free memory of the process to the system.
void sqlite_release_cache(struct sqlite3 *connection);

/// Makes a string in double quotes an error if it names nothing, instead of a text. Returns an SQLite result code.
int sqlite_refuse_quoted_texts(struct sqlite3 *connection);

/// Disables or enables all triggers on this connection. Returns an SQLite result code.
int sqlite_use_triggers(struct sqlite3 *connection, int is_enabled);

/// The times at which statements of a thread are interrupted, in nanoseconds; 0 for never.
struct time_limit {
    int64_t processor_end; // CLOCK_THREAD_CPUTIME_ID
    int64_t end;           // CLOCK_MONOTONIC
    int64_t check;         // CLOCK_MONOTONIC: `processor_end` cannot be reached before
};

/// Interrupts statements that this thread runs on connections with `spatialite_install` after a processor time or a
/// duration in nanoseconds, with SQLITE_INTERRUPT. 0 sets no limit. An earlier limit remains. Returns the former limit.
struct time_limit sqlite_narrow_time_limit(int64_t processor_time, int64_t duration);

/// Restores the limit that `sqlite_narrow_time_limit` has returned.
void sqlite_restore_time_limit(struct time_limit former);

/// Returns the processor time of this thread in nanoseconds.
int64_t thread_processor_time(void);

struct text_tokenizer;

/// Creates the tokenizer `unicode61` of FTS5 with one option. Returns null if that fails.
struct text_tokenizer *text_tokenizer_create(struct sqlite3 *connection, const char *option, const char *value);

void text_tokenizer_free(struct text_tokenizer *tokenizer);

/// Calls `receive` with each token of a text, as a full-text index would contain it. Returns an SQLite result code.
int text_tokenizer_run(struct text_tokenizer *tokenizer, const char *text, int length, void *context,
                       void (*receive)(void *context, const char *token, int length));

/// Returns the geodesic distance in metres between two points (degrees) on WGS 84. Points less than a degree apart use
/// Vincenty's method, which takes a third of the time of Karney's; the others use Karney's. Below one degree both agree
/// to a micrometre.
double geodesic_distance(double lon1, double lat1, double lon2, double lat2);

/// Returns the geodesic distance in metres by Karney's method, from PROJ.
double geodesic_inverse(double lon1, double lat1, double lon2, double lat2);

/// Returns a lower bound in metres of `geodesic_distance`, at a fraction of its cost.
double geodesic_lower_bound(double lon1, double lat1, double lon2, double lat2);

/// Returns a lower bound in metres of the distance to a box (degrees) that does not cross the antimeridian.
double geodesic_lower_bound_to_box(double lon, double lat, double west, double south, double east, double north);

/// A point, and the cosine and sine of the absolute value of its latitude.
struct place {
    double lon, lat; // degrees
    double cosine, sine;
};

/// A query of an R*Tree: entries within a range of distances from a point, and in a box.
struct rtree_question {
    struct place centre, antipode;
    double most;                     // maximum haversine from the centre
    double least;                    // maximum haversine from the antipode; 2 for no limit
    double west, south, east, north; // degrees; west > east crosses the antimeridian
};

/// Returns a query for entries between two distances in metres, in the box of the whole Earth.
struct rtree_question rtree_ask(double lon, double lat, double inner, double outer);

/// Reduces the maximum distance of a query, in metres.
void rtree_narrow(struct rtree_question *question, double outer);

/// Returns a lower bound of the haversine of the angle to an entry, which increases with the distance, or infinity if
/// the entry is outside of the query.
///
/// - Parameter entry: 24 bytes of a node in SQLite's format: the entry's number, then west, east, south and north as
///   big-endian 32-bit floats (https://sqlite.org/rtree.html, "Shadow Tables").
double rtree_score(const struct rtree_question *question, const void *entry);

#endif
