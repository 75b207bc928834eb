#ifndef CSPATIALITE_H
#define CSPATIALITE_H

#include <stdint.h>

struct sqlite3;

/// Stops SQLite from counting the memory it takes: the one lock all threads would take for each piece of it. Has an
/// effect only before the first connection is opened. Returns an SQLite result code.
int sqlite_configure(void);

/// Adds SpatiaLite's functions to an open connection. What they hold is freed when the connection closes. Returns an
/// SQLite result code.
int spatialite_install(struct sqlite3 *connection);

/// Statements that this thread runs on connections with `spatialite_install` end with SQLITE_INTERRUPT from so many
/// nanoseconds on; 0 lets them run.
void sqlite_give_up_after(int64_t nanoseconds);

/// Metres between two points (degrees) along the geodesic on WGS 84: by Karney's method, or, a third of its cost, by
/// Vincenty's where they are less than a degree apart. There both agree to a micrometre.
double geodesic_distance(double lon1, double lat1, double lon2, double lat2);

/// The same, always by Karney's method, from PROJ.
double geodesic_inverse(double lon1, double lat1, double lon2, double lat2);

/// A lower bound in metres of `geodesic_distance`, at a fraction of its cost.
double geodesic_lower_bound(double lon1, double lat1, double lon2, double lat2);

/// The same to the nearest point of a box (degrees) that does not cross the antimeridian.
double geodesic_lower_bound_to_box(double lon, double lat, double west, double south, double east, double north);

/// A point, and of its latitude, north or south, the cosine and the sine.
struct place {
    double lon, lat; // degrees
    double cosine, sine;
};

/// What an R*Tree is asked for: entries that may lie between two distances from a point, and in a box.
struct rtree_question {
    struct place centre, antipode;
    double most;                     // haversine from the centre beyond which nothing is wanted
    double least;                    // haversine from the antipode beyond which nothing is wanted; 2 for none
    double west, south, east, north; // degrees; west > east crosses the antimeridian
};

/// Entries between the two distances (metres), in the box of the whole Earth.
struct rtree_question rtree_ask(double lon, double lat, double inner, double outer);

/// From now on nothing farther away than so many metres.
void rtree_narrow(struct rtree_question *question, double outer);

/// How near an entry may be: the haversine of the angle to it, a lower bound, which grows with the distance. Infinite where
/// it is not asked for.
///
/// - Parameter entry: 24 bytes of a node as SQLite stores them: its number, then west, east, south and north as 32-bit
///   floating point, the highest byte first (https://sqlite.org/rtree.html, "Shadow Tables").
double rtree_score(const struct rtree_question *question, const void *entry);

#endif
