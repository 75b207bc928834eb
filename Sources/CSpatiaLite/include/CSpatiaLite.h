#ifndef CSPATIALITE_H
#define CSPATIALITE_H

#include <stdint.h>

struct sqlite3;

/// Stops SQLite from counting the memory it takes: the one lock all threads would take for each piece of it. Has an
/// effect only before the first connection is opened. Returns an SQLite result code.
int sqlite_configure(void);

/// Adds SpatiaLite's functions, and the R*Tree queries `nearest` and `in_box`, to an open connection. What they hold is
/// freed when the connection closes. Returns an SQLite result code.
///
/// - `MATCH nearest(lon, lat, inner, outer)`: entries that may lie between the two distances (metres), nearest first.
/// - `MATCH in_box(west, south, east, north)`: entries that may lie in the box; west > east crosses the antimeridian.
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

#endif
